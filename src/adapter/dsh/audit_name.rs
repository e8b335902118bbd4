//! The names that the audit of a sessions folder has for findings, so that both can be read side by side.

use crate::dsh::Code;
use crate::finding::Finding;

/// Adds the audit's code and place, and those of what follows from the finding.
pub(in crate::adapter) fn add(finding: &mut Finding) {
    if let Some(code) = code(finding) {
        finding.detail.insert("audit_code".into(), code.as_str().into());
        finding.detail.insert("at".into(), at(code, finding).into());
    }
    if is_unstarted(finding) {
        finding.detail.insert("started".into(), false.into());
    }
    finding.consequences.iter_mut().for_each(add);
}

/// The audit's code for a finding; none for what it does not look at.
fn code(finding: &Finding) -> Option<Code> {
    Some(match (finding.code(), finding.variant) {
        (_, "overflow-summary")
        | (
            "SL001",
            "replaced-bytes" | "unchecked-depth" | "unended-line" | "unended-last-line" | "empty-last-lines"
            | "live-database",
        ) => return None,
        ("SL001", "broken-frames") => Code::UnreadableArtifact,
        ("SL001", "undecodable-frame") => Code::UndecodableFrame,
        ("SL001", "missing-header" | "byte-order-mark") => Code::HeaderMissing,
        ("SL002", "torn-frame") => Code::TornFinalFrame,
        ("SL001" | "SL002", _) if finding.location.line == Some(1) => Code::HeaderMissing,
        ("SL001", _) => Code::UnparsableLine,
        ("SL002", _) => Code::TornFinalLine,
        ("SL003", _) | ("SL507", "repeated") => Code::SeqDuplicate,
        ("SL004", "sequence-gap") => Code::SeqGap,
        ("SL101", "no-id") => Code::ToolResultNoId,
        ("SL102", "no-id") => Code::ToolCallNoId,
        ("SL102", _) if !is_unstarted(finding) => Code::OrphanToolCall,
        ("SL301", _) => Code::FormatVersionDrift,
        ("SL302", "") => Code::UnknownRequiredType,
        ("SL501", "blank") => Code::EmptyTextBlock,
        ("SL507", _) => Code::SeqReordered,
        ("SL508", _) => Code::OpenTurn,
        ("SL509", _) => Code::RepetitiveStream,
        ("SL512", _) => Code::HeaderFrameShape,
        ("SL513", _) => Code::EmptyArtifact,
        _ => return None,
    })
}

/// The model asked for the call, and it never began.
fn is_unstarted(finding: &Finding) -> bool {
    finding.code() == "SL102" && finding.record_id.as_deref().is_some_and(|id| id.contains('#'))
}

/// What the audit states as the place: a byte, a frame, a line or the number of an event.
fn at(code: Code, finding: &Finding) -> Option<i64> {
    let evidence = |name: &str| finding.evidence.get(name)?.as_i64();
    let signed = |number: u64| i64::try_from(number).ok();
    match code {
        Code::UnreadableArtifact | Code::UndecodableFrame => evidence("byte_offset"),
        Code::TornFinalFrame => finding.location.item.and_then(|number| signed(number - 1)),
        Code::HeaderFrameShape | Code::HeaderMissing => Some(0),
        Code::TornFinalLine => finding.location.line.and_then(signed),
        Code::RepetitiveStream => evidence("seq"),
        Code::UnknownRequiredType
        | Code::EmptyTextBlock
        | Code::ToolCallNoId
        | Code::ToolResultNoId
        | Code::OrphanToolCall => finding.record_id.as_deref()?.strip_prefix("seq:")?.parse().ok(),
        _ => None,
    }
}
