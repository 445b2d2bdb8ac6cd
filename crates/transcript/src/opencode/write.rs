//! A repaired conversation, written back into its file.

use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::{Doc, Json, Limits, Text};

use super::parts::{role, word};
use crate::patch::Patch;
use crate::{Edits, Fate, Insert, Source, Transcript, align, ids, units};

pub(super) fn write(source: &Source, transcript: &Transcript, repaired: &Bytes) -> Bytes {
    let after = Doc::from_bytes(repaired.clone(), Limits::default());
    let messages = source.whole().and_then(|root| root.get("messages"));
    let (Some(messages), Ok(after)) = (messages, after) else { return source.bytes().clone() };
    let edits = align(&transcript.units, &units(transcript.dialect, &after));
    let fates = transcript.units.iter().zip(&edits.fates);
    let fates: HashMap<(usize, usize), &Fate> = fates
        .filter_map(|(unit, fate)| unit.origin.map(|origin| ((origin.record, origin.slot), fate)))
        .collect();
    let mut patch = Patch::default();
    for (at, message) in messages.items().enumerate() {
        let Some(list) = message.get("parts") else { continue };
        let parts: Vec<Node<'_>> = list.items().collect();
        let mut gone = vec![false; parts.len()];
        for (of, part) in parts.iter().enumerate() {
            let fate = |result: usize| fates.get(&(at, of * 2 + result)).copied();
            gone[of] = fate(0) == Some(&Fate::Removed);
            if let Some(Fate::Rewritten(json)) = fate(0) {
                rewrite(*part, json, &mut patch);
            }
            if let Some(Fate::Rewritten(json)) = fate(1) {
                set_result(*part, &text_of(json), &mut patch);
            }
        }
        remove(&parts, &gone, &mut patch);
    }
    for insert in &edits.inserts {
        match asked(insert, messages, &edits, transcript) {
            Some(part) => end(part, &insert.json, &mut patch),
            None => add(insert, transcript, messages, &mut patch),
        }
    }
    patch.apply(source)
}

/// Takes parts out of their list, each with the comma that set it apart.
fn remove(parts: &[Node<'_>], gone: &[bool], patch: &mut Patch) {
    for (at, part) in parts.iter().enumerate().filter(|(at, _)| gone[*at]) {
        let Range { start, end } = part.range();
        let stays_before = gone[..at].iter().any(|gone| !gone);
        let range = match (stays_before, parts.get(at + 1)) {
            (true, _) => parts[at - 1].range().end..end,
            (false, Some(next)) => start..next.range().start,
            (false, None) => start..end,
        };
        patch.replace(range, "");
    }
}

/// Says in a part what its block says now.
fn rewrite(part: Node<'_>, json: &Json, patch: &mut Patch) {
    let doc = json.doc();
    let now = doc.root().get("functionCall").unwrap_or(doc.root());
    if word(part, "type") != "tool" {
        if let Some(text) = part.get("text") {
            patch.replace(text.range(), Json::string(&text_of(json)).as_str());
        }
        return;
    }
    let mut set = |old: Option<Node<'_>>, new: Option<Json>| {
        if let (Some(old), Some(new)) = (old, new) {
            patch.replace(old.range(), new.as_str());
        }
    };
    let id = now.get("call_id").or_else(|| now.get("id"));
    set(part.get("callID"), id.map(Node::json));
    set(part.get("tool"), now.get("name").map(Node::json));
    let arguments = now.get("arguments").map(|text| text.word().into_owned());
    let input = match arguments {
        Some(arguments) => Json::parse(arguments).ok(),
        None => now.get("input").or_else(|| now.get("args")).map(Node::json),
    };
    set(part.get("state").and_then(|state| state.get("input")), input);
}

fn set_result(part: Node<'_>, text: &Text, patch: &mut Patch) {
    let Some(state) = part.get("state") else { return };
    let key = if word(state, "status") == "error" { "error" } else { "output" };
    if let Some(old) = state.get(key) {
        patch.replace(old.range(), Json::string(text).as_str());
    }
}

