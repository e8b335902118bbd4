//! The text of the pull request: what changes, what is given up, what stays broken, and how to check all of it. It holds
//! no word of any session, and stays below the service's limit.

use super::document::{Entry, Proposal, Refused};
use crate::emit::escape::{markdown_cell, markdown_code};
use crate::report::Assurance;

/// Longest text the service takes, in characters.
pub const MAX_BODY: usize = 65_536;
/// Room for rows; the rest of the text is short.
const MAX_TABLE: usize = 28_000;

/// The line by which a pull request is known as ours.
#[must_use]
pub fn marker(fingerprint: &str) -> String {
    format!("{MARKER}{fingerprint} -->")
}

/// How [`marker`] begins.
pub const MARKER: &str = "<!-- sesslint:proposal ";

/// The title.
#[must_use]
pub fn title(proposal: &Proposal) -> String {
    match proposal.files.len() {
        1 => "Repair a session log".to_owned(),
        count => format!("Repair {count} session logs"),
    }
}

/// The text.
#[must_use]
pub fn body(proposal: &Proposal) -> String {
    let mut text = marker(&proposal.fingerprint);
    text.push_str(
        "\n\nSome agent session logs of this repository are broken: a resume of them fails or drops records. ",
    );
    text.push_str("Here they are mended by an edit script over their lines; every line it does not name is kept byte ");
    text.push_str("for byte. The originals are replaced by merging this, and by nothing else.\n\n");
    text.push_str("| Log | Lines | Given up | Trust | Steps |\n| --- | --- | --- | --- | --- |\n");
    rows(&proposal.files, entry, &mut text);
    text.push_str(&levels(&proposal.files));
    let left_out: Vec<&Entry> = proposal.files.iter().filter(|entry| entry.not_committed.is_some()).collect();
    if !left_out.is_empty() {
        text.push_str("\n**Not in the commit**, only in the proposal's folder:\n\n| Log | Why |\n| --- | --- |\n");
        let row = |entry: &&Entry| {
            let why = entry.not_committed.as_deref().unwrap_or_default();
            format!("| {} | {} |\n", markdown_code(&entry.path), markdown_cell(why))
        };
        rows(&left_out, row, &mut text);
    }
    if !proposal.refused.is_empty() {
        text.push_str("\n**Broken, and not mended:**\n\n| Log | Code | Why | Findings |\n| --- | --- | --- | --- |\n");
        rows(&proposal.refused, refused, &mut text);
    }
    text.push_str(
        "\n### Check it\n\nIn a checkout of this branch:\n\n```sh\ngit worktree add --detach ../base HEAD^\n",
    );
    let acknowledged = if proposal.acknowledged_side_effects { " --acknowledge-side-effects" } else { "" };
    text.push_str(&format!("sesslint verify --pull-request . --repo ../base{acknowledged}\n```\n\n"));
    text.push_str("With the folder of the proposal, in a checkout of its base:\n\n```sh\n");
    text.push_str("sesslint verify --proposal FOLDER\n```\n\n");
    text.push_str(
        "Every repair is made anew and compared, every receipt verified, and nothing else may have changed.\n\n",
    );
    text.push_str(&format!(
        "Proposal {}, policy {}, {} {}.\n",
        markdown_code(&proposal.fingerprint),
        proposal.policy,
        markdown_cell(&proposal.tool.name),
        markdown_cell(&proposal.tool.version)
    ));
    text
}

/// As many rows as there is room for, and how many there were more. Rows are whole or not there.
fn rows<T>(all: &[T], row: impl Fn(&T) -> String, text: &mut String) {
    let mut room = MAX_TABLE / 2;
    for (at, item) in all.iter().enumerate() {
        let line = row(item);
        let Some(left) = room.checked_sub(line.chars().count()) else {
            text.push_str(&format!("\n{} more: see `proposal.json`.\n", all.len() - at));
            return;
        };
        room = left;
        text.push_str(&line);
    }
}

/// What the words of the column of trust say.
fn levels(files: &[Entry]) -> String {
    let occurs =
        |level: &&Assurance| files.iter().any(|f| [&*f.assurance.before, &f.assurance.after].contains(&level.as_str()));
    let all = [Assurance::A0, Assurance::A1, Assurance::A2, Assurance::A3, Assurance::A4];
    let told: Vec<String> =
        all.iter().filter(occurs).map(|level| format!("{}: {}", level.as_str(), level.limitation())).collect();
    if told.is_empty() { String::new() } else { format!("\nTrust, before and after. {}\n", told.join(" ")) }
}

