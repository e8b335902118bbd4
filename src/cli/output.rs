//! Where reports go: any number of formats from one run, to files or to standard output.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sesslint::config::output::Output;
use sesslint::emit::{Format, Options};
use sesslint::source::path::absolute;
use sesslint::write;

use super::Failure;

/// Writes every output with `print`.
///
/// # Errors
/// A file cannot be written; the message names it.
pub fn write_all(
    outputs: &[Output],
    options: &Options,
    stdout: &mut dyn Write,
    print: impl Fn(Format, &Options, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    for output in outputs {
        match &output.path {
            None => print(output.format, options, stdout)?,
            Some(path) => {
                let mut bytes = Vec::new();
                print(output.format, &Options { colour: false, ..options.clone() }, &mut bytes)?;
                write::make_folder_of(path).and_then(|()| write::replace(path, &bytes)).map_err(|error| {
                    io::Error::new(error.kind(), format!("{}: cannot write the report: {error}", path.display()))
                })?;
            }
        }
    }
    Ok(())
}

/// The outputs a command line asks for: `--output` in order, `--json`, else text on standard output.
///
/// # Errors
/// Two outputs claim standard output.
pub fn requested(outputs: &[Output], json: bool) -> Result<Vec<Output>, String> {
    let mut all = outputs.to_vec();
    if json && !all.iter().any(|o| o.format == Format::Json && o.path.is_none()) {
        all.push(Output { format: Format::Json, path: None });
    }
    if all.is_empty() {
        all.push(Output { format: Format::Human, path: None });
    }
    if all.iter().filter(|o| o.path.is_none()).count() > 1 {
        return Err("two outputs go to standard output; give one of them a path: --output FORMAT=PATH".into());
    }
    Ok(all)
}

/// Makes sure that no report takes the place of another one, or of a file that was looked at.
///
/// # Errors
/// One would; the sentence names it.
pub fn fit<'a>(outputs: &[Output], sources: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
    let place = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| absolute(path));
    let mut places = BTreeMap::new();
    for path in outputs.iter().filter_map(|output| output.path.as_ref()) {
        // Devices and pipes take whatever comes.
        let file = std::fs::metadata(path).map_or(true, |there| there.is_file());
        if places.insert(place(path), path).is_some() && file {
            return Err(Failure::usage(format!("two reports go to {}; give each its own file", path.display())));
        }
    }
    if places.keys().all(|place| !place.exists()) {
        return Ok(());
    }
    // By both names: that of the file, and the one without links resolved, as sources have it.
    places.extend(outputs.iter().filter_map(|output| output.path.as_ref()).map(|path| (absolute(path), path)));
    let mut sources = sources.filter_map(|source| places.get(&absolute(Path::new(source))));
    sources.next().map_or(Ok(()), |path| {
        let path = path.display();
        Err(Failure::usage(format!("{path} is a file that was checked; a report would overwrite it")))
    })
}

/// Whether an output shows what is worked out only on demand: hashes of lines, pictures.
pub fn detailed(outputs: &[Output]) -> bool {
    outputs.iter().any(|output| matches!(output.format, Format::Sarif | Format::Html | Format::Markdown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_output_has_one_owner() {
        let sarif = Output { format: Format::Sarif, path: None };
        assert!(requested(std::slice::from_ref(&sarif), true).is_err());
        assert_eq!(requested(&[], false).map(|o| o[0].format), Ok(Format::Human));
        assert_eq!(requested(&[sarif], false).map(|o| o.len()), Ok(1));
    }
}
