//! Decodes and encodes request bodies.

use bytes::Bytes;
use interlingua_model::{Block, Conversation, Ledger, LedgerPath, Verbatim};
use interlingua_providers::Target;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonKind, JsonNode, JsonWriter, RawJson};

use super::decode::{self, block};
use super::encode;
use super::encode::context::EncodeCx;
use super::encode::settings::SettingsEncoder;
use super::id::ID;
use crate::common::{top_fields, turn_list};
use crate::note;

pub(super) fn decode(doc: &JsonDoc, ledger: &mut Ledger) -> Verbatim<Conversation> {
    let root = doc.root();
    let mut conversation = Conversation::new(ID);
    if !root.is_object() {
        ledger.record_loss(note::ODD_INPUT, LedgerPath::BODY, "the body is not an object");
        return Verbatim::with_text(conversation, ID, doc.to_json());
    }
    // The model is part of the URL path. Some clients repeat it in the body.
    conversation.model =
        ["modelId", "model"].iter().find_map(|key| root.get(key).and_then(JsonNode::json_string));
    if let Some(node) = root.get("messages") {
        conversation.turns = decode_turns(node, ledger);
    }
    if let Some(node) = root.get("system") {
        conversation.system = decode_system(node, ledger);
    }
    let config = root.get("toolConfig").filter(|config| !config.is_null());
    if config.is_some_and(|config| config.get("tools").is_none_or(JsonNode::is_null)) {
        ledger.record_change(
            note::ODD_INPUT,
            LedgerPath::BODY,
            "`toolConfig` without tools is ignored",
        );
    } else if let Some(config) = config
        && let Some(list) = config.get("tools")
    {
        if !list.is_array() {
            ledger.record_change(note::ODD_INPUT, LedgerPath::tool(0), "`tools` is not a list");
        }
        // The tool choice is in the same field, so the field keeps its text only if neither was
        // edited.
        conversation.tools =
            Verbatim::with_text(decode::tool::decode_tools(list, ledger), ID, config.json());
    }
    let decoded = decode::settings::decode_settings(|key| root.get(key), ledger);
    conversation.settings = Verbatim::with_text(decoded, ID, doc.to_json());
    conversation.top_level_fields = top_fields::decode(
        doc,
        decode::settings::is_known_field,
        decode::settings::known_subfields,
        ledger,
    );
    Verbatim::with_text(conversation, ID, doc.to_json())
}

fn decode_turns(node: JsonNode<'_>, ledger: &mut Ledger) -> Vec<Verbatim<interlingua_model::Turn>> {
    match node.kind() {
        JsonKind::Array => {
            let messages = turn_list::non_null_items(node, ledger).enumerate();
            messages.map(|(at, item)| decode::turn::decode_turn(item, at, ledger)).collect()
        }
        JsonKind::Null => Vec::new(),
        JsonKind::Object | JsonKind::String | JsonKind::Number | JsonKind::Bool => {
            ledger.record_change(
                note::ODD_INPUT,
                LedgerPath::BODY,
                "`messages` is not a list: read as one message",
            );
            vec![decode::turn::decode_turn(node, 0, ledger)]
        }
    }
}

pub(super) fn decode_system(
    node: JsonNode<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Block>>> {
    let is_system_block = |item: JsonNode<'_>| {
        let is_set = |key: &&str| item.get(key).is_some_and(|value| !value.is_null());
        SYSTEM_BLOCK_KEYS.iter().any(is_set)
    };
    if node.items().any(|item| item.is_object() && !is_system_block(item)) {
        let message = "a block of the system prompt has an unknown kind";
        ledger.record_change(note::ODD_INPUT, LedgerPath::SYSTEM, message);
    }
    if node.is_null() {
        return Verbatim::with_text(Vec::new(), ID, node.json());
    }
    Verbatim::with_text(block::decode_blocks(node, LedgerPath::SYSTEM, ledger), ID, node.json())
}

