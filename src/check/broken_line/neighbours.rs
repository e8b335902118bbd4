//! Where a lost record would have stood: byte ranges around the events that miss it.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::check::open_call::is_conversation;
use crate::model::{Kind, Session, Sym};

/// A record hangs on one of the records just before it: at most this many others of its branch stand between.
const NEAR: usize = 8;

/// The events of each agent and branch, in file order.
pub(in crate::check) struct Scopes {
    by_scope: BTreeMap<(Sym, Sym), Scope>,
}

#[derive(Default)]
struct Scope {
    /// Records that name a parent.
    chained: Vec<u32>,
    /// Messages, calls and results.
    talk: Vec<u32>,
    /// By place in `talk`: number of its batch. A batch is a message, or calls in a row and the results behind them.
    batch: Vec<usize>,
}

impl Scopes {
    pub(in crate::check) fn new(session: &Session) -> Self {
        let mut by_scope: BTreeMap<(Sym, Sym), Scope> = BTreeMap::new();
        for (at, event) in (0u32..).zip(&session.events) {
            let scope = session.scope(event);
            let scope = by_scope.entry((scope.agent, scope.branch)).or_default();
            if event.parent.is_some() {
                scope.chained.push(at);
            }
            if is_conversation(event) {
                let kind_before = scope.talk.last().map(|&before| session.events[before as usize].kind);
                let goes_on = match event.kind {
                    Kind::ToolCall => kind_before == Some(Kind::ToolCall),
                    Kind::ToolResult => kind_before.is_some_and(Kind::is_tool),
                    _ => false,
                };
                scope.batch.push(scope.batch.last().map_or(0, |batch| batch + usize::from(!goes_on)));
                scope.talk.push(at);
            }
        }
        Self { by_scope }
    }

    fn of(&self, session: &Session, at: usize) -> Option<(&Scope, usize)> {
        let scope = session.scope(session.events.get(at)?);
        Some((self.by_scope.get(&(scope.agent, scope.branch))?, at))
    }

    /// From a few chained records before the one at `at` up to that.
    pub(super) fn above(&self, session: &Session, at: usize) -> Range<u64> {
        let Some((scope, at)) = self.of(session, at) else { return 0..0 };
        let own = session.events[at].record;
        let place = scope.chained.partition_point(|&other| session.events[other as usize].record < own);
        let before = place.checked_sub(NEAR).map(|place| scope.chained[place] as usize);
        before.map_or(0, |before| offset(session, before))..offset(session, at)
    }

    /// From the last batch before that of a result up to the result.
    pub(in crate::check) fn before(&self, session: &Session, at: usize) -> Range<u64> {
        let Some((scope, at)) = self.of(session, at) else { return 0..0 };
        let place = scope.talk.partition_point(|&other| (other as usize) < at);
        let batch = scope.batch.get(place).copied().unwrap_or_default();
        let last = scope.batch.partition_point(|&other| other < batch).checked_sub(1);
        last.map_or(0, |last| offset(session, scope.talk[last] as usize))..offset(session, at)
    }

    /// From a call up to the batch behind its own.
    pub(in crate::check) fn behind(&self, session: &Session, at: usize) -> Range<u64> {
        let Some((scope, at)) = self.of(session, at) else { return 0..0 };
        let place = scope.talk.partition_point(|&other| (other as usize) < at);
        let Some(&batch) = scope.batch.get(place) else { return 0..0 };
        let next = scope.talk.get(scope.batch.partition_point(|&other| other <= batch));
        offset(session, at)..next.map_or(u64::MAX, |&next| offset(session, next as usize))
    }
}

fn offset(session: &Session, at: usize) -> u64 {
    session.records[session.events[at].record as usize].offset
}

/// The stretch of the run that an offset lies in: from the last record of the run before it to the first of the next.
pub(super) fn run_of(session: &Session, at: u64) -> (u64, u64) {
    let runs = &session.runs;
    let start = |offset: Option<u64>| offset.unwrap_or(0);
    let before = runs[..runs.partition_point(|run| start(run.last.byte_start) < at)].last();
    let behind = runs.get(runs.partition_point(|run| start(run.first.byte_start) <= at));
    (before.map_or(0, |run| start(run.last.byte_start)), behind.map_or(u64::MAX, |run| start(run.first.byte_start)))
}
