//! Encodes a tool result as a function response.

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, MediaSource, ToolResult, Verbatim,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonString, RawJson};

use super::context::EncodeCx;
use super::{fields, media};
use crate::gemini::field_name;
use crate::gemini::id::ID;
use crate::note;

/// The content of a result, grouped by the field it is written to.
#[derive(Default)]
struct ToolResultContent<'r> {
    texts: Vec<JsonString>,
    data: Option<&'r RawJson>,
    parts: Vec<RawJson>,
}

pub(super) fn encode_function_response(
    result: &ToolResult,
    block: &Block,
    cx: EncodeCx<'_>,
    turn: usize,
    path: LedgerPath,
    object: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    fields::encode_id(&result.call_id, block, object);
    object.json_string("name", &function_name(result, cx, turn, path, ledger));
    let mut content = ToolResultContent::default();
    for block in &result.content {
        content.add_block(block, cx, path, ledger);
    }
    content.encode_response(result.is_error, path, object, ledger);
    if !content.parts.is_empty() {
        object.array("parts", |list| {
            content.parts.iter().for_each(|part| list.item().json(part));
        });
    }
    field_name::write_unknown_fields(block.extras.get(ID, "functionResponse"), object);
}

/// The name must be that of the call: some backends answer another one with a bare "Request
/// contains an invalid argument."
fn function_name(
    result: &ToolResult,
    cx: EncodeCx<'_>,
    turn: usize,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> JsonString {
    let call = match cx {
        EncodeCx::Request(calls) => calls.call_before(turn, &result.call_id),
        EncodeCx::Reply => None,
    };
    let (call_name, result_name) = (call.map(|call| &call.name), result.name.as_ref());
    // The result's own name is used if it has no id, or if several calls share the id and one of
    // them has this name.
    let prefers_result_name =
        result.call_id.is_empty() || result_name != call_name && has_call_named(result, cx, turn);
    let name =
        if prefers_result_name { result_name.or(call_name) } else { call_name.or(result_name) };
    let name = name.filter(|name| !name.is_empty());
    name.cloned().unwrap_or_else(|| {
        let message = "a result has no name and no matching call: its name is `unknown`";
        ledger.record_change(note::REQUIRED_ADDED, path, message);
        JsonString::from_static("unknown")
    })
}

/// Returns whether a call with the result's id has the result's name.
fn has_call_named(result: &ToolResult, cx: EncodeCx<'_>, turn: usize) -> bool {
    let (EncodeCx::Request(calls), Some(name)) = (cx, &result.name) else {
        return false;
    };
    calls.has_call_before(turn, &result.call_id, name)
}

impl<'r> ToolResultContent<'r> {
    fn add_block(
        &mut self,
        block: &'r Verbatim<Block>,
        cx: EncodeCx<'_>,
        path: LedgerPath,
        ledger: &mut Ledger,
    ) {
        fields::note_dropped_attributes(block, path, ledger);
        match &block.content {
            BlockContent::Text { text, citations } => {
                if !citations.is_empty() {
                    let message = "left out the citations of a result";
                    ledger.record_loss(note::CITATION_REDUCED, path, message);
                }
                self.texts.push(text.clone());
            }
            BlockContent::Refusal(text) => self.texts.push(text.clone()),
            BlockContent::Json(json) if self.data.is_none() => self.data = Some(json),
            BlockContent::Json(json) => self.texts.push(JsonString::new(json.as_str())),
            BlockContent::Media(media) => match &media.source {
                MediaSource::Text(text) => self.texts.push(text.clone()),
                MediaSource::Blocks(blocks) => {
                    for inner in blocks {
                        self.add_block(inner, cx, path, ledger);
                    }
                }
                MediaSource::Base64 { .. } | MediaSource::Url { .. } | MediaSource::File { .. } => {
                    self.add_media(block, media, cx, path, ledger);
                }
            },
            BlockContent::Foreign { dialect, json, .. } if *dialect == ID => {
                self.parts.push(json.clone());
            }
            BlockContent::Foreign { dialect, kind, .. } => {
                let message = format!("left out a block of {dialect} (`{kind}`) in a result");
                ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
            }
            BlockContent::Reasoning(_)
            | BlockContent::ToolCall(_)
            | BlockContent::ToolResult(_) => {
                let message = "left out a block that a result cannot contain";
                ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
            }
        }
    }

    fn add_media(
        &mut self,
        block: &Verbatim<Block>,
        media: &interlingua_model::Media,
        cx: EncodeCx<'_>,
        path: LedgerPath,
        ledger: &mut Ledger,
    ) {
        if let Some(text) = block.text_for(ID) {
            self.parts.push(text.clone());
        } else if media::is_encodable(media, cx) {
            self.parts.push(media::encode_media_part(media, path, ledger));
        } else {
            let message = "left out a file in another provider's file storage";
            ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
        }
    }

    /// A result is written under `output`, an error under `error`. A JSON object becomes the
    /// response itself.
    fn encode_response(
        &mut self,
        is_error: bool,
        path: LedgerPath,
        object: &mut ObjectWriter<'_>,
        ledger: &mut Ledger,
    ) {
        let key = if is_error { "error" } else { "output" };
        if let Some(data) = self.data {
            let has_error_field = || field_name::get(data.to_doc().root(), "error").is_some();
            if self.texts.is_empty() {
                if data.is_object() && is_error == has_error_field() {
                    return object.json("response", data);
                }
                return object.object("response", |object| object.json(key, data));
            }
            self.texts.push(JsonString::new(data.as_str()));
        }
        if self.texts.len() > 1 {
            let message = "the texts of a result are joined into one";
            ledger.record_change(note::TEXTS_JOINED, path, message);
        }
        object.object("response", |object| object.key(key).join(&self.texts, "\n"));
    }
}
