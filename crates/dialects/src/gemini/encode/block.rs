//! Encodes blocks as parts.

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, Media, MediaSource, Reasoning, ReasoningForm,
    ToolArgs, ToolCall, Verbatim,
};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, RawJson};

use super::context::EncodeCx;
use super::fields::{encode_id, is_own_seal, note_dropped_attributes};
use super::{media, tool_result};
use crate::common::tool_args;
use crate::gemini::field_name;
use crate::gemini::id::ID;
use crate::note;

/// Returns whether a block can be encoded, and notes it if not.
pub(crate) fn check_encodable(
    block: &Verbatim<Block>,
    cx: EncodeCx<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> bool {
    if block.text_for(ID).is_some() {
        return true;
    }
    match &block.content {
        BlockContent::Reasoning(thinking) => {
            check_thinking_encodable(thinking, block, cx, path, ledger)
        }
        BlockContent::Foreign { dialect, .. } if *dialect == ID => true,
        BlockContent::Foreign { dialect, kind, .. } => {
            let message = format!("left out a block of {dialect} (`{kind}`)");
            ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
            false
        }
        BlockContent::Media(media) if !media::is_encodable(media, cx) => {
            let message = "left out a file in another provider's file storage";
            ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
            false
        }
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_) => true,
    }
}

fn check_thinking_encodable(
    thinking: &Reasoning,
    block: &Block,
    cx: EncodeCx<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> bool {
    let own_seal = block.seal.as_deref().is_some_and(is_own_seal);
    let is_supported = own_seal
        || match cx {
            EncodeCx::Request(calls) => block.seal.is_none() && calls.conversation().dialect == ID,
            EncodeCx::Reply => thinking.form != ReasoningForm::Redacted,
        };
    if !is_supported {
        let message = "left out reasoning that this provider did not sign";
        ledger.record_loss(note::FOREIGN_SEAL, path, message);
    }
    is_supported
}

/// Encodes the part or parts of a block that passed [`check_encodable`].
pub(crate) fn encode_part(
    block: &Verbatim<Block>,
    cx: EncodeCx<'_>,
    turn: usize,
    path: LedgerPath,
    list: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    if let Some(text) = block.text_for(ID) {
        return list.item().json(text);
    }
    if let BlockContent::Foreign { json, .. } = &block.content {
        return list.item().json(json);
    }
    if let BlockContent::Media(media) = &block.content
        && let MediaSource::Blocks(blocks) = &media.source
    {
        note_dropped_attributes(block, path, ledger);
        note_document_as_text(media, path, ledger);
        for inner in blocks {
            // An empty text part is rejected.
            let is_empty = inner.content.as_text().is_some_and(JsonString::is_empty);
            if !is_empty && check_encodable(inner, cx, path, ledger) {
                encode_part(inner, cx, turn, path, list, ledger);
            }
        }
        return;
    }
    note_dropped_attributes(block, path, ledger);
    list.object(|object| {
        encode_data(block, cx, turn, path, object, ledger);
        if let Some(seal) = block.seal.as_deref().filter(|seal| is_own_seal(seal)) {
            object.json_string("thoughtSignature", &seal.data);
        }
        for (key, value) in block.extras.fields_for(ID) {
            if !NESTED_EXTRAS_KEYS.iter().any(|nested_key| key == nested_key) {
                object.key_json_string(key).json(value);
            }
        }
    });
}

fn encode_data(
    block: &Block,
    cx: EncodeCx<'_>,
    turn: usize,
    path: LedgerPath,
    object: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    match &block.content {
        BlockContent::Text { text, citations } => {
            if !citations.is_empty() && matches!(cx, EncodeCx::Request(_)) {
                let message = "left out the citations of a text";
                ledger.record_loss(note::CITATION_REDUCED, path, message);
            }
            object.json_string("text", text);
        }
        BlockContent::Refusal(text) => {
            ledger.record_change(note::NO_SUCH_BLOCK, path, "a refusal is encoded as text");
            object.json_string("text", text);
        }
        BlockContent::Reasoning(thinking) => {
            object.json_string("text", &thinking.text);
            object.boolean("thought", true);
        }
        BlockContent::Media(media) => {
            if matches!(media.source, MediaSource::Text(_)) {
                note_document_as_text(media, path, ledger);
            }
            media::encode_media(media, &block.extras, object, path, ledger);
        }
        BlockContent::Json(json) => {
            ledger.record_change(note::NO_SUCH_BLOCK, path, "JSON data is encoded as text");
            object.json_string("text", &JsonString::new(json.as_str()));
        }
        BlockContent::ToolCall(call) => object.object("functionCall", |object| {
            encode_function_call(call, block, cx, path, object, ledger);
        }),
        BlockContent::ToolResult(result) => object.object("functionResponse", |object| {
            tool_result::encode_function_response(result, block, cx, turn, path, object, ledger);
        }),
        BlockContent::Foreign { .. } => {}
    }
}

fn encode_function_call(
    call: &ToolCall,
    block: &Block,
    cx: EncodeCx<'_>,
    path: LedgerPath,
    object: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    encode_id(&call.id, block, object);
    object.json_string("name", &call.name);
    object.json("args", &to_args_object(&call.args, cx, path, ledger));
    field_name::write_unknown_fields(block.extras.get(ID, "functionCall"), object);
}

/// `args` must be an object in this dialect.
fn to_args_object(
    args: &ToolArgs,
    cx: EncodeCx<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> RawJson {
    let (object, wrap_note) = match cx {
        EncodeCx::Request(_) => tool_args::request_args_object(args),
        EncodeCx::Reply => tool_args::reply_args_object(args),
    };
    if let Some(message) = wrap_note {
        ledger.record_change(note::ARGS_WRAPPED, path, message);
    }
    object
}

fn note_document_as_text(media: &Media, path: LedgerPath, ledger: &mut Ledger) {
    let message = match &media.name {
        Some(name) => format!("the document `{name}` is encoded as text, without its name"),
        None => "a document is encoded as text".to_owned(),
    };
    ledger.record_change(note::NO_SUCH_BLOCK, path, message);
}

/// Extras that are written inside the part's data field.
const NESTED_EXTRAS_KEYS: &[&str] = &["functionCall", "functionResponse", "inlineData", "fileData"];
