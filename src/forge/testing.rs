//! A service in memory, as far as publishing needs one, that can be told to fail.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use sha1::{Digest, Sha1};

use super::publication::{Blob, Publication, Repository, branch_of};
use super::request::{Api, Failure, Method, Request};
use crate::finding::fingerprint::hex;
use crate::propose::{place, pull_request};

/// A commit: tree and message, both by their own names.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub tree: String,
    pub message: String,
    pub parents: usize,
}

/// What a fault does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The call is refused with this status.
    Refused(u16),
    /// The call is lost on its way there.
    LostBefore,
    /// The answer is lost on its way back.
    LostAfter,
}

#[derive(Debug, Default)]
pub(super) struct Hub {
    pub branches: BTreeMap<String, String>,
    pub commits: BTreeMap<String, Commit>,
    /// Trees as flat lists: path, name of the blob.
    pub trees: BTreeMap<String, BTreeMap<String, String>>,
    pub pulls: Vec<Json>,
    pub comments: Vec<Json>,
    /// Calls that wrote something, in order.
    pub writes: Vec<String>,
    /// Part of a call's method and path, what then happens, how often.
    pub faults: Vec<(&'static str, Fault, usize)>,
}

fn name(content: &str) -> String {
    hex(&Sha1::digest(content))
}

impl Hub {
    /// A hub whose branch `main` holds the files that a publication replaces.
    pub(super) fn before(publication: &Publication) -> Self {
        let mut hub = Self::default();
        let files = publication.blobs.iter().filter_map(|b| Some((b.path.clone(), b.replaces.clone()?))).collect();
        let tree = hub.tree(files);
        let commit = hub.commit(Commit { tree, message: "base".to_owned(), parents: 1 });
        hub.branches.insert("main".to_owned(), commit);
        hub
    }

    pub(super) fn tree(&mut self, files: BTreeMap<String, String>) -> String {
        let tree = name(&format!("{files:?}"));
        self.trees.insert(tree.clone(), files);
        tree
    }

    pub(super) fn commit(&mut self, commit: Commit) -> String {
        let sha = name(&format!("{commit:?}"));
        self.commits.insert(sha.clone(), commit);
        sha
    }

    /// The entries of a folder of a tree; sub-folders are trees named `TREE:FOLDER` by their hash.
    fn folder(&mut self, tree: &str) -> Json {
        let files = self.trees.get(tree).cloned().unwrap_or_default();
        let mut below: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        let mut entries = Vec::new();
        for (path, blob) in files {
            match path.split_once('/') {
                None => entries.push(json!({"path": path, "type": "blob", "mode": "100644", "sha": blob})),
                Some((folder, rest)) => drop(below.entry(folder.to_owned()).or_default().insert(rest.to_owned(), blob)),
            }
        }
        for (folder, files) in below {
            let sha = self.tree(files);
            entries.push(json!({"path": folder, "type": "tree", "mode": "040000", "sha": sha}));
        }
        json!({"tree": entries, "truncated": false})
    }