fn entry(entry: &Entry) -> String {
    let loss = if entry.declared_loss.is_empty() {
        "nothing".to_owned()
    } else {
        let summed = entry.summed_loss();
        markdown_cell(&shortened(summed.iter().map(String::as_str)))
    };
    let mut recipes: Vec<(&str, usize)> = Vec::new();
    for step in &entry.edits.steps {
        match recipes.iter_mut().find(|(name, _)| *name == step.recipe) {
            Some((_, count)) => *count += 1,
            None => recipes.push((&step.recipe, 1)),
        }
    }
    let steps: Vec<String> =
        recipes.iter().map(|(name, n)| if *n == 1 { (*name).to_owned() } else { format!("{name} ×{n}") }).collect();
    format!(
        "| {} | −{} +{} | {loss} | {} → {}, {} | {} |\n",
        markdown_code(&entry.path),
        entry.edits.lines_removed,
        entry.edits.lines_added,
        markdown_cell(&entry.assurance.before),
        markdown_cell(&entry.assurance.after),
        markdown_cell(&entry.assurance.repair),
        markdown_cell(&shortened(steps.iter().map(String::as_str)))
    )
}

fn refused(row: &Refused) -> String {
    let findings: Vec<String> = row
        .blocking
        .iter()
        .map(|b| match b.line {
            Some(line) => format!("{} line {line}", b.code),
            None => b.code.clone(),
        })
        .collect();
    let more = row.blocking_total.saturating_sub(findings.len() as u64);
    let more = if more > 0 { format!(", {more} more") } else { String::new() };
    format!(
        "| {} | {} | {} | {}{more} |\n",
        markdown_code(&row.path),
        markdown_cell(&row.code),
        markdown_cell(&row.reason),
        markdown_cell(&shortened(findings.iter().map(String::as_str)))
    )
}

/// The first five of a list.
fn shortened<'a>(all: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = all.len();
    let mut text = all.take(5).collect::<Vec<_>>().join(", ");
    if count > 5 {
        text.push_str(&format!(", {} more", count - 5));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::document::{Assurance, Blocking, Edits, Side, Tool};
    use super::*;

    fn side() -> Side {
        Side { sha256: "0".repeat(64), git_blob: "0".repeat(40), bytes: 1, log_digest: None }
    }

    fn proposal(files: usize, refused: usize) -> Proposal {
        let file = |n: usize| Entry {
            path: format!("logs/{n}|`<b>@me.jsonl"),
            format: "f".into(),
            profile: "neutral".into(),
            source: side(),
            output: side(),
            manifest_sha256: String::new(),
            attestation_sha256: String::new(),
            edits: Edits { lines_removed: 2, lines_added: 1, steps: Vec::new() },
            declared_loss: vec!["a:1".into(); 7],
            assurance: Assurance { before: "A1".into(), after: "A3".into(), repair: "salvaged".into() },
            not_committed: (n % 2 == 1).then(|| "larger than 1 bytes".into()),
        };
        let row = |n: usize| Refused {
            path: format!("{n}.jsonl"),
            code: "ABSTAINED".into(),
            reason: "x".repeat(300),
            blocking: vec![Blocking { code: "SL102".into(), line: Some(3), reason: "r".into() }],
            blocking_total: 40,
        };
        Proposal {
            schema_version: String::new(),
            tool: Tool { name: "sesslint".into(), version: "1".into() },
            fingerprint: "ab".repeat(32),
            base_commit: Some("c".repeat(40)),
            policy: "salvage".into(),
            acknowledged_side_effects: true,
            files: (0..files).map(file).collect(),
            refused: (0..refused).map(row).collect(),
        }
    }

    #[test]
    fn a_text_says_what_changes_and_how_to_check() {
        insta::assert_snapshot!(body(&proposal(2, 1)));
    }

    #[test]
    fn however_much_there_is_the_text_fits() {
        let text = body(&proposal(5000, 5000));
        assert!(text.chars().count() < MAX_BODY);
        assert_eq!(text.matches(" more: see `proposal.json`").count(), 3);
        assert!(text.lines().filter(|l| l.starts_with('|')).all(|l| l.ends_with(" |")));
    }
}
