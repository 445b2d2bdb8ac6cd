//! Tests that the settings cache changes no result: each request is translated as if it were the
//! first.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::thread;

use bytes::Bytes;
use interlingua::{DIALECTS, Dialect, JsonDoc, JsonLimits, RawJson, Target, translate_request};
use interlingua_corpus::Input;
use interlingua_corpus::files::load_cases;
use interlingua_repair::TargetProfile;
use interlingua_wire::JsonNode;

/// Body and ledger of the last of some requests, translated on a new thread with an empty cache.
fn last_sent(requests: &[&Bytes], dialect: &dyn Dialect, target: &Target) -> (Bytes, String) {
    let send = |request: &&Bytes| {
        let translated = translate_request((*request).clone(), dialect, dialect, target);
        translated
            .map(|translated| (translated.body, format!("{:?}", translated.ledger)))
            .unwrap_or_default()
    };
    let last = thread::scope(|scope| {
        let worker = scope.spawn(|| requests.iter().map(send).last());
        worker.join().expect("translating never panics")
    });
    last.unwrap_or_default()
}

/// The same request with the first turn only, the last turn only, and no turn.
fn with_other_turns(body: &Bytes, dialect: &dyn Dialect) -> Vec<Bytes> {
    let Ok(doc) = JsonDoc::from_bytes(body.clone(), JsonLimits::default()) else {
        return Vec::new();
    };
    let Some(list) = doc.root().get(dialect.turns_key()).filter(|list| list.is_array()) else {
        return Vec::new();
    };
    let turns: Vec<JsonNode<'_>> = list.items().collect();
    let lists = [turns.first().as_slice(), turns.last().as_slice(), &[]].map(|list_turns| {
        RawJson::array(|array| list_turns.iter().for_each(|turn| array.item().json(&turn.json())))
    });
    lists.iter().map(|replacement| doc.replace(list, replacement).into_bytes()).collect()
}

#[test]
fn a_request_is_sent_as_if_it_were_the_first() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let cases = load_cases(&corpus).expect("the corpus can be read");
    let mut compared = 0;
    for case in cases.iter().filter_map(|case_file| case_file.case.as_ref().ok()) {
        let Input::Request(body) = &case.input else { continue };
        let variants = with_other_turns(body, case.from);
        let flavors = case.from.flavors().iter().map(|flavor| Some(*flavor)).chain([None]);
        for flavor in flavors {
            let target = Target { flavor, ..case.target.clone() };
            let expected = last_sent(&[body], case.from, &target);
            for variant in &variants {
                assert_eq!(
                    last_sent(&[variant, body], case.from, &target),
                    expected,
                    "{}",
                    case.summary
                );
                let other_expected = last_sent(&[variant], case.from, &target);
                assert_eq!(
                    last_sent(&[body, variant], case.from, &target),
                    other_expected,
                    "{}",
                    case.summary
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "only {compared} requests were compared");
}

#[test]
fn profiles_name_the_list_of_turns() {
    for dialect in DIALECTS {
        for flavor in dialect.flavors().iter().map(|flavor| Some(*flavor)).chain([None]) {
            let target = Target { flavor, ..Target::default() };
            if let Some(profile) = TargetProfile::resolve(dialect.id(), &target, None) {
                assert_eq!(
                    profile.roles.messages_field,
                    dialect.turns_key(),
                    "{} {flavor:?}",
                    dialect.id()
                );
            }
        }
    }
}
