//! Builds the request that opencode would send next, in the dialect of its provider.

use std::collections::BTreeMap;

use interlingua::{JsonString, RawJson, find_dialect};
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::encoder::{MessageLayout, RequestEncoder};
use super::parts::{ExportPart, PartKind, str_field};
use crate::{FileLocation, Format, Note, RequestPart, Transcript, TranscriptFile, request_part};

pub(super) fn read(
    export_parts: &[ExportPart<'_>],
    messages: JsonNode<'_>,
    source: &TranscriptFile,
    format: &'static dyn Format,
    encoder_for: fn(&str, &str) -> &'static RequestEncoder,
) -> Option<Transcript> {
    let (provider, model) = last_model(messages);
    let encoder = encoder_for(&provider, &model);
    let mut parts: Vec<RequestPart> = Vec::new();
    let mut skipped = BTreeMap::new();
    let mut lines =
        source.line_numbers(export_parts.iter().map(|part| part.node.range().start)).into_iter();
    for step in export_parts.chunk_by(|a, b| a.step == b.step) {
        let lines: Vec<usize> = lines.by_ref().take(step.len()).collect();
        encode_step(step, &lines, encoder, &mut parts, &mut skipped);
    }
    let note = |(kind, count): (String, usize)| {
        let message = format!("{count} parts of the kind `{kind}` are left out of the request");
        Note::for_file(message)
    };
    let mut notes: Vec<Note> = skipped.into_iter().map(note).collect();
    let mut has_placeholder = false;
    if let Some(messages) = &encoder.messages {
        assign_turns(&mut parts, messages);
        has_placeholder = parts.last().is_some_and(|part| part.role == messages.assistant_role);
        if has_placeholder {
            let turn = parts.last().map_or(0, |part| part.turn + 1);
            let json = (messages.encode_text)(&JsonString::from_static("Continue."));
            parts.push(RequestPart { turn, ..new_part("user", json, None) });
            notes.push(Note::for_file(Note::PLACEHOLDER_ADDED));
        }
        parts = assign_block_indices(parts);
    } else {
        for (turn, part) in parts.iter_mut().enumerate() {
            part.turn = turn;
            part.role = str_field(part.json.to_doc().root(), "role").into_owned();
        }
    }
    let body = request_body(&parts, encoder, &model);
    let body = interlingua_wire::RawJson::to_bytes(&body);
    let dialect = find_dialect(encoder.dialect)?;
    let model = (!model.is_empty()).then(|| JsonString::new(&model));
    Some(Transcript { format, dialect, body, parts, notes, model, has_placeholder })
}

/// Encodes the parts of one step, then the results of its calls.
fn encode_step(
    step: &[ExportPart<'_>],
    lines: &[usize],
    encoder: &RequestEncoder,
    request_parts: &mut Vec<RequestPart>,
    skipped: &mut BTreeMap<String, usize>,
) {
    let assistant_role =
        encoder.messages.as_ref().map_or("assistant", |messages| messages.assistant_role);
    let role = if step.iter().any(|part| part.from_user) { "user" } else { assistant_role };
    let origin = |part: &ExportPart<'_>, line: usize, result: usize| {
        Some(FileLocation { line, record: part.message_index, index: part.index * 2 + result })
    };
    for (part, line) in step.iter().zip(lines) {
        match (encoder.encode_part)(part) {
            Some(json) => request_parts.push(new_part(role, json, origin(part, *line, 0))),
            None => *skipped.entry(str_field(part.node, "type").into_owned()).or_default() += 1,
        }
    }
    for (part, line) in step.iter().zip(lines).filter(|(part, _)| part.kind == PartKind::Tool) {
        let Some(state) = part.node.get("state") else { continue };
        let (key, is_error) = match &*str_field(state, "status") {
            "completed" => ("output", false),
            "error" => ("error", true),
            _ => continue,
        };
        let attachments = state.get("attachments").into_iter().flat_map(JsonNode::items);
        let skipped_files = attachments
            .filter(|file| !encoder.allows_result_files || data_url(*file).is_none())
            .count();
        if skipped_files > 0 {
            *skipped.entry("attachment".to_owned()).or_default() += skipped_files;
        }
        let text = state.get(key).and_then(JsonNode::json_string).unwrap_or_default();
        let json = (encoder.encode_result)(part, &text, is_error);
        request_parts.push(new_part("user", json, origin(part, *line, 1)));
    }
}

fn new_part(role: &str, json: RawJson, origin: Option<FileLocation>) -> RequestPart {
    RequestPart { turn: 0, block: None, role: role.to_owned(), json, offset: 0, location: origin }
}

/// Gives neighbours of one role the same turn; a user's results come first.
fn assign_turns(parts: &mut [RequestPart], messages: &MessageLayout) {
    let mut turn = 0;
    for at in 1..parts.len() {
        if parts[at].role != parts[at - 1].role {
            turn += 1;
        }
        parts[at].turn = turn;
    }
    parts.sort_by_key(|part| {
        let doc = part.json.to_doc();
        (part.turn, part.role == "user" && !(messages.is_result)(doc.root()))
    });
}

fn assign_block_indices(mut parts: Vec<RequestPart>) -> Vec<RequestPart> {
    for turn in parts.chunk_by_mut(|a, b| a.turn == b.turn) {
        for (index, part) in turn.iter_mut().enumerate() {
            part.block = Some(index);
        }
    }
    parts
}

fn request_body(parts: &[RequestPart], encoder: &RequestEncoder, model: &str) -> RawJson {
    RawJson::object(|o| {
        o.str("model", model);
        let Some(messages) = &encoder.messages else {
            o.array("input", |a| parts.iter().for_each(|part| a.item().json(&part.json)));
            o.boolean("store", false);
            return;
        };
        o.array(messages.list_key, |a| {
            for turn in parts.chunk_by(|a, b| a.turn == b.turn) {
                a.object(|o| {
                    o.str("role", &turn[0].role);
                    o.array(messages.content_key, |a| {
                        for part in turn {
                            a.item().json(&part.json);
                        }
                    });
                });
            }
        });
        // Placeholder definitions of the called tools: the file does not have the real ones.
        let called =
            parts.iter().filter_map(|part| (messages.called_tool)(part.json.to_doc().root()));
        (messages.write_rest)(
            &called.filter(|name| request_part::is_valid_tool_name(name)).collect(),
            o,
        );
    })
}

/// Provider and model of the last reply, else of the last prompt.
fn last_model(messages: JsonNode<'_>) -> (String, String) {
    let mut last = (String::new(), String::new());
    for info in messages.items().filter_map(|message| message.get("info")) {
        let node = info.get("model").filter(|model| model.is_object()).unwrap_or(info);
        let (provider, model) = (str_field(node, "providerID"), str_field(node, "modelID"));
        if !model.is_empty() {
            last = (provider.into_owned(), model.into_owned());
        }
    }
    last
}

pub(super) fn part_text(part: &ExportPart<'_>) -> JsonString {
    match part.kind {
        PartKind::Compaction => JsonString::from_static("What did we do so far?"),
        _ => part.node.get("text").and_then(JsonNode::json_string).unwrap_or_default(),
    }
}

/// Splits a data URL into media type and base64 data.
pub(super) fn data_url(file: JsonNode<'_>) -> Option<(JsonString, JsonString)> {
    let url = file.get("url").and_then(JsonNode::json_string)?;
    let (_, data) = url.split_once(";base64,")?;
    Some((file.get("mime").and_then(JsonNode::json_string)?, data))
}

/// The files of a tool result that can be encoded.
pub(super) fn attachments<'s>(
    part: &ExportPart<'s>,
    encode: fn(JsonNode<'s>) -> Option<RawJson>,
) -> Vec<RawJson> {
    let state = part.node.get("state").filter(|state| str_field(*state, "status") == "completed");
    let files = state.and_then(|state| state.get("attachments")).into_iter();
    files.flat_map(JsonNode::items).filter_map(encode).collect()
}

pub(super) fn write_call(part: &ExportPart<'_>, key: &'static str, o: &mut ObjectWriter<'_>) {
    o.json_string(
        key,
        &part.node.get("callID").and_then(JsonNode::json_string).unwrap_or_default(),
    );
    o.json_string(
        "name",
        &part.node.get("tool").and_then(JsonNode::json_string).unwrap_or_default(),
    );
}

pub(super) fn call_input(part: &ExportPart<'_>) -> RawJson {
    let input = part.node.get("state").and_then(|state| state.get("input"));
    input.map_or(RawJson::EMPTY_OBJECT, JsonNode::json)
}

/// A field of the part's metadata, under any provider's name.
pub(super) fn provider_metadata<'s>(part: &ExportPart<'s>, key: &str) -> Option<JsonNode<'s>> {
    let metadata = part.node.get("metadata")?;
    metadata.fields().find_map(|field| field.value.get(key))
}
