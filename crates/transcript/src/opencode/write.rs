//! Writes a repaired conversation back into an opencode export.

use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;
use interlingua::{JsonDoc, JsonLimits, JsonString, RawJson};
use interlingua_wire::JsonNode;

use super::parts::{role, str_field};
use crate::patch::FilePatch;
use crate::{
    Insertion, PartChange, PartEdits, Transcript, TranscriptFile, diff, ids, request_parts,
};

pub(super) fn write(source: &TranscriptFile, transcript: &Transcript, repaired: &Bytes) -> Bytes {
    let repaired_doc = JsonDoc::from_bytes(repaired.clone(), JsonLimits::default());
    let messages = source.single_value().and_then(|root| root.get("messages"));
    let (Some(messages), Ok(repaired_doc)) = (messages, repaired_doc) else {
        return source.bytes().clone();
    };
    let edits = diff(&transcript.parts, &request_parts(transcript.dialect, &repaired_doc));
    let changes = transcript.parts.iter().zip(&edits.changes);
    let changes: HashMap<(usize, usize), &PartChange> = changes
        .filter_map(|(part, part_change)| {
            part.location.map(|location| ((location.record, location.index), part_change))
        })
        .collect();
    let mut patch = FilePatch::default();
    for (message_index, message) in messages.items().enumerate() {
        let Some(part_list) = message.get("parts") else { continue };
        let parts: Vec<JsonNode<'_>> = part_list.items().collect();
        let mut removed = vec![false; parts.len()];
        for (part_index, part) in parts.iter().enumerate() {
            let change =
                |result: usize| changes.get(&(message_index, part_index * 2 + result)).copied();
            removed[part_index] = change(0) == Some(&PartChange::Removed);
            if let Some(PartChange::Rewritten(json)) = change(0) {
                rewrite_part(*part, json, &mut patch);
            }
            if let Some(PartChange::Rewritten(json)) = change(1) {
                set_result(*part, &extract_text(json), &mut patch);
            }
        }
        remove_parts(&parts, &removed, &mut patch);
    }
    for insert in &edits.insertions {
        match unanswered_tool_part(insert, messages, &edits, transcript) {
            Some(part) => set_error_result(part, &insert.json, &mut patch),
            None => insert_text_part(insert, transcript, messages, &mut patch),
        }
    }
    patch.apply(source)
}

/// Removes parts from their list, each with one comma.
fn remove_parts(parts: &[JsonNode<'_>], removed: &[bool], patch: &mut FilePatch) {
    for (index, part) in parts.iter().enumerate().filter(|(index, _)| removed[*index]) {
        let Range { start, end } = part.range();
        let has_previous = removed[..index].iter().any(|removed| !removed);
        let range = match (has_previous, parts.get(index + 1)) {
            (true, _) => parts[index - 1].range().end..end,
            (false, Some(next)) => start..next.range().start,
            (false, None) => start..end,
        };
        patch.replace(range, "");
    }
}

/// Updates a part to its rewritten block.
fn rewrite_part(part: JsonNode<'_>, json: &RawJson, patch: &mut FilePatch) {
    let doc = json.to_doc();
    let block = doc.root().get("functionCall").unwrap_or(doc.root());
    if str_field(part, "type") != "tool" {
        if let Some(text) = part.get("text") {
            patch.replace(text.range(), RawJson::string(&extract_text(json)).as_str());
        }
        return;
    }
    let mut replace = |old: Option<JsonNode<'_>>, new: Option<RawJson>| {
        if let (Some(old), Some(new)) = (old, new) {
            patch.replace(old.range(), new.as_str());
        }
    };
    let id = block.get("call_id").or_else(|| block.get("id"));
    replace(part.get("callID"), id.map(JsonNode::json));
    replace(part.get("tool"), block.get("name").map(JsonNode::json));
    let arguments = block.get("arguments").map(|text| text.str_or_empty().into_owned());
    let input = match arguments {
        Some(arguments) => RawJson::parse(arguments).ok(),
        None => block.get("input").or_else(|| block.get("args")).map(JsonNode::json),
    };
    replace(part.get("state").and_then(|state| state.get("input")), input);
}

fn set_result(part: JsonNode<'_>, text: &JsonString, patch: &mut FilePatch) {
    let Some(state) = part.get("state") else { return };
    let key = if str_field(state, "status") == "error" { "error" } else { "output" };
    if let Some(old_text) = state.get(key) {
        patch.replace(old_text.range(), RawJson::string(text).as_str());
    }
}

