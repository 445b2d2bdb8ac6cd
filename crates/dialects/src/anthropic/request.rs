//! Decodes and encodes request bodies.

use std::collections::HashSet;

use bytes::Bytes;
use interlingua_model::{Block, Conversation, Ledger, LedgerPath, Settings, Verbatim};
use interlingua_providers::{Target, spelling};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, JsonString, JsonWriter, RawJson};

use super::encode::context::{BlockParent, EncodeCx};
use super::id::ID;
use super::{decode, encode};
use crate::common::{top_fields, turn_list};
use crate::note;

pub(super) fn decode(doc: &JsonDoc, ledger: &mut Ledger) -> Verbatim<Conversation> {
    let root = doc.root();
    let mut conversation = Conversation::new(ID);
    if !root.is_object() {
        decode::fields::note_odd_input(
            ledger,
            LedgerPath::BODY,
            "the body is not an object: there is no conversation",
        );
    }
    conversation.top_level_fields =
        top_fields::decode(doc, |_| true, decode::settings::known_subfields, ledger);
    let mut settings_read = Box::<Settings>::default();
    let mut unknown_fields = HashSet::new();
    for field in root.fields() {
        let (name, value) = (field.key(), field.value);
        match &*name {
            "model" => conversation.model = value.json_string(),
            "messages" => conversation.turns = decode::turn::decode_turns(value, ledger),
            "system" => conversation.system = decode_system(value, ledger),
            "tools" => conversation.tools = decode::tool::decode_tools(value, ledger),
            key => decode::settings::decode_setting(&mut settings_read, key, value, ledger),
        }
        if !decode::settings::is_known_field(&name, value) {
            unknown_fields.insert(name);
        }
    }
    if !unknown_fields.is_empty() {
        for field in &mut conversation.top_level_fields {
            field.is_modeled &= !unknown_fields.contains(&*field.key.unescape());
        }
    }
    conversation.settings = Verbatim::with_text(settings_read, ID, doc.to_json());
    Verbatim::with_text(conversation, ID, doc.to_json())
}

pub(super) fn decode_system(
    node: JsonNode<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Block>>> {
    let blocks = if node.is_null() {
        Vec::new()
    } else {
        decode::block::decode_content(Some(node), LedgerPath::SYSTEM, ledger)
    };
    Verbatim::with_text(blocks, ID, node.json())
}

pub(super) fn encode(
    conversation: &Verbatim<Conversation>,
    target: &Target,
    ledger: &mut Ledger,
) -> Bytes {
    let model = target.model.as_ref().or(conversation.model.as_ref());
    if let Some(text) = conversation.text_for(ID).filter(|_| model == conversation.model.as_ref()) {
        return text.to_bytes();
    }
    let mut out = JsonWriter::with_capacity(top_fields::estimate_capacity(conversation));
    let unsigned = spelling::anthropic::Flavor::find(target.flavor).allows_unsigned_thinking;
    let mut cx = EncodeCx {
        ledger,
        same_dialect: conversation.dialect == ID,
        allows_unsigned_thinking: unsigned,
    };
    out.object(|o| {
        if cx.same_dialect {
            encode_same_dialect(conversation, model, &mut cx, o);
        } else {
            encode_cross_dialect(conversation, model, &mut cx, o);
        }
    });
    out.into_bytes().into()
}

/// Encodes a body that arrived in this dialect: fields keep their order, and unedited fields keep
/// their text.
fn encode_same_dialect(
    conversation: &Conversation,
    model: Option<&JsonString>,
    cx: &mut EncodeCx<'_>,
    o: &mut ObjectWriter<'_>,
) {
    let edited = conversation.settings.text_for(ID).is_none();
    let mut original = Settings::default();
    if edited {
        for field in &conversation.top_level_fields {
            let key = field.key.unescape();
            let doc = field.value.to_doc();
            decode::settings::decode_setting(
                &mut original,
                &key,
                doc.root(),
                &mut Ledger::default(),
            );
        }
    }
    let encode_setting = |key: &str,
                          value: Option<&RawJson>,
                          cx: &mut EncodeCx<'_>,
                          o: &mut ObjectWriter<'_>| {
        edited
            && encode::settings::encode_edited_setting(key, value, conversation, &original, cx, o)
    };
    top_fields::encode(conversation, o, |key, value, o| match key {
        "model" => {
            o.json_string_opt("model", model);
            model.is_some()
        }
        "messages" => {
            o.array("messages", |a| encode::turn::encode_same_dialect(conversation, cx, a));
            true
        }
        "system" => {
            write_system(conversation, 0, cx, o);
            true
        }
        "tools" => {
            write_tools(conversation, cx, o);
            true
        }
        key => encode_setting(key, Some(value), cx, o),
    });
    let is_new = |key: &str| !conversation.top_level_fields.iter().any(|field| field.key == *key);
    if is_new("model") {
        o.json_string_opt("model", model);
    }
    if is_new("messages") {
        o.array("messages", |a| encode::turn::encode_same_dialect(conversation, cx, a));
    }
    if is_new("system") && !conversation.system.is_empty() {
        write_system(conversation, 0, cx, o);
    }
    if is_new("tools") && !conversation.tools.is_empty() {
        write_tools(conversation, cx, o);
    }
    for key in decode::settings::SETTING_KEYS.iter().filter(|key| is_new(key)) {
        encode_setting(key, None, cx, o);
    }
}

