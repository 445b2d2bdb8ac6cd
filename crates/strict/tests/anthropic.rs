//! Replies that the simulator signs are accepted if they are replayed unchanged, and only then.

use interlingua_strict::anthropic::{JUDGE, mint::SealContext};
use interlingua_strict::seal::SealKey;
use interlingua_strict::{EmptyText, Request, Switches};
use serde_json::{Value, json};

const MODELS: [&str; 4] =
    ["claude-opus-4-6", "claude-opus-4-8", "claude-opus-5-5", "claude-next-generation"];

/// The first violation of a request, with verified signatures.
fn first_violation(body: &Value, switches: &Switches) -> Option<(&'static str, String)> {
    let key = SealKey::default();
    let request = Request { seal_key: Some(&key), ..Request::new(body, "anthropic", switches) };
    let mut violations = JUDGE.check(&request).violations;
    (!violations.is_empty()).then(|| violations.remove(0)).map(|first| (first.rule, first.path))
}

/// A reply with two thinking blocks, a text between them, and a tool call.
fn reply(body: &Value, switches: &Switches, text_between: &str, seed: &str) -> Value {
    let key = SealKey::default();
    let mut cx = SealContext::for_reply(&Request::new(body, "anthropic", switches));
    let (one, two) = (format!("{seed}: one"), format!("{seed}: two"));
    let first_signature = cx.sign_thinking(&key, &one);
    let text = json!({"type": "text", "text": text_between});
    cx.push_block(&text);
    let second_signature = cx.sign_thinking(&key, &two);
    let call = cx.call_id(&key, seed);
    json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": one, "signature": first_signature},
        text,
        {"type": "thinking", "thinking": two, "signature": second_signature},
        {"type": "tool_use", "id": call, "name": "look", "input": {"at": seed}},
    ]})
}

fn tool_result_for(reply: &Value) -> Value {
    let id = &reply["content"][3]["id"];
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]})
}

/// A conversation with an open tool loop of two steps after a closed one.
fn conversation(model: &str, switches: &Switches, text_between: &str) -> Value {
    let tool = json!({"name": "look", "input_schema": {"type": "object", "properties": {}}});
    let mut body = json!({
        "model": model, "max_tokens": 4096, "thinking": {"type": "adaptive"}, "tools": [tool],
        "messages": [{"role": "user", "content": "Look around."}],
    });
    for seed in ["a", "b", "c", "d"] {
        if seed == "c" {
            push(&mut body, &json!({"role": "assistant", "content": "There is nothing."}));
            push(&mut body, &json!({"role": "user", "content": "Look again."}));
        }
        let turn = reply(&body, switches, text_between, seed);
        push(&mut body, &turn);
        push(&mut body, &tool_result_for(&turn));
    }
    body
}

fn push(body: &mut Value, message: &Value) {
    body["messages"].as_array_mut().into_iter().for_each(|list| list.push(message.clone()));
}

#[test]
fn unchanged_replies_are_accepted() {
    for model in MODELS {
        for (empty_text, text_between) in [
            (None, " "),
            (None, "I see."),
            (Some(EmptyText::Keep), ""),
            (Some(EmptyText::Space), "\n\n"),
        ] {
            let switches = Switches { empty_text, ..Switches::default() };
            let body = conversation(model, &switches, text_between);
            assert_eq!(first_violation(&body, &switches), None, "{model} {text_between:?}");
        }
    }
}

#[test]
fn a_changed_character_in_any_signed_block_is_rejected() {
    let switches = Switches::default();
    for model in MODELS {
        let body = conversation(model, &switches, " ");
        // A message of the closed loop and one of the open loop.
        for (message, rule) in [(1, "invalid-signature"), (7, "modified-thinking")] {
            for key in ["signature", "thinking"] {
                let pointer = format!("/messages/{message}/content/2/{key}");
                let original = body.pointer(&pointer).and_then(Value::as_str).unwrap().to_owned();
                let len = original.trim_end_matches('=').len();
                for at in 0..len {
                    let mut changed = original.clone();
                    let other = if &original[at..=at] == "A" { "B" } else { "A" };
                    changed.replace_range(at..=at, other);
                    let mut body = body.clone();
                    *body.pointer_mut(&pointer).unwrap() = changed.into();
                    let rule = if key == "signature" { "invalid-signature" } else { rule };
                    let path = format!("messages.{message}.content.2");
                    assert_eq!(
                        first_violation(&body, &switches),
                        Some((rule, path)),
                        "{model} {key} {at}"
                    );
                }
            }
        }
    }
}

#[test]
fn changed_order_in_the_open_loop_is_rejected() {
    type Change = fn(&mut Vec<Value>);
    let switches = Switches::default();
    let changes: [(&str, Change); 4] = [
        ("swapped", |content| content.swap(0, 2)),
        ("the first lost", |content| drop(content.drain(0..=1))),
        ("the text between lost", |content| drop(content.remove(1))),
        ("the last lost", |content| drop(content.drain(1..=2))),
    ];
    for model in MODELS {
        for (description, change) in changes {
            for message in [7, 9] {
                let mut body = conversation(model, &switches, " ");
                let content = &mut body["messages"][message]["content"];
                change(content.as_array_mut().unwrap());
                let rule = first_violation(&body, &switches).map(|(rule, _)| rule);
                assert_eq!(rule, Some("modified-thinking"), "{model}: {description} in {message}");
            }
        }
    }
}

#[test]
fn foreign_thinking_is_rejected_or_dropped() {
    let switches = Switches::default();
    let mut body = conversation("claude-opus-4-7", &switches, " ");
    body["model"] = "claude-opus-4-8".into();
    let expected = ("invalid-signature", "messages.1.content.0".to_owned());
    assert_eq!(first_violation(&body, &switches), Some(expected));
    body["model"] = "claude-opus-5-5".into();
    assert_eq!(first_violation(&body, &switches), None, "it is dropped silently");
}

#[test]
fn without_any_thinking_a_conversation_is_accepted() {
    let switches = Switches::default();
    for model in MODELS {
        let mut body = conversation(model, &switches, " ");
        for message in body["messages"].as_array_mut().unwrap() {
            if let Some(content) = message["content"].as_array_mut() {
                content.retain(|block| block["type"] != "thinking" && block["text"] != " ");
            }
        }
        assert_eq!(first_violation(&body, &switches), None, "{model}");
    }
}

#[test]
fn a_dropped_empty_text_does_not_shift_positions() {
    let switches = Switches { empty_text: Some(EmptyText::Drop), ..Switches::default() };
    for model in MODELS {
        let mut body = conversation(model, &switches, "");
        for message in body["messages"].as_array_mut().unwrap() {
            if let Some(content) = message["content"].as_array_mut() {
                content.retain(|block| block["text"] != "");
            }
        }
        assert_eq!(first_violation(&body, &switches), None, "{model}");
    }
}
