//! Where the providers of Chat Completions differ, as a table.

use interlingua_strict::openai_chat::{Detail, SignedCall};
use serde_json::{Value, json};

use super::Voice;
use crate::turn::Call;

/// How a provider speaks.
struct Row {
    flavor: &'static str,
    shown: Shown,
    id: &'static str,
    call: CallId,
    /// Usage comes whether asked for or not.
    counts: bool,
    /// Calls come whole, without an index, and the first is signed.
    signs: bool,
}

/// Where reasoning stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Never,
    /// A text under this key.
    Under(&'static str),
    /// A text, and sealed details.
    Details,
    /// A part of the content.
    Part,
}

enum CallId {
    /// A prefix and so many characters.
    Random(&'static str, usize),
    /// The name, and how many calls came before.
    Numbered,
}

pub(super) fn shown(voice: &Voice<'_>) -> Shown {
    row(voice).shown
}

pub(super) fn is_inventor(voice: &Voice<'_>) -> bool {
    matches!(voice.flavor, "openai" | "azure")
}

/// It passes requests on, and keeps the line open with comments.
pub(super) fn is_relay(voice: &Voice<'_>) -> bool {
    row(voice).shown == Shown::Details
}

pub(super) fn id_prefix(voice: &Voice<'_>) -> &'static str {
    row(voice).id
}

pub(super) fn always_counts(voice: &Voice<'_>) -> bool {
    row(voice).counts
}

pub(super) fn call_id(voice: &Voice<'_>, at: usize, name: &str) -> String {
    match row(voice).call {
        CallId::Random(prefix, length) => voice.seed.id(prefix, at + 1, length),
        CallId::Numbered => format!("functions.{name}:{}", voice.heard.calls + at),
    }
}

pub(super) fn gives_calls_whole(voice: &Voice<'_>) -> bool {
    row(voice).signs
}

/// Signs the first of the calls, where calls are signed.
pub(super) fn sign(voice: &Voice<'_>, calls: &mut [Value]) {
    if !row(voice).signs || calls.is_empty() {
        return;
    }
    let signature = SignedCall::new(voice.model, calls, 0).mint(voice.key);
    calls[0]["extra_content"] = json!({"google": {"thought_signature": signature}});
}

/// One provider repeats the usage in a place of its own.
pub(super) fn extend_usage_chunk(voice: &Voice<'_>, chunk: &mut Value) {
    if voice.flavor == "groq" {
        let usage = chunk["usage"].clone();
        chunk["x_groq"] = json!({"id": voice.seed.id("req_", 0, 26), "usage": usage});
    }
}

/// Puts the thoughts into a whole message.
pub(super) fn show(voice: &Voice<'_>, thoughts: &str, message: &mut Value) {
    match row(voice).shown {
        Shown::Never => {}
        Shown::Under(key) => message[key] = thoughts.into(),
        Shown::Details => {
            message["reasoning"] = thoughts.into();
            message["reasoning_details"] = details(voice, thoughts).into();
        }
        Shown::Part => {
            let mut parts = vec![part(thoughts)];
            match message["content"].take() {
                Value::String(text) if !text.is_empty() => {
                    parts.push(json!({"type": "text", "text": text}));
                }
                _ => {}
            }
            message["content"] = parts.into();
        }
    }
}

/// The thoughts as deltas of a stream.
pub(super) fn deltas(voice: &Voice<'_>, thoughts: &str) -> Vec<Value> {
    let pieces = voice.pieces(thoughts);
    match row(voice).shown {
        Shown::Never => Vec::new(),
        Shown::Under(key) => {
            let under = |piece: &str| {
                let mut delta = json!({});
                delta[key] = piece.into();
                delta
            };
            pieces.into_iter().map(under).collect()
        }
        Shown::Details => detail_deltas(voice, thoughts, &pieces),
        Shown::Part => pieces.into_iter().map(|piece| json!({"content": [part(piece)]})).collect(),
    }
}

fn part(thoughts: &str) -> Value {
    json!({"type": "thinking", "thinking": [{"type": "text", "text": thoughts}]})
}

/// The entries depend on whose model it is. Each is spelled as a client puts it together from the
/// deltas: what comes after vouches for it as it is spelled.
fn details(voice: &Voice<'_>, thoughts: &str) -> Vec<Value> {
    let format = family(voice);
    let readable = |kind: &str, key: &str| {
        let mut entry = json!({"type": kind, "index": 0});
        entry[key] = thoughts.into();
        entry["format"] = format.into();
        entry
    };
    let encrypted = |id: String| {
        let kind = "reasoning.encrypted";
        json!({"type": kind, "index": 1, "id": id, "format": format, "data": ""})
    };
    let mut details = match format {
        "openai-responses-v1" => {
            let id = voice.seed.id("rs_", 0, 48);
            vec![readable("reasoning.summary", "summary"), encrypted(id)]
        }
        "google-gemini-v1" => {
            let call = voice.turn.calls().next();
            let given =
                |call: &Call| call.id.clone().unwrap_or_else(|| call_id(voice, 0, &call.name));
            let id = call.map_or_else(|| voice.seed.id("tool_", 0, 24), given);
            vec![readable("reasoning.text", "text"), encrypted(id)]
        }
        _ => vec![readable("reasoning.text", "text")],
    };
    let last = details.len() - 1;
    let before = voice.body.get("messages").and_then(Value::as_array).map_or(0, Vec::len);
    let whole = voice.request.switches.prefix_binding == Some(true);
    let sealed = Detail::new(voice.model, &details, last, voice.body, before, whole);
    let key = if last == 0 { "signature" } else { "data" };
    details[last][key] = sealed.mint(voice.key).into();
    details
}

/// Texts in pieces; what else an entry holds comes once, because clients join what they get.
fn detail_deltas(voice: &Voice<'_>, thoughts: &str, pieces: &[&str]) -> Vec<Value> {
    let mut deltas = Vec::new();
    for detail in details(voice, thoughts) {
        let key = ["text", "summary"].into_iter().find(|key| detail.get(key).is_some());
        let Some(key) = key else {
            deltas.push(json!({"reasoning_details": [detail]}));
            continue;
        };
        for (at, piece) in pieces.iter().enumerate() {
            let mut one = json!({"type": detail["type"], "index": detail["index"]});
            one[key] = (*piece).into();
            if at == 0 {
                one["format"] = detail["format"].clone();
            }
            deltas.push(json!({"reasoning": piece, "reasoning_details": [one]}));
        }
        if let Some(signature) = detail.get("signature") {
            let mut one = json!({"type": detail["type"], "index": detail["index"]});
            one["signature"] = signature.clone();
            deltas.push(json!({"reasoning_details": [one]}));
        }
    }
    deltas
}

/// Whose reasoning a relay passes on.
fn family(voice: &Voice<'_>) -> &'static str {
    let model = voice.model.to_ascii_lowercase();
    let known = FAMILIES.iter().find(|(part, _)| model.contains(part));
    known.map_or("unknown", |(_, format)| format)
}

fn row(voice: &Voice<'_>) -> &'static Row {
    let found = ROWS.iter().find(|row| row.flavor == voice.flavor);
    found.unwrap_or(&GENERIC)
}

const FAMILIES: &[(&str, &str)] = &[
    ("claude", "anthropic-claude-v1"),
    ("anthropic", "anthropic-claude-v1"),
    ("gemini", "google-gemini-v1"),
    ("google", "google-gemini-v1"),
    ("gpt", "openai-responses-v1"),
    ("openai", "openai-responses-v1"),
];

const ROWS: &[Row] = &[
    Row {
        flavor: "openai",
        shown: Shown::Never,
        id: "chatcmpl-",
        call: CallId::Random("call_", 24),
        counts: false,
        signs: false,
    },
    Row {
        flavor: "openrouter",
        shown: Shown::Details,
        id: "gen-",
        call: CallId::Random("call_", 24),
        counts: true,
        signs: false,
    },
    Row {
        flavor: "deepseek",
        shown: Shown::Under("reasoning_content"),
        id: "",
        call: CallId::Random("call_00_", 24),
        counts: true,
        signs: false,
    },
    Row {
        flavor: "mistral",
        shown: Shown::Part,
        id: "",
        call: CallId::Random("", 9),
        counts: true,
        signs: false,
    },
    Row {
        flavor: "groq",
        shown: Shown::Under("reasoning"),
        id: "chatcmpl-",
        call: CallId::Random("call_", 20),
        counts: true,
        signs: false,
    },
    Row {
        flavor: "moonshot",
        shown: Shown::Under("reasoning_content"),
        id: "chatcmpl-",
        call: CallId::Numbered,
        counts: false,
        signs: false,
    },
    Row {
        flavor: "gemini-compat",
        call: CallId::Random("function-call-", 19),
        signs: true,
        ..GENERIC
    },
    plain("azure", Shown::Never),
    plain("cerebras", Shown::Under("reasoning")),
    plain("glm", Shown::Under("reasoning_content")),
    plain("llama.cpp", Shown::Under("reasoning_content")),
    plain("ollama", Shown::Under("reasoning")),
    plain("qwen", Shown::Under("reasoning_content")),
    plain("vllm", Shown::Under("reasoning")),
    plain("xai", Shown::Under("reasoning_content")),
];

const fn plain(flavor: &'static str, shown: Shown) -> Row {
    Row { flavor, shown, ..GENERIC }
}

const GENERIC: Row = Row {
    flavor: "generic",
    shown: Shown::Never,
    id: "chatcmpl-",
    call: CallId::Random("call_", 24),
    counts: false,
    signs: false,
};
