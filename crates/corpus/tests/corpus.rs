//! Runs every case of the corpus. `CASE=part-of-a-path` selects cases.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use interlingua::{DIALECTS, StreamTranslator};
use interlingua_corpus::files::{CaseFile, KINDS, load_cases};
use interlingua_corpus::{Case, Input, run_case, stream};

/// Path of a case within the corpus.
fn case_name(case_file: &CaseFile) -> String {
    let path = case_file.path.strip_prefix(corpus()).unwrap_or(&case_file.path);
    path.display().to_string()
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn selected_cases() -> Vec<CaseFile> {
    let part = std::env::var("CASE").unwrap_or_default();
    let mut cases = all_cases();
    cases.retain(|case_file| case_name(case_file).contains(&part));
    cases
}

fn all_cases() -> Vec<CaseFile> {
    load_cases(&corpus()).unwrap_or_else(|error| panic!("the corpus cannot be read: {error}"))
}

/// Runs `check` on every case and reports all failures together.
fn for_every_case(check: impl Fn(&CaseFile, &Case) -> Result<(), String>) {
    let (mut report, mut failed, selected) = (String::new(), 0, selected_cases());
    for case_file in &selected {
        let result = match &case_file.case {
            Ok(case) => check(case_file, case),
            Err(error) => Err(error.to_string()),
        };
        if let Err(reason) = result {
            failed += 1;
            let file = case_name(case_file);
            let summary = case_file.case.as_ref().map_or("", |case| &case.summary);
            let _ = write!(report, "\n{file}: {summary}\n{reason}\n");
        }
    }
    assert!(failed == 0, "{failed} of {} cases fail\n{report}", selected.len());
}

#[test]
fn every_case_passes() {
    for_every_case(|_, case| {
        let result = run_case(case);
        let differences: Vec<_> = result.differences.iter().map(ToString::to_string).collect();
        if result.passed() { Ok(()) } else { Err(differences.join("\n")) }
    });
}

#[test]
fn every_case_is_in_its_folder() {
    for_every_case(|case_file, case| {
        let misplaced = || format!("{case:?} is in the wrong folder");
        case_file.is_in_right_folder().then_some(()).ok_or_else(misplaced)
    });
}

#[test]
fn every_dialect_has_cases_of_every_kind() {
    let all = all_cases();
    let mut missing = Vec::new();
    for dialect in DIALECTS {
        for kind in KINDS {
            let is_match = |case_file: &&CaseFile| {
                case_file.kind == kind && case_file.folder.as_deref() == Some(dialect.id().0)
            };
            if all.iter().filter(is_match).count() == 0 {
                missing.push(format!("corpus/{kind}/{}", dialect.id()));
            }
        }
    }
    assert!(missing.is_empty(), "no cases in {}", missing.join(", "));
}

#[test]
fn chunk_boundaries_do_not_change_streams() {
    for_every_case(|_, case| {
        let Input::Stream(bytes) = &case.input else { return Ok(()) };
        let expected = translate(case, std::slice::from_ref(bytes));
        // Long streams are cut at about 400 positions, short ones at every position.
        let step = bytes.len() / 400 + 1;
        for at in (0..=bytes.len()).step_by(step) {
            let chunks = [bytes.slice(..at), bytes.slice(at..)];
            if translate(case, &chunks) != expected {
                return Err(format!("different output when cut at byte {at} of {}", bytes.len()));
            }
        }
        let bytes_as_chunks: Vec<_> = (0..bytes.len()).map(|at| bytes.slice(at..=at)).collect();
        let same = translate(case, &bytes_as_chunks) == expected;
        same.then_some(()).ok_or_else(|| "different output when read byte by byte".into())
    });
}

#[test]
fn every_stream_follows_the_grammar_in_every_dialect() {
    for_every_case(|_, case| {
        let Input::Stream(bytes) = &case.input else { return Ok(()) };
        let is_array = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
        if !is_array {
            let events = stream::read(case.from, bytes, &case.exchange);
            stream::check_grammar(&events).map_err(|reason| format!("read: {reason}"))?;
        }
        for to in DIALECTS {
            let mut cx = case.exchange.clone();
            cx.wants_json_array = false;
            let mut translator = StreamTranslator::new(case.from, *to, &cx);
            let mut out = Vec::new();
            translator.push(bytes, &mut out);
            translator.finish(&mut out);
            let events = stream::read(*to, &out.into(), &cx);
            stream::check_grammar(&events).map_err(|reason| format!("as {}: {reason}", to.id()))?;
            let (reply, folded) = (translator.into_reply().0, stream::fold_events(&events));
            if reply.is_ok() != folded.is_ok() && !stream::is_provider_abort(&reply) {
                let (reply, folded) = (reply.err(), folded.err());
                return Err(format!("as {}: {reply:?} became {folded:?}", to.id()));
            }
        }
        Ok(())
    });
}

fn translate(case: &Case, chunks: &[Bytes]) -> (Vec<u8>, usize) {
    let mut stream = StreamTranslator::new(case.from, case.to, &case.exchange);
    let mut out = Vec::new();
    for chunk in chunks {
        stream.push(chunk, &mut out);
    }
    stream.finish(&mut out);
    (out, stream.ledger().entries.len())
}
