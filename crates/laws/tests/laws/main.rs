//! Tests of the runner, and a short run of every law.
//!
//! The tests named after laws ignore known kinds of breaches (`known.txt`): a failure is a new
//! kind, and `cargo xtask laws --law …` shows more of it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod damaged_replies;
mod replies;
mod reply_equality;
mod stream_grammar;
mod transcoding;

use std::path::Path;
use std::sync::OnceLock;

use interlingua_laws::corpus_requests::{self, CorpusRequest};
use interlingua_laws::generate::{DIALECTS, Messiness, generate};
use interlingua_laws::known_breaches::remove_known;
use interlingua_laws::laws::{Law, SampleRequest, check_laws};
use interlingua_laws::report::report;
use interlingua_laws::rng::Rng;
use interlingua_laws::run::{RunConfig, RunReport, run};
use interlingua_laws::source::SampleSource;
use interlingua_laws::targets::{Destination, providers};
use serde_json::{Value, json};

const SEED: u64 = 1;

fn corpus() -> Vec<CorpusRequest> {
    corpus_requests::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")).unwrap()
}

fn run_laws(laws: &[Law]) -> RunReport {
    let plan = RunConfig {
        source: SampleSource::new(SEED, None, corpus()),
        providers: providers(),
        laws: laws.to_vec(),
        with_corpus: false,
        sample_numbers: 0..300,
        time_limit: None,
        threads: 2,
        split_by_note: false,
    };
    let mut report = run(&plan, &|_, _| {});
    remove_known(&mut report);
    report
}

/// All laws are checked in one run, because most of its time is translation.
fn assert_law(law: Law) {
    static ALL_LAWS: OnceLock<RunReport> = OnceLock::new();
    let all_laws = ALL_LAWS.get_or_init(|| run_laws(Law::ALL));
    if !all_laws.groups.keys().any(|key| key.law == law) {
        return;
    }
    let mut outcome = run_laws(&[law]);
    // Shrinking many examples is slow; the long run does that.
    if outcome.groups.len() < 9 {
        outcome.shrink(2);
    }
    panic!("{}", report(&outcome, SEED));
}

#[test]
fn conversations_are_a_function_of_the_seed() {
    let corpus = corpus();
    let bodies = |seed| {
        let sample_source = SampleSource::new(seed, None, corpus.clone());
        (0..200)
            .map(|number| sample_source.sample(number).unwrap().request.bytes)
            .collect::<Vec<_>>()
    };
    assert_eq!(bodies(7), bodies(7));
    assert_ne!(bodies(7), bodies(8));
}

#[test]
fn every_body_is_valid_json() {
    for number in 0..600 {
        let from = DIALECTS[number as usize % DIALECTS.len()];
        let generated = generate(Rng::for_index(SEED, number), from, Messiness::Wild, true);
        let case = SampleRequest::new(interlingua::find_dialect(from).unwrap(), generated.body);
        assert!(
            interlingua::RawJson::parse(String::from_utf8(case.bytes.to_vec()).unwrap()).is_ok()
        );
    }
}

/// Law 2 only checks accepted requests, so every provider must accept some tidy conversations.
#[test]
fn many_tidy_conversations_are_accepted() {
    for provider in providers() {
        let from = provider.to.id().0;
        let accepted = (0..300).filter(|number| {
            let generated = generate(Rng::for_index(SEED, *number), from, Messiness::Tidy, false);
            let case = SampleRequest::new(provider.to, generated.body);
            let destination = provider.pick_destination(&case, &mut Rng::for_index(SEED, *number));
            let switches = interlingua_strict::Switches::default();
            let body: Value = serde_json::from_slice(&case.bytes).unwrap();
            let mut request = interlingua_strict::Request::new(&body, provider.flavor, &switches);
            request.model = &destination.model;
            provider.judge.check(&request).is_accepted()
        });
        let accepted = accepted.count();
        assert!(accepted >= 5, "{provider:?} accepts {accepted} of 300 tidy conversations");
    }
}

/// Law 6 only checks conversations with seals that the judge accepts.
#[test]
fn genuine_seals_are_verified() {
    let sample_source = SampleSource::new(SEED, None, Vec::new());
    let mut sealed = 0;
    for number in 0..2000 {
        let sample = sample_source.sample(number).unwrap();
        if sample.origin != "sealed" {
            continue;
        }
        let Some(seal_issuer) = sample.request.seal_issuer.clone() else { continue };
        let provider = providers()
            .into_iter()
            .filter(|it| it.to.id() == sample.request.dialect.id())
            .find(|it| it.flavor == seal_issuer.flavor)
            .unwrap();
        let body: Value = serde_json::from_slice(&sample.request.bytes).unwrap();
        let switches = interlingua_strict::Switches::default();
        let key = interlingua_strict::seal::SealKey::default();
        let mut request = interlingua_strict::Request::new(&body, provider.flavor, &switches);
        request.model = &seal_issuer.model;
        let before = provider.judge.check(&request);
        request.seal_key = Some(&key);
        let after = provider.judge.check(&request);
        assert_eq!(before, after, "{}: {body}", provider.name());
        sealed += 1;
    }
    assert!(sealed > 100, "{sealed} sealed conversations in 2000");
}

#[test]
fn a_breach_is_found_and_shrunk() {
    // Invalid JSON cannot be translated, which is a breach of law 0.
    let provider = providers()[0];
    let destination = Destination { provider, model: provider.models[0].to_owned() };
    let from = interlingua::find_dialect("anthropic").unwrap();
    let mut case = SampleRequest::new(from, json!({"model": "m", "messages": []}));
    case.bytes = "{\"messages\": [".into();
    let mut breaches = Vec::new();
    check_laws(&case, &destination, Law::ALL, &mut breaches);
    assert_eq!((breaches[0].law, breaches[0].rule.as_str()), (Law::Total, "refused"));

    let body = json!({"a": [1, {"b": "long text"}, 3], "c": {"d": {"needle": "in a haystack"}}});
    let has_needle = |body: &Value| body.to_string().contains("needle");
    let shrunk = interlingua_laws::shrink::shrink(&body, has_needle);
    assert_eq!(shrunk, json!({"c": {"d": {"needle": "a"}}}));
}

#[test]
fn law_0_every_request_is_translated() {
    assert_law(Law::Total);
}

#[test]
fn law_1_the_judge_accepts_every_translation() {
    assert_law(Law::Sound);
}

#[test]
fn law_2_an_accepted_request_is_unchanged() {
    assert_law(Law::Minimal);
}

#[test]
fn law_3_a_second_translation_changes_nothing() {
    assert_law(Law::Idempotent);
}

#[test]
fn law_4_a_longer_history_starts_with_the_shorter() {
    assert_law(Law::PrefixStable);
}

#[test]
fn law_5_every_loss_has_a_ledger_entry() {
    assert_law(Law::NoSilentLoss);
}

#[test]
fn law_6_seals_are_intact() {
    assert_law(Law::SealIntegrity);
}

#[test]
fn law_8_translation_is_deterministic() {
    assert_law(Law::Deterministic);
}