/// Encodes a body that arrived in another dialect, in the field order of this dialect's clients.
fn encode_cross_dialect(
    conversation: &Conversation,
    model: Option<&JsonString>,
    cx: &mut EncodeCx<'_>,
    o: &mut ObjectWriter<'_>,
) {
    top_fields::note_dropped_fields(conversation, ID, cx.ledger);
    let leading = turn_list::leading_instruction_count(conversation);
    o.json_string_opt("model", model);
    write_system(conversation, leading, cx, o);
    o.array("messages", |a| encode::turn::encode_cross_dialect(conversation, leading, cx, a));
    write_tools(conversation, cx, o);
    encode::settings::encode_settings(conversation, cx, o);
}

/// Writes the system prompt, followed by the leading instruction turns of the conversation.
fn write_system(
    conversation: &Conversation,
    leading: usize,
    cx: &mut EncodeCx<'_>,
    o: &mut ObjectWriter<'_>,
) {
    if let Some(text) = conversation.system.text_for(ID).filter(|_| leading == 0) {
        o.json("system", text);
        return;
    }
    let turns = conversation.turns.get(..leading).unwrap_or_default();
    if conversation.system.is_empty() && turns.iter().all(|turn| turn.blocks.is_empty()) {
        return;
    }
    o.array("system", |a| {
        for (at, block) in conversation.system.iter().enumerate() {
            encode::block::encode_block(block, BlockParent::System, LedgerPath::system(at), cx, a);
        }
        for (at, turn) in turns.iter().enumerate() {
            encode::fields::note_dropped_extras(&turn.extras, LedgerPath::turn(at), cx.ledger);
            for (block_index, block) in turn.blocks.iter().enumerate() {
                encode::block::encode_block(
                    block,
                    BlockParent::System,
                    LedgerPath::block(at, block_index),
                    cx,
                    a,
                );
            }
        }
    });
}

fn write_tools(conversation: &Conversation, cx: &mut EncodeCx<'_>, o: &mut ObjectWriter<'_>) {
    let allowed = encode::tool::allowed_tools(conversation);
    if let Some(text) = conversation.tools.text_for(ID).filter(|_| allowed.is_none()) {
        o.json("tools", text);
        return;
    }
    if conversation.tools.is_empty() {
        return;
    }
    o.array("tools", |a| {
        for (at, tool) in conversation.tools.iter().enumerate() {
            if allowed.as_ref().is_none_or(|names| names.contains(&tool.name)) {
                encode::tool::encode_tool(tool, at, cx, a);
            } else {
                let message =
                    format!("left out `{}`: the tool choice does not allow it", tool.name);
                cx.ledger.record_loss(note::SETTING_CONVERTED, LedgerPath::tool(at), message);
            }
        }
    });
}
