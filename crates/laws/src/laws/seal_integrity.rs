//! Law 6: a seal is sent intact to its issuer or not at all, and sealed reasoning never becomes
//! text.
//!
//! Conversations with genuine seals are judged with verification: no sent seal may be invalid.
//! Seals that were already invalid in the input do not count.
//!
//! The form of a seal shows the vendor, but not the endpoint or model that issued it: the client's
//! model name may be an alias, and the client's dialect is not that of the provider. A seal that is
//! sent to its own vendor is therefore only verified if the target is its issuer; at another vendor
//! every seal is invalid. A seal over the whole prefix is only verified in the same dialect,
//! because each dialect encodes the prefix differently.

use interlingua_strict::seal::SealKey;
use interlingua_strict::{Request, Switches, Violation, anthropic, bedrock, gemini};
use serde_json::Value;

use super::law::{Breach, Law};
use super::no_silent_loss;
use super::sent_request::{SentRequest, judge_body, judge_body_with_key};
use crate::canary;
use crate::sample::{PlacedCanary, SampleRequest, SealIssuer};
use crate::targets::{Destination, TargetProvider};

pub(super) fn check(sent_request: &SentRequest<'_>, breaches: &mut Vec<Breach>) {
    check_genuine(sent_request, breaches);
    check_not_shown(sent_request, breaches);
}

/// Checks that all sent seals are valid.
fn check_genuine(sent_request: &SentRequest<'_>, breaches: &mut Vec<Breach>) {
    let SentRequest { original: case, destination, .. } = sent_request;
    let Some(seal_issuer) = &case.seal_issuer else { return };
    let has_other_model = case.model_in_body().is_some_and(|model| model != seal_issuer.model);
    if has_other_model || is_other_endpoint_of_vendor(case, seal_issuer, destination) {
        return;
    }
    let mut violations = seal_violations(&sent_request.parsed_body, destination);
    if case.dialect.id() != destination.provider.to.id() {
        violations.retain(|violation| violation.rule != "changed-prefix");
    }
    if violations.is_empty() || !is_input_genuine(case) {
        return;
    }
    for violation in violations {
        breaches.push(Breach::new(
            Law::SealIntegrity,
            violation.rule,
            violation.path,
            violation.message,
        ));
    }
}

/// Whether the target is of the same vendor as the issuer of the seals, but not the issuer.
fn is_other_endpoint_of_vendor(
    case: &SampleRequest,
    seal_issuer: &SealIssuer,
    destination: &Destination,
) -> bool {
    let (from, to) = (case.dialect.id().0, destination.provider.judge.dialect);
    let same_vendor = vendor(from, seal_issuer.flavor, &seal_issuer.model)
        == vendor(to, destination.provider.flavor, &destination.model);
    // Documented: signatures are portable between these two.
    let is_claude = |dialect: &str| matches!(dialect, "anthropic" | "bedrock");
    let same_endpoint = from == to && seal_issuer.flavor == destination.provider.flavor
        || is_claude(from) && is_claude(to);
    same_vendor
        && !(same_endpoint
            && base_model_name(&seal_issuer.model) == base_model_name(&destination.model))
}

/// The vendor of the model.
fn vendor(dialect: &str, flavor: &str, model: &str) -> &'static str {
    match dialect {
        "anthropic" => "anthropic",
        "gemini" => "google",
        "openai-responses" => "openai",
        _ if flavor == "gemini-compat" => "google",
        _ if model.contains("claude") => "anthropic",
        // The judge treats unknown models as Claude.
        "bedrock" if !model.contains('.') => "anthropic",
        _ if model.starts_with("google/") => "google",
        _ if model.contains("gpt-") && !model.contains("oss") => "openai",
        _ => "another",
    }
}

/// A model's name without region, vendor, date and API version.
fn base_model_name(model: &str) -> String {
    let model = model.replace('.', "-");
    let start = model.find("claude").unwrap_or_default();
    let parts = model[start..].split(['-', ':']);
    let is_suffix = |part: &str| {
        part.len() == 8 && part.bytes().all(|byte| byte.is_ascii_digit())
            || matches!(part, "v1" | "v2" | "preview")
    };
    parts.take_while(|part| !is_suffix(part)).collect::<Vec<_>>().join("-")
}

/// The violations that only verification of seals finds.
fn seal_violations(body: &Value, destination: &Destination) -> Vec<Violation> {
    let key = SealKey::default();
    let verified = judge_body_with_key(body, destination, Some(&key));
    if verified.is_accepted() {
        return Vec::new();
    }
    let unverified = judge_body(body, destination).violations;
    let is_new = |violation: &Violation| {
        !unverified.iter().any(|other| other.rule == violation.rule && other.path == violation.path)
    };
    verified.violations.into_iter().filter(is_new).collect()
}

