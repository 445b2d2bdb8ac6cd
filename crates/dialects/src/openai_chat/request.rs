//! Decodes and encodes request bodies.

use bytes::Bytes;
use interlingua_model::{Conversation, Ledger, LedgerPath, Verbatim};
use interlingua_providers::Target;
use interlingua_providers::spelling::openai_chat::Flavor;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, JsonString, JsonWriter, RawJson};

use super::decode::{self, turn};
use super::encode::context::EncodeCx;
use super::encode::{self, setting_groups};
use super::id::ID;
use crate::common::top_fields;
use crate::note;

pub(super) fn decode(body: &JsonDoc, ledger: &mut Ledger) -> Verbatim<Conversation> {
    let root = body.root();
    let mut conversation = Conversation::new(ID);
    if !root.is_object() {
        ledger.record_change(note::ODD_INPUT, LedgerPath::BODY, "the body is not an object");
        return Verbatim::with_text(conversation, ID, body.to_json());
    }
    conversation.top_level_fields =
        top_fields::decode(body, is_known_field, decode::settings::known_subfields, ledger);
    conversation.model = root.get("model").and_then(JsonNode::json_string);
    match root.get("messages") {
        Some(list) if list.is_array() => conversation.turns = turn::decode_messages(list, ledger),
        Some(_) => {
            ledger.record_change(note::ODD_INPUT, LedgerPath::BODY, "`messages` is not a list");
        }
        None if root.get("input").is_some() => {
            let message = "the body has `input` and no `messages`: it is of another dialect";
            ledger.record_change(note::ODD_INPUT, LedgerPath::BODY, message);
        }
        None => {
            ledger.record_change(note::ODD_INPUT, LedgerPath::BODY, "the body has no `messages`");
        }
    }
    conversation.tools = decode::tool::decode_tools(root, ledger);
    let mut unknown_fields = Vec::new();
    let settings = decode::settings::decode_settings(root, &mut unknown_fields);
    // A field with an unknown value is noted as dropped in a cross-dialect request.
    for field in
        conversation.top_level_fields.iter_mut().filter(|field| unknown_fields.contains(&field.key))
    {
        field.is_modeled = false;
    }
    conversation.settings = Verbatim::with_text(settings, ID, body.to_json());
    Verbatim::with_text(conversation, ID, body.to_json())
}

pub(super) fn encode(
    conversation: &Verbatim<Conversation>,
    target: &Target,
    ledger: &mut Ledger,
) -> Bytes {
    let same_model = target.model.is_none() || target.model == conversation.model;
    if let Some(text) = conversation.text_for(ID).filter(|_| same_model) {
        return text.to_bytes();
    }
    let flavor = Flavor::find(target.flavor);
    let model = target.model.as_ref().or(conversation.model.as_ref());
    let mut cx = EncodeCx::new(flavor, target.joins_instructions, conversation, ledger);
    let mut out = JsonWriter::with_capacity(top_fields::estimate_capacity(conversation));
    out.object(|o| {
        if conversation.dialect == ID {
            encode_same_dialect(model, o, &mut cx);
        } else {
            encode_cross_dialect(model, o, &mut cx);
        }
    });
    out.into_bytes().into()
}

fn encode_cross_dialect(
    model: Option<&JsonString>,
    o: &mut ObjectWriter<'_>,
    cx: &mut EncodeCx<'_>,
) {
    top_fields::note_dropped_fields(cx.conversation, ID, cx.ledger);
    o.json_string_opt("model", model);
    o.array("messages", |a| cx.encode_messages(a));
    write_tools(o, cx);
    setting_groups::encode_settings(cx.conversation, cx.flavor, o, cx.ledger);
}

/// Encodes a same-dialect body: fields keep their order, and unedited fields keep their text.
fn encode_same_dialect(
    model: Option<&JsonString>,
    o: &mut ObjectWriter<'_>,
    cx: &mut EncodeCx<'_>,
) {
    let conversation = cx.conversation;
    let settings = &*conversation.settings;
    let mut edited = setting_groups::EditedSettings::new(
        conversation,
        conversation.settings.text_for(ID).is_some(),
    );
    let keeps_tools = conversation.tools.text_for(ID).is_some();
    let has_field = |key: &str| {
        conversation
            .top_level_fields
            .iter()
            .any(|field| field.key == key && field.value != RawJson::NULL)
    };
    if !keeps_tools && has_field("function_call") {
        edited.replace_function_call(has_field("tool_choice"));
    }
    let mut missing = (model, !conversation.turns.is_empty(), !keeps_tools);
    top_fields::encode(conversation, o, |key, _, o| match key {
        "model" => {
            o.json_string_opt("model", missing.0.take());
            true
        }
        "messages" => {
            missing.1 = false;
            o.array("messages", |a| cx.encode_messages(a));
            true
        }
        "tools" | "functions" if !keeps_tools => {
            if std::mem::take(&mut missing.2) {
                write_tools(o, cx);
            }
            true
        }
        key => edited.is_edited_field(key, settings),
    });
    o.json_string_opt("model", missing.0);
    if missing.1 {
        o.array("messages", |a| cx.encode_messages(a));
    }
    if missing.2 {
        write_tools(o, cx);
    }
    edited.encode(conversation, cx.flavor, o, cx.ledger);
}

/// Writes `tools`: "`tools` must not be an empty array. Either provide at least one tool or omit the
/// field entirely."
fn write_tools(o: &mut ObjectWriter<'_>, cx: &mut EncodeCx<'_>) {
    let conversation = cx.conversation;
    if encode::tool::has_encodable(&conversation.tools) {
        o.array("tools", |a| {
            encode::tool::encode_tools(&conversation.tools, a, cx);
        });
    } else {
        // Nothing is written, but the dropped tools are noted.
        let mut discarded = JsonWriter::default();
        discarded.array(|a| encode::tool::encode_tools(&conversation.tools, a, cx));
    }
}

fn is_known_field(key: &str) -> bool {
    matches!(key, "model" | "messages" | "tools" | "functions") || setting_groups::is_setting(key)
}
