//! Profiles: which formats are admitted and how strictly providers are assumed to judge.

use crate::finding::Severity;

/// What a provider's API takes, and so what it refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Turns of two sides, a person's first: each call is answered in the turn right behind its own.
    Turns,
    /// A list of items: each call is answered somewhere behind it.
    Items,
}

/// A named way of judging.
#[derive(Debug, PartialEq)]
pub struct Profile {
    /// `neutral`, `claude-strict` or `openai-strict`.
    pub id: &'static str,
    /// Part of fingerprints.
    pub version: &'static str,
    /// Formats that may be checked under it; empty admits every one.
    pub formats: &'static [&'static str],
    /// A format needs at least this score to be detected.
    pub confidence_min: f64,
    /// And this distance from the next one.
    pub margin_min: f64,
    /// Severity of SL107 and SL108, and of runs without end: strict profiles make them errors.
    pub strict: bool,
    /// The request that a resume makes is judged by the rules of this API.
    pub request: Option<Request>,
    /// Checkpoints without a usable sequence number are reported.
    pub checkpoint_sensitive: bool,
}

impl Profile {
    /// `severity`, raised to an error under a strict profile.
    #[must_use]
    pub fn raise(&self, severity: Severity) -> Severity {
        if self.strict { severity.max(Severity::Error) } else { severity }
    }

    /// Whether the format may be checked under this profile.
    #[must_use]
    pub fn admits(&self, format: &str) -> bool {
        self.formats.is_empty() || self.formats.contains(&format)
    }
}

/// The default: nothing provider-specific.
pub static NEUTRAL: Profile = Profile {
    id: "neutral",
    version: "1.0.0",
    formats: &[],
    confidence_min: 0.55,
    margin_min: 0.15,
    strict: false,
    request: None,
    checkpoint_sensitive: false,
};

/// What Anthropic's API refuses.
pub static CLAUDE_STRICT: Profile = Profile {
    id: "claude-strict",
    version: "1.0.0",
    formats: &["canonical", "claude-code-jsonl", "claude-stream"],
    confidence_min: 0.55,
    margin_min: 0.20,
    strict: true,
    request: Some(Request::Turns),
    checkpoint_sensitive: false,
};

/// What OpenAI's Responses API refuses.
pub static OPENAI_STRICT: Profile = Profile {
    id: "openai-strict",
    version: "1.0.0",
    formats: &["canonical", "openai-agents", "codex-rollout", "codex-exec"],
    confidence_min: 0.55,
    margin_min: 0.15,
    strict: true,
    request: Some(Request::Items),
    checkpoint_sensitive: true,
};

/// All profiles, sorted by id.
pub static PROFILES: [&Profile; 3] = [&CLAUDE_STRICT, &NEUTRAL, &OPENAI_STRICT];

/// The profile with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Profile> {
    PROFILES.into_iter().find(|p| p.id == id)
}

/// The profile named on a command line.
///
/// # Errors
/// The name is not a profile's id; the sentence lists them.
pub fn named(name: &str) -> Result<&'static Profile, String> {
    find(name).ok_or_else(|| {
        let ids: Vec<_> = PROFILES.iter().map(|p| p.id).collect();
        format!("unknown profile; expected one of {}", ids.join(", "))
    })
}
