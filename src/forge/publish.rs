//! From a publication to a pull request. Everything is looked at before anything is written; nothing is written twice; no
//! branch is moved that this program did not make.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::base64;
use super::comment;
use super::publication::{PREFIX, PROPOSAL, Publication, TREE, trailer};
use super::request::{Api, Failure, Request};
use crate::emit::escape::uri_path;
use crate::propose::{place, pull_request};

/// How often a call whose answer was lost is looked for and made again.
const ATTEMPTS: usize = 4;
/// Pages of a list that are read.
const MAX_PAGES: usize = 20;
const CONTENTS: &str = "contents: write";
const PULLS: &str = "pull-requests: write";

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A pull request was opened.
    Opened,
    /// The one that was open was brought up to date.
    Updated,
    /// The one that is open holds this very proposal.
    Unchanged,
    /// Somebody closed the pull request with this very proposal; it is not opened again.
    Declined,
}

/// Where the proposal is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was done.
    pub state: State,
    /// Number of the pull request.
    pub number: u64,
    /// Its page.
    pub url: String,
    /// Its branch.
    pub branch: String,
    /// Open pull requests of this program into the same base about other sets of files: number and branch.
    pub superseded: Vec<(u64, String)>,
    /// What did not work beside it, in sentences.
    pub notes: Vec<String>,
}

/// Why there is no pull request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The base holds other files than the proposal is for.
    #[error("the base branch moved: {} there {} not what was repaired; check out its tip and run again", .0.join(", "),
        if .0.len() == 1 { "is" } else { "are" })]
    BaseMoved(Vec<String>),
    /// Somebody else made, or added to, the branch.
    #[error(
        "branch {0} holds a commit that is not of this program's making; it is left alone. Merge or delete it, then run again"
    )]
    ForeignBranch(String),
    /// The token may not.
    #[error("the token lacks {permission} ({said})")]
    Missing {
        /// The permission.
        permission: &'static str,
        /// What the service said.
        said: String,
    },
    /// The service refuses for another reason, cannot be reached, or answers what makes no sense.
    #[error("{0}")]
    Failed(String),
}

/// Publishes.
///
/// # Errors
/// See [`Stop`]. What was written before is harmless: objects without a name, or a branch that the next run uses.
pub fn publish(api: &mut dyn Api, publication: &Publication) -> Result<Outcome, Stop> {
    Run { api, publication, notes: Vec::new() }.run()
}

struct Run<'a> {
    api: &'a mut dyn Api,
    publication: &'a Publication,
    notes: Vec<String>,
}

/// A pull request as lists show it.
#[derive(Clone, Debug)]
struct Pull {
    number: u64,
    url: String,
    title: String,
    body: String,
    author: Json,
}

/// Open pull requests of this program.
struct Pulls {
    /// That of the branch.
    own: Option<Pull>,
    /// Others: number and branch.
    superseded: Vec<(u64, String)>,
}

