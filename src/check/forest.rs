//! The parent links of a session: who hangs on whom, ancestors, components. Built once, iteratively, in linear time.
//!
//! One occurrence of each id counts: the first, or where loaders let the last one win, the first event of the last
//! record. Positions on or below a cycle belong to a component but have no ancestors.

use super::context::NONE;
use crate::model::{Event, Session, Sym};

/// Events that hang together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Component {
    /// The event without a present parent; in a cycle the one with the smallest id of the component.
    pub root: u32,
    /// Number of events.
    pub size: usize,
    /// Number of events that are nobody's parent.
    pub heads: usize,
    /// Whether it ends in a cycle instead of a root.
    pub cyclic: bool,
    /// Whether its root names a parent that is not there.
    pub orphaned: bool,
}

/// See the module.
pub(crate) struct Forest {
    /// By symbol: the occurrence that counts.
    at: Vec<u32>,
    /// By position: the parent's position.
    parent: Vec<u32>,
    /// By position: the component.
    component: Vec<u32>,
    /// By position: place in `order`, and the end of the subtree there.
    span: Vec<(u32, u32)>,
    /// Positions, parents before children, subtrees together.
    pub order: Vec<u32>,
    /// In order of their roots; cycles last.
    pub components: Vec<Component>,
    /// By position: nobody's parent.
    head: Vec<bool>,
}

impl Forest {
    pub(crate) fn new(session: &Session) -> Self {
        let at = occurrences(session);
        let count = session.events.len();
        let node = |sym: Sym| if sym.is_none() { NONE } else { at[sym.index()] };
        let counts = |i: usize, event: &Event| node(event.id) as usize == i;
        let (mut parent, mut head) = (vec![NONE; count], vec![false; count]);
        for (i, event) in session.events.iter().enumerate().filter(|(i, event)| counts(*i, event)) {
            head[i] = true;
            if session.conventions.tree {
                parent[i] = node(event.parent);
            }
        }
        for &p in parent.iter().filter(|&&p| p != NONE) {
            head[p as usize] = false;
        }
        let mut forest = Self {
            at,
            parent,
            component: vec![NONE; count],
            span: vec![(0, 0); count],
            order: Vec::with_capacity(count),
            components: Vec::new(),
            head,
        };
        forest.grow(session);
        forest.close_cycles(session);
        forest
    }

    /// Visits what hangs on roots.
    fn grow(&mut self, session: &Session) {
        let count = self.parent.len();
        let (mut first_child, mut next_sibling) = (vec![NONE; count], vec![NONE; count]);
        for i in (0..count).rev().filter(|&i| self.parent[i] != NONE) {
            let p = self.parent[i] as usize;
            next_sibling[i] = std::mem::replace(&mut first_child[p], i as u32);
        }
        let mut stack = Vec::new();
        for root in 0..count as u32 {
            if !self.is_root(session, root) {
                continue;
            }
            let number = self.components.len() as u32;
            let orphaned = session.conventions.tree && session.events[root as usize].parent.is_some();
            self.components.push(Component { root, size: 0, heads: 0, cyclic: false, orphaned });
            stack.push(root);
            while let Some(i) = stack.pop() {
                self.span[i as usize].0 = self.order.len() as u32;
                self.order.push(i);
                self.join(i, number);
                let mut child = first_child[i as usize];
                while child != NONE {
                    stack.push(child);
                    child = next_sibling[child as usize];
                }
            }
        }
        for &i in &self.order {
            self.span[i as usize].1 = self.span[i as usize].0 + 1;
        }
        for &i in self.order.iter().rev().filter(|&&i| self.parent[i as usize] != NONE) {
            let (end, p) = (self.span[i as usize].1, self.parent[i as usize] as usize);
            self.span[p].1 = self.span[p].1.max(end);
        }
    }

    /// Gathers what hangs on cycles into components.
    fn close_cycles(&mut self, session: &Session) {
        let mut path = Vec::new();
        for start in 0..self.parent.len() as u32 {
            let mut i = start;
            // Open marks: what is on the path has the number of the component it would found.
            let number = self.components.len() as u32;
            while self.parent[i as usize] != NONE && self.component[i as usize] == NONE {
                self.component[i as usize] = number;
                path.push(i);
                i = self.parent[i as usize];
            }
            let Some(&first) = path.first() else { continue };
            let owner = self.component[i as usize];
            if owner == number {
                self.components.push(Component { root: first, size: 0, heads: 0, cyclic: true, orphaned: false });
            }
            for i in path.drain(..) {
                self.join(i, owner);
                let root = &mut self.components[owner as usize].root;
                let id = |at: u32| session.text(session.events[at as usize].id);
                if id(i) < id(*root) {
                    *root = i;
                }
            }
        }
    }

    fn join(&mut self, i: u32, number: u32) {
        self.component[i as usize] = number;
        let component = &mut self.components[number as usize];
        component.size += 1;
        component.heads += usize::from(self.head[i as usize]);
    }

    fn is_root(&self, session: &Session, i: u32) -> bool {
        self.parent[i as usize] == NONE && self.counts(session, i)
    }

    /// Whether this occurrence is the one of its id that counts.
    pub(crate) fn counts(&self, session: &Session, i: u32) -> bool {
        self.node(session.events[i as usize].id) == i
    }

    /// The position that counts for an id, or [`NONE`].
    pub(crate) fn node(&self, id: Sym) -> u32 {
        if id.is_none() { NONE } else { self.at[id.index()] }
    }

    /// The parent's position, or [`NONE`].
    pub(crate) fn parent(&self, i: u32) -> u32 {
        self.parent[i as usize]
    }

    /// Whether nobody hangs on this position.
    pub(crate) fn is_head(&self, i: u32) -> bool {
        self.head[i as usize]
    }

    /// Place in an order in which parents come before children and subtrees stay together.
    pub(crate) fn rank(&self, i: u32) -> u32 {
        self.span[i as usize].0
    }

    /// Whether `above` is a proper ancestor of `below`.
    pub(crate) fn is_ancestor(&self, above: u32, below: u32) -> bool {
        let (start, end) = self.span[above as usize];
        let place = self.span[below as usize];
        place.1 > 0 && start < place.0 && place.0 < end
    }

    /// Number of the component, or [`NONE`] for an occurrence that does not count.
    pub(crate) fn component(&self, i: u32) -> u32 {
        self.component[i as usize]
    }

    /// Number of the main component: the largest, and of equal ones the one with the smallest root.
    pub(crate) fn primary(&self, session: &Session) -> Option<u32> {
        let id = |component: &Component| session.text(session.events[component.root as usize].id);
        let rank = |&i: &u32| {
            let component = &self.components[i as usize];
            (std::cmp::Reverse(component.size), id(component))
        };
        (0..self.components.len() as u32).min_by_key(rank)
    }

    /// The event without whose lost parent this event would hang together with the rest, or [`NONE`].
    pub(crate) fn orphan_above(&self, i: u32) -> u32 {
        match self.components.get(self.component(i) as usize) {
            Some(component) if component.orphaned => component.root,
            _ => NONE,
        }
    }
}

/// By symbol, the position that counts for an id.
fn occurrences(session: &Session) -> Vec<u32> {
    let mut at = vec![NONE; session.strings.len() + 1];
    for (i, event) in (0u32..).zip(&session.events) {
        let known = &mut at[event.id.index()];
        let newer = session.conventions.identity_by_bytes
            && *known != NONE
            && session.events[*known as usize].record != event.record;
        if *known == NONE || newer {
            *known = i;
        }
    }
    at
}