/// Union keys of a block of the system prompt.
const SYSTEM_BLOCK_KEYS: &[&str] = &["text", "guardContent", "cachePoint"];

pub(super) fn encode(
    conversation: &Verbatim<Conversation>,
    target: &Target,
    ledger: &mut Ledger,
) -> Bytes {
    let target_model = target.model.as_ref().filter(|_| conversation.model.is_some());
    let same_model = target_model.is_none() || target_model == conversation.model.as_ref();
    if let Some(text) = conversation.text_for(ID).filter(|_| same_model) {
        return text.to_bytes();
    }
    let mut out = JsonWriter::with_capacity(top_fields::estimate_capacity(conversation));
    if conversation.dialect == ID {
        out.object(|o| encode_same_dialect(conversation, target, ledger, o));
    } else {
        top_fields::note_dropped_fields(conversation, ID, ledger);
        out.object(|o| encode_cross_dialect(conversation, ledger, o));
    }
    out.into_bytes().into()
}

/// Writes the fields in their order; unedited fields keep their text.
fn encode_same_dialect(
    conversation: &Conversation,
    target: &Target,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    let unedited = conversation.settings.text_for(ID).is_some();
    let options = (!unedited).then(|| SettingsEncoder::new(conversation, true));
    top_fields::encode(conversation, o, |key, value, o| match key {
        "modelId" | "model" => match &target.model {
            Some(model) => {
                o.key_json_string(&key.into()).json_string(model);
                true
            }
            None => false,
        },
        "messages" => {
            o.array("messages", |a| {
                encode::turn::encode_same_dialect(&conversation.turns, ledger, a);
            });
            true
        }
        "system" if conversation.system.text_for(ID).is_none() => {
            write_system(conversation, EncodeCx::SameDialect, ledger, o);
            true
        }
        "toolConfig" if !unedited || conversation.tools.text_for(ID).is_none() => {
            encode::tool::encode_tool_config(conversation, Some(value), ledger, o);
            true
        }
        key => {
            match (&options, encode::settings::SETTING_FIELDS.iter().find(|field| **field == key)) {
                (Some(options), Some(field)) => {
                    options.encode_field(field, Some(value), ledger, o);
                    true
                }
                _ => false,
            }
        }
    });
    let is_missing = |key: &str| conversation.top_level_fields.iter().all(|field| field.key != key);
    if is_missing("messages") && !conversation.turns.is_empty() {
        o.array("messages", |a| encode::turn::encode_same_dialect(&conversation.turns, ledger, a));
    }
    if is_missing("system") {
        write_system(conversation, EncodeCx::SameDialect, ledger, o);
    }
    if is_missing("toolConfig") {
        encode::tool::encode_tool_config(conversation, None, ledger, o);
    }
    if let Some(options) = &options {
        for field in encode::settings::SETTING_FIELDS.iter().filter(|field| is_missing(field)) {
            options.encode_field(field, None, ledger, o);
        }
        encode::settings::note_dropped_settings(conversation, ledger);
    }
}

fn encode_cross_dialect(
    conversation: &Conversation,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    o.array("messages", |a| encode::turn::encode_cross_dialect(conversation, ledger, a));
    write_system(conversation, EncodeCx::CrossDialect, ledger, o);
    encode::tool::encode_tool_config(conversation, None, ledger, o);
    let options = SettingsEncoder::new(conversation, false);
    for field in encode::settings::SETTING_FIELDS {
        options.encode_field(field, None, ledger, o);
    }
    encode::settings::note_dropped_settings(conversation, ledger);
}

/// Writes nothing if there is no system prompt.
fn write_system(
    conversation: &Conversation,
    cx: EncodeCx,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    let list = RawJson::array(|a| encode::turn::encode_system(conversation, cx, ledger, a));
    if list != RawJson::EMPTY_ARRAY {
        o.json("system", &list);
    }
}
