//! Ids and encrypted content of the Responses API are only accepted unchanged.

use interlingua_strict::openai_responses::{JUDGE, Minter};
use interlingua_strict::seal::SealKey;
use interlingua_strict::{Request, Switches, Verdict};
use serde_json::{Value, json};

#[test]
fn unchanged_items_are_accepted() {
    let key = SealKey::default();
    let original = conversation(&key);
    assert!(judge_body(&original, "openai", &key).is_accepted());
    let mut stored = original.clone();
    stored["store"] = json!(true);
    assert!(judge_body(&stored, "openai", &key).is_accepted());
    let mut bare = original;
    for item in bare["input"].as_array_mut().unwrap() {
        item.as_object_mut().unwrap().remove("id");
    }
    assert!(judge_body(&bare, "openai", &key).is_accepted(), "all ids may be omitted");
}

#[test]
fn a_changed_character_anywhere_is_rejected() {
    let key = SealKey::default();
    let original = conversation(&key);
    let content = original["input"][1]["encrypted_content"].as_str().unwrap().to_owned();
    for at in 0..content.trim_end_matches('=').len() {
        let other = if &content[at..=at] == "A" { "B" } else { "A" };
        let mut changed = content.clone();
        changed.replace_range(at..=at, other);
        let mut body = original.clone();
        body["input"][1]["encrypted_content"] = changed.into();
        let verdict = judge_body(&body, "openai", &key);
        assert_eq!(verdict.violations[0].rule, "encrypted-content", "character {at}");
        assert_eq!(verdict.violations[0].code.as_deref(), Some("invalid_encrypted_content"));
    }
}

#[test]
fn a_changed_summary_is_rejected() {
    let key = SealKey::default();
    let mut body = conversation(&key);
    body["input"][1]["summary"][0]["text"] = "Look there".into();
    assert_eq!(first_rule(&judge_body(&body, "openai", &key)), "encrypted-content");
}

#[test]
fn a_lost_item_is_rejected() {
    let key = SealKey::default();
    let original = conversation(&key);
    let losses = [
        (1, "follower-without-reasoning"),
        (2, "reasoning-without-follower"),
        (3, "output-without-call"),
        (4, "call-without-output"),
        (5, "follower-without-reasoning"),
        (6, "reasoning-without-follower"),
    ];
    for (at, rule) in losses {
        let mut body = original.clone();
        body["input"].as_array_mut().unwrap().remove(at);
        assert_eq!(first_rule(&judge_body(&body, "openai", &key)), rule, "without item {at}");
    }
}

#[test]
fn swapped_items_are_rejected() {
    let key = SealKey::default();
    let original = conversation(&key);
    for (one, two) in [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (1, 5), (2, 6)] {
        let mut body = original.clone();
        body["input"].as_array_mut().unwrap().swap(one, two);
        assert!(!judge_body(&body, "openai", &key).is_accepted(), "{one} and {two}");
    }
}

#[test]
fn foreign_content_is_rejected() {
    let key = SealKey::default();
    let body = conversation(&key);
    assert_eq!(first_rule(&judge_body(&body, "azure", &key)), "encrypted-content");
    assert_eq!(
        first_rule(&judge_body(&body, "openai", &SealKey::new("other"))),
        "encrypted-content"
    );
    let mut other = body.clone();
    other["model"] = "gpt-6-sol".into();
    assert_eq!(first_rule(&judge_body(&other, "openai", &key)), "encrypted-content");
    let mut sibling = body;
    sibling["model"] = "gpt-5.6-terra".into();
    assert!(judge_body(&sibling, "openai", &key).is_accepted(), "models of one family share it");
}

#[test]
fn errors_have_the_envelope_of_the_provider() {
    let key = SealKey::default();
    let body = json!({"model": "gpt-5.4", "input": "x", "max_output_tokens": 8});
    let verdict = judge_body(&body, "openai", &key);
    let expected = json!({"error": {
        "message": "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 8 instead.",
        "type": "invalid_request_error",
        "param": "max_output_tokens",
        "code": "integer_below_min_value",
    }});
    assert_eq!((JUDGE.envelope)(&verdict.violations[0], "openai"), expected);
    let verdict = judge_body(&body, "codex", &key);
    let expected = json!({"detail": "Store must be set to false"});
    assert_eq!((JUDGE.envelope)(&verdict.violations[0], "codex"), expected);
    let body = json!({"model": "gpt-5.4", "input": [{"type": "function_call_output", "call_id": "call_1", "output": "x"}]});
    let verdict = judge_body(&body, "openai", &key);
    let expected = json!({"error": {
        "message": "No tool call found for function call output with call_id call_1.",
        "type": "invalid_request_error",
        "param": "input",
        "code": null,
    }});
    assert_eq!((JUDGE.envelope)(&verdict.violations[0], "openai"), expected);
}

fn judge_body(body: &Value, flavor: &str, key: &SealKey) -> Verdict {
    let switches = Switches::default();
    JUDGE.check(&Request { seal_key: Some(key), ..Request::new(body, flavor, &switches) })
}

fn first_rule(verdict: &Verdict) -> &'static str {
    verdict.violations.first().map_or("accepted", |violation| violation.rule)
}

/// A turn with a call and its output, as the provider sends it.
fn conversation(key: &SealKey) -> Value {
    let minter = Minter { key, provider: "openai", model: "gpt-5.4" };
    let reasoning = |seed: &str, next: &str, text: &str| {
        let mut item = json!({
            "type": "reasoning",
            "id": minter.mint_id("rs", seed, Some(next)),
            "summary": [{"type": "summary_text", "text": text}],
        });
        item["encrypted_content"] = minter.seal_reasoning(&item).into();
        item
    };
    let message = |seed: &str, before: &str, text: &str| {
        json!({
            "type": "message",
            "id": minter.mint_id("msg", seed, Some(before)),
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        })
    };
    let call = json!({
        "type": "function_call",
        "id": minter.mint_id("fc", "c", None),
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