/// The tool's run that a new result ends.
fn asked<'s>(
    insert: &Insert,
    messages: Node<'s>,
    edits: &Edits,
    transcript: &Transcript,
) -> Option<Node<'s>> {
    let doc = insert.json.doc();
    let id = match doc.root().get("functionResponse") {
        Some(response) => word(response, "id"),
        None => doc.root().get("tool_use_id").or_else(|| doc.root().get("call_id"))?.word(),
    };
    let kind = word(doc.root(), "type");
    let is_result = kind.is_empty() || kind.ends_with("_result") || kind.ends_with("_output");
    if id.is_empty() || !is_result {
        return None;
    }
    // The call as it is now: it may have got a new id, and a double of it may be gone.
    edits.fates.iter().zip(&transcript.units).rev().find_map(|(fate, unit)| {
        let now = match fate {
            Fate::Kept => &unit.json,
            Fate::Rewritten(json) => json,
            Fate::Removed => return None,
        };
        let doc = now.doc();
        let call = doc.root().get("functionCall").unwrap_or(doc.root());
        let is_call = ["id", "call_id"].iter().any(|key| word(call, key) == id);
        let origin = unit.origin.filter(|origin| is_call && origin.slot % 2 == 0)?;
        messages.items().nth(origin.record)?.get("parts")?.items().nth(origin.slot / 2)
    })
}

/// Ends the run of a tool, leaving what else its part says.
fn end(part: Node<'_>, result: &Json, patch: &mut Patch) {
    let Some(state) = part.get("state") else { return };
    let start = state.get("time").and_then(|time| time.get("start"));
    let start = start.map_or(Json::number(0), Node::json);
    let time = Json::object(|o| {
        o.json("start", &start);
        o.json("end", &start);
    });
    let mut added = vec![format!("\"error\":{}", Json::string(&text_of(result)).as_str())];
    match state.get("time") {
        Some(old) => patch.replace(old.range(), time.as_str()),
        None => added.push(format!("\"time\":{}", time.as_str())),
    }
    if let Some(status) = state.get("status") {
        patch.replace(status.range(), "\"error\"");
    }
    // Behind the brace that opens the state.
    let inside = state.range().start + 1;
    let comma = if state.is_empty() { "" } else { "," };
    patch.replace(inside..inside, added.join(",") + comma);
}

/// A new text is a new part of its neighbour's message.
fn add(insert: &Insert, transcript: &Transcript, messages: Node<'_>, patch: &mut Patch) {
    let origin = |unit: Option<usize>| transcript.units.get(unit?)?.origin;
    for (unit, behind) in [(insert.after, true), (insert.before, false)] {
        let Some(origin) = origin(unit) else { continue };
        let Some(message) = messages.items().nth(origin.record) else { continue };
        let part = message.get("parts").and_then(|parts| parts.items().nth(origin.slot / 2));
        let is_same = (role(message) == "user") == (insert.role == "user");
        if let Some(part) = part.filter(|_| is_same) {
            let new = new_part(part, &text_of(&insert.json));
            let Range { start, end } = part.range();
            if behind {
                patch.replace(end..end, format!(",{}", new.as_str()));
            } else {
                patch.replace(start..start, format!("{},", new.as_str()));
            }
            return;
        }
    }
}

fn new_part(neighbour: Node<'_>, text: &Text) -> Json {
    Json::object(|o| {
        let id = ids::letters(&word(neighbour, "id"), text.raw());
        o.word("id", &format!("prt_{id}"));
        for key in ["sessionID", "messageID"] {
            o.json_if(key, neighbour.get(key).map(Node::json).as_ref());
        }
        o.word("type", "text");
        o.text("text", text);
        o.boolean("synthetic", true);
    })
}

/// The text of a block or an item, wherever its dialect puts it.
fn text_of(json: &Json) -> Text {
    fn find(node: Node<'_>) -> Vec<Text> {
        match node.text() {
            Some(text) => vec![text],
            None if node.is_array() => node.items().flat_map(find).collect(),
            None => {
                let keys = [
                    "text",
                    "content",
                    "output",
                    "thinking",
                    "functionResponse",
                    "response",
                    "error",
                ];
                keys.iter().find_map(|key| node.get(key)).map(find).unwrap_or_default()
            }
        }
    }
    Text::join(&find(json.doc().root()), "\n\n")
}
