//! Law 6: a seal goes back whole, to who made it, or not at all; what it seals is never shown.
//!
//! Conversations with genuine seals are judged with verification on: no seal that leaves is found
//! broken. What was broken when it came is not held against the translation.
//!
//! A body says of which house a seal is, by its form; it does not say which endpoint or model of the
//! house made it. What a client calls the model is its own name for whatever answers, and the dialect
//! it speaks is not that of who answers. So where a seal goes to its own house, it is verified if it
//! goes to who made it; where it goes to another house, it is always found out. A seal that binds all
//! that was said before it is verified where that leaves in the same dialect: each spells it in its way.

use interlingua_strict::seal::Key;
use interlingua_strict::{Request, Switches, Violation, anthropic, bedrock, gemini};
use serde_json::Value;

use super::kept::{self, Marked};
use super::{Broken, Case, Law, Maker, Sent, judged, judged_with};
use crate::marks;
use crate::targets::{Aim, Provider};

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    genuine(sent, broken);
    hidden(sent, broken);
}

/// No seal that leaves is broken.
fn genuine(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let Sent { case, aim, .. } = sent;
    let Some(maker) = &case.maker else { return };
    let named_otherwise = case.named().is_some_and(|named| named != maker.model);
    if named_otherwise || is_elsewhere_in_the_house(case, maker, aim) {
        return;
    }
    let mut faults = faults(&sent.value, aim);
    if case.from.id() != aim.provider.to.id() {
        faults.retain(|fault| fault.rule != "changed-prefix");
    }
    if faults.is_empty() || !was_genuine(case) {
        return;
    }
    for fault in faults {
        broken.push(Broken::new(Law::Seals, fault.rule, fault.path, fault.message));
    }
}

/// Whether the target can be taken for the maker, and is not.
fn is_elsewhere_in_the_house(case: &Case, maker: &Maker, aim: &Aim) -> bool {
    let (from, to) = (case.from.id().0, aim.provider.judge.dialect);
    let same_house =
        house(from, maker.flavor, &maker.model) == house(to, aim.provider.flavor, &aim.model);
    // Documented: signatures are portable between these two.
    let claude = |dialect: &str| matches!(dialect, "anthropic" | "bedrock");
    let same_door = from == to && maker.flavor == aim.provider.flavor || claude(from) && claude(to);
    same_house && !(same_door && bare(&maker.model) == bare(&aim.model))
}

/// Whose model it is that answers.
fn house(dialect: &str, flavor: &str, model: &str) -> &'static str {
    match dialect {
        "anthropic" => "anthropic",
        "gemini" => "google",
        "openai-responses" => "openai",
        _ if flavor == "gemini-compat" => "google",
        _ if model.contains("claude") => "anthropic",
        // Whatever the judge there does not know is a Claude.
        "bedrock" if !model.contains('.') => "anthropic",
        _ if model.starts_with("google/") => "google",
        _ if model.contains("gpt-") && !model.contains("oss") => "openai",
        _ => "another",
    }
}

/// A model's name without region, vendor, date and version of the interface.
fn bare(model: &str) -> String {
    let model = model.replace('.', "-");
    let start = model.find("claude").unwrap_or_default();
    let words = model[start..].split(['-', ':']);
    let loose = |word: &str| {
        word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_digit())
            || matches!(word, "v1" | "v2" | "preview")
    };
    words.take_while(|word| !loose(word)).collect::<Vec<_>>().join("-")
}

/// What only verification finds.
fn faults(body: &Value, aim: &Aim) -> Vec<Violation> {
    let key = Key::default();
    let verified = judged_with(body, aim, Some(&key));
    if verified.is_accepted() {
        return Vec::new();
    }
    let unverified = judged(body, aim).violations;
    let new = |one: &Violation| {
        !unverified.iter().any(|other| other.rule == one.rule && other.path == one.path)
    };
    verified.violations.into_iter().filter(new).collect()
}

fn was_genuine(case: &Case) -> bool {
    *case.facts.genuine.get_or_init(|| {
        let (Some(maker), Some(body)) = (&case.maker, case.read()) else { return false };
        let Some(judge) = interlingua_strict::find(case.from.id().0) else { return false };
        let provider = Provider { to: case.from, judge, flavor: maker.flavor, models: &[] };
        let aim = Aim { provider, model: maker.model.clone() };
        // Thinking that lost its signature breaks the chain of those after it.
        let lost = |one: &Violation| LOST.contains(&one.rule);
        is_readable(case.from.id().0, body)
            && faults(body, &aim).is_empty()
            && is_in_place(body, &aim)
            && !judged(body, &aim).violations.iter().any(lost)
    })
}

