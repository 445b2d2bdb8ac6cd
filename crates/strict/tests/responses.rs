//! What the Responses API hands out can only go back as it was.

use interlingua_strict::openai_responses::{JUDGE, Mint};
use interlingua_strict::seal::Key;
use interlingua_strict::{Request, Switches, Verdict};
use serde_json::{Value, json};

#[test]
fn what_was_handed_out_is_accepted() {
    let key = Key::default();
    let whole = conversation(&key);
    assert!(judged(&whole, "openai", &key).is_accepted());
    let mut stored = whole.clone();
    stored["store"] = json!(true);
    assert!(judged(&stored, "openai", &key).is_accepted());
    let mut bare = whole;
    for item in bare["input"].as_array_mut().unwrap() {
        item.as_object_mut().unwrap().remove("id");
    }
    assert!(judged(&bare, "openai", &key).is_accepted(), "all ids may be left out");
}

#[test]
fn a_changed_character_anywhere_is_refused() {
    let key = Key::default();
    let whole = conversation(&key);
    let content = whole["input"][1]["encrypted_content"].as_str().unwrap().to_owned();
    for at in 0..content.trim_end_matches('=').len() {
        let other = if &content[at..=at] == "A" { "B" } else { "A" };
        let mut changed = content.clone();
        changed.replace_range(at..=at, other);
        let mut body = whole.clone();
        body["input"][1]["encrypted_content"] = changed.into();
        let verdict = judged(&body, "openai", &key);
        assert_eq!(verdict.violations[0].rule, "encrypted-content", "character {at}");
        assert_eq!(verdict.violations[0].code.as_deref(), Some("invalid_encrypted_content"));
    }
}

#[test]
fn a_changed_summary_is_refused() {
    let key = Key::default();
    let mut body = conversation(&key);
    body["input"][1]["summary"][0]["text"] = "Look there".into();
    assert_eq!(first(&judged(&body, "openai", &key)), "encrypted-content");
}

#[test]
fn a_lost_item_is_refused() {
    let key = Key::default();
    let whole = conversation(&key);
    let losses = [
        (1, "follower-without-reasoning"),
        (2, "reasoning-without-follower"),
        (3, "output-without-call"),
        (4, "call-without-output"),
        (5, "follower-without-reasoning"),
        (6, "reasoning-without-follower"),
    ];
    for (at, rule) in losses {
        let mut body = whole.clone();
        body["input"].as_array_mut().unwrap().remove(at);
        assert_eq!(first(&judged(&body, "openai", &key)), rule, "without item {at}");
    }
}

#[test]
fn swapped_items_are_refused() {
    let key = Key::default();
    let whole = conversation(&key);
    for (one, two) in [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (1, 5), (2, 6)] {
        let mut body = whole.clone();
        body["input"].as_array_mut().unwrap().swap(one, two);
        assert!(!judged(&body, "openai", &key).is_accepted(), "{one} and {two}");
    }
}

#[test]
fn what_is_foreign_is_refused() {
    let key = Key::default();
    let body = conversation(&key);
    assert_eq!(first(&judged(&body, "azure", &key)), "encrypted-content");
    assert_eq!(first(&judged(&body, "openai", &Key::new("other"))), "encrypted-content");
    let mut other = body.clone();
    other["model"] = "gpt-6-sol".into();
    assert_eq!(first(&judged(&other, "openai", &key)), "encrypted-content");
    let mut sibling = body;
    sibling["model"] = "gpt-5.6-terra".into();
    assert!(judged(&sibling, "openai", &key).is_accepted(), "the family reads it");
}

#[test]
fn errors_have_the_envelope_of_the_provider() {
    let key = Key::default();
    let body = json!({"model": "gpt-5.4", "input": "x", "max_output_tokens": 8});
    let verdict = judged(&body, "openai", &key);
    let said = json!({"error": {
        "message": "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 8 instead.",
        "type": "invalid_request_error",
        "param": "max_output_tokens",
        "code": "integer_below_min_value",
    }});
    assert_eq!((JUDGE.envelope)(&verdict.violations[0], "openai"), said);
    let verdict = judged(&body, "codex", &key);
    let said = json!({"detail": "Store must be set to false"});
    assert_eq!((JUDGE.envelope)(&verdict.violations[0], "codex"), said);
    let body = json!({"model": "gpt-5.4", "input": [{"type": "function_call_output", "call_id": "call_1", "output": "x"}]});
    let verdict = judged(&body, "openai", &key);
    let said = json!({"error": {
        "message": "No tool call found for function call output with call_id call_1.",
        "type": "invalid_request_error",
        "param": "input",
        "code": null,
    }});
    assert_eq!((JUDGE.envelope)(&verdict.violations[0], "openai"), said);
}

fn judged(body: &Value, flavor: &str, key: &Key) -> Verdict {
    let switches = Switches::default();
    JUDGE.check(&Request { key: Some(key), ..Request::new(body, flavor, &switches) })
}

fn first(verdict: &Verdict) -> &'static str {
    verdict.violations.first().map_or("accepted", |violation| violation.rule)
}

/// A turn with a call and its answer, as the provider hands it out.
fn conversation(key: &Key) -> Value {
    let mint = Mint { key, provider: "openai", model: "gpt-5.4" };
    let reasoning = |seed: &str, next: &str, text: &str| {
        let mut item = json!({
            "type": "reasoning",
            "id": mint.id("rs", seed, Some(next)),
            "summary": [{"type": "summary_text", "text": text}],
        });
        item["encrypted_content"] = mint.reasoning(&item).into();
        item
    };
    let message = |seed: &str, before: &str, text: &str| {
        json!({
            "type": "message",
            "id": mint.id("msg", seed, Some(before)),
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        })
    };
    let call = json!({
        "type": "function_call",
        "id": mint.id("fc", "c", None),
        "call_id": "call_1",
        "name": "look",
        "arguments": "{}",
        "status": "completed",
    });
    json!({
        "model": "gpt-5.4",
        "store": false,
        "input": [
            {"role": "user", "content": "Where is it?"},
            reasoning("a", "b", "Look first."),
            message("b", "a", "Let me look."),
            call,
            {"type": "function_call_output", "call_id": "call_1", "output": "there"},
            reasoning("d", "e", "There."),
            message("e", "d", "It is there."),
            {"role": "user", "content": "Thanks."},
        ],
    })
}
