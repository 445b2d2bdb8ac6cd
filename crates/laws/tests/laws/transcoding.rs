//! Laws 2, 4, 5 and 8 without repair, between all dialects and to the native form.

use std::collections::BTreeMap;

use interlingua::{DIALECTS, Dialect};
use interlingua_laws::generate::{Messiness, generate};
use interlingua_laws::laws::{
    Breach, SampleRequest, check_decoding, check_stored, check_transcoding,
};
use interlingua_laws::rng::Rng;
use interlingua_laws::shrink::shrink;
use interlingua_laws::source::SampleSource;
use interlingua_laws::spelling::{Spelling, respell};
use serde_json::Value;

use crate::{SEED, corpus};

#[test]
fn decoding_loses_nothing() {
    check_tidy_requests(check_decoding);
}

#[test]
fn a_stored_request_is_loaded_unchanged() {
    check_tidy_requests(check_stored);
}

#[test]
fn generated_requests_are_encoded_in_every_dialect() {
    let source = SampleSource::new(SEED, None, corpus());
    let sample = |number| spelled(&source.sample(number).unwrap().request, number);
    check_in_every_dialect((0..240).map(sample));
}

#[test]
fn corpus_requests_are_encoded_in_every_dialect() {
    check_in_every_dialect(corpus().into_iter().map(|seed| seed.request));
}

/// Checks tidy requests in every dialect and spelling.
fn check_tidy_requests(check: fn(&SampleRequest, &mut Vec<Breach>)) {
    for number in 0..300 {
        let dialect = DIALECTS[number as usize % DIALECTS.len()];
        let rng = Rng::for_index(SEED, number);
        let body = generate(rng, dialect.id().0, Messiness::Tidy, true).body;
        let request = spelled(&SampleRequest::new(dialect, body), number);
        let mut breaches = Vec::new();
        check(&request, &mut breaches);
        assert!(breaches.is_empty(), "{number}: {breaches:#?}\n{request:?}");
    }
}

/// The request in one of the spellings; its number selects the dialect, too.
fn spelled(request: &SampleRequest, number: u64) -> SampleRequest {
    let spellings = [Spelling::Compact, Spelling::Spaced, Spelling::Escaped];
    let spelling = spellings[number as usize / DIALECTS.len() % spellings.len()];
    SampleRequest::from_bytes(request.dialect, respell(&request.bytes, spelling))
}

/// Encodes each request in every dialect, in a flavor chosen at random.
fn check_in_every_dialect(requests: impl Iterator<Item = SampleRequest>) {
    let mut kinds = BTreeMap::new();
    let mut rng = Rng::for_index(SEED, 0);
    for request in requests {
        for to in DIALECTS.iter().copied() {
            let flavors = to.flavors();
            let flavor = flavors.get(rng.below(flavors.len() + 1)).copied();
            for breach in breaches(&request, to, flavor) {
                let key = (breach.law, breach.rule, request.dialect.id().0, to.id().0, flavor);
                kinds.entry(key).or_insert_with(|| request.clone());
            }
        }
    }
    let examples = kinds.iter().take(8).map(|((law, rule, _, to, flavor), request)| {
        let to = interlingua::find_dialect(to).unwrap();
        let same_kind = |body: &Value| {
            let breaches = breaches(&request.with_body(body.clone()), to, *flavor);
            breaches.into_iter().find(|breach| breach.law == *law && breach.rule == *rule)
        };
        let body = shrink(&request.body, |body| same_kind(body).is_some());
        let smallest = request.with_body(body);
        let breach = same_kind(&smallest.body);
        format!("{smallest:?} to {} {flavor:?}\n{breach:?}\n{request:?}\n", to.id())
    });
    let examples: Vec<String> = examples.collect();
    assert!(kinds.is_empty(), "{} kinds of breaches\n{}", kinds.len(), examples.join("\n"));
}

fn breaches(
    request: &SampleRequest,
    to: &dyn Dialect,
    flavor: Option<&'static str>,
) -> Vec<Breach> {
    let mut breaches = Vec::new();
    check_transcoding(request, to, flavor, &mut breaches);
    breaches
}
