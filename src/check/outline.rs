//! Draws a session small: what each record is, and on which branch it stands.

use super::context::NONE;
use super::forest::Forest;
use crate::model::outline::{Beat, LANES_LIMIT, Near, Outline};
use crate::model::{Actor, Event, Kind, Session};

/// Most places whose neighbourhood is kept.
const NEAR_LIMIT: usize = 32;

/// The outline of a session with what stands at and beside `places` (lines or items, sorted).
#[must_use]
pub fn outline(session: &Session, records: u64, places: &[u64]) -> Outline {
    let position = |event: &Event| {
        let row = &session.records[event.record as usize];
        if row.item > 0 { row.item } else { row.line }
    };
    let last = session.events.iter().map(position).max().unwrap_or(0);
    let mut outline = Outline::new(records.max(last).max(places.last().copied().unwrap_or(0)));
    let lanes = lanes(session);
    for (event, lane) in session.events.iter().zip(lanes) {
        outline.add(position(event), beat(event), lane);
    }
    let mut rows: Vec<(u64, Beat)> = session.events.iter().map(|event| (position(event), beat(event))).collect();
    // The most telling event of a record stands for it.
    rows.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    rows.dedup_by_key(|row| row.0);
    outline.near = near(&rows, places);
    outline
}

fn near(rows: &[(u64, Beat)], places: &[u64]) -> Vec<Near> {
    let mut near = Vec::new();
    for &position in places.iter().take(NEAR_LIMIT) {
        let at = rows.partition_point(|row| row.0 < position);
        let there = rows.get(at).is_some_and(|row| row.0 == position);
        let beside = [at.checked_sub(1), Some(at), Some(at + 1).filter(|_| there)];
        near.extend(
            beside
                .into_iter()
                .flatten()
                .filter_map(|n| rows.get(n).map(|&(position, beat)| Near { position, place: 2 * n as u64 + 1, beat })),
        );
        if !there {
            near.push(Near { position, place: 2 * at as u64, beat: Beat::Gap });
        }
    }
    near.sort_unstable();
    near.dedup();
    near
}

fn beat(event: &Event) -> Beat {
    match (event.kind, event.actor) {
        (Kind::CompactionBoundary, _) => Beat::Boundary,
        (Kind::ToolCall, _) => Beat::Call,
        (Kind::ToolResult, _) => Beat::Result,
        (Kind::Message, Actor::User) => Beat::Prompt,
        (Kind::Message, Actor::Assistant) => Beat::Model,
        _ => Beat::Other,
    }
}

/// By position, the lane: 0 for what the last event stands on, others for branches that were left, in order.
fn lanes(session: &Session) -> Vec<u8> {
    const OPEN: u8 = u8::MAX;
    let forest = Forest::new(session);
    let count = session.events.len();
    if !session.conventions.tree {
        return vec![0; count];
    }
    let mut lanes = vec![OPEN; count];
    // Metadata stands apart from the conversation; the last message tells which branch goes on.
    let end =
        (0..count as u32).rev().find(|&at| forest.is_head(at) && session.events[at as usize].kind != Kind::Opaque);
    let mut at = end.unwrap_or(NONE);
    while at != NONE && lanes[at as usize] == OPEN {
        lanes[at as usize] = 0;
        at = forest.parent(at);
    }
    let mut branches = 0;
    for &at in &forest.order {
        if lanes[at as usize] == OPEN {
            let parent = forest.parent(at);
            let above = if parent == NONE { 0 } else { lanes[parent as usize] };
            lanes[at as usize] = if above > 0 {
                above
            } else {
                branches += 1;
                1 + ((branches - 1) % (LANES_LIMIT - 1)) as u8
            };
        }
    }
    // What does not count in the forest, or hangs on a cycle, is drawn where the conversation is.
    lanes.iter_mut().filter(|lane| **lane == OPEN).for_each(|lane| *lane = 0);
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::testing::{Build, FLAT, FOREST};

    #[test]
    fn the_branch_that_goes_on_is_the_first_lane() {
        let build = Build::new(FOREST).add_all(&[
            "user u1",
            "assistant a1 u1",
            "call c1 a1 k1",
            "result r1 c1 k1",
            "user u2 a1",
            "boundary b1 u2",
            "assistant a2 b1",
            "opaque o1 r1",
        ]);
        let (beats, lanes) = outline(&build.session, 10, &[]).text();
        assert_eq!((&*beats, &*lanes), ("pmcrpbmo..", "0011000100"));
    }

    #[test]
    fn the_neighbourhood_of_places_is_kept() {
        let mut build = Build::new(FLAT).add_all(&["user u1", "assistant a1", "call c1", "result r1"]);
        build.session.records[3].line = 7;
        let outline = outline(&build.session, 9, &[2, 5, 9]);
        let near: Vec<_> = outline.near.iter().map(|n| (n.position, n.place, n.beat.letter())).collect();
        assert_eq!(near, [(1, 1, 'p'), (2, 3, 'm'), (3, 5, 'c'), (5, 6, '.'), (7, 7, 'r'), (9, 8, '.')]);
    }

    #[test]
    fn without_links_and_in_cycles_there_is_one_lane() {
        for conventions in [FLAT, FOREST] {
            let build = Build::new(conventions).add_all(&["user u1 u2", "user u2 u1", "user u2 u1"]);
            assert_eq!(outline(&build.session, 0, &[]).text().1, "000");
        }
        assert_eq!(outline(&Build::new(FOREST).session, 0, &[]).text().0, "");
    }
}
