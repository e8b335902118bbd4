//! Which call each result answers where history is a path: the nearest call of its key above it.
//!
//! Two branches may each answer one call, and each may hold a call of its own under one id. One sweep over the calls
//! and results of a key, in the order of the tree.

use super::context::{Context, NONE};
use super::tool_pairing::Pair;

/// What became of the calls and results of one key.
#[derive(Default)]
pub(super) struct Paths {
    /// Calls that nothing answers, on no path.
    pub open: Vec<u32>,
    /// Calls that are answered, but not on the path to the head of the log.
    pub answered_elsewhere: Vec<u32>,
    /// Results that answer nothing.
    pub orphans: Vec<u32>,
    /// Calls below a call of the same key, in file order, with the topmost one first; empty or at least two.
    pub reused: Vec<u32>,
    /// Results of one call on one path, each list at least two long.
    pub repeated: Vec<Vec<u32>>,
    /// Calls with a result, whose place is judged next.
    pub pairs: Vec<Pair>,
}

/// A call or result on the path that the sweep is on.
struct Open {
    node: u32,
    /// Place in the list of calls: its own, or that of the call it answers.
    call: usize,
    /// Its position when it is a result.
    result: Option<u32>,
}

/// Pairs the calls and results of one key.
pub(super) fn pair(context: &Context<'_>, calls: &[u32], results: &[u32]) -> Paths {
    let forest = &context.forest;
    let node = |at: u32| forest.node(context.event(at).id);
    let mut members: Vec<(u32, u32)> = calls.iter().chain(results).map(|&at| (forest.rank(node(at)), at)).collect();
    members.sort_unstable();
    let mut paths = Paths::default();
    let mut answers: Vec<Vec<u32>> = vec![Vec::new(); calls.len()];
    let mut repeated: Vec<Vec<u32>> = vec![Vec::new(); calls.len()];
    let mut strays = Vec::new();
    let mut path: Vec<Open> = Vec::new();
    for (_, at) in members {
        let own = node(at);
        while path.last().is_some_and(|open| !forest.is_ancestor(open.node, own)) {
            path.pop();
        }
        let above = path.last();
        let (call, result) = match (calls.binary_search(&at), above) {
            (Ok(place), above) => {
                if let Some(above) = above {
                    paths.reused.extend([calls[above.call], at]);
                }
                (place, None)
            }
            (Err(_), None) => {
                strays.push(at);
                continue;
            }
            (Err(_), Some(above)) => {
                match above.result {
                    Some(first) if repeated[above.call].is_empty() => repeated[above.call].extend([first, at]),
                    Some(_) => repeated[above.call].push(at),
                    None => answers[above.call].push(at),
                }
                (above.call, Some(at))
            }
        };
        path.push(Open { node: own, call, result });
    }
    paths.reused.sort_unstable();
    paths.reused.dedup();
    for (call, results) in answers.iter_mut().enumerate() {
        paths.pairs.extend(results.iter().map(|&result| (calls[call], result)));
    }
    paths.place_strays(context, calls, &mut answers, &strays);
    paths.repeated = repeated.into_iter().filter(|list| !list.is_empty()).collect();
    paths.judge_answers(context, calls, &answers);
    paths
}

impl Paths {
    /// Results without a call above: their call may stand below, on another branch, or on the far side of a lost parent.
    fn place_strays(&mut self, context: &Context<'_>, calls: &[u32], answers: &mut [Vec<u32>], strays: &[u32]) {
        let forest = &context.forest;
        let node = |at: u32| forest.node(context.event(at).id);
        let mut next_unanswered = 0;
        for &stray in strays {
            while answers.get(next_unanswered).is_some_and(|answers| !answers.is_empty()) {
                next_unanswered += 1;
            }
            let place = if next_unanswered < calls.len() { next_unanswered } else { calls.len().saturating_sub(1) };
            let Some(&call) = calls.get(place) else {
                self.orphans.push(stray);
                continue;
            };
            answers[place].push(stray);
            // Where a parent was lost, the pair is whole but for that, and the lost parent says so.
            let parted = [stray, call].iter().any(|&at| forest.orphan_above(node(at)) != NONE)
                && forest.component(node(stray)) != forest.component(node(call));
            if !parted {
                self.pairs.push((call, stray));
            }
        }
    }

    fn judge_answers(&mut self, context: &Context<'_>, calls: &[u32], answers: &[Vec<u32>]) {
        let forest = &context.forest;
        let node = |at: u32| forest.node(context.event(at).id);
        let head = context.session.events.last().map_or(NONE, |last| forest.node(last.id));
        let leads_to_head = |at: u32| node(at) == head || forest.is_ancestor(node(at), head);
        for (&call, results) in calls.iter().zip(answers) {
            if results.is_empty() {
                self.open.push(call);
            } else if forest.is_ancestor(node(call), head)
                && results.iter().all(|&result| forest.is_ancestor(node(call), node(result)) && !leads_to_head(result))
            {
                self.answered_elsewhere.push(call);
            }
        }
    }
}
