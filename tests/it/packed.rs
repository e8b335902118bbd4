//! Repair of logs in Zstandard frames: the text is mended, frames that need not change stay byte for byte, and half a
//! frame at the end is cut or sealed.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use sesslint::inspect::{self, check_path};
use sesslint::repair::execute::{Destination, execute};
use sesslint::repair::verify::{Request, verify};
use sesslint::repair::{Emit, Options, Policy, RefusalCode, RepairError, prepare};

const HEADER: &str =
    "{\"type\":\"session\",\"version\":0,\"id\":\"s\",\"createdAt\":1,\"cwd\":\"/p\",\"delegationDepth\":0}\n";

fn todo(seq: u64) -> String {
    format!("{{\"type\":\"todo/write\",\"seq\":{seq},\"time\":1,\"data\":{{\"todos\":[\"number {seq}\"]}}}}\n")
}

fn frame(text: &str) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// The header's frame and one for each batch.
fn container(batches: &[String]) -> Vec<u8> {
    [frame(HEADER)].into_iter().chain(batches.iter().map(|batch| frame(batch))).flatten().collect()
}

/// A log in a folder of its own, and its repair.
struct Bed {
    folder: tempfile::TempDir,
    source: PathBuf,
}

impl Bed {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("session.jsonl.zstd");
        fs::write(&source, bytes).unwrap();
        Self { folder, source }
    }

    fn options(policy: Policy) -> Options {
        Options { policy, ..Options::default() }
    }

    /// Repairs and verifies; gives the recipes and the output.
    fn repair(&self, options: &Options) -> Result<(Vec<String>, Vec<u8>), RepairError> {
        let output = self.folder.path().join("mended.jsonl.zstd");
        let prepared = prepare(&self.source, options)?;
        let to = Destination::beside(&output);
        execute(&prepared, &to)?;
        let verdict = verify(&self.request(&output)).unwrap();
        assert!(verdict.ok(), "{}", verdict.document());
        Ok((prepared.plan().steps.iter().map(|step| step.recipe.clone()).collect(), fs::read(output).unwrap()))
    }

    fn request(&self, output: &Path) -> Request {
        let manifest = Destination::beside(output).manifest;
        Request {
            source: self.source.clone(),
            output: output.to_owned(),
            manifest,
            plan: None,
            acknowledge_side_effects: false,
        }
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8(zstd::decode_all(bytes).expect("whole frames with good checksums")).unwrap()
}

#[test]
fn a_torn_frame_that_gives_nothing_is_cut() {
    let whole = container(&[todo(0)]);
    for cut in [1, 4, 9] {
        let bed = Bed::new(&[whole.as_slice(), &frame(&todo(1))[..cut]].concat());
        let (recipes, output) = bed.repair(&Bed::options(Policy::Conservative)).unwrap();
        assert_eq!((recipes, output), (vec!["torn-frame-truncate".to_owned()], whole.clone()), "{cut}");
    }
}

#[test]
fn records_of_a_torn_frame_are_sealed_but_only_as_salvage() {
    let whole = container(&[todo(0)]);
    let torn = frame(&(todo(1) + &todo(2)));
    // The checksum is cut, the text is not.
    let bed = Bed::new(&[whole.as_slice(), &torn[..torn.len() - 3]].concat());
    let Err(RepairError::Refused(refusal)) = bed.repair(&Bed::options(Policy::Conservative)) else {
        panic!("nothing proves these records")
    };
    assert_eq!(refusal.code, RefusalCode::RepairRefused);
    let row = &refusal.blocking[0];
    assert_eq!((row.code, row.line, row.reason.as_str()), ("SL002", Some(3), "needs-salvage-policy"));

    let (recipes, output) = bed.repair(&Bed::options(Policy::Salvage)).unwrap();
    assert_eq!(recipes, ["torn-frame-reseal"]);
    assert!(output.starts_with(&whole));
    assert_eq!(text_of(&output), format!("{HEADER}{}{}{}", todo(0), todo(1), todo(2)));
    let checked = check_path(&bed.folder.path().join("mended.jsonl.zstd"), &inspect::Options::default()).unwrap();
    assert!(checked.findings.iter().all(|f| f.code() != "SL002"));
    let receipt: serde_json::Value =
        serde_json::from_slice(&fs::read(bed.folder.path().join("mended.jsonl.zstd.manifest.json")).unwrap()).unwrap();
    assert_eq!(receipt["declared_loss"], serde_json::json!(["frame-checksum:1"]));
    assert_eq!((&receipt["frames"][0]["frame"], &receipt["frames"][0]["op"]), (&3.into(), &"reseal".into()));
    assert_eq!(receipt["edits"], serde_json::json!([]));
}

