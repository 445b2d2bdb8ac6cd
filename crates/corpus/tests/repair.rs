//! Every repair is at work in some case and silent in another; and whatever any case's request is,
//! what leaves is accepted by the provider's judge, and is left alone when it comes again.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;

use bytes::Bytes;
use interlingua::{repair, translate_request};
use interlingua_corpus::walk::{Filed, REPAIR, WILD, cases};
use interlingua_corpus::{Case, Input, sent};
use interlingua_strict::{Request, Switches, find};

fn all() -> Vec<Filed> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    cases(&corpus).unwrap_or_else(|error| panic!("the corpus cannot be read: {error}"))
}

/// The cases whose request is repaired, each with what leaves.
fn repaired() -> Vec<(Filed, Bytes)> {
    let mut repaired = Vec::new();
    for filed in all() {
        let Ok(case) = &filed.case else { continue };
        let Input::Request(body) = &case.input else { continue };
        if case.repair && [REPAIR, WILD].contains(&&*filed.kind) {
            let sent = sent(case, body)
                .unwrap_or_else(|error| panic!("{}: {error}", filed.path.display()));
            repaired.push((filed, sent.body));
        }
    }
    repaired
}

fn fail(failures: &[String]) {
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_rule_is_at_work_and_silent() {
    let all = all();
    let mut failures = Vec::new();
    for rule in repair::ALL {
        let of =
            |filed: &&Filed| filed.kind == REPAIR && filed.folder.as_deref() == Some(rule.name);
        let names_it = |case: &Case| case.ledger.iter().any(|name| name == rule.name);
        let own: Vec<&Case> =
            all.iter().filter(of).filter_map(|filed| filed.case.as_ref().ok()).collect();
        if !own.iter().any(|case| names_it(case)) {
            failures.push(format!("corpus/repair/{} shows nothing repaired", rule.name));
        }
        if own.iter().all(|case| names_it(case)) {
            failures.push(format!("corpus/repair/{} shows nothing left alone", rule.name));
        }
    }
    fail(&failures);
}

#[test]
fn what_leaves_is_accepted() {
    let mut failures = Vec::new();
    for (filed, body) in repaired() {
        let Ok(case) = &filed.case else { continue };
        let Some(judge) = find(case.to.id().0) else { continue };
        let value = judge
            .parse(&body)
            .unwrap_or_else(|error| panic!("{}: {error:?}", filed.path.display()));
        let switches = Switches::default();
        let flavor = case.target.flavor.unwrap_or(judge.flavors[0]);
        let mut request = Request::new(&value, flavor, &switches);
        let model = case.target.model.as_ref().map(|model| model.contents().into_owned());
        if let Some(model) = &model {
            request.model = model;
        }
        let betas: Vec<_> = case.target.betas.iter().map(|beta| beta.contents()).collect();
        let betas: Vec<&str> = betas.iter().map(|beta| &**beta).collect();
        request.betas = &betas;
        for violation in judge.check(&request).violations {
            let (path, rule) = (filed.path.display(), violation.rule);
            failures.push(format!("{path}: {rule} at {}: {}", violation.path, violation.message));
        }
    }
    fail(&failures);
}

#[test]
fn what_leaves_is_left_alone() {
    let mut failures = Vec::new();
    for (filed, body) in repaired() {
        let Ok(case) = &filed.case else { continue };
        let again = translate_request(body.clone(), case.to, case.to, &case.target);
        let again = again.unwrap_or_else(|error| panic!("{}: {error}", filed.path.display()));
        if again.body != body || !again.ledger.is_empty() {
            let path = filed.path.display();
            let rules: Vec<_> = again.ledger.entries.iter().map(|entry| entry.rule).collect();
            failures.push(format!("{path}: {rules:?}\n{body:?}\nbecame\n{:?}", again.body));
        }
    }
    fail(&failures);
}
