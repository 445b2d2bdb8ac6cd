//! Law 4: the translation of a longer history begins with that of the shorter one.
//!
//! Instructions and tools are the same, and so is every message but the last of the shorter one: that
//! one is still open, and may be joined by the next. The shorter one is cut where an agent asked the
//! model: before the assistant speaks.

use bytes::Bytes;
use serde_json::Value;

use super::{Broken, Case, Law, Sent, difference, translate};

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let shorter = sent.case.facts.shorter.get_or_init(|| shorter(sent.case));
    let Some(shorter) = shorter else { return };
    let Ok(short) = translate(shorter, sent.case.from, sent.aim) else { return };
    let Ok(short) = serde_json::from_slice::<Value>(&short.body) else { return };
    // Where calls come without tools, tools are made up for them: the tools that were offered when
    // the model called are not in the request, nor would they be in the shorter one.
    let offered =
        ["/tools", "/toolConfig/tools"].iter().any(|key| sent.case.body.pointer(key).is_some());
    for key in PREFIX.iter().filter(|key| offered || !key.ends_with("tools")) {
        let (was, is) = (short.pointer(key), sent.value.pointer(key));
        let (was, is) = (was.unwrap_or(&Value::Null), is.unwrap_or(&Value::Null));
        let begins = if HISTORY.contains(key) { begins(was, is) } else { was == is };
        if !begins {
            let (path, what) =
                difference::first(was.to_string().as_bytes(), is.to_string().as_bytes());
            let rule = key.trim_start_matches('/');
            broken.push(Broken::new(Law::Prefix, rule, format!("{rule}{path}"), what));
        }
    }
}

/// Whether the closed messages of the shorter history begin the longer one.
fn begins(short: &Value, long: &Value) -> bool {
    let (Value::Array(short), Value::Array(long)) = (short, long) else { return short == long };
    let closed = short.len().saturating_sub(1);
    long.len() >= closed && short[..closed] == long[..closed]
}

/// The request that was sent some turns ago.
fn shorter(case: &Case) -> Option<Bytes> {
    let key = HISTORY.iter().find(|key| case.body.pointer(key).is_some_and(Value::is_array))?;
    let list = case.body.pointer(key)?.as_array()?;
    let asked: Vec<usize> =
        (1..list.len()).filter(|at| is_models(&list[*at]) && !is_models(&list[*at - 1])).collect();
    // Any of them, but always the same.
    let cut = *asked.get(case.bytes.len() % asked.len().max(1))?;
    let mut body = case.body.clone();
    body.pointer_mut(key)?.as_array_mut()?.truncate(cut);
    Some(crate::spell::spell(&body))
}

/// Whether the model said this.
fn is_models(message: &Value) -> bool {
    let word = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    matches!(word("role"), "assistant" | "model")
        || matches!(word("type"), "reasoning" | "function_call" | "custom_tool_call")
}

const HISTORY: &[&str] = &["/messages", "/input", "/contents", "/turns"];
const PREFIX: &[&str] = &[
    "/tools",
    "/toolConfig/tools",
    "/system",
    "/instructions",
    "/systemInstruction",
    "/system_instruction",
    "/messages",
    "/input",
    "/contents",
];
