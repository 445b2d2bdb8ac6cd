//! What a simulated model signs is accepted when it comes back whole, and only then.

use interlingua_strict::anthropic::{JUDGE, mint::Trail};
use interlingua_strict::seal::Key;
use interlingua_strict::{EmptyText, Request, Switches};
use serde_json::{Value, json};

const MODELS: [&str; 4] =
    ["claude-opus-4-6", "claude-opus-4-8", "claude-opus-5-5", "claude-next-generation"];

/// The first violation of a request whose reasoning is verified.
fn first(body: &Value, switches: &Switches) -> Option<(&'static str, String)> {
    let key = Key::default();
    let request = Request { key: Some(&key), ..Request::new(body, "anthropic", switches) };
    let mut violations = JUDGE.check(&request).violations;
    (!violations.is_empty()).then(|| violations.remove(0)).map(|first| (first.rule, first.path))
}

/// A reply that thinks twice with a text in between, and calls a tool.
fn reply(body: &Value, switches: &Switches, between: &str, seed: &str) -> Value {
    let key = Key::default();
    let mut trail = Trail::of(&Request::new(body, "anthropic", switches));
    let (one, two) = (format!("{seed}: one"), format!("{seed}: two"));
    let signed = trail.think(&key, &one);
    let text = json!({"type": "text", "text": between});
    trail.block(&text);
    let again = trail.think(&key, &two);
    let call = trail.call_id(&key, seed);
    json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": one, "signature": signed},
        text,
        {"type": "thinking", "thinking": two, "signature": again},
        {"type": "tool_use", "id": call, "name": "look", "input": {"at": seed}},
    ]})
}

fn answer(reply: &Value) -> Value {
    let id = &reply["content"][3]["id"];
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]})
}

/// A conversation with an open loop of two steps, and one that was closed before it.
fn conversation(model: &str, switches: &Switches, between: &str) -> Value {
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
        let said = reply(&body, switches, between, seed);
        push(&mut body, &said);
        push(&mut body, &answer(&said));
    }
    body
}

fn push(body: &mut Value, message: &Value) {
    body["messages"].as_array_mut().into_iter().for_each(|list| list.push(message.clone()));
}

#[test]
fn what_comes_back_whole_is_accepted() {
    for model in MODELS {
        for (empty_text, between) in [
            (None, " "),
            (None, "I see."),
            (Some(EmptyText::Keep), ""),
            (Some(EmptyText::Space), "\n\n"),
        ] {
            let switches = Switches { empty_text, ..Switches::default() };
            let body = conversation(model, &switches, between);
            assert_eq!(first(&body, &switches), None, "{model} {between:?}");
        }
    }
}

#[test]
fn a_changed_character_in_any_signed_block_is_refused() {
    let switches = Switches::default();
    for model in MODELS {
        let body = conversation(model, &switches, " ");
        // The loop that is closed, and the open one.
        for (message, rule) in [(1, "invalid-signature"), (7, "modified-thinking")] {
            for key in ["signature", "thinking"] {
                let place = format!("/messages/{message}/content/2/{key}");
                let whole = body.pointer(&place).and_then(Value::as_str).unwrap().to_owned();
                let ends = whole.trim_end_matches('=').len();
                for at in 0..ends {
                    let mut changed = whole.clone();
                    let other = if &whole[at..=at] == "A" { "B" } else { "A" };
                    changed.replace_range(at..=at, other);
                    let mut body = body.clone();
                    *body.pointer_mut(&place).unwrap() = changed.into();
                    let rule = if key == "signature" { "invalid-signature" } else { rule };
                    let path = format!("messages.{message}.content.2");
                    assert_eq!(first(&body, &switches), Some((rule, path)), "{model} {key} {at}");
                }
            }
        }
    }
}

#[test]
fn what_moves_in_the_open_loop_is_refused() {
    type Change = fn(&mut Vec<Value>);
    let switches = Switches::default();
    let changes: [(&str, Change); 4] = [
        ("swapped", |content| content.swap(0, 2)),
        ("the first lost", |content| drop(content.drain(0..=1))),
        ("the text between lost", |content| drop(content.remove(1))),
        ("the last lost", |content| drop(content.drain(1..=2))),
    ];
    for model in MODELS {
        for (what, change) in changes {
            for message in [7, 9] {
                let mut body = conversation(model, &switches, " ");
                let content = &mut body["messages"][message]["content"];
                change(content.as_array_mut().unwrap());
                let rule = first(&body, &switches).map(|(rule, _)| rule);
                assert_eq!(rule, Some("modified-thinking"), "{model}: {what} in {message}");
            }
        }
    }
}

#[test]
fn another_model_refuses_or_leaves_out_what_it_cannot_read() {
    let switches = Switches::default();
    let mut body = conversation("claude-opus-4-7", &switches, " ");
    body["model"] = "claude-opus-4-8".into();
    let refused = ("invalid-signature", "messages.1.content.0".to_owned());
    assert_eq!(first(&body, &switches), Some(refused));
    body["model"] = "claude-opus-5-5".into();
    assert_eq!(first(&body, &switches), None, "it is left out in silence");
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
        assert_eq!(first(&body, &switches), None, "{model}");
    }
}

#[test]
fn dropped_empty_text_shifts_nothing_where_it_is_to_be_dropped() {
    let switches = Switches { empty_text: Some(EmptyText::Drop), ..Switches::default() };
    for model in MODELS {
        let mut body = conversation(model, &switches, "");
        for message in body["messages"].as_array_mut().unwrap() {
            if let Some(content) = message["content"].as_array_mut() {
                content.retain(|block| block["text"] != "");
            }
        }
        assert_eq!(first(&body, &switches), None, "{model}");
    }
}
