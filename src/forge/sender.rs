//! The one place that talks to a network: carries out calls with octocrab, waits and tries again where that is safe.
//!
//! The token goes into the client and nowhere else; texts of errors are cleared of it all the same.

use std::time::Duration;

use octocrab::Octocrab;
use serde_json::Value as Json;
use tokio::runtime::{Builder, Runtime};

use super::request::{Api, Failure, Method, Request};

/// How often a call is tried.
const ATTEMPTS: u32 = 5;
/// Seconds before the second try; doubled for each further one.
const FIRST_PAUSE: u64 = 1;
/// Longer pauses that the service asks for are not waited for, in seconds.
const MAX_PAUSE: u64 = 120;
const TIMEOUT: Duration = Duration::from_secs(60);
/// Longest message of the service that is passed on, in characters.
const MAX_MESSAGE: usize = 300;

/// A client with its own runtime.
pub struct Sender {
    runtime: Runtime,
    client: Octocrab,
    token: String,
}

impl std::fmt::Debug for Sender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// What one try gave.
enum Try {
    Done(Json),
    No(Failure),
    /// Not carried out; the service asks for a pause.
    Later(Option<u64>, String),
    /// Carried out or not, nobody knows.
    Unknown(String),
}

impl Sender {
    /// A client for the API at a base URL.
    ///
    /// # Errors
    /// The URL is none, or would send the token in the clear; or the system has no certificates.
    pub fn new(base: &str, token: String) -> Result<Self, String> {
        let own = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"];
        if !base.starts_with("https://") && !own.iter().any(|start| base.starts_with(start)) {
            return Err("the address of the API has to begin with https://".to_owned());
        }
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        let entered = runtime.enter();
        let client = Octocrab::builder()
            .base_uri(base)
            .map_err(|_| "the address of the API is none".to_owned())?
            .personal_token(token.clone())
            .set_connect_timeout(Some(TIMEOUT))
            .set_read_timeout(Some(TIMEOUT))
            .set_write_timeout(Some(TIMEOUT))
            .build()
            .map_err(|error| error.to_string())?;
        drop(entered);
        Ok(Self { runtime, client, token })
    }

    async fn attempt(&self, request: &Request) -> Try {
        let sent = match request.method {
            Method::Get => self.client._get(request.path.as_str()).await,
            Method::Post => self.client._post(request.path.as_str(), request.body.as_ref()).await,
            Method::Patch => self.client._patch(request.path.as_str(), request.body.as_ref()).await,
        };
        let response = match sent {
            Ok(response) => response,
            Err(error) => return Try::Unknown(self.cleared(&error.to_string())),
        };
        let status = response.status().as_u16();
        let number = |name: &str| response.headers().get(name)?.to_str().ok()?.parse::<u64>().ok();
        let (wait, left) = (number("retry-after"), number("x-ratelimit-remaining"));
        let body = match self.client.body_to_string(response).await {
            Ok(body) => body,
            Err(error) => return Try::Unknown(self.cleared(&error.to_string())),
        };
        let json = serde_json::from_str::<Json>(&body);
        let said = json.as_ref().ok().map(said).unwrap_or_default();
        let message = self.cleared(&said);
        match status {
            200..=299 if body.is_empty() => Try::Done(Json::Null),
            200..=299 => json.map_or_else(|_| Try::Unknown("an answer that is not JSON".to_owned()), Try::Done),
            429 => Try::Later(wait, message),
            403 if wait.is_some() || left == Some(0) || said.contains("secondary rate limit") => {
                Try::Later(wait, message)
            }
            500..=599 => Try::Unknown(format!("status {status}")),
            code => Try::No(Failure::Status { code, message }),
        }
    }

    fn cleared(&self, text: &str) -> String {
        let text = if self.token.is_empty() { text.to_owned() } else { text.replace(&self.token, "***") };
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_MESSAGE).collect()
    }
}

/// The message of an error, and those of its parts.
fn said(answer: &Json) -> String {
    let parts = answer["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    let parts = parts.iter().filter_map(|part| part["message"].as_str().or(part.as_str()));
    answer["message"].as_str().into_iter().chain(parts).collect::<Vec<_>>().join("; ")
}

impl Api for Sender {
    fn call(&mut self, request: &Request) -> Result<Json, Failure> {
        let this = &*self;
        this.runtime.block_on(async {
            let mut last = String::new();
            for attempt in 0..ATTEMPTS {
                let pause = FIRST_PAUSE << attempt;
                let (pause, lost) = match this.attempt(request).await {
                    Try::Done(answer) => return Ok(answer),
                    Try::No(failure) => return Err(failure),
                    Try::Later(Some(wait), message) if wait > MAX_PAUSE => {
                        return Err(Failure::Unreachable(format!("{message}; it asks to wait {wait} s")));
                    }
                    Try::Later(wait, message) => {
                        last = message;
                        (wait.unwrap_or(0).max(pause), false)
                    }
                    Try::Unknown(what) => {
                        last = what;
                        (pause, request.once)
                    }
                };
                if attempt + 1 < ATTEMPTS || lost {
                    tokio::time::sleep(Duration::from_secs(pause)).await;
                }
                if lost {
                    return Err(Failure::Lost);
                }
            }
            Err(Failure::Unreachable(last))
        })
    }
}
