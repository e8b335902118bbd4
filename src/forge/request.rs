//! Calls as data, and what can come back.

use serde_json::Value as Json;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Makes something.
    Post,
    /// Changes something.
    Patch,
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// See there.
    pub method: Method,
    /// Path and query below the base URL, percent-encoded.
    pub path: String,
    /// What is sent.
    pub body: Option<Json>,
    /// Sent again it would do its work twice, so after a lost answer the caller looks first.
    pub once: bool,
}

impl Request {
    pub(super) fn get(path: String) -> Self {
        Self { method: Method::Get, path, body: None, once: false }
    }

    pub(super) fn post(path: String, body: Json) -> Self {
        Self { method: Method::Post, path, body: Some(body), once: false }
    }

    pub(super) fn patch(path: String, body: Json) -> Self {
        Self { method: Method::Patch, path, body: Some(body), once: false }
    }

    pub(super) fn once(self) -> Self {
        Self { once: true, ..self }
    }
}

/// Why a call gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The service said no.
    Status {
        /// HTTP status.
        code: u16,
        /// What it said, one line.
        message: String,
    },
    /// Whether a call that must not be repeated was carried out is not known; some time has passed since.
    Lost,
    /// The service cannot be reached, or keeps failing; what happened.
    Unreachable(String),
}

impl Failure {
    pub(super) fn is(&self, status: u16) -> bool {
        matches!(self, Self::Status { code, .. } if *code == status)
    }
}

/// Whatever carries out calls. Calls that may be repeated are repeated by it.
pub trait Api {
    /// Carries out one call and gives the answer's JSON.
    ///
    /// # Errors
    /// See [`Failure`].
    fn call(&mut self, request: &Request) -> Result<Json, Failure>;
}
