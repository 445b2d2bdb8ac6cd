//! Law 2: a body that the provider accepts, and reads whole, is sent with the same bytes and without ledger entries.

use super::law::{Breach, Law};
use super::sent_request::{SentRequest, judge_body};
use super::{chat_template, difference};

pub(super) fn check(sent_request: &SentRequest<'_>, breaches: &mut Vec<Breach>) {
    let SentRequest { original: case, destination, translated, .. } = sent_request;
    if case.dialect.id() != destination.provider.to.id() {
        return;
    }
    // Another model changes the body, unless the URL has the model.
    let same_model = match case.model_in_body() {
        Some(model) => model == destination.model,
        None => MODEL_IN_URL.contains(&destination.provider.judge.dialect),
    };
    if !same_model {
        return;
    }
    let same_bytes = translated.body == case.bytes;
    if same_bytes && translated.ledger.is_empty() {
        return;
    }
    let Some(body) = case.parsed() else { return };
    if !judge_body(body, destination).is_accepted()
        || chat_template::may_lose_instructions(body, destination)
    {
        return;
    }
    let entry = translated.ledger.entries.first();
    let rule = entry.map_or("unnoted", |entry| entry.rule);
    let (path, message) = if same_bytes {
        (String::new(), "a ledger entry without a change".into())
    } else {
        difference::first_difference(&case.bytes, &translated.body)
    };
    let ledger_text = entry.map_or(String::new(), |entry| format!("; {}", entry.description));
    breaches.push(Breach::new(Law::Minimal, rule, path, message + &ledger_text));
}

/// Dialects with the model in the URL.
const MODEL_IN_URL: &[&str] = &["gemini", "bedrock"];