impl Run<'_> {
    fn run(mut self) -> Result<Outcome, Stop> {
        let p = self.publication;
        let base = self.tip(&p.base)?;
        let base = base.ok_or_else(|| {
            Stop::Failed(format!("there is no branch {} to merge into, or the token may not read it", p.base))
        })?;
        let commit = self.read(p.repository.path(&format!("/git/commits/{base}")))?;
        let base_tree = sha(&commit["tree"])?;
        let modes = self.unmoved(&base_tree)?;
        let Pulls { own: open, superseded } = self.pulls()?;
        if open.is_none()
            && let Some(pull) = self.declined()?
        {
            return Ok(self.outcome(State::Declined, pull, superseded));
        }
        let fresh = self.branch(&base, &base_tree, &modes)?;
        let (state, pull) = match open {
            None => (State::Opened, self.open()?),
            Some(pull) if pull.body == p.body && pull.title == p.title => {
                (if fresh { State::Updated } else { State::Unchanged }, pull)
            }
            Some(pull) => {
                let path = p.repository.path(&format!("/pulls/{}", pull.number));
                self.write(Request::patch(path, json!({"title": p.title, "body": p.body})), PULLS)?;
                (State::Updated, pull)
            }
        };
        if state != State::Unchanged && !p.labels.is_empty() {
            let path = p.repository.path(&format!("/issues/{}/labels", pull.number));
            let labelled = self.write(Request::post(path, json!({"labels": p.labels})), PULLS);
            self.beside("The labels were not set", labelled.map(drop))?;
        }
        let commented = self.comment(&pull, &superseded);
        self.beside("The comment was not written", commented)?;
        Ok(self.outcome(state, pull, superseded))
    }

    fn outcome(self, state: State, pull: Pull, superseded: Vec<(u64, String)>) -> Outcome {
        let branch = self.publication.branch.clone();
        Outcome { state, number: pull.number, url: pull.url, branch, superseded, notes: self.notes }
    }

    /// What the pull request can do without.
    fn beside(&mut self, what: &str, result: Result<(), Stop>) -> Result<(), Stop> {
        match result {
            Err(stop @ Stop::Missing { .. }) => self.notes.push(format!("{what}: {stop}.")),
            other => return other,
        }
        Ok(())
    }

    fn read(&mut self, path: String) -> Result<Json, Stop> {
        self.api.call(&Request::get(path)).map_err(|failure| stop(&failure, "contents: read and pull-requests: read"))
    }

    fn write(&mut self, request: Request, permission: &'static str) -> Result<Json, Stop> {
        self.api.call(&request).map_err(|failure| stop(&failure, permission))
    }

    /// All items of a list.
    fn list(&mut self, path: &str) -> Result<Vec<Json>, Stop> {
        let mut all = Vec::new();
        for page in 1..=MAX_PAGES {
            let glue = if path.contains('?') { '&' } else { '?' };
            let answer = self.read(format!("{path}{glue}per_page=100&page={page}"))?;
            let items = answer.as_array().ok_or_else(senseless)?;
            all.extend(items.iter().cloned());
            if items.len() < 100 {
                break;
            }
        }
        Ok(all)
    }

    /// The commit a branch stands at; none when there is no such branch.
    fn tip(&mut self, branch: &str) -> Result<Option<String>, Stop> {
        match self.api.call(&Request::get(self.publication.ref_path(branch))) {
            Ok(answer) => sha(&answer["object"]).map(Some),
            Err(failure) if failure.is(404) => Ok(None),
            Err(failure) => Err(stop(&failure, "contents: read")),
        }
    }

    /// Checks that every file at the base is the one that was repaired. Gives the modes of those that are there.
    fn unmoved(&mut self, base_tree: &str) -> Result<BTreeMap<String, String>, Stop> {
        let mut trees: BTreeMap<String, Option<Vec<Json>>> = BTreeMap::new();
        let root = self.tree(base_tree)?;
        trees.insert(String::new(), Some(root));
        let (mut modes, mut moved) = (BTreeMap::new(), Vec::new());
        for blob in &self.publication.blobs {
            let mut folder = String::new();
            let (folders, name) = blob.path.rsplit_once('/').unwrap_or(("", &blob.path));
            for part in folders.split('/').filter(|part| !part.is_empty()) {
                let below = if folder.is_empty() { part.to_owned() } else { format!("{folder}/{part}") };
                if !trees.contains_key(&below) {
                    let found =
                        item(&trees, &folder, part).filter(|i| i["type"] == "tree").map(|i| sha(&i)).transpose()?;
                    let tree = found.map(|sha| self.tree(&sha)).transpose()?;
                    trees.insert(below.clone(), tree);
                }
                folder = below;
            }
            let there = item(&trees, &folder, name);
            let blob_there = there.as_ref().and_then(|i| i["sha"].as_str());
            let mode = there.as_ref().and_then(|i| i["mode"].as_str());
            if blob_there != blob.replaces.as_deref() || !matches!(mode, None | Some("100644" | "100755")) {
                moved.push(blob.path.clone());
            } else if let Some(mode) = mode {
                modes.insert(blob.path.clone(), mode.to_owned());
            }
        }
        if moved.is_empty() { Ok(modes) } else { Err(Stop::BaseMoved(moved)) }
    }

    fn tree(&mut self, sha: &str) -> Result<Vec<Json>, Stop> {
        let answer = self.read(self.publication.repository.path(&format!("/git/trees/{sha}")))?;
        if answer["truncated"] == true {
            return Err(Stop::Failed("a folder of the base is too large to be listed".to_owned()));
        }
        answer["tree"].as_array().cloned().ok_or_else(senseless)
    }

    /// The open pull request of our branch, and others of ours into the same base.
    fn pulls(&mut self) -> Result<Pulls, Stop> {
        let p = self.publication;
        let all = self.list(&p.repository.path(&format!("/pulls?state=open&base={}", query(&p.base))))?;
        let (mut own, mut superseded) = (None, Vec::new());
        for item in &all {
            let branch = item["head"]["ref"].as_str().unwrap_or_default();
            let label = format!("{}:{branch}", p.repository.owner());
            // A fork may name its branches like ours.
            if !branch.starts_with(PREFIX) || item["head"]["label"].as_str() != Some(&label) {
                continue;
            }
            let pull = pull(item)?;
            if branch == p.branch {
                own = Some(pull);
            } else if pull.body.starts_with(pull_request::MARKER) {
                superseded.push((pull.number, branch.to_owned()));
            }
        }
        superseded.sort();
        Ok(Pulls { own, superseded })
    }

    /// The pull request with this very proposal that somebody closed.
    fn declined(&mut self) -> Result<Option<Pull>, Stop> {
        let p = self.publication;
        let head = query(&format!("{}:{}", p.repository.owner(), p.branch));
        let path = p.repository.path(&format!("/pulls?state=closed&head={head}&base={}", query(&p.base)));
        let mark = pull_request::marker(&p.fingerprint);
        let closed = self.list(&path)?;
        let ours = |item: &&Json| {
            let merged = item["merged"] == true || item["merged_at"].is_string();
            !merged && item["body"].as_str().is_some_and(|body| body.starts_with(&mark))
        };
        closed.iter().find(ours).map(pull).transpose()
    }

    /// Brings the branch to the proposal. Says whether that took a new commit.
    fn branch(&mut self, base: &str, base_tree: &str, modes: &BTreeMap<String, String>) -> Result<bool, Stop> {
        let p = self.publication;
        let tip = self.tip(&p.branch)?;
        if let Some(tip) = &tip {
            match self.proposal_at(tip)? {
                None => return Err(Stop::ForeignBranch(p.branch.clone())),
                Some(fingerprint) if fingerprint == p.fingerprint => return Ok(false),
                Some(_) => {}
            }
        }
        let commit = self.commit(base, base_tree, modes)?;
        if tip.is_some() {
            let path = p.repository.path(&format!("/git/refs/heads/{}", uri_path(&p.branch)));
            self.write(Request::patch(path, json!({"sha": commit, "force": true})), CONTENTS)?;
            return Ok(true);
        }
        let body = json!({"ref": format!("refs/heads/{}", p.branch), "sha": commit});
        let request = Request::post(p.repository.path("/git/refs"), body).once();
        for _ in 0..ATTEMPTS {
            match self.api.call(&request) {
                Ok(_) => return Ok(true),
                // Our own lost call made it, or somebody else just did.
                Err(Failure::Lost) | Err(Failure::Status { code: 422, .. }) => match self.tip(&p.branch)? {
                    Some(tip) if tip == commit => return Ok(true),
                    Some(_) => return Err(Stop::ForeignBranch(p.branch.clone())),
                    None => {}
                },
                Err(failure) => return Err(stop(&failure, CONTENTS)),
            }
        }
        Err(Stop::Failed(format!("branch {} could not be made", p.branch)))
    }

    /// The proposal that a commit of ours holds; none when it is not ours, or was amended.
    fn proposal_at(&mut self, commit: &str) -> Result<Option<String>, Stop> {
        let commit = self.read(self.publication.repository.path(&format!("/git/commits/{commit}")))?;
        let message = commit["message"].as_str().unwrap_or_default();
        let ours = trailer(message, TREE).is_some_and(|tree| commit["tree"]["sha"] == tree)
            && commit["parents"].as_array().is_some_and(|parents| parents.len() == 1);
        Ok(trailer(message, PROPOSAL).filter(|_| ours).map(str::to_owned))
    }

    fn commit(&mut self, base: &str, base_tree: &str, modes: &BTreeMap<String, String>) -> Result<String, Stop> {
        let p = self.publication;
        let mut entries = Vec::new();
        for blob in &p.blobs {
            let body = json!({"content": base64::encode(&blob.bytes), "encoding": "base64"});
            let made = sha(&self.write(Request::post(p.repository.path("/git/blobs"), body), CONTENTS)?)?;
            if made != place::git_blob(&blob.bytes) {
                return Err(Stop::Failed(format!("{}: the service stored other bytes than were sent", blob.path)));
            }
            let mode = modes.get(&blob.path).map_or("100644", String::as_str);
            entries.push(json!({"path": blob.path, "mode": mode, "type": "blob", "sha": made}));
        }
        let body = json!({"base_tree": base_tree, "tree": entries});
        let tree = sha(&self.write(Request::post(p.repository.path("/git/trees"), body), CONTENTS)?)?;
        let body = json!({"message": p.message(&tree), "tree": tree, "parents": [base]});
        sha(&self.write(Request::post(p.repository.path("/git/commits"), body), CONTENTS)?)
    }

    fn open(&mut self) -> Result<Pull, Stop> {
        let p = self.publication;
        let body = json!({
            "title": p.title, "head": p.branch, "base": p.base, "body": p.body, "draft": p.draft,
            "maintainer_can_modify": true,
        });
        let request = Request::post(p.repository.path("/pulls"), body).once();
        for _ in 0..ATTEMPTS {
            match self.api.call(&request) {
                Ok(answer) => return pull(&answer),
                Err(failure @ (Failure::Lost | Failure::Status { code: 422, .. })) => {
                    if let Some(pull) = self.pulls()?.own {
                        return Ok(pull);
                    }
                    if failure != Failure::Lost {
                        return Err(stop(&failure, PULLS));
                    }
                }
                Err(failure) => return Err(self.not_opened(&failure)),
            }
        }
        Err(Stop::Failed("the pull request could not be opened".to_owned()))
    }

    /// The branch is there already, so a person can open the pull request.
    fn not_opened(&self, failure: &Failure) -> Stop {
        match stop(failure, PULLS) {
            Stop::Missing { permission, said } => {
                let advice = if said.contains("not permitted to create") {
                    "; allow it under Settings, Actions, General, \"Allow GitHub Actions to create and approve pull requests\""
                } else {
                    ""
                };
                let said =
                    format!("{said}{advice}; branch {} is there, so a person can open it", self.publication.branch);
                Stop::Missing { permission, said }
            }
            other => other,
        }
    }

    fn comment(&mut self, pull: &Pull, superseded: &[(u64, String)]) -> Result<(), Stop> {
        let p = self.publication;
        let text = comment::text(p, superseded);
        let path = p.repository.path(&format!("/issues/{}/comments", pull.number));
        for _ in 0..ATTEMPTS {
            let comments = self.list(&path)?;
            match comment::find(&comments, &pull.author) {
                Some((_, body)) if body == text => return Ok(()),
                Some((id, _)) => {
                    let path = p.repository.path(&format!("/issues/comments/{id}"));
                    return self.write(Request::patch(path, json!({"body": text})), PULLS).map(drop);
                }
                None => match self.api.call(&Request::post(path.clone(), json!({"body": text})).once()) {
                    Ok(_) => return Ok(()),
                    Err(Failure::Lost) => {}
                    Err(failure) => return Err(stop(&failure, PULLS)),
                },
            }
        }
        Err(Stop::Failed("the comment could not be written".to_owned()))
    }
}

