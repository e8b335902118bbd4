//! SARIF 2.1.0 as code scanning reads it: every rule, relative URIs, one-line regions, identities that last.
//!
//! A service drops a file whole for one bad result, shows only so many results and compares alerts by rule and line.
//! So findings outside the repository are left out, the rest is cut to the limit, equal rules on a line become one
//! result, and what was left out is said in a notification and a note.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::Value;
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, Message, MultiformatMessageString, Notification, PhysicalLocation,
    PropertyBag, Region, ReportingConfiguration, ReportingDescriptor, Result as SarifResult, ResultLevel, Run,
    RunAutomationDetails, Sarif, Suppression, Tool, ToolComponent,
};

use super::escape::{uri_path, visible};
use super::rank::{Entry, ranked};
use super::{Options, ascii, wording};
use crate::finding::{self, Finding, Severity, Standing};
use crate::report::Report;
use crate::rule::{Family, Rule};

/// Results that a service shows of one run.
const RESULTS_LIMIT: usize = 5_000;
/// Related places that a service shows of one result.
const RELATED_LIMIT: usize = 100;
/// Characters of a rule's short and full description.
const DESCRIPTION_LIMIT: usize = 1_024;
/// The rule of the note on what was left out; listed only when the note is there.
const LEFT_OUT: &str = "SL000";
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Writes one log with one run.
pub(super) fn write(
    rules: &[&'static Rule],
    reports: &[Report],
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    ascii::write_document(&log(rules, reports, options), out)
}

fn log(rules: &[&'static Rule], reports: &[Report], options: &Options) -> Sarif {
    let groups = grouped(ranked(reports.iter().filter(|r| r.repo_path.is_some())));
    let outside: usize = reports.iter().filter(|r| r.repo_path.is_none()).map(|r| r.findings.len()).sum();
    let mut descriptors: Vec<ReportingDescriptor> = rules.iter().map(|rule| descriptor(rule)).collect();
    let left_out = left_out(&groups, outside);
    let room = RESULTS_LIMIT - usize::from(left_out.is_some());
    let mut results: Vec<SarifResult> = groups.iter().take(room).map(|group| result(rules, group)).collect();
    if let (Some(text), Some(path)) = (&left_out, reports.iter().find_map(|r| r.repo_path.as_deref())) {
        results.push(note(text, path, descriptors.len()));
        descriptors.push(note_descriptor());
    }
    let driver = ToolComponent::builder()
        .name("sesslint")
        .semantic_version(options.tool_version)
        .information_uri(REPOSITORY)
        .rules(descriptors)
        .build();
    let category = options.category.as_ref().map_or_else(|| "sesslint/".into(), |name| format!("sesslint/{name}/"));
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .automation_details(RunAutomationDetails::builder().id(category).build())
        .column_kind("utf16CodeUnits")
        .invocations(vec![invocation(left_out)])
        .results(results)
        .build();
    Sarif::builder().schema("https://json.schemastore.org/sarif-2.1.0.json").version("2.1.0").runs(vec![run]).build()
}

/// Findings of one rule on one line of one file: one alert. In ranked order of their first.
fn grouped(entries: Vec<Entry<'_>>) -> Vec<Vec<Entry<'_>>> {
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<Entry<'_>>> = Vec::new();
    for entry in entries {
        let (report, finding) = entry;
        let place = *places.entry((&report.repo_path, finding.location.line, finding.code())).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(entry),
            None => groups.push(vec![entry]),
        }
    }
    groups
}

fn left_out(groups: &[Vec<Entry<'_>>], outside: usize) -> Option<String> {
    // The note takes a place itself.
    let over: usize = if groups.len() > RESULTS_LIMIT || (groups.len() == RESULTS_LIMIT && outside > 0) {
        groups.iter().skip(RESULTS_LIMIT - 1).map(Vec::len).sum()
    } else {
        0
    };
    let reasons: Vec<String> = [(over, "beyond the limit of results"), (outside, "in files outside the repository")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, reason)| format!("{} {reason}", wording::count(number, "finding")))
        .collect();
    (!reasons.is_empty())
        .then(|| format!("Not listed here: {}. The JSON report holds all findings.", reasons.join(", ")))
}

fn invocation(left_out: Option<String>) -> Invocation {
    let plain = Invocation::builder().execution_successful(true);
    match left_out {
        None => plain.build(),
        Some(text) => plain
            .tool_execution_notifications(vec![
                Notification::builder().level("warning").message(Message::builder().text(text).build()).build(),
            ])
            .build(),
    }
}

fn descriptor(rule: &Rule) -> ReportingDescriptor {
    let text = rule.text("");
    let paragraph = |sentences: &[&str]| {
        let full: Vec<&str> = sentences.iter().copied().filter(|s| !s.is_empty()).collect();
        if full.is_empty() { format!("{}.", rule.name) } else { full.join(" ") }
    };
    let help = paragraph(&[text.what, text.consequence, text.next]);
    let help =
        MultiformatMessageString::builder().markdown(if rule.doc.is_empty() { &help } else { rule.doc }).text(&help);
    ReportingDescriptor::builder()
        .id(rule.code)
        .name(rule.slug)
        .short_description(description(&format!("{}.", rule.name)))
        .full_description(description(&paragraph(&[text.what, text.consequence])))
        .help(help.build())
        .help_uri(format!("{REPOSITORY}/blob/main/docs/codes/{}.md", rule.code))
        .default_configuration(ReportingConfiguration::builder().level(level(rule.severity).to_string()).build())
        .properties(
            PropertyBag::builder()
                .tags(vec!["agent-session".into(), rule.family.as_str().into(), rule.repairability.as_str().into()])
                .additional_properties([
                    ("precision".to_owned(), Value::from(precision(rule.family))),
                    ("problem.severity".to_owned(), Value::from(problem_severity(rule.severity))),
                ])
                .build(),
        )
        .build()
}

fn description(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(text.chars().take(DESCRIPTION_LIMIT).collect::<String>()).build()
}

fn note_descriptor() -> ReportingDescriptor {
    let text = "Findings that are in the JSON report but not in this file.";
    ReportingDescriptor::builder()
        .id(LEFT_OUT)
        .name("findings-left-out")
        .short_description(description("Findings left out."))
        .full_description(description(text))
        .help(description(text))
        .default_configuration(ReportingConfiguration::builder().level("note").build())
        .build()
}

fn note(text: &str, path: &str, rule_index: usize) -> SarifResult {
    SarifResult::builder()
        .rule_id(LEFT_OUT)
        .rule_index(number(rule_index as u64))
        .level(ResultLevel::Note)
        .message(Message::builder().text(text).build())
        .locations(vec![location(path, &finding::Location::default())])
        .partial_fingerprints(BTreeMap::from([("sesslint/v1".to_owned(), LEFT_OUT.to_owned())]))
        .build()
}

fn result(rules: &[&'static Rule], group: &[Entry<'_>]) -> SarifResult {
    let (report, first) = group[0];
    let path = report.repo_path.as_deref().unwrap_or_default();
    let (text, related) = message(path, group);
    let mut identities = BTreeMap::from([("sesslint/v1".to_owned(), first.stable_id.clone())]);
    if let Some(hash) = &first.line_hash {
        identities.insert("primaryLocationLineHash".into(), hash.clone());
    }
    let mut result = SarifResult::builder()
        .rule_id(first.code())
        .level(level(first.severity))
        .message(Message::builder().text(text).build())
        .locations(vec![location(path, &first.location)])
        .partial_fingerprints(identities)
        .build();
    result.rule_index = rules.iter().position(|rule| rule.code == first.code()).map(|i| number(i as u64));
    result.related_locations = (!related.is_empty()).then_some(related);
    result.occurrence_count = (group.len() > 1).then(|| number(group.len() as u64));
    if let Some(standing) = first.standing {
        let known = standing == Standing::Known;
        result.baseline_state = Some(if known { "unchanged" } else { "new" }.into());
        result.suppressions =
            Some(if known { vec![Suppression::builder().kind("external").build()] } else { Vec::new() });
    }
    result
}

/// The message, and the places it links to: repeats on the line first, then consequences.
fn message(path: &str, group: &[Entry<'_>]) -> (String, Vec<Location>) {
    let (_, first) = group[0];
    let item = first.location.item.map(|item| format!(" (item {item})")).unwrap_or_default();
    let record = wording::record(first);
    let mut text = plain(&format!("{}{item}{record} {}", wording::why(first), first.text().next));
    let mut related = Vec::new();
    let mut link = |lead: &str, linked: Vec<(String, &Finding)>| {
        if linked.is_empty() {
            return;
        }
        text.push_str(lead);
        let total = linked.len();
        let room = RELATED_LIMIT - related.len();
        for (i, (words, finding)) in linked.into_iter().take(room).enumerate() {
            let id = number(related.len() as u64 + 1);
            text.push_str(&format!("{}[{}]({id})", if i > 0 { "; " } else { "" }, plain(&words)));
            let mut place = location(path, &finding.location);
            place.id = Some(id);
            place.message = Some(Message::builder().text(plain(&words)).build());
            related.push(place);
        }
        if total > room {
            text.push_str(&format!(" and {} more", total - room));
        }
        text.push('.');
    };
    let repeats = group[1..].iter().map(|(_, f)| (wording::spot(&f.location), *f)).collect();
    link(" Also here: ", repeats);
    let consequences = group.iter().flat_map(|(_, f)| &f.consequences).map(|c| (wording::consequence(c), c)).collect();
    link(" Leads to: ", consequences);
    (text, related)
}

/// Text without link or placeholder syntax of its own.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '\\' | '[' | ']' => out.extend(['\\', c]),
            '{' | '}' => out.extend([c, c]),
            c => out.push(c),
        }
    }
    out
}