fn is_input_genuine(case: &SampleRequest) -> bool {
    *case.cache.is_genuine.get_or_init(|| {
        let (Some(seal_issuer), Some(body)) = (&case.seal_issuer, case.parsed()) else {
            return false;
        };
        let Some(judge) = interlingua_strict::find(case.dialect.id().0) else { return false };
        let provider =
            TargetProvider { to: case.dialect, judge, flavor: seal_issuer.flavor, models: &[] };
        let destination = Destination { provider, model: seal_issuer.model.clone() };
        // Thinking without its signature invalidates the later seals.
        let has_lost_signature =
            |violation: &Violation| LOST_SIGNATURE_RULES.contains(&violation.rule);
        is_unambiguous(case.dialect.id().0, body)
            && seal_violations(body, &destination).is_empty()
            && are_seals_in_place(body, &destination)
            && !judge_body(body, &destination).violations.iter().any(has_lost_signature)
    })
}

/// Whether every seal is at its original position, including those that the provider does not
/// verify yet: a later message can make it verify them.
fn are_seals_in_place(body: &Value, destination: &Destination) -> bool {
    let (key, switches) = (SealKey::default(), Switches::default());
    let mut request = Request::new(body, destination.provider.flavor, &switches);
    request.model = &destination.model;
    request.seal_key = Some(&key);
    match destination.provider.judge.dialect {
        "anthropic" => anthropic::mint::are_seals_in_place(&request),
        "bedrock" => bedrock::mint::are_seals_in_place(&request),
        "gemini" => gemini::mint::are_seals_in_place(&request),
        _ => true,
    }
}

/// Whether role and type of every item are clear: otherwise the position of a seal cannot be
/// verified.
fn is_unambiguous(dialect: &str, body: &Value) -> bool {
    let messages = body.get("messages").and_then(Value::as_array);
    let is_clear = |message: &Value| {
        let content = message.get("content");
        let has_content = match content {
            // In Bedrock, content is always a list, so a string has no defined meaning.
            Some(Value::String(text)) => !text.is_empty() && dialect != "bedrock",
            // A nested list is not a block, and is not verified as one.
            Some(Value::Array(list)) => !list.is_empty() && list.iter().all(Value::is_object),
            _ => false,
        };
        match message.get("role").and_then(Value::as_str).unwrap_or_default() {
            "assistant" => has_content || message.get("tool_calls").is_some(),
            "user" | "system" | "developer" | "tool" | "function" => has_content,
            _ => false,
        }
    };
    // The role of a content without a known role is guessed, and only calls of the model are
    // verified.
    let contents = body.get("contents").and_then(Value::as_array);
    let has_known_role = |content: &Value| {
        matches!(content.get("role").and_then(Value::as_str), Some("user" | "model"))
    };
    // An item without a type is not verified as reasoning.
    let input = body.get("input").and_then(Value::as_array);
    let has_type = |item: &Value| {
        item.get("role").or_else(|| item.get("type")).is_some()
            && item.get("summary").is_none_or(is_summary_list)
    };
    // A tool that is not an object is not verified as one.
    let tools = body.get("tools").and_then(Value::as_array);
    tools.is_none_or(|tools| tools.iter().all(Value::is_object))
        && messages.is_none_or(|messages| messages.iter().all(is_clear))
        && input.is_none_or(|input| input.iter().all(has_type))
        && contents.is_none_or(|contents| contents.iter().all(has_known_role))
}

/// Whether a summary is a list of texts. It is part of the sealed data, so with another type it is
/// unknown what was sealed.
fn is_summary_list(summary: &Value) -> bool {
    let has_text = |part: &Value| part.get("text").is_some_and(Value::is_string);
    summary.is_null() || summary.as_array().is_some_and(|parts| parts.iter().all(has_text))
}

/// Checks that no reasoning is sent as text.
fn check_not_shown(sent_request: &SentRequest<'_>, breaches: &mut Vec<Breach>) {
    let SentRequest { original: case, destination, translated, .. } = sent_request;
    if translated.body == case.bytes {
        return;
    }
    let thoughts =
        canaries(case).iter().filter(|canary| canary.is_in("thinking")).map(|canary| canary.number);
    let thoughts: Vec<usize> = thoughts.filter(|number| sent_request.has_canary(*number)).collect();
    if thoughts.is_empty() {
        return;
    }
    // A canary outside of reasoning may be sent as text.
    let is_also_elsewhere = |number: usize| {
        canaries(case).iter().any(|canary| canary.number == number && !canary.is_in("thinking"))
    };
    for sent in no_silent_loss::canaries_in(destination.provider.to, &translated.body) {
        if sent.is_in("text") && thoughts.contains(&sent.number) && !is_also_elsewhere(sent.number)
        {
            let message =
                format!("{} is reasoning but is sent as text", canary::canary(sent.number));
            breaches.push(Breach::new(Law::SealIntegrity, "shown", sent.path(), message));
        }
    }
}

fn canaries(case: &SampleRequest) -> &[PlacedCanary] {
    case.cache.canaries.get_or_init(|| no_silent_loss::canaries_in(case.dialect, &case.bytes))
}

/// Rules for thinking without a signature, or with an empty one.
const LOST_SIGNATURE_RULES: &[&str] =
    &["unsigned-thinking", "empty-thinking", "invalid-signature", "invalid-redacted"];