    fn answer(&mut self, request: &Request) -> Result<Json, Failure> {
        let no = |code: u16| Failure::Status { code, message: "no".to_owned() };
        let path = request.path.strip_prefix("/repos/octo/logs").ok_or_else(|| no(404))?;
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let body = request.body.clone().unwrap_or_default();
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        if request.method != Method::Get {
            self.writes.push(path.to_owned());
        }
        let parts: Vec<&str> = path.trim_start_matches('/').splitn(4, '/').collect();
        match (request.method, parts.as_slice()) {
            (Method::Get, ["git", "ref", "heads", branch]) => {
                let sha = self.branches.get(*branch).ok_or_else(|| no(404))?;
                Ok(json!({"object": {"sha": sha}}))
            }
            (Method::Get, ["git", "commits", sha]) => {
                let commit = self.commits.get(*sha).ok_or_else(|| no(404))?;
                let parents = vec![Json::Null; commit.parents];
                Ok(json!({"tree": {"sha": commit.tree}, "message": commit.message, "parents": parents}))
            }
            (Method::Get, ["git", "trees", sha]) => Ok(self.folder(sha)),
            (Method::Post, ["git", "blobs"]) => {
                let content = text("content");
                let known = samples().into_iter().map(|bytes| (super::base64::encode(&bytes), place::git_blob(&bytes)));
                known
                    .into_iter()
                    .find(|(text, _)| *text == content)
                    .map(|(_, sha)| json!({"sha": sha}))
                    .ok_or_else(|| no(422))
            }
            (Method::Post, ["git", "trees"]) => {
                let mut files = self.trees[&text("base_tree")].clone();
                for entry in body["tree"].as_array().into_iter().flatten() {
                    let of = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
                    files.insert(of("path"), of("sha"));
                }
                Ok(json!({"sha": self.tree(files)}))
            }
            (Method::Post, ["git", "commits"]) => {
                let parents = body["parents"].as_array().map_or(0, Vec::len);
                Ok(json!({"sha": self.commit(Commit { tree: text("tree"), message: text("message"), parents })}))
            }
            (Method::Post, ["git", "refs"]) => {
                let branch = text("ref").trim_start_matches("refs/heads/").to_owned();
                if self.branches.contains_key(&branch) {
                    return Err(no(422));
                }
                self.branches.insert(branch, text("sha"));
                Ok(Json::Null)
            }
            (Method::Patch, ["git", "refs", "heads", branch]) => {
                self.branches.insert((*branch).to_owned(), text("sha"));
                Ok(Json::Null)
            }
            (Method::Get, ["pulls"]) => {
                let state = if query.contains("state=open") { "open" } else { "closed" };
                Ok(self.pulls.iter().filter(|p| p["state"] == state).cloned().collect())
            }
            (Method::Post, ["pulls"]) => {
                if self.pulls.iter().any(|p| p["state"] == "open" && p["head"]["ref"] == body["head"]) {
                    return Err(no(422));
                }
                let number = 7 + self.pulls.len();
                let head = json!({"ref": body["head"], "label": format!("octo:{}", text("head"))});
                let mut pull = json!({"number": number, "state": "open", "head": head, "user": {"id": 1}});
                for name in ["title", "body", "draft"] {
                    pull[name] = body[name].clone();
                }
                self.pulls.push(pull.clone());
                Ok(pull)
            }
            (Method::Patch, ["pulls", number]) => {
                let pull = self
                    .pulls
                    .iter_mut()
                    .find(|p| p["number"].as_u64() == number.parse().ok())
                    .ok_or_else(|| no(404))?;
                pull["title"] = body["title"].clone();
                pull["body"] = body["body"].clone();
                Ok(Json::Null)
            }
            (Method::Post, ["issues", _, "labels"]) => Ok(json!([])),
            (Method::Get, ["issues", _, "comments"]) => Ok(self.comments.iter().cloned().collect()),
            (Method::Post, ["issues", _, "comments"]) => {
                self.comments.push(json!({"id": self.comments.len(), "body": body["body"], "user": {"id": 1}}));
                Ok(Json::Null)
            }
            (Method::Patch, ["issues", "comments", id]) => {
                let comment =
                    self.comments.iter_mut().find(|c| c["id"].as_u64() == id.parse().ok()).ok_or_else(|| no(404))?;
                comment["body"] = body["body"].clone();
                Ok(Json::Null)
            }
            _ => Err(no(404)),
        }
    }
}

impl Api for Hub {
    fn call(&mut self, request: &Request) -> Result<Json, Failure> {
        let called = format!("{:?} {}", request.method, request.path);
        let fault = self.faults.iter_mut().find(|(part, _, left)| *left > 0 && called.contains(part));
        let fault = fault.map(|fault| {
            fault.2 -= 1;
            fault.1
        });
        match fault {
            None => self.answer(request),
            Some(Fault::Refused(code)) => Err(Failure::Status { code, message: "no".to_owned() }),
            Some(Fault::LostBefore) => Err(Failure::Lost),
            Some(Fault::LostAfter) => self.answer(request).and(Err(Failure::Lost)),
        }
    }
}

/// Contents that the blobs of tests have.
fn samples() -> Vec<Vec<u8>> {
    ["new a", "new b", "receipt", "newer a"].map(|text| text.as_bytes().to_vec()).to_vec()
}

/// A publication of one repaired file with this content, and its receipt.
pub(super) fn publication(fingerprint: &str, content: &str) -> Publication {
    let blob = |path: &str, text: &str, replaces: Option<&str>| Blob {
        path: path.to_owned(),
        bytes: text.as_bytes().to_vec(),
        replaces: replaces.map(|text| place::git_blob(text.as_bytes())),
    };
    Publication {
        repository: Repository::parse("octo/logs").unwrap(),
        base: "main".to_owned(),
        branch: branch_of("main", ["logs/a.jsonl"].into_iter()),
        fingerprint: fingerprint.to_owned(),
        title: "Repair a session log".to_owned(),
        body: format!("{}\ntext", pull_request::marker(fingerprint)),
        labels: vec!["logs".to_owned()],
        draft: false,
        blobs: vec![blob("logs/a.jsonl", content, Some("old a")), blob("logs/a.jsonl.manifest.json", "receipt", None)],
        left_out: 0,
        refused: 0,
    }
}