/// Finds the tool part without a result that a new result belongs to.
fn unanswered_tool_part<'s>(
    insert: &Insertion,
    messages: JsonNode<'s>,
    edits: &PartEdits,
    transcript: &Transcript,
) -> Option<JsonNode<'s>> {
    let doc = insert.json.to_doc();
    let id = match doc.root().get("functionResponse") {
        Some(response) => str_field(response, "id"),
        None => doc.root().get("tool_use_id").or_else(|| doc.root().get("call_id"))?.str_or_empty(),
    };
    let kind = str_field(doc.root(), "type");
    let is_result = kind.is_empty() || kind.ends_with("_result") || kind.ends_with("_output");
    if id.is_empty() || !is_result {
        return None;
    }
    // Compares with the rewritten call: its id may be new, and a duplicate of it may be removed.
    edits.changes.iter().zip(&transcript.parts).rev().find_map(|(part_change, part)| {
        let json = match part_change {
            PartChange::Unchanged => &part.json,
            PartChange::Rewritten(json) => json,
            PartChange::Removed => return None,
        };
        let doc = json.to_doc();
        let call = doc.root().get("functionCall").unwrap_or(doc.root());
        let is_call = ["id", "call_id"].iter().any(|key| str_field(call, key) == id);
        let location = part.location.filter(|location| is_call && location.index % 2 == 0)?;
        messages.items().nth(location.record)?.get("parts")?.items().nth(location.index / 2)
    })
}

/// Sets the result of a tool part to an error; its other fields stay.
fn set_error_result(part: JsonNode<'_>, result: &RawJson, patch: &mut FilePatch) {
    let Some(state) = part.get("state") else { return };
    let start = state.get("time").and_then(|time| time.get("start"));
    let start = start.map_or(RawJson::number(0), JsonNode::json);
    let time = RawJson::object(|o| {
        o.json("start", &start);
        o.json("end", &start);
    });
    let mut new_fields =
        vec![format!("\"error\":{}", RawJson::string(&extract_text(result)).as_str())];
    match state.get("time") {
        Some(old) => patch.replace(old.range(), time.as_str()),
        None => new_fields.push(format!("\"time\":{}", time.as_str())),
    }
    if let Some(status) = state.get("status") {
        patch.replace(status.range(), "\"error\"");
    }
    // After the opening brace of the state.
    let position = state.range().start + 1;
    let comma = if state.is_empty() { "" } else { "," };
    patch.replace(position..position, new_fields.join(",") + comma);
}

/// Adds a new text part to its neighbour's message.
fn insert_text_part(
    insert: &Insertion,
    transcript: &Transcript,
    messages: JsonNode<'_>,
    patch: &mut FilePatch,
) {
    let location = |index: Option<usize>| transcript.parts.get(index?)?.location;
    for (index, is_after) in [(insert.previous, true), (insert.next, false)] {
        let Some(location) = location(index) else { continue };
        let Some(message) = messages.items().nth(location.record) else { continue };
        let part = message.get("parts").and_then(|parts| parts.items().nth(location.index / 2));
        let is_same_role = (role(message) == "user") == (insert.role == "user");
        if let Some(part) = part.filter(|_| is_same_role) {
            let new_part = new_text_part(part, &extract_text(&insert.json));
            let Range { start, end } = part.range();
            if is_after {
                patch.replace(end..end, format!(",{}", new_part.as_str()));
            } else {
                patch.replace(start..start, format!("{},", new_part.as_str()));
            }
            return;
        }
    }
}

fn new_text_part(neighbour: JsonNode<'_>, text: &JsonString) -> RawJson {
    RawJson::object(|o| {
        let id = ids::hex_id(&str_field(neighbour, "id"), text.raw());
        o.str("id", &format!("prt_{id}"));
        for key in ["sessionID", "messageID"] {
            o.json_opt(key, neighbour.get(key).map(JsonNode::json).as_ref());
        }
        o.str("type", "text");
        o.json_string("text", text);
        o.boolean("synthetic", true);
    })
}

/// The text of a block or item in any of the dialects.
fn extract_text(json: &RawJson) -> JsonString {
    fn find(node: JsonNode<'_>) -> Vec<JsonString> {
        match node.json_string() {
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
    JsonString::join(&find(json.to_doc().root()), "\n\n")
}
