//! The one comment on the pull request: known again by a hidden line, and by who wrote it.

use serde_json::Value as Json;

use super::publication::Publication;
use crate::emit::count;

/// The line it begins with.
pub(super) const MARKER: &str = "<!-- sesslint:comment:repair -->";

/// Its text.
pub(super) fn text(publication: &Publication, superseded: &[(u64, String)]) -> String {
    let mut text = format!("{MARKER}\nThis pull request holds proposal `{}`.", publication.fingerprint);
    text.push_str(" A later run about the same logs updates it, unless somebody else has pushed to its branch.\n");
    if publication.left_out > 0 {
        text.push_str(&format!("\nToo large for the commit: {}.\n", count(publication.left_out, "repaired file")));
    }
    if publication.refused > 0 {
        text.push_str(&format!("\nBroken, and not mended: {}.\n", count(publication.refused, "file")));
    }
    if !superseded.is_empty() {
        text.push_str("\nEarlier repair pull requests about other sets of logs, which this one may replace:\n\n");
        for (number, _) in superseded {
            text.push_str(&format!("- #{number}\n"));
        }
    }
    text
}

/// Number and text of the comment among others. Whoever may comment may plant the hidden line, so its author has to be
/// the one of the pull request, or an app.
pub(super) fn find(comments: &[Json], author: &Json) -> Option<(u64, String)> {
    comments.iter().find_map(|comment| {
        let body = comment["body"].as_str()?;
        let ours = comment["user"]["type"] == "Bot" || !author.is_null() && comment["user"]["id"] == *author;
        (ours && body.starts_with(MARKER)).then_some((comment["id"].as_u64()?, body.to_owned()))
    })
}