#[test]
fn records_behind_a_gap_are_not_taken_up() {
    let torn = frame(&(todo(1) + &todo(2) + &todo(5) + &todo(6)));
    let bed = Bed::new(&[container(&[todo(0)]).as_slice(), &torn[..torn.len() - 1]].concat());
    let (_, output) = bed.repair(&Bed::options(Policy::Salvage)).unwrap();
    assert_eq!(text_of(&output), format!("{HEADER}{}{}{}", todo(0), todo(1), todo(2)));
    // A batch that does not follow at all gives nothing, and nothing is kept of it.
    let bed = Bed::new(&[container(&[todo(0)]).as_slice(), &frame(&todo(7))[..frame(&todo(7)).len() - 1]].concat());
    let (recipes, output) = bed.repair(&Bed::options(Policy::Conservative)).unwrap();
    assert_eq!((recipes, output), (vec!["torn-frame-truncate".to_owned()], container(&[todo(0)])));
}

#[test]
fn a_torn_frame_gives_its_records_up_to_the_first_line_that_is_none() {
    let piece = |seq: u64| todo(seq).replace("todo/write", "assistant/chunk");
    // The last two unpack to far more lines than can be looked at one by one.
    for rest in [
        todo(2) + "\r\n" + &todo(3),
        todo(2) + "{}\n" + &todo(3),
        todo(2) + &piece(1) + &todo(3),
        todo(2) + &"\n".repeat(60 << 20),
        todo(2).repeat(1 << 20),
    ] {
        let torn = frame(&(todo(1) + &rest));
        let bed = Bed::new(&[container(&[todo(0)]).as_slice(), &torn[..torn.len() - 1]].concat());
        let (recipes, output) = bed.repair(&Bed::options(Policy::Salvage)).unwrap();
        assert_eq!(recipes, ["torn-frame-reseal"]);
        assert_eq!(text_of(&output), format!("{HEADER}{}{}{}", todo(0), todo(1), todo(2)));
    }
}

#[test]
fn a_torn_frame_that_uses_the_number_of_a_piece_again_gives_nothing() {
    let piece = |seq: u64| todo(seq).replace("todo/write", "assistant/chunk");
    let whole = container(&[todo(0), piece(1)]);
    for again in [piece(1), todo(1)] {
        let torn = frame(&(again + &todo(2)));
        let bed = Bed::new(&[whole.as_slice(), &torn[..torn.len() - 1]].concat());
        let (recipes, output) = bed.repair(&Bed::options(Policy::Conservative)).unwrap();
        assert_eq!((recipes, &output), (vec!["torn-frame-truncate".to_owned()], &whole));
    }
}

#[test]
fn only_frames_whose_text_changes_are_written_anew() {
    let batches = [todo(0) + &todo(1), todo(2) + &todo(2) + &todo(3), todo(4)];
    let bed = Bed::new(&container(&batches));
    let (recipes, output) = bed.repair(&Bed::options(Policy::Conservative)).unwrap();
    assert_eq!(recipes, ["identical-duplicate-collapse"]);
    let (before, after) = (container(&batches[..1]), frame(&batches[2]));
    assert!(output.starts_with(&before) && output.ends_with(&after));
    let sealed = &output[before.len()..output.len() - after.len()];
    assert_eq!(text_of(sealed), todo(2) + &todo(3));
    // A frame that would hold nothing is left out.
    let bed = Bed::new(&container(&[todo(0), todo(0), todo(1)]));
    let (_, output) = bed.repair(&Bed::options(Policy::Conservative)).unwrap();
    assert_eq!(output, container(&[todo(0), todo(1)]));
}

#[test]
fn text_and_end_are_mended_together() {
    let torn = frame(&(todo(2) + &todo(2) + &todo(3)));
    let bytes = [container(&[todo(0) + &todo(1) + &todo(1)]).as_slice(), &torn[..torn.len() - 2]].concat();
    let bed = Bed::new(&bytes);
    let (recipes, output) = bed.repair(&Bed::options(Policy::Salvage)).unwrap();
    assert_eq!(recipes, ["torn-frame-reseal", "identical-duplicate-collapse"]);
    // What the torn frame gives ends before its first record that does not follow.
    assert_eq!(text_of(&output), format!("{HEADER}{}{}{}", todo(0), todo(1), todo(2)));
    // Without salvage the text is mended and the end stays as it is.
    let bed = Bed::new(&bytes);
    let (recipes, output) = bed.repair(&Bed::options(Policy::Conservative)).unwrap();
    assert_eq!(recipes, ["identical-duplicate-collapse"]);
    assert!(output.ends_with(&torn[..torn.len() - 2]));
}

