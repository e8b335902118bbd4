//! The turn that is open at a point of the log.

use super::js_text::JsText;
use super::raw::Raw;

/// How a turn is named: by number in practice, by text at most.
#[derive(Clone, Debug, PartialEq)]
enum Name {
    Number(f64),
    Text(JsText<'static>),
    /// Any other value: equal to nothing.
    Other,
}

impl Name {
    fn of(value: Option<Raw<'_>>) -> Option<Self> {
        let value = value.filter(|value| !value.is_null())?;
        let text = || value.text().map(|text| Self::Text(text.into_owned()));
        Some(value.number().map(Self::Number).or_else(text).unwrap_or(Self::Other))
    }
}

/// Follows starts and ends of turns. A start replaces an open turn; an end closes only the turn it names.
#[derive(Clone, Debug, Default)]
pub struct OpenTurn(Option<Name>);

impl OpenTurn {
    /// Takes a start with its `turn`.
    pub fn start(&mut self, turn: Option<Raw<'_>>) {
        self.0 = Name::of(turn);
    }

    /// Takes an end with its `turn`.
    pub fn end(&mut self, turn: Option<Raw<'_>>) {
        let ended = Name::of(turn);
        if ended == self.0 && ended != Some(Name::Other) {
            self.0 = None;
        }
    }

    /// Whether a turn is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }
}
