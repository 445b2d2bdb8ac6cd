//! Generates conversations with every kind of block in the native form.

use bytes::Bytes;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// A conversation in the native form in which every string with content is unique.
#[derive(Clone, Debug)]
pub(crate) struct NativeConversation(Value);

/// Turns of any role in any order, as other programs may leave them.
pub(crate) fn native_conversation() -> impl Strategy<Value = NativeConversation> {
    let turns = prop::collection::vec(turn(), 1..7);
    let tools = prop::collection::vec(tool(), 0..3);
    let system = prop::collection::vec(text(), 0..2);
    (system, turns, tools).prop_map(|(system, turns, tools)| {
        let mut body = json!({
            "interlingua": 1,
            "model": "m",
            "system": system,
            "turns": turns,
            "tools": tools,
            "settings": {"max_tokens": 64},
        });
        number_marks(&mut body, &mut 0);
        NativeConversation(body)
    })
}

impl NativeConversation {
    pub(crate) fn body(&self) -> Bytes {
        self.0.to_string().into()
    }

    /// The conversation with its first turns only.
    pub(crate) fn first_turns(&self, turns: usize) -> Self {
        let mut body = self.0.clone();
        if let Some(list) = body["turns"].as_array_mut() {
            list.truncate(turns);
        }
        Self(body)
    }

    /// Turn counts at which the model was called.
    pub(crate) fn prompt_points(&self) -> Vec<usize> {
        let turns = self.0["turns"].as_array().into_iter().flatten().enumerate();
        turns
            .filter(|(at, turn)| *at > 0 && turn["role"] == "assistant")
            .map(|(at, _)| at)
            .collect()
    }
}

fn turn() -> impl Strategy<Value = Value> {
    let turn_with = |role: &'static str, blocks: BoxedStrategy<Value>| {
        prop::collection::vec(blocks, 1..4)
            .prop_map(move |blocks| json!({"role": role, "blocks": blocks}))
    };
    prop_oneof![
        4 => turn_with("user", prop_oneof![3 => text(), 2 => media(), 2 => result(), 1 => foreign()].boxed()),
        4 => turn_with("assistant", prop_oneof![
            3 => text(), 1 => sealed(), 1 => refusal(), 2 => thinking(), 3 => call(), 1 => foreign(),
        ].boxed()),
        1 => turn_with("system", text().boxed()),
        1 => turn_with("developer", text().boxed()),
    ]
}

fn text() -> impl Strategy<Value = Value> {
    select(vec![
        json!({"text": "MARK"}),
        json!({"text": "\"MARK\"\n/🦀", "cache": {"ttl": "1h"}}),
        json!({"text": "MARK", "citations": [{"url": "https://a.example/", "title": "A", "quote": "q"}]}),
    ])
}

/// Some providers seal texts and calls, too.
fn sealed() -> impl Strategy<Value = Value> {
    select(vec![
        json!({"text": "MARK", "seal": {"issuer": "google", "data": "MARK"}}),
        json!({
            "call": {"id": "call_MARK", "name": "read_file", "args": {}},
            "seal": {"issuer": "google", "data": "MARK"},
        }),
    ])
}

fn refusal() -> impl Strategy<Value = Value> {
    Just(json!({"refusal": "MARK"}))
}

fn thinking() -> impl Strategy<Value = Value> {
    let issuer = select(&["anthropic", "openai", "google", "xai", "unknown"]);
    (issuer, select(&["full", "summary", "redacted", "none"])).prop_map(|(issuer, form)| {
        let seal = json!({"issuer": issuer, "data": "MARK"});
        match form {
            "summary" => json!({"thinking": "MARK", "form": "summary", "seal": seal}),
            "redacted" => json!({"thinking": "", "form": "redacted", "seal": seal}),
            "none" => json!({"thinking": "MARK"}),
            _ => json!({"thinking": "MARK", "seal": seal}),
        }
    })
}

fn media() -> impl Strategy<Value = Value> {
    let kinds = select(vec![
        ("image", "image/png"),
        ("image", "image/tiff"),
        ("document", "application/pdf"),
        ("document", "text/csv"),
        ("audio", "audio/wav"),
        ("video", "video/mp4"),
    ]);
    (kinds, 0..5_usize).prop_map(|((kind, mime), source)| {
        let source = match source {
            0 => json!({"base64": "QUJDMARKA", "mime": mime}),
            1 => json!({"url": "https://files.example/MARK", "mime": mime}),
            2 => json!({"file": "file-MARK", "mime": mime, "name": "report"}),
            3 if kind == "document" => json!({"plain": "MARK", "name": "notes.txt"}),
            4 if kind == "document" => json!({"blocks": [{"text": "MARK"}], "name": "parts"}),
            _ => json!({"base64": "QUJDMARKA", "detail": "high"}),
        };
        json!({kind: source})
    })
}

fn call() -> impl Strategy<Value = Value> {
    select(vec![
        json!({"call": {"id": "call_MARK", "name": "read_file", "args": {"path": "MARK"}}}),
        json!({"call": {"id": "call_MARK", "name": "read_file", "args": [1, "MARK"]}}),
        json!({"call": {"id": "call_MARK", "name": "read_file", "malformed": "{\"path\": \"MARK"}}),
        json!({"call": {"id": "call_MARK", "name": "read_file", "malformed": ""}}),
        json!({"call": {"id": "call_MARK", "name": "patch", "freeform": "*** Begin \"MARK\"\n"}}),
    ])
}

fn result() -> impl Strategy<Value = Value> {
    let content = prop_oneof![
        4 => text(),
        1 => media(),
        1 => Just(json!({"data": {"rows": [1, "MARK"]}})),
    ];
    (prop::collection::vec(content, 0..3), any::<bool>()).prop_map(|(content, is_error)| {
        json!({"result": {"call": "call_MARK", "name": "read_file", "content": content, "is_error": is_error}})
    })
}

fn foreign() -> impl Strategy<Value = Value> {
    let names = &["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"];
    select(names).prop_map(|dialect| {
        let json = json!({"type": "from_the_future", "data": "MARK"});
        json!({"foreign": {"dialect": dialect, "kind": "from_the_future", "json": json}})
    })
}

fn tool() -> impl Strategy<Value = Value> {
    select(vec![
        json!({"name": "read_file_MARK", "description": "MARK", "schema": {"type": "object"}}),
        json!({"name": "ping_MARK", "description": "MARK", "schema": null, "strict": true}),
        json!({"name": "patch_MARK", "description": "MARK", "freeform": null}),
        json!({"name": "web_search", "foreign": {
            "dialect": "anthropic",
            "kind": "web_search_20250305",
            "json": {"type": "web_search_20250305", "name": "web_search"},
        }}),
    ])
}

/// Replaces every MARK by a unique marker; none is a substring of another.
fn number_marks(value: &mut Value, count: &mut usize) {
    match value {
        Value::String(text) if text.contains("MARK") => {
            *count += 1;
            *text = text.replace("MARK", &format!("m{count:04}e"));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| number_marks(item, count)),
        Value::Object(fields) => fields.values_mut().for_each(|value| number_marks(value, count)),
        _ => {}
    }
}
