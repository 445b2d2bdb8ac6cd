//! Every repair is at work in some case and silent in another; and whatever any case's request is,
//! what leaves is accepted by the provider's judge, and is left alone when it comes again.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;

use bytes::Bytes;
use interlingua::model::{self, Body, Lesson};
use interlingua::{
    Conversation, Recalled, Text, Told, open_document, read_object, repair, translate_request,
};
use interlingua_corpus::walk::{Filed, REPAIR, WILD, cases};
use interlingua_corpus::{Case, Input, sent};
use interlingua_strict::{EmptyText, Request, Switches, find};

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

/// Who was learned to want something is a judge that wants it.
fn switches(case: &Case) -> Switches {
    let mut switches = Switches::default();
    for lesson in case.target.lessons.iter() {
        if let Lesson::EmptyText(wanted) = lesson {
            switches.empty_text = match wanted {
                model::EmptyText::Keep => Some(EmptyText::Keep),
                model::EmptyText::Drop | model::EmptyText::Strip => Some(EmptyText::Drop),
                model::EmptyText::Space => None,
            };
        }
    }
    switches
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

/// What the provider's judge has against a body.
fn refused(case: &Case, body: &Bytes) -> Vec<String> {
    let Some(judge) = find(case.to.id().0) else { return Vec::new() };
    let value = judge.parse(body).unwrap_or_else(|error| panic!("{case:?}: {error:?}"));
    let switches = switches(case);
    let flavor = case.target.flavor.unwrap_or(judge.flavors[0]);
    let mut request = Request::new(&value, flavor, &switches);
    let model = case.target.model.as_ref().map(|model| model.contents().into_owned());
    if let Some(model) = &model {
        request.model = model;
    }
    let betas: Vec<_> = case.target.betas.iter().map(|beta| beta.contents()).collect();
    let betas: Vec<&str> = betas.iter().map(|beta| &**beta).collect();
    request.betas = &betas;
    let violations = judge.check(&request).violations.into_iter();
    violations.map(|one| format!("{} at {}: {}", one.rule, one.path, one.message)).collect()
}

#[test]
fn what_leaves_is_accepted() {
    let mut failures = Vec::new();
    for (filed, body) in repaired() {
        let Ok(case) = &filed.case else { continue };
        let path = filed.path.display();
        failures.extend(refused(case, &body).iter().map(|why| format!("{path}: {why}")));
    }
    fail(&failures);
}

/// Every call of every case is answered by the guard, beside whatever else is wrong there.
#[test]
fn what_a_model_is_told_is_said_once_and_accepted() {
    let (mut failures, mut said) = (Vec::new(), 0);
    for filed in all() {
        let Ok(case) = &filed.case else { continue };
        let Input::Request(body) = &case.input else { continue };
        let Ok(body) = read_object(body.clone()) else { continue };
        if !case.repair || case.to.id().0 == "native" {
            continue;
        }
        let opened = open_document(body, case.from, case.to, &case.target);
        let (told, calls) = told(opened.conversation());
        let sent = opened.translate(&Recalled { told, ..Recalled::default() }).body;
        let text = String::from_utf8_lossy(&sent);
        let path = filed.path.display();
        for (number, times) in calls.into_iter().enumerate() {
            let count = text.matches(&message(number)).count();
            said += usize::from(count == 1);
            if count > times {
                failures.push(format!("{path}: call {number} is answered {count} times\n{text}"));
            }
        }
        failures.extend(refused(case, &sent).iter().map(|why| format!("{path}: {why}\n{text}")));
    }
    assert!(said > 100, "{said} calls are answered");
    fail(&failures);
}

/// Something to be told of every call, each in words of its own; and how often each call is there.
fn told(conversation: &Conversation) -> (Vec<Told>, Vec<usize>) {
    let blocks = conversation.turns.iter().flat_map(|turn| &turn.blocks);
    let calls = blocks.filter_map(|block| match &block.body {
        Body::ToolCall(call) => Some(call.clone()),
        _ => None,
    });
    let (mut told, mut times): (Vec<Told>, Vec<usize>) = <_>::default();
    for call in calls {
        if let Some(at) = told.iter().position(|told| told.call == call) {
            times[at] += 1;
            continue;
        }
        told.push(Told { call, message: Text::new(&message(told.len())) });
        times.push(1);
    }
    (told, times)
}

fn message(number: usize) -> String {
    format!("Error: call <{number}> was wrong.")
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
