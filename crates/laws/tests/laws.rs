//! What the runner itself promises, and a short run of every law.
//!
//! The tests named after laws set aside the kinds of breaches that are known (`known.txt`): a red one
//! is a new kind, and `cargo xtask laws --law …` tells more of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::Range;
use std::path::Path;

use interlingua_laws::generate::{DIALECTS, Level, generate};
use interlingua_laws::known::set_aside;
use interlingua_laws::laws::{Case, Law, examine};
use interlingua_laws::report::report;
use interlingua_laws::rng::Rng;
use interlingua_laws::run::{Outcome, Plan, run};
use interlingua_laws::seeds::{self, Seed};
use interlingua_laws::source::Supply;
use interlingua_laws::targets::{Aim, providers};
use serde_json::{Value, json};

const SEED: u64 = 1;

fn corpus() -> Vec<Seed> {
    seeds::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")).unwrap()
}

fn short(laws: &[Law], numbers: Range<u64>) -> Outcome {
    let supply = Supply::new(SEED, None, corpus());
    let (providers, threads) = (providers(), 2);
    let laws = laws.to_vec();
    let plan =
        Plan { supply, providers, laws, corpus: false, numbers, limit: None, threads, fine: false };
    run(&plan, &|_, _| {})
}

fn holds(law: Law) {
    let mut outcome = short(&[law], 0..300);
    set_aside(&mut outcome);
    // A few examples are made small soon; of many, the long run tells more.
    if outcome.groups.len() < 9 {
        outcome.shrink(2);
    }
    assert!(outcome.groups.is_empty(), "{}", report(&outcome, SEED));
}

#[test]
fn conversations_are_a_function_of_the_seed() {
    let corpus = corpus();
    let bodies = |seed| {
        let supply = Supply::new(seed, None, corpus.clone());
        (0..200).map(|number| supply.draw(number).unwrap().case.bytes).collect::<Vec<_>>()
    };
    assert_eq!(bodies(7), bodies(7));
    assert_ne!(bodies(7), bodies(8));
}

#[test]
fn every_body_is_read_by_the_road() {
    for number in 0..600 {
        let from = DIALECTS[number as usize % DIALECTS.len()];
        let made = generate(Rng::of(SEED, number), from, Level::Wild, true);
        let case = Case::new(interlingua::find(from).unwrap(), made.body);
        assert!(interlingua::Json::parse(String::from_utf8(case.bytes.to_vec()).unwrap()).is_ok());
    }
}

/// Tidy conversations are worth little if every provider refuses them.
#[test]
fn many_tidy_conversations_are_accepted_as_they_are() {
    for provider in providers() {
        let from = provider.to.id().0;
        let accepted = (0..300).filter(|number| {
            let made = generate(Rng::of(SEED, *number), from, Level::Tidy, false);
            let case = Case::new(provider.to, made.body);
            let aim = provider.aim(&case, &mut Rng::of(SEED, *number));
            let switches = interlingua_strict::Switches::default();
            let body: Value = serde_json::from_slice(&case.bytes).unwrap();
            let mut request = interlingua_strict::Request::new(&body, provider.flavor, &switches);
            request.model = &aim.model;
            provider.judge.check(&request).is_accepted()
        });
        let accepted = accepted.count();
        assert!(accepted >= 5, "{provider:?} accepts {accepted} of 300 tidy conversations");
    }
}

/// Sealed conversations show something only if their seals are found genuine.
#[test]
fn genuine_seals_are_found_genuine() {
    let supply = Supply::new(SEED, None, Vec::new());
    let mut sealed = 0;
    for number in 0..2000 {
        let drawn = supply.draw(number).unwrap();
        if drawn.origin != "sealed" {
            continue;
        }
        let Some(maker) = drawn.case.maker.clone() else { continue };
        let all = providers().into_iter();
        let provider = all
            .filter(|one| one.to.id() == drawn.case.from.id())
            .find(|one| one.flavor == maker.flavor)
            .unwrap();
        let body: Value = serde_json::from_slice(&drawn.case.bytes).unwrap();
        let switches = interlingua_strict::Switches::default();
        let key = interlingua_strict::seal::Key::default();
        let mut request = interlingua_strict::Request::new(&body, provider.flavor, &switches);
        request.model = &maker.model;
        let before = provider.judge.check(&request);
        request.key = Some(&key);
        let after = provider.judge.check(&request);
        assert_eq!(before, after, "{}: {body}", provider.name());
        sealed += 1;
    }
    assert!(sealed > 100, "{sealed} sealed conversations in 2000");
}

#[test]
fn a_breach_is_found_and_made_small() {
    // What is not JSON cannot be mended: nothing is sent, and that is a breach of totality.
    let provider = providers()[0];
    let aim = Aim { provider, model: provider.models[0].to_owned() };
    let from = interlingua::find("anthropic").unwrap();
    let mut case = Case::new(from, json!({"model": "m", "messages": []}));
    case.bytes = "{\"messages\": [".into();
    let mut broken = Vec::new();
    examine(&case, &aim, Law::ALL, &mut broken);
    assert_eq!((broken[0].law, broken[0].rule.as_str()), (Law::Total, "refused"));

    let body = json!({"a": [1, {"b": "long text"}, 3], "c": {"d": {"needle": "in a haystack"}}});
    let has_needle = |body: &Value| body.to_string().contains("needle");
    let small = interlingua_laws::shrink::shrink(&body, has_needle);
    assert_eq!(small, json!({"c": {"d": {"needle": "a"}}}));
}

#[test]
fn law_0_something_leaves() {
    holds(Law::Total);
}

#[test]
fn law_1_the_judge_accepts_what_leaves() {
    holds(Law::Sound);
}

#[test]
fn law_2_what_is_accepted_leaves_as_it_is() {
    holds(Law::Minimal);
}

#[test]
fn law_3_what_left_leaves_again_as_it_is() {
    holds(Law::Idempotent);
}

#[test]
fn law_4_a_longer_history_begins_as_the_shorter() {
    holds(Law::Prefix);
}

#[test]
fn law_5_nothing_is_lost_in_silence() {
    holds(Law::Kept);
}

#[test]
fn law_6_seals_are_whole() {
    holds(Law::Seals);
}

#[test]
fn law_8_the_same_comes_out_each_time() {
    holds(Law::Deterministic);
}
