//! Tests the repair rules on the corpus: each rule changes some case and leaves another unchanged,
//! the strict judge accepts every repaired request, and repairing it again changes nothing.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;

use bytes::Bytes;
use interlingua::{
    Conversation, ConversationPatch, GuardAnswer, JsonString, decode_request, parse_object,
    translate_request,
};
use interlingua_corpus::files::{CaseFile, REPAIR_KIND, WILD_KIND, load_cases};
use interlingua_corpus::{Case, Input, translate_case};
use interlingua_model::{self as model, BlockContent, Lesson};
use interlingua_repair as repair;
use interlingua_strict::{EmptyText, Request, Switches, find};

fn all_cases() -> Vec<CaseFile> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    load_cases(&corpus).unwrap_or_else(|error| panic!("the corpus cannot be read: {error}"))
}

/// The cases with a repaired request, with the repaired body.
fn repaired_requests() -> Vec<(CaseFile, Bytes)> {
    let mut repaired = Vec::new();
    for case_file in all_cases() {
        let Ok(case) = &case_file.case else { continue };
        let Input::Request(body) = &case.input else { continue };
        if case.with_repair && [REPAIR_KIND, WILD_KIND].contains(&&*case_file.kind) {
            let sent = translate_case(case, body)
                .unwrap_or_else(|error| panic!("{}: {error}", case_file.path.display()));
            repaired.push((case_file, sent.body));
        }
    }
    repaired
}

/// Switches with which the judge enforces the lessons of a case.
fn switches_for(case: &Case) -> Switches {
    let mut switches = Switches::default();
    for lesson in case.target.lessons.iter() {
        if let Lesson::EmptyText(handling) = lesson {
            switches.empty_text = match handling {
                model::EmptyTextHandling::Keep => Some(EmptyText::Keep),
                model::EmptyTextHandling::Drop | model::EmptyTextHandling::DropWithReasoning => {
                    Some(EmptyText::Drop)
                }
                model::EmptyTextHandling::ReplaceWithSpace => None,
            };
        }
    }
    switches
}

fn fail(failures: &[String]) {
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_rule_has_a_changed_and_an_unchanged_case() {
    let all = all_cases();
    let mut failures = Vec::new();
    for rule in repair::all_rules() {
        let is_of_rule = |case_file: &&CaseFile| {
            case_file.kind == REPAIR_KIND && case_file.folder.as_deref() == Some(rule.name)
        };
        let is_repaired = |case: &Case| case.ledger.iter().any(|name| name == rule.name);
        let cases: Vec<&Case> = all
            .iter()
            .filter(is_of_rule)
            .filter_map(|case_file| case_file.case.as_ref().ok())
            .collect();
        if !cases.iter().any(|case| is_repaired(case)) {
            failures.push(format!("corpus/repair/{} has no case that is repaired", rule.name));
        }
        if cases.iter().all(|case| is_repaired(case)) {
            failures.push(format!("corpus/repair/{} has no case that stays unchanged", rule.name));
        }
    }
    fail(&failures);
}

/// The judge's violations of a body.
fn violations(case: &Case, body: &Bytes) -> Vec<String> {
    let Some(judge) = find(case.to.id().0) else { return Vec::new() };
    let value = judge.parse(body).unwrap_or_else(|error| panic!("{case:?}: {error:?}"));
    let switches = switches_for(case);
    let flavor = case.target.flavor.unwrap_or(judge.flavors[0]);
    let mut request = Request::new(&value, flavor, &switches);
    let model = case.target.model.as_ref().map(|model| model.unescape().into_owned());
    if let Some(model) = &model {
        request.model = model;
    }
    let betas: Vec<_> = case.target.betas.iter().map(|beta| beta.unescape()).collect();
    let betas: Vec<&str> = betas.iter().map(|beta| &**beta).collect();
    request.betas = &betas;
    let violations = judge.check(&request).violations.into_iter();
    violations
        .map(|violation| format!("{} at {}: {}", violation.rule, violation.path, violation.message))
        .collect()
}

#[test]
fn repaired_requests_are_accepted() {
    let mut failures = Vec::new();
    for (case_file, body) in repaired_requests() {
        let Ok(case) = &case_file.case else { continue };
        let path = case_file.path.display();
        failures
            .extend(violations(case, &body).iter().map(|violation| format!("{path}: {violation}")));
    }
    fail(&failures);
}

/// The guard answers every call of every case.
#[test]
fn guard_answers_are_added_once_and_accepted() {
    let (mut failures, mut answered) = (Vec::new(), 0);
    for case_file in all_cases() {
        let Ok(case) = &case_file.case else { continue };
        let Input::Request(body) = &case.input else { continue };
        let Ok(body) = parse_object(body.clone()) else { continue };
        if !case.with_repair || case.to.id().0 == "native" {
            continue;
        }
        let decoded_request = decode_request(body, case.from, case.to, &case.target);
        let (guard_answers, calls) = answer_every_call(decoded_request.conversation());
        let sent = decoded_request
            .translate(&ConversationPatch { guard_answers, ..ConversationPatch::default() })
            .body;
        let text = String::from_utf8_lossy(&sent);
        let path = case_file.path.display();
        for (index, times) in calls.into_iter().enumerate() {
            let count = text.matches(&message(index)).count();
            answered += usize::from(count == 1);
            if count > times {
                failures.push(format!("{path}: call {index} is answered {count} times\n{text}"));
            }
        }
        failures.extend(
            violations(case, &sent).iter().map(|violation| format!("{path}: {violation}\n{text}")),
        );
    }
    assert!(answered > 100, "{answered} calls are answered");
    fail(&failures);
}

/// A distinct guard answer for every call, and the number of times that each call occurs.
fn answer_every_call(conversation: &Conversation) -> (Vec<GuardAnswer>, Vec<usize>) {
    let blocks = conversation.turns.iter().flat_map(|turn| &turn.blocks);
    let calls = blocks.filter_map(|block| match &block.content {
        BlockContent::ToolCall(call) => Some(call.clone()),
        _ => None,
    });
    let (mut guard_answers, mut times): (Vec<GuardAnswer>, Vec<usize>) = <_>::default();
    for call in calls {
        if let Some(at) = guard_answers.iter().position(|guard_answers| guard_answers.call == call)
        {
            times[at] += 1;
            continue;
        }
        guard_answers
            .push(GuardAnswer { call, message: JsonString::new(&message(guard_answers.len())) });
        times.push(1);
    }
    (guard_answers, times)
}

fn message(number: usize) -> String {
    format!("Error: call <{number}> was wrong.")
}

#[test]
fn repaired_requests_are_stable() {
    let mut failures = Vec::new();
    for (case_file, body) in repaired_requests() {
        let Ok(case) = &case_file.case else { continue };
        let repeated = translate_request(body.clone(), case.to, case.to, &case.target);
        let repeated =
            repeated.unwrap_or_else(|error| panic!("{}: {error}", case_file.path.display()));
        if repeated.body != body || !repeated.ledger.is_empty() {
            let path = case_file.path.display();
            let rules: Vec<_> = repeated.ledger.entries.iter().map(|entry| entry.rule).collect();
            failures.push(format!("{path}: {rules:?}\n{body:?}\nbecame\n{:?}", repeated.body));
        }
    }
    fail(&failures);
}
