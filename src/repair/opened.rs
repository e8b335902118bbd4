//! A file opened for repair: its format, how its records are built, and the text that is repaired.

use std::io;
use std::path::Path;

use super::RefusalCode;
use super::bench::Ground;
use super::packed::Packed;
use super::prepare::Options;
use super::refusal::{Blocking, Refusal, RepairError};
use super::script::{Bytes, Script};
use super::source::Source;
use super::{Policy, planner};
use crate::adapter::detect::{Decision, Sample, decide};
use crate::adapter::layout::{self, Layout};
use crate::adapter::{Format, Framing};
use crate::finding::Severity;
use crate::rule::profile::Profile;
use crate::source::frames;

/// See the module.
pub(crate) struct Opened {
    pub source: Source,
    pub format: &'static Format,
    layout: &'static Layout,
    profile: &'static Profile,
    packed: Option<Packed>,
}

impl Opened {
    /// Opens a file and tells its format. Nothing is checked yet, unless it must be unpacked.
    ///
    /// # Errors
    /// The file cannot be read, holds no session, or is packed so that its text cannot be trusted.
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self, RepairError> {
        let wrap = |source: io::Error| match source.kind() {
            _ if path.is_dir() => {
                let what = "a folder; `repair --batch` mends what is below one".to_owned();
                RepairError::Unusable { path: path.to_owned(), what }
            }
            io::ErrorKind::NotFound => RepairError::NotFound(path.to_owned()),
            _ => RepairError::Io { path: path.to_owned(), source },
        };
        let source = Source::open(path).map_err(wrap)?;
        let format = format_of(&source, options).map_err(wrap)??;
        let layout = layout::of(format.id).ok_or_else(|| {
            let text = format!(
                "logs of format {} are printed streams, not sessions that can be resumed: nothing to repair",
                format.id
            );
            Refusal::new(RefusalCode::VendorFormatRefused, text)
        })?;
        let mut opened = Self { source, format, layout, profile: options.profile, packed: None };
        if opened.is_packed().map_err(wrap)? {
            let take_tail = options.policy == Policy::Salvage;
            opened.packed = match Packed::open(opened.file(), take_tail).map_err(wrap)? {
                Ok(packed) => Some(packed),
                Err(found) => return Err(opened.unreadable(&found).into()),
            };
        }
        Ok(opened)
    }

    /// The file as it stands.
    pub(crate) fn file(&self) -> Ground<'_> {
        let Self { source, format, layout, profile, .. } = self;
        Ground { source, format, layout, profile, name: source.name(), tail: None }
    }

    /// The text that is repaired.
    pub(crate) fn ground(&self) -> Ground<'_> {
        self.packed.as_ref().map_or_else(|| self.file(), |packed| packed.ground(self.file()))
    }

    /// The frames it is packed in.
    pub(crate) const fn packed(&self) -> Option<&Packed> {
        self.packed.as_ref()
    }

    /// Whether an output of this file still shows its format.
    pub(crate) fn is_still(&self, output: &Script) -> io::Result<bool> {
        let decision = told(&self.source, output, self.profile)?;
        Ok(decision.is_some_and(|decision| decision.format.is_some_and(|found| found.id == self.format.id)))
    }

    fn is_packed(&self) -> io::Result<bool> {
        let may_be = matches!(self.format.framing, Framing::LinesOrFrames(_));
        let whole = Script::whole(self.source.len());
        Ok(may_be && frames::begins(whole.read(&self.source))?)
    }

    fn unreadable(&self, found: &[crate::finding::Finding]) -> Refusal {
        let errors = found.iter().filter(|f| f.severity >= Severity::Error);
        let blocking = errors.map(|f| Blocking::new(f, &planner::fingerprint(&self.file(), f), "no-recipe")).collect();
        let text = "its frames cannot be unpacked to whole lines; restore the file from a copy";
        Refusal { blocking, ..Refusal::new(RefusalCode::RepairRefused, text) }
    }
}

/// The format that was named, else the one the content shows.
fn format_of(source: &Source, options: &Options) -> io::Result<Result<&'static Format, RepairError>> {
    let unusable = |what: &str| Err(RepairError::Unusable { path: source.path().to_owned(), what: what.to_owned() });
    let Some(decision) = told(source, &Script::whole(source.len()), options.profile)? else {
        return Ok(unusable("a live database, not a session log; export the session first"));
    };
    Ok(match (options.format.or(decision.format), decision.reason) {
        (Some(format), _) => Ok(format),
        (None, "empty") => unusable("empty; there is no session in it to repair"),
        (None, reason) => unusable(&format!("no known session format ({reason}); name it with --format")),
    })
}

/// What a text shows of its format; none when it is a database.
fn told(source: &Source, text: &Script, profile: &Profile) -> io::Result<Option<Decision>> {
    let sample = Sample::of(text.read(source), text.len(), source.name())?;
    Ok((!sample.is_database).then(|| decide(&sample, profile, None, None)))
}
