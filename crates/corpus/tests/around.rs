//! What is known around the turns of one request changes nothing for the next: each is answered as if it
//! were the first, whatever the turns of the one before say.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::thread;

use bytes::Bytes;
use interlingua::repair::Profile;
use interlingua::wire::Node;
use interlingua::{ALL, Dialect, Doc, Json, Limits, Target, translate_request};
use interlingua_corpus::Input;
use interlingua_corpus::walk::cases;

/// What a provider gets of the last of some requests, and what is noted, where nothing was known before.
fn sent(requests: &[&Bytes], dialect: &dyn Dialect, target: &Target) -> (Bytes, String) {
    let send = |request: &&Bytes| {
        let sent = translate_request((*request).clone(), dialect, dialect, target);
        sent.map(|sent| (sent.body, format!("{:?}", sent.ledger))).unwrap_or_default()
    };
    let last = thread::scope(|scope| {
        let alone = scope.spawn(|| requests.iter().map(send).last());
        alone.join().expect("translating never panics")
    });
    last.unwrap_or_default()
}

/// The same request with other turns: the first alone, the last alone, none.
fn others(body: &Bytes, dialect: &dyn Dialect) -> Vec<Bytes> {
    let Ok(doc) = Doc::from_bytes(body.clone(), Limits::default()) else { return Vec::new() };
    let Some(list) = doc.root().get(dialect.turns_key()).filter(|list| list.is_array()) else {
        return Vec::new();
    };
    let turns: Vec<Node<'_>> = list.items().collect();
    let lists = [turns.first().as_slice(), turns.last().as_slice(), &[]].map(|some| {
        Json::array(|array| some.iter().for_each(|turn| array.item().json(&turn.json())))
    });
    lists.iter().map(|list_of| doc.with(list, list_of).joined()).collect()
}

#[test]
fn a_request_is_sent_as_if_it_were_the_first() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let cases = cases(&corpus).expect("the corpus can be read");
    let mut compared = 0;
    for case in cases.iter().filter_map(|filed| filed.case.as_ref().ok()) {
        let Input::Request(body) = &case.input else { continue };
        let others = others(body, case.from);
        let flavors = case.from.flavors().iter().map(|flavor| Some(*flavor)).chain([None]);
        for flavor in flavors {
            let target = Target { flavor, ..case.target.clone() };
            let alone = sent(&[body], case.from, &target);
            for other in &others {
                assert_eq!(sent(&[other, body], case.from, &target), alone, "{}", case.about);
                let other_alone = sent(&[other], case.from, &target);
                assert_eq!(sent(&[body, other], case.from, &target), other_alone, "{}", case.about);
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "only {compared} requests were compared");
}

#[test]
fn the_list_of_turns_is_known() {
    for dialect in ALL {
        for flavor in dialect.flavors().iter().map(|flavor| Some(*flavor)).chain([None]) {
            let target = Target { flavor, ..Target::default() };
            if let Some(profile) = Profile::of(dialect.id(), &target, None) {
                assert_eq!(profile.roles.list, dialect.turns_key(), "{} {flavor:?}", dialect.id());
            }
        }
    }
}