fn location(path: &str, place: &finding::Location) -> Location {
    // A finding about the whole file stands on its first character.
    let (line, column, end_column) = match place.line {
        Some(line) => (line, place.column.map(number), None),
        None => (1, Some(1), Some(2)),
    };
    let bytes = place.byte_start.zip(place.byte_end);
    let region = Region {
        start_line: Some(number(line)),
        start_column: column,
        end_column,
        byte_offset: bytes.map(|(start, _)| number(start)),
        byte_length: bytes.map(|(start, end)| number(end.saturating_sub(start))),
        ..Region::default()
    };
    let artifact = ArtifactLocation::builder().uri(uri_path(path)).build();
    Location::builder()
        .physical_location(PhysicalLocation::builder().artifact_location(artifact).region(region).build())
        .build()
}

const fn level(severity: Severity) -> ResultLevel {
    match severity {
        Severity::Fatal | Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Info => ResultLevel::Note,
    }
}

const fn problem_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Fatal | Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "recommendation",
    }
}

/// What is found in the bytes is certain; what is found in their meaning rests on how loaders behave.
const fn precision(family: Family) -> &'static str {
    match family {
        Family::Reading => "very-high",
        _ => "high",
    }
}

/// SARIF counts in signed integers.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::samples;

    fn parsed(reports: &[Report]) -> Value {
        let mut out = Vec::new();
        write(samples::RULES, reports, &Options::default(), &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    fn results(log: &Value) -> &Vec<Value> {
        log["runs"][0]["results"].as_array().unwrap()
    }

    #[test]
    fn log_of_a_broken_file() {
        let options = Options { tool_version: "9.9.9", category: Some("nightly".into()), ..Options::default() };
        let mut out = Vec::new();
        write(samples::RULES, &[samples::broken()], &options, &mut out).unwrap();
        insta::assert_snapshot!("sarif_broken", String::from_utf8(out).unwrap());
    }

    #[test]
    fn every_result_has_what_code_scanning_demands() {
        for report in samples::all() {
            let log = parsed(&[report]);
            let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len();
            for result in results(&log) {
                let place = &result["locations"][0]["physicalLocation"];
                let uri = place["artifactLocation"]["uri"].as_str().unwrap();
                assert!(!uri.is_empty() && !uri.starts_with('/'), "{uri}");
                assert!(uri.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~/%".contains(&b)), "{uri}");
                assert!(place["region"]["startLine"].as_u64() >= Some(1));
                assert!(result["ruleIndex"].as_u64().is_some_and(|i| i < rules as u64));
                assert!(!result["message"]["text"].as_str().unwrap().is_empty());
                assert!(!result["partialFingerprints"]["sesslint/v1"].as_str().unwrap().is_empty());
            }
        }
    }

    #[test]
    fn repeats_on_a_line_are_one_alert() {
        let log = parsed(&[samples::document()]);
        assert_eq!(results(&log).len(), 1);
        assert_eq!(results(&log)[0]["occurrenceCount"], 3);
        assert_eq!(results(&log)[0]["relatedLocations"].as_array().map(Vec::len), Some(2));
        let text = results(&log)[0]["message"]["text"].as_str().unwrap();
        assert!(text.contains("(item 2)") && text.contains("Also here: [line 1, item 4](1)"), "{text}");
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let log = parsed(&[samples::many(10_000)]);
        assert_eq!(results(&log).len(), 5_000);
        let note = &results(&log)[4_999];
        assert_eq!((&note["ruleId"], &note["level"]), (&"SL000".into(), &"note".into()));
        assert!(note["message"]["text"].as_str().unwrap().contains("5001 findings beyond the limit"));
        assert!(results(&log)[..4_999].iter().all(|r| r["ruleId"] != "SL000"));
        assert_eq!(results(&parsed(&[samples::many(5_000)])).len(), 5_000);

        let mut outside = samples::broken();
        outside.repo_path = None;
        let log = parsed(&[outside]);
        assert_eq!(results(&log).len(), 0);
        let notification = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
        assert!(notification["message"]["text"].as_str().unwrap().contains("7 findings in files outside"));
        assert_eq!(results(&parsed(&[])).len(), 0);
    }

    #[test]
    fn hostile_text_makes_no_link_and_no_placeholder() {
        let log = parsed(&[samples::hostile()]);
        let text = results(&log)[0]["message"]["text"].as_str().unwrap();
        assert!(text.contains("{{0}} \\[a\\](1)"), "{text}");
    }
}
