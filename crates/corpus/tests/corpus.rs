//! Every case of the corpus. `CASE=part-of-a-path` runs only those.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use interlingua::{ALL, Stream};
use interlingua_corpus::walk::{Filed, KINDS, cases};
use interlingua_corpus::{Case, Input, run, stream};

/// Where a file stands in the corpus.
fn name(filed: &Filed) -> String {
    let path = filed.path.strip_prefix(corpus()).unwrap_or(&filed.path);
    path.display().to_string()
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn chosen() -> Vec<Filed> {
    let part = std::env::var("CASE").unwrap_or_default();
    let mut cases = all();
    cases.retain(|filed| name(filed).contains(&part));
    cases
}

fn all() -> Vec<Filed> {
    cases(&corpus()).unwrap_or_else(|error| panic!("the corpus cannot be read: {error}"))
}

/// Runs `check` on every case and reports all failures together.
fn every(check: impl Fn(&Filed, &Case) -> Result<(), String>) {
    let (mut report, mut failed, chosen) = (String::new(), 0, chosen());
    for filed in &chosen {
        let result = match &filed.case {
            Ok(case) => check(filed, case),
            Err(bad) => Err(bad.to_string()),
        };
        if let Err(why) = result {
            failed += 1;
            let file = name(filed);
            let about = filed.case.as_ref().map_or("", |case| &case.about);
            let _ = write!(report, "\n{file}: {about}\n{why}\n");
        }
    }
    assert!(failed == 0, "{failed} of {} cases fail\n{report}", chosen.len());
}

#[test]
fn every_case_passes() {
    every(|_, case| {
        let verdict = run(case);
        let say: Vec<_> = verdict.differences.iter().map(ToString::to_string).collect();
        if verdict.pass() { Ok(()) } else { Err(say.join("\n")) }
    });
}

#[test]
fn every_case_stands_in_its_folder() {
    every(|filed, case| {
        let stray = || format!("{case:?} does not belong here");
        filed.is_in_place().then_some(()).ok_or_else(stray)
    });
}

#[test]
fn every_dialect_has_cases_of_every_kind() {
    let all = all();
    let mut missing = Vec::new();
    for dialect in ALL {
        for kind in KINDS {
            let found = |filed: &&Filed| {
                filed.kind == kind && filed.folder.as_deref() == Some(dialect.id().0)
            };
            if all.iter().filter(found).count() == 0 {
                missing.push(format!("corpus/{kind}/{}", dialect.id()));
            }
        }
    }
    assert!(missing.is_empty(), "no cases in {}", missing.join(", "));
}

#[test]
fn every_stream_is_the_same_wherever_it_is_cut() {
    every(|_, case| {
        let Input::Stream(bytes) = &case.input else { return Ok(()) };
        let whole = translate(case, std::slice::from_ref(bytes));
        // A long stream is cut at some hundred places, a short one everywhere.
        let step = bytes.len() / 400 + 1;
        for at in (0..=bytes.len()).step_by(step) {
            let pieces = [bytes.slice(..at), bytes.slice(at..)];
            if translate(case, &pieces) != whole {
                return Err(format!("another stream when cut at byte {at} of {}", bytes.len()));
            }
        }
        let single: Vec<_> = (0..bytes.len()).map(|at| bytes.slice(at..=at)).collect();
        let same = translate(case, &single) == whole;
        same.then_some(()).ok_or_else(|| "another stream when it comes byte by byte".into())
    });
}

#[test]
fn every_stream_is_lawful_in_every_dialect() {
    every(|_, case| {
        let Input::Stream(bytes) = &case.input else { return Ok(()) };
        let array = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
        if !array {
            let events = stream::read(case.from, bytes, &case.exchange);
            stream::lawful(&events).map_err(|why| format!("read: {why}"))?;
        }
        for to in ALL {
            let mut exchange = case.exchange.clone();
            exchange.array = false;
            let mut translator = Stream::new(case.from, *to, &exchange);
            let mut out = Vec::new();
            translator.push(bytes, &mut out);
            translator.finish(&mut out);
            let events = stream::read(*to, &out.into(), &exchange);
            stream::lawful(&events).map_err(|why| format!("as {}: {why}", to.id()))?;
            let (first, again) = (translator.into_reply().0, stream::fold(&events));
            if first.is_ok() != again.is_ok() && !stream::gave_up(&first) {
                let (first, again) = (first.err(), again.err());
                return Err(format!("as {}: {first:?} became {again:?}", to.id()));
            }
        }
        Ok(())
    });
}

fn translate(case: &Case, pieces: &[Bytes]) -> (Vec<u8>, usize) {
    let mut stream = Stream::new(case.from, case.to, &case.exchange);
    let mut out = Vec::new();
    for piece in pieces {
        stream.push(piece, &mut out);
    }
    stream.finish(&mut out);
    (out, stream.ledger().entries.len())
}
