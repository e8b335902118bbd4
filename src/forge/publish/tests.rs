//! Publishing against a service in memory.

use super::*;
use crate::forge::publication::branch_of;
use crate::forge::testing::{Commit, Fault, Hub, publication};

fn published() -> (Hub, Publication) {
    let first = publication("f1", "new a");
    let mut hub = Hub::before(&first);
    let outcome = publish(&mut hub, &first).unwrap();
    assert_eq!((outcome.state, outcome.number), (State::Opened, 7));
    hub.writes.clear();
    (hub, first)
}

#[test]
fn a_pull_request_is_opened_and_not_twice() {
    let (mut hub, first) = published();
    assert_eq!(publish(&mut hub, &first).unwrap().state, State::Unchanged);
    assert!(hub.writes.is_empty(), "{:?}", hub.writes);
    let commit = &hub.commits[&hub.branches[&first.branch]];
    assert_eq!(hub.trees[&commit.tree].len(), 2);
    insta::assert_snapshot!(commit.message);
    insta::assert_snapshot!(hub.comments[0]["body"].as_str().unwrap());
}

#[test]
fn a_changed_proposal_updates_the_same_pull_request() {
    let (mut hub, first) = published();
    let old = hub.branches[&first.branch].clone();
    let second = publication("f2", "newer a");
    assert_eq!(publish(&mut hub, &second).unwrap().state, State::Updated);
    assert_eq!((hub.pulls.len(), hub.comments.len()), (1, 1));
    assert_ne!(hub.branches[&first.branch], old);
    assert!(hub.pulls[0]["body"].as_str().unwrap().contains("f2"));
    assert!(hub.comments[0]["body"].as_str().unwrap().contains("f2"));
}

#[test]
fn a_branch_that_somebody_touched_is_left_alone() {
    for message in ["Somebody's work", "amended"] {
        let (mut hub, first) = published();
        let ours = hub.commits[&hub.branches[&first.branch]].clone();
        let tree = hub.tree([("logs/a.jsonl".to_owned(), "1".repeat(40))].into());
        let message = if message == "amended" { ours.message } else { message.to_owned() };
        let theirs = hub.commit(Commit { tree, message, parents: 1 });
        hub.branches.insert(first.branch.clone(), theirs.clone());
        let stopped = publish(&mut hub, &publication("f2", "newer a"));
        assert_eq!(stopped, Err(Stop::ForeignBranch(first.branch.clone())));
        assert_eq!(hub.branches[&first.branch], theirs);
        assert!(hub.writes.is_empty());
    }
}

#[test]
fn nothing_is_written_when_the_base_moved() {
    let first = publication("f1", "new a");
    for change in [Some("2".repeat(40)), None] {
        let mut hub = Hub::before(&first);
        let files = change.into_iter().map(|blob| ("logs/a.jsonl".to_owned(), blob)).collect();
        let tree = hub.tree(files);
        let tip = hub.commit(Commit { tree, message: String::new(), parents: 1 });
        hub.branches.insert("main".to_owned(), tip);
        assert_eq!(publish(&mut hub, &first), Err(Stop::BaseMoved(vec!["logs/a.jsonl".to_owned()])));
        assert!(hub.writes.is_empty());
    }
}

#[test]
fn lost_answers_make_nothing_twice() {
    for part in ["Post /repos/octo/logs/pulls", "/git/refs", "/comments"] {
        for fault in [Fault::LostBefore, Fault::LostAfter] {
            let first = publication("f1", "new a");
            let mut hub = Hub::before(&first);
            hub.faults.push((
                if part == "/comments" { "Post /repos/octo/logs/issues/7/comments" } else { part },
                fault,
                1,
            ));
            let outcome = publish(&mut hub, &first).unwrap();
            assert_eq!(outcome.number, 7, "{part} {fault:?}");
            assert_eq!((hub.pulls.len(), hub.comments.len(), hub.branches.len()), (1, 1, 2), "{part} {fault:?}");
        }
    }
}

#[test]
fn a_missing_permission_is_named() {
    for (part, permission) in
        [("/git/blobs", CONTENTS), ("/git/refs", CONTENTS), ("Post /repos/octo/logs/pulls", PULLS)]
    {
        let first = publication("f1", "new a");
        let mut hub = Hub::before(&first);
        hub.faults.push((part, Fault::Refused(403), 1));
        let stopped = publish(&mut hub, &first);
        assert!(
            matches!(&stopped, Err(Stop::Missing { permission: p, .. }) if *p == permission),
            "{part}: {stopped:?}"
        );
        assert!(hub.pulls.is_empty());
        assert_eq!(publish(&mut hub, &first).unwrap().state, State::Opened);
    }
    for part in ["/labels", "Post /repos/octo/logs/issues/7/comments"] {
        let first = publication("f1", "new a");
        let mut hub = Hub::before(&first);
        hub.faults.push((part, Fault::Refused(403), 1));
        assert_eq!(publish(&mut hub, &first).unwrap().notes.len(), 1, "{part}");
    }
}

#[test]
fn what_a_person_closed_stays_closed_until_it_changes() {
    let (mut hub, first) = published();
    hub.pulls[0]["state"] = "closed".into();
    assert_eq!(publish(&mut hub, &first).unwrap().state, State::Declined);
    assert!(hub.writes.is_empty());
    assert_eq!(publish(&mut hub, &publication("f2", "newer a")).unwrap().state, State::Opened);
}

#[test]
fn planted_comments_and_branches_of_forks_are_passed_over() {
    let first = publication("f1", "new a");
    let mut hub = Hub::before(&first);
    hub.comments
        .push(json!({"id": 0, "body": format!("{} mine", comment::MARKER), "user": {"id": 66, "type": "User"}}));
    hub.pulls.push(json!({"number": 1, "state": "open", "body": pull_request::marker("f0"), "title": "",
        "head": {"ref": first.branch, "label": format!("fork:{}", first.branch)}}));
    hub.pulls[0]["head"]["ref"] = "sesslint/repair/main-0".into();
    let outcome = publish(&mut hub, &first).unwrap();
    assert_eq!((hub.comments.len(), outcome.superseded.len()), (2, 0));
    assert!(hub.comments[0]["body"].as_str().unwrap().ends_with("mine"));
}

#[test]
fn other_sets_of_files_are_told() {
    let (mut hub, _) = published();
    let mut other = publication("f9", "new b");
    other.branch = branch_of("main", ["logs/a.jsonl", "logs/b.jsonl"].into_iter());
    let outcome = publish(&mut hub, &other).unwrap();
    assert_eq!((outcome.state, outcome.superseded.len()), (State::Opened, 1));
}
