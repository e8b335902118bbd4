//! How far a scan is: a line on a terminal once it takes more than a second, or JSON lines for machines.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A bar earlier than this would only flicker.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two JSON lines.
const INTERVAL: Duration = Duration::from_millis(500);

/// Counts files and bytes from any thread.
pub struct Meter {
    bar: Option<indicatif::ProgressBar>,
    json: Option<Mutex<Told>>,
    started: Instant,
}

#[derive(Default)]
struct Told {
    files: u64,
    bytes: u64,
    last: Option<Instant>,
}

impl Meter {
    pub fn new(json: bool) -> Self {
        let bar = (!json && std::io::stderr().is_terminal()).then(|| {
            let bar = indicatif::ProgressBar::no_length();
            bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
            bar.set_style(
                indicatif::ProgressStyle::with_template("{spinner} {pos} files checked, {elapsed}")
                    .unwrap_or_else(|_| indicatif::ProgressStyle::default_spinner()),
            );
            bar
        });
        Self { bar, json: json.then(Mutex::default), started: Instant::now() }
    }

    /// One more file is done.
    pub fn file(&self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
            if bar.is_hidden() && self.started.elapsed() > PATIENCE {
                bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
            }
        }
        if let Some(told) = &self.json
            && let Ok(mut told) = told.lock()
        {
            told.files += 1;
            told.bytes += bytes;
            if told.last.is_none_or(|last| last.elapsed() > INTERVAL) {
                told.last = Some(Instant::now());
                tell(&told, false);
            }
        }
    }

    /// The scan is over.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some(told) = &self.json
            && let Ok(told) = told.lock()
        {
            tell(&told, true);
        }
    }
}

fn tell(told: &Told, done: bool) {
    let line = serde_json::json!({"files": told.files, "bytes": told.bytes, "done": done});
    let _ = writeln!(std::io::stderr(), "{line}");
}
