//! One requested output: a format, and where it goes.

use std::path::PathBuf;
use std::str::FromStr;

use crate::emit::Format;

/// One requested output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What is written.
    pub format: Format,
    /// None is standard output.
    pub path: Option<PathBuf>,
}

impl FromStr for Output {
    type Err = String;

    /// Reads `FORMAT[=PATH]`; `-` is standard output.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = text.split_once('=').map_or((text, None), |(name, path)| (name, Some(path)));
        let path = match path {
            Some("") => return Err("expected a path behind '=', or '-' for standard output".into()),
            Some("-") | None => None,
            Some(path) => Some(PathBuf::from(path)),
        };
        Ok(Self { format: name.parse()?, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_a_format_and_maybe_a_path() {
        assert_eq!("sarif=a=b.sarif".parse(), Ok(Output { format: Format::Sarif, path: Some("a=b.sarif".into()) }));
        assert_eq!("json=-".parse(), Ok(Output { format: Format::Json, path: None }));
        assert!("nope".parse::<Output>().is_err());
        assert!("json=".parse::<Output>().is_err());
    }
}