#[test]
fn blank_texts_of_answers_are_salvaged_away() {
    let answer = |blocks: &str| {
        format!(
            "{{\"type\":\"assistant/message\",\"seq\":1,\"time\":1,\"data\":{{\"turn\":1,\"step\":1,\"message\":\
             {{\"role\":\"assistant\",\"content\":[{blocks}]}}}}}}\n"
        )
    };
    let (blank, text) = (r#"{"type":"text","text":" \n"}"#, r#"{"type":"text","text":"done"}"#);
    let log = |blocks: &str| [todo(0), answer(blocks), todo(2)];
    let packed = container(&log(&format!("{blank},{text}")));
    let (recipes, output) = Bed::new(&packed).repair(&Bed::options(Policy::Conservative)).unwrap();
    assert_eq!((recipes, output), (vec![], packed.clone()));
    let (recipes, output) = Bed::new(&packed).repair(&Bed::options(Policy::Salvage)).unwrap();
    assert_eq!(recipes, ["empty-text-drop"]);
    assert_eq!(text_of(&output), HEADER.to_owned() + &log(text).concat());
}

#[test]
fn frames_that_cannot_be_unpacked_to_whole_lines_are_refused() {
    let good = container(&[todo(0)]);
    let mut bad_checksum = frame(&todo(1));
    *bad_checksum.last_mut().unwrap() ^= 1;
    let unended = frame(todo(1).trim_end());
    for (bytes, code) in [
        ([good.as_slice(), &bad_checksum].concat(), "SL001"),
        ([good.as_slice(), b"PK\x03\x04...."].concat(), "SL001"),
        ([good.as_slice(), &unended].concat(), "SL001"),
    ] {
        for policy in [Policy::Conservative, Policy::Salvage] {
            let Err(RepairError::Refused(refusal)) = Bed::new(&bytes).repair(&Bed::options(policy)) else {
                panic!("no boundary behind the damage can be trusted")
            };
            assert_eq!(refusal.code, RefusalCode::RepairRefused);
            assert!(refusal.blocking.iter().any(|row| row.code == code), "{refusal:?}");
        }
    }
}

#[test]
fn a_packed_log_can_be_written_as_a_canonical_session() {
    let bed = Bed::new(&container(&[todo(0) + &todo(0), todo(1)]));
    let options = Options { emit: Emit::Canonical, ..Bed::options(Policy::Conservative) };
    let (_, output) = bed.repair(&options).unwrap();
    assert_eq!(String::from_utf8(output).unwrap().lines().count(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever is cut off or written twice: what comes out is a prefix of what was written, repairing it again changes
    /// nothing, and no byte of it can be changed unseen.
    #[test]
    fn any_torn_log_is_mended_to_what_was_written(
        batches in proptest::collection::vec(1_u64..40, 1..5), twice in any::<bool>(), cut in any::<usize>(), flip in any::<usize>(),
    ) {
        let mut seq = 0;
        let mut texts: Vec<String> = batches.iter().map(|count| { let first = seq; seq += count; (first..seq).map(todo).collect() }).collect();
        let written = HEADER.to_owned() + &texts.concat();
        if twice { let again = todo(batches[0] - 1); texts[0].push_str(&again); }
        let whole = container(&texts[..texts.len() - 1]);
        let last = frame(&texts[texts.len() - 1]);
        let is_first = texts.len() == 1;
        let bytes = [whole.as_slice(), &last[..1 + cut % last.len()]].concat();
        let bed = Bed::new(&bytes);
        let (_, output) = bed.repair(&Bed::options(Policy::Salvage)).unwrap();
        let text = text_of(&output);
        prop_assert!(written.starts_with(&text) && text.ends_with('\n'), "{text}");
        let kept = if is_first { 0 } else { HEADER.len() + texts[0].len() - if twice { todo(batches[0] - 1).len() } else { 0 } };
        prop_assert!(text.len() >= kept);
        let again = Bed::new(&output);
        prop_assert_eq!(&again.repair(&Bed::options(Policy::Salvage)).unwrap().1, &output);
        let mended = bed.folder.path().join("mended.jsonl.zstd");
        let mut bytes = output;
        let at = flip / 8 % bytes.len();
        bytes[at] ^= 1 << (flip % 8);
        fs::write(&mended, bytes).unwrap();
        prop_assert!(!verify(&bed.request(&mended)).unwrap().ok());
    }
}
