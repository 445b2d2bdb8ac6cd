//! Law 4: the translation of a longer history begins with that of the shorter one.
//!
//! Instructions and tools are the same, and so is every message but the last of the shorter one: that
//! one is still open, and may be joined by the next. The shorter one is cut where an agent asked the
//! model: before the assistant speaks.

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::{Doc, Limits};
use serde_json::Value;

use super::{Broken, Case, Law, Sent, difference, translate};

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let shorter = sent.case.facts.shorter.get_or_init(|| shorter(sent.case));
    let Some(shorter) = shorter else { return };
    let Ok(short) = translate(shorter, sent.case.from, sent.aim) else { return };
    let read = |body: &Bytes| Doc::from_bytes(body.clone(), Limits::default());
    let (Ok(short), Ok(long)) = (read(&short.body), read(&sent.translated.body)) else { return };
    // Where calls come without tools, tools are made up for them: the tools that were offered when
    // the model called are not in the request, nor would they be in the shorter one.
    let offered = TOOLS.iter().any(|path| sent.case.body.pointer(path).is_some());
    for path in PREFIX.iter().filter(|path| offered || !TOOLS.contains(path)) {
        let (was, is) = (at(short.root(), path), at(long.root(), path));
        let raw = |node: Option<Node<'_>>| node.map_or("null".to_owned(), |it| it.raw().to_owned());
        let same = was.map(Node::raw) == is.map(Node::raw);
        if same || HISTORY.contains(path) && begins(was, is) {
            continue;
        }
        let (place, what) = difference::first(raw(was).as_bytes(), raw(is).as_bytes());
        let rule = path.trim_start_matches('/');
        broken.push(Broken::new(Law::Prefix, rule, format!("{rule}{place}"), what));
    }
}

fn at<'d>(body: Node<'d>, path: &str) -> Option<Node<'d>> {
    path.split('/').skip(1).try_fold(body, Node::get)
}

/// Whether the closed messages of the shorter history begin the longer one, byte by byte.
fn begins(short: Option<Node<'_>>, long: Option<Node<'_>>) -> bool {
    let (Some(short), Some(long)) = (short, long) else { return false };
    let closed = short.items().count().saturating_sub(1);
    short.is_array()
        && long.items().count() >= closed
        && short.items().take(closed).zip(long.items()).all(|(was, is)| was.raw() == is.raw())
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

const TOOLS: &[&str] = &["/tools", "/toolConfig/tools"];
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