/// An entry of a folder that was listed.
fn item(trees: &BTreeMap<String, Option<Vec<Json>>>, folder: &str, name: &str) -> Option<Json> {
    let entries = trees.get(folder)?.as_ref()?;
    entries.iter().find(|entry| entry["path"] == name).cloned()
}

fn pull(item: &Json) -> Result<Pull, Stop> {
    let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
    Ok(Pull {
        number: item["number"].as_u64().ok_or_else(senseless)?,
        url: text("html_url"),
        title: text("title"),
        body: text("body"),
        author: item["user"]["id"].clone(),
    })
}

fn sha(object: &Json) -> Result<String, Stop> {
    let hex = |text: &&str| matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
    object["sha"].as_str().filter(hex).map(str::to_owned).ok_or_else(senseless)
}

fn senseless() -> Stop {
    Stop::Failed("the service gave an answer that makes no sense".to_owned())
}

/// A value in a query.
fn query(text: &str) -> String {
    uri_path(text).replace('/', "%2F")
}

fn stop(failure: &Failure, permission: &'static str) -> Stop {
    match failure {
        Failure::Status { code: 401, message } => {
            Stop::Missing { permission: "authority at all: it is wrong or expired", said: message.clone() }
        }
        Failure::Status { code: 403 | 404, message } => Stop::Missing { permission, said: message.clone() },
        Failure::Status { code, message } => Stop::Failed(format!("the service refused ({code}): {message}")),
        Failure::Lost => Stop::Failed("an answer of the service was lost".to_owned()),
        Failure::Unreachable(what) => Stop::Failed(format!("the service cannot be reached: {what}")),
    }
}

#[cfg(test)]
mod tests;