/// Whether every seal stands where it was made, also where the provider does not look: what is added
/// at the end may let it look.
fn is_in_place(body: &Value, aim: &Aim) -> bool {
    let (key, switches) = (Key::default(), Switches::default());
    let mut request = Request::new(body, aim.provider.flavor, &switches);
    request.model = &aim.model;
    request.key = Some(&key);
    match aim.provider.judge.dialect {
        "anthropic" => anthropic::mint::is_in_place(&request),
        "bedrock" => bedrock::mint::is_in_place(&request),
        "gemini" => gemini::mint::is_in_place(&request),
        _ => true,
    }
}

/// Whether it is told who says what: where a seal stands among its neighbours cannot be verified else.
fn is_readable(dialect: &str, body: &Value) -> bool {
    let messages = body.get("messages").and_then(Value::as_array);
    let known = |message: &Value| {
        let content = message.get("content");
        let says = match content {
            // Where content is always a list, nobody can tell what a string in its place says.
            Some(Value::String(text)) => !text.is_empty() && dialect != "bedrock",
            // What stands in a list within the list is no block, and not verified as one.
            Some(Value::Array(list)) => !list.is_empty() && list.iter().all(Value::is_object),
            _ => false,
        };
        match message.get("role").and_then(Value::as_str).unwrap_or_default() {
            "assistant" => says || message.get("tool_calls").is_some(),
            "user" | "system" | "developer" | "tool" | "function" => says,
            _ => false,
        }
    };
    // Whose a content is that says it of nobody, or of somebody unknown, is guessed; only the model's
    // calls are verified.
    let contents = body.get("contents").and_then(Value::as_array);
    let told = |content: &Value| {
        matches!(content.get("role").and_then(Value::as_str), Some("user" | "model"))
    };
    // What does not say that it is reasoning is not verified as such.
    let input = body.get("input").and_then(Value::as_array);
    let typed = |item: &Value| {
        item.get("role").or_else(|| item.get("type")).is_some()
            && item.get("summary").is_none_or(is_summary)
    };
    // What stands among the tools and is none is not verified as one.
    let tools = body.get("tools").and_then(Value::as_array);
    tools.is_none_or(|tools| tools.iter().all(Value::is_object))
        && messages.is_none_or(|messages| messages.iter().all(known))
        && input.is_none_or(|input| input.iter().all(typed))
        && contents.is_none_or(|contents| contents.iter().all(told))
}

/// Whether it can be told what a summary says, which is sealed with the rest: where there is a string
/// for its list, nobody knows what was sealed.
fn is_summary(summary: &Value) -> bool {
    let has_text = |part: &Value| part.get("text").is_some_and(Value::is_string);
    summary.is_null() || summary.as_array().is_some_and(|parts| parts.iter().all(has_text))
}

/// What was thought does not leave as something said.
fn hidden(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let Sent { case, aim, translated, .. } = sent;
    if translated.body == case.bytes {
        return;
    }
    let thoughts = marked(case).iter().filter(|one| one.is("thinking")).map(|one| one.number);
    let thoughts: Vec<usize> = thoughts.filter(|one| sent.has(*one)).collect();
    if thoughts.is_empty() {
        return;
    }
    // What stands in something else, too, was not only thought.
    let said =
        |number: usize| marked(case).iter().any(|one| one.number == number && !one.is("thinking"));
    for one in kept::marks_in(aim.provider.to, &translated.body) {
        if one.is("text") && thoughts.contains(&one.number) && !said(one.number) {
            let message = format!("{} was thought and is said", marks::mark(one.number));
            broken.push(Broken::new(Law::Seals, "shown", one.path(), message));
        }
    }
}

fn marked(case: &Case) -> &[Marked] {
    case.facts.marked.get_or_init(|| kept::marks_in(case.from, &case.bytes))
}

/// What is said of thinking without a signature, or with an empty one.
const LOST: &[&str] =
    &["unsigned-thinking", "empty-thinking", "invalid-signature", "invalid-redacted"];
