//! Opening a pull request from the command line: where it goes, with which token, and what is said of it.

use std::path::Path;

use clap::Args;
use sesslint::forge::{Outcome, Publication, Repository, State, Stop};
use sesslint::propose::Proposal;

use super::{Failure, env};

/// Options of a pull request.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pull request")]
pub struct PullRequestArgs {
    /// Open a pull request with the proposal, or bring the open one up to date. The token comes from GITHUB_TOKEN or GH_TOKEN
    #[arg(long)]
    pub open_pr: bool,
    /// The repository, when GITHUB_REPOSITORY does not name it
    #[arg(long, value_name = "OWNER/NAME", requires = "open_pr")]
    pub repository: Option<String>,
    /// The branch to merge into, when the run is not for a branch
    #[arg(long, value_name = "BRANCH", requires = "open_pr")]
    pub base: Option<String>,
    /// Label of the pull request. Repeatable
    #[arg(long, value_name = "NAME", requires = "open_pr")]
    pub label: Vec<String>,
    /// Open it as a draft
    #[arg(long, requires = "open_pr")]
    pub draft: bool,
}

/// Where a pull request goes.
#[derive(Debug)]
pub enum Target {
    /// Into a branch.
    Branch { repository: Repository, base: String, token: String },
    /// It cannot be opened; the proposal stays a folder.
    None(String),
}

/// What is to be said of a pull request.
#[derive(Debug, Default)]
pub struct Published {
    pub code: u8,
    pub text: String,
    pub summary: String,
    pub outputs: Vec<(&'static str, String)>,
    pub notices: Vec<String>,
}

/// Where the pull request goes; none when none was asked for.
pub fn target(args: &PullRequestArgs) -> Result<Option<Target>, Failure> {
    if !args.open_pr {
        return Ok(None);
    }
    if !cfg!(feature = "github") {
        return Err(Failure::usage(
            "this build of sesslint opens no pull requests: install it with `cargo install sesslint --features github`, or take a release",
        ));
    }
    let named = args.repository.clone().or_else(|| env::variable("GITHUB_REPOSITORY"));
    let named = named.ok_or_else(|| Failure::usage("--open-pr: name the repository with --repository OWNER/NAME"))?;
    let repository = Repository::parse(&named)
        .ok_or_else(|| Failure::usage(format!("--repository: expected OWNER/NAME, got {named:?}")))?;
    if let Some(fork) = env::fork_of_pull_request(&named) {
        let text = format!(
            "No pull request was opened: this run is for a pull request from {fork}, and such a run may not write here. The proposal is in the folder; apply its patch to the branch of that fork"
        );
        return Ok(Some(Target::None(text)));
    }
    let branch = || {
        let head = env::variable("GITHUB_HEAD_REF");
        let kind = env::variable("GITHUB_REF_TYPE").is_none_or(|kind| kind == "branch");
        head.or_else(|| env::variable("GITHUB_REF_NAME").filter(|_| kind))
    };
    let base = args.base.clone().or_else(branch);
    let base = base.ok_or_else(|| Failure::usage("--open-pr: name the branch to merge into with --base BRANCH"))?;
    let token = env::variable("GITHUB_TOKEN").or_else(|| env::variable("GH_TOKEN"));
    Ok(Some(match token {
        Some(token) => Target::Branch { repository, base, token },
        None => Target::None(
            "No pull request was opened: there is no token in GITHUB_TOKEN or GH_TOKEN. It needs contents: write and pull-requests: write".to_owned(),
        ),
    }))
}

/// Publishes the proposal in a folder.
pub fn publish(
    proposal: &Proposal,
    (folder, root): (&Path, &Path),
    target: Target,
    args: &PullRequestArgs,
) -> Result<Published, Failure> {
    let (repository, base, token) = match target {
        Target::None(text) => return Ok(without(text, 0)),
        Target::Branch { repository, base, token } => (repository, base, token),
    };
    let mut publication = Publication::read(proposal, (folder, root), (repository, &base))?;
    if publication.blobs.is_empty() {
        return Ok(without("No pull request was opened: every repaired file is too large for a commit".to_owned(), 0));
    }
    publication.labels.clone_from(&args.label);
    publication.draft = args.draft;
    match send(&publication, token)? {
        Ok(outcome) => Ok(told(&outcome)),
        Err(stop @ Stop::Missing { .. }) => Ok(without(
            format!(
                "No pull request was opened: {stop}. It needs contents: write and pull-requests: write. The proposal is in the folder"
            ),
            0,
        )),
        Err(stop @ (Stop::BaseMoved(_) | Stop::ForeignBranch(_))) => {
            Ok(without(format!("No pull request was opened: {stop}"), 1))
        }
        Err(stop @ Stop::Failed(_)) => Ok(without(format!("No pull request was opened: {stop}"), 2)),
    }
}

#[cfg(feature = "github")]
fn send(publication: &Publication, token: String) -> Result<Result<Outcome, Stop>, Failure> {
    let base = env::variable("GITHUB_API_URL").unwrap_or_else(|| "https://api.github.com".to_owned());
    let mut sender = sesslint::forge::sender::Sender::new(&base, token)
        .map_err(|what| Failure::usage(format!("GITHUB_API_URL: {what}")))?;
    Ok(sesslint::forge::publish(&mut sender, publication))
}

#[cfg(not(feature = "github"))]
fn send(_publication: &Publication, _token: String) -> Result<Result<Outcome, Stop>, Failure> {
    Err(Failure::usage("this build of sesslint opens no pull requests"))
}

fn without(text: String, code: u8) -> Published {
    Published { code, text: text.clone(), notices: vec![text], ..Published::default() }
}

fn told(outcome: &Outcome) -> Published {
    let what = match outcome.state {
        State::Opened => "opened",
        State::Updated => "brought up to date",
        State::Unchanged => "holds this proposal already",
        State::Declined => "was closed with this very proposal; it is not opened again",
    };
    let mut text = format!("Pull request #{} {what}: {}", outcome.number, outcome.url);
    let mut notices = outcome.notes.clone();
    if !outcome.superseded.is_empty() {
        let all: Vec<String> =
            outcome.superseded.iter().map(|(number, branch)| format!("#{number} ({branch})")).collect();
        let line = format!("Open about another set of logs, which this pull request may replace: {}", all.join(", "));
        text.push_str(&format!("\n{line}"));
        notices.push(line);
    }
    let summary = format!("\nPull request [#{}]({}) {what}.\n", outcome.number, outcome.url);
    let outputs = vec![("pull-request-number", outcome.number.to_string()), ("pull-request-url", outcome.url.clone())];
    Published { code: 0, text, summary, outputs, notices }
}
