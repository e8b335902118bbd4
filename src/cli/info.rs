//! Commands that only tell: `explain`, `formats`, `version`, `completion`, `man`.

use std::io::Write;

use clap::CommandFactory;
use sesslint::adapter::{FORMATS, Format};
use sesslint::dsh::Code;
use sesslint::emit::escape::visible;
use sesslint::rule::profile::{NEUTRAL, PROFILES};
use sesslint::rule::{self, RULES, page};

use super::Failure;
use super::args::{Cli, CompletionArgs, ExplainArgs, JsonArgs, ManArgs};

/// The page of a code, or of a code of `dsh-audit`; or the list of codes.
pub fn explain(args: &ExplainArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    let Some(code) = &args.code else {
        for rule in RULES {
            writeln!(out, "{}  {:<8} {}", rule.code, rule.severity.as_str(), rule.name)?;
        }
        return Ok(0);
    };
    let name = code.to_uppercase();
    let rule = rule::find(&name).or_else(|| Code::named(&name).map(Code::rule)).ok_or_else(|| {
        let shown = visible(code);
        Failure::usage(format!("unknown code {shown}; `sesslint explain` without a code lists all of them"))
    })?;
    write!(out, "{}", page::page(rule))?;
    Ok(0)
}

/// Every format with the versions that were seen.
pub fn formats(args: &JsonArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    if args.json {
        let rows: Vec<_> = FORMATS
            .iter()
            .map(|f| {
                serde_json::json!({
                    "name": f.id,
                    "default_profile": f.default_profile,
                    "description": f.description,
                    "versions_supported": if f.declared.is_empty() { f.versions } else { f.declared },
                    "versions_seen": f.versions,
                })
            })
            .collect();
        serde_json::to_writer_pretty(&mut *out, &rows).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(0);
    }
    let versions = |format: &Format| format.versions.join(", ");
    let width = FORMATS.iter().map(|f| versions(f).len()).max().unwrap_or(0);
    writeln!(out, "{:<18} {:<14} {:<width$} Description", "Name", "Strict profile", "Versions seen")?;
    writeln!(out, "{}", "-".repeat(80))?;
    for format in FORMATS {
        let strict = Some(format.default_profile).filter(|&id| id != NEUTRAL.id).unwrap_or("-");
        writeln!(out, "{:<18} {strict:<14} {:<width$} {}", format.id, versions(format), format.description)?;
    }
    Ok(0)
}

/// The versions of everything that enters a report.
pub fn version(args: &JsonArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    let adapters: serde_json::Map<_, _> = FORMATS.iter().map(|f| (f.id.to_owned(), f.version.into())).collect();
    let profiles: serde_json::Map<_, _> = PROFILES.iter().map(|p| (p.id.to_owned(), p.version.into())).collect();
    let document = serde_json::json!({
        "cli": env!("CARGO_PKG_VERSION"),
        "adapters": adapters,
        "profiles": profiles,
        "schema_manifest": "sesslint.repair-manifest/v1",
        "schema_report": "sesslint.report/v1",
        "schema_session": "sesslint.session/v1",
    });
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &document).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(0);
    }
    writeln!(out, "sesslint {}", env!("CARGO_PKG_VERSION"))?;
    for (group, name) in [("adapters", "adapter"), ("profiles", "profile")] {
        for (id, version) in document[group].as_object().into_iter().flatten() {
            writeln!(out, "{name} {id} {}", version.as_str().unwrap_or_default())?;
        }
    }
    for name in ["schema_manifest", "schema_report", "schema_session"] {
        writeln!(out, "{name} {}", document[name].as_str().unwrap_or_default())?;
    }
    Ok(0)
}

/// A completion script.
pub fn completion(args: &CompletionArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    // The generator wants a writer of its own; a script is small.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sesslint", &mut script);
    out.write_all(&script)?;
    Ok(0)
}

/// The man page of the program or of one command.
pub fn man(args: &ManArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut command = Cli::command();
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => command
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| Failure::usage(format!("unknown command {}; see `sesslint --help`", visible(name))))?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).source(concat!("sesslint ", env!("CARGO_PKG_VERSION"))).render(&mut text)?;
    out.write_all(&text)?;
    Ok(0)
}
