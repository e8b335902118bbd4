//! `sesslint export`, `bundle` and `validate-session`: reading commands that write one file or one verdict.

use std::io::Write;
use std::path::Path;

use sesslint::export::{self, ExportError, Refusal};
use sesslint::finding::fingerprint::hex;
use sesslint::source::path::{clean, minimise};
use sesslint::validate::{self, ValidateError};
use sesslint::{bundle, write};

use super::args::{BundleArgs, ExportArgs, Global, ValidateArgs};
use super::settings::Settings;
use super::{Failure, env, typed};

/// Writes a session as a canonical stream.
pub fn export(global: &Global, args: &ExportArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    let Some(target) = &args.output else {
        return Err(Failure::usage("Error: --output is required for export."));
    };
    if !args.path.is_file() {
        return Err(Failure::usage(format!("Error: Source file not found: {}", args.path.display())));
    }
    let refuse = |why: String| Failure::refused(format!("Export refused [{}]: {why}", Refusal::CODE));
    if let Some(why) = unfit(&args.path, target) {
        return Err(refuse(why));
    }
    if let Some(folder) = target.parent().filter(|f| !f.as_os_str().is_empty() && !f.is_dir()) {
        return Err(Failure::usage(format!("{}: no such folder; make it first", folder.display())));
    }
    let name = args.path.to_string_lossy();
    let format = Settings::for_files(global, None, None)?.inspect_options(&args.path).format;
    let mut summary = None;
    let written = write::create_new(target, |file| {
        summary = Some(export::export(&args.path, &name, format, file));
        Ok(matches!(summary, Some(Ok(_))))
    });
    written.map_err(|error| Failure::usage(format!("{}: {error}", target.display())))?;
    let summary = match summary {
        Some(Ok(summary)) => summary,
        Some(Err(ExportError::Refused(why))) => return Err(refuse(why.to_string())),
        Some(Err(error)) => return Err(Failure::usage(error.to_string())),
        None => return Err(refuse("nothing was written".into())),
    };
    let home = env::home();
    let shown = |path: &Path| minimise(&clean(path), home.as_deref());
    if args.json {
        let counts = summary.counts;
        let by_severity: serde_json::Map<_, _> = [("warning", counts.warning), ("info", counts.info)]
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(name, n)| (name.to_owned(), n.into()))
            .collect();
        let document = serde_json::json!({
            "dropped_unknown_fields": 0,
            "event_count": summary.events,
            "findings_by_severity": by_severity,
            "input_format": summary.format,
            "input_path": shown(&args.path),
            "input_sha256": hex(&summary.input_sha256),
            "output_path": shown(target),
            "output_sha256": hex(&summary.output_sha256),
        });
        serde_json::to_writer_pretty(&mut *out, &document).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(0);
    }
    writeln!(out, "Exported {} events ({} -> canonical)", summary.events, summary.format)?;
    writeln!(out, "Output: {} (sha256: {}...)", super::shown(target), &hex(&summary.output_sha256)[..16])?;
    writeln!(out, "Next Action: Run `sesslint check {}` to see what a strict reader says of it.", typed(target))?;
    Ok(0)
}

/// Why a target cannot be written to, before anything is read.
fn unfit(source: &Path, target: &Path) -> Option<String> {
    let ending = target.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if ["db", "sqlite", "sqlite3"].contains(&ending.as_str()) {
        return Some(format!("{} looks like a live store; choose another name", target.display()));
    }
    if source.canonicalize().ok().is_some_and(|s| target.canonicalize().ok() == Some(s)) {
        return Some(format!("{} is the source itself; choose another name", target.display()));
    }
    target.symlink_metadata().is_ok().then(|| format!("{} exists already; nothing is overwritten", target.display()))
}

/// Writes a diagnostic bundle.
pub fn bundle(global: &Global, args: &BundleArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    if !args.path.is_file() {
        return Err(Failure::usage(format!("Error: {} is not a file; expected a session log", args.path.display())));
    }
    let settings = Settings::for_files(global, args.confidence_min, args.margin_min)?;
    let document = bundle::bundle(&args.path, &settings.inspect_options(&args.path))?;
    let mut text = serde_json::to_string_pretty(&document).map_err(std::io::Error::from)?;
    text.push('\n');
    if let Some(target) = &args.output {
        write::replace(target, text.as_bytes())
            .map_err(|error| Failure::usage(format!("{}: cannot write the bundle: {error}", target.display())))?;
        if !args.json {
            writeln!(out, "Diagnostic bundle written to: {}", super::shown(target))?;
            return Ok(0);
        }
    }
    out.write_all(text.as_bytes())?;
    Ok(0)
}

/// Validates a canonical session to the letter.
pub fn validate(args: &ValidateArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    match validate::session(&args.path) {
        Ok(valid) => {
            let id = sesslint::emit::escape::inert(&valid.id).into_owned();
            writeln!(out, "Valid session: {id} ({} events)", valid.events)?;
            Ok(0)
        }
        Err(ValidateError::Invalid(invalid)) => {
            Err(Failure::refused(format!("Validation error [{}]: {}", invalid.code, invalid.text)))
        }
        Err(error) => Err(Failure::usage(format!("Error: {error}"))),
    }
}
