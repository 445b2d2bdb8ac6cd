//! Decodes and encodes conversations.

use bytes::Bytes;
use interlingua_model::{
    Block, Conversation, DialectId, Ledger, LedgerPath, LedgerSection, Role, Settings, Tool,
    TopLevelField, Verbatim,
};
use interlingua_providers::Target;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonWriter, RawJson};

use super::decode::turn::decode_turn;
use super::decode::{self, unknown_fields};
use super::encode::block::RawPolicy;
use super::encode::turn::encode_turn;
use super::id::ID;
use super::{encode, enum_names};
use crate::common::turn_list;
use crate::dialect::Dialect;
use crate::{note, registry};

pub(super) fn encode(conversation: &Verbatim<Conversation>, target: &Target) -> Bytes {
    let model = target.model.as_ref().or(conversation.model.as_ref());
    if let Some(text) = conversation.text_for(ID).filter(|_| model == conversation.model.as_ref()) {
        return text.to_bytes();
    }
    let mut out = JsonWriter::default();
    out.object(|o| {
        o.number("interlingua", FORMAT_VERSION);
        o.str("source", conversation.dialect.0);
        o.json_string_opt("model", model);
        if !conversation.system.is_empty() {
            o.array("system", |a| {
                encode::block::encode_blocks(&conversation.system, RawPolicy::Include, a);
            });
        }
        o.array("turns", |a| {
            for turn in &conversation.turns {
                a.object(|o| encode_turn(turn, o));
            }
        });
        if !conversation.tools.is_empty() {
            o.array("tools", |a| {
                for tool in conversation.tools.iter() {
                    a.object(|o| encode::tool::encode_tool(tool, o));
                }
            });
        }
        encode_settings(conversation, o);
        encode_fields(conversation, o);
    });
    out.into_bytes().into()
}

/// The original text of the settings is the body's fields; `as_written` tells that those are still
/// current.
fn encode_settings(conversation: &Conversation, o: &mut ObjectWriter<'_>) {
    let as_written = encode::block::has_raw(conversation.settings.original());
    if **conversation.settings != Settings::default() || as_written {
        o.object("settings", |o| {
            encode::settings::encode_settings(&conversation.settings, o);
            if as_written {
                o.boolean("as_written", true);
            }
        });
    }
}

/// Writes the body's fields in order. Values that turns, system and tools already contain are not
/// repeated.
fn encode_fields(conversation: &Conversation, o: &mut ObjectWriter<'_>) {
    if conversation.top_level_fields.is_empty() || conversation.dialect == ID {
        return;
    }
    let turns_key =
        registry::find_provider_dialect(conversation.dialect.0).map_or("", Dialect::turns_key);
    let system = conversation.system.text_for(conversation.dialect);
    let tools = conversation.tools.text_for(conversation.dialect);
    o.array("fields", |a| {
        for field in &conversation.top_level_fields {
            a.object(|o| {
                o.json_string("key", &field.key);
                if field.key == turns_key && field.value.kind() == interlingua_wire::JsonKind::Array
                {
                    o.static_str("holds", "turns");
                } else {
                    o.json("value", &field.value);
                }
                if system == Some(&field.value) {
                    o.static_str("holds", "system");
                } else if tools == Some(&field.value) {
                    o.static_str("holds", "tools");
                }
                o.boolean("known", field.is_modeled);
            });
        }
    });
}

pub(super) fn decode(root: JsonNode<'_>, ledger: &mut Ledger) -> Conversation {
    let source = root
        .get("source")
        .and_then(|name| enum_names::find_dialect(&name.str_or_empty()))
        .unwrap_or(ID);
    let mut conversation = Conversation::new(source);
    conversation.model = root.get("model").and_then(interlingua_wire::JsonNode::json_string);
    let first_entry = ledger.entries.len();
    conversation.system =
        decode::block::decode_blocks(root.get("system"), Role::System, ledger).into();
    decode::block::set_entry_paths(ledger, first_entry, |path| {
        *path = LedgerPath { section: LedgerSection::System, index: None, block: path.block };
    });
    for (key, list) in ["turns", "tools"].map(|key| (key, root.get(key))) {
        if list.is_some_and(|list| !list.is_array() && !list.is_null()) {
            let message = format!("left out `{key}`: it is not a list");
            ledger.record_loss(note::ODD_INPUT, LedgerPath::BODY, message);
        }
    }
    let list = root.get("turns").map(|list| turn_list::non_null_items(list, ledger));
    for turn in list.into_iter().flatten() {
        let (at, first_entry) = (conversation.turns.len(), ledger.entries.len());
        conversation.turns.push(decode_turn(turn, ledger));
        decode::block::set_entry_paths(ledger, first_entry, |path| path.index = Some(at as u32));
    }
    conversation.tools = decode_tools(root.get("tools"), ledger).into();
    let mut as_written = false;
    if let Some(node) = root.get("settings") {
        as_written = node.get("as_written").and_then(JsonNode::as_bool).unwrap_or(false);
        conversation.settings = Box::new(decode::settings::decode_settings(node)).into();
        if !as_written && !node.is_null() {
            decode::settings::note_unknown_settings(node, ledger);
        }
    }
    let mut holds_tools = false;
    for field in root.get("fields").into_iter().flat_map(JsonNode::items) {
        holds_tools |= decode_field(field, &mut conversation, ledger);
    }
    if as_written || holds_tools {
        redecode_fields(&mut conversation, as_written, holds_tools, ledger);
    }
    if source == ID {
        unknown_fields::check_body(root, KNOWN_FIELDS, ledger);
    }
    conversation
}

/// Decodes the tools. A value that is not a list is decoded as one tool.
fn decode_tools(tools: Option<JsonNode<'_>>, ledger: &mut Ledger) -> Vec<Verbatim<Tool>> {
    let Some(tools) = tools.filter(|tools| !tools.is_null()) else { return Vec::new() };
    if !tools.is_array() {
        let message = "tools are not a list: read as one tool";
        ledger.record_change(note::ODD_INPUT, LedgerPath::BODY, message);
        return vec![decode::tool::decode_tool(tools, ledger)];
    }
    tools.items().map(|tool| decode::tool::decode_tool(tool, ledger)).collect()
}

/// Decodes one entry of `fields`. Returns whether it contains the tools.
fn decode_field(node: JsonNode<'_>, conversation: &mut Conversation, ledger: &mut Ledger) -> bool {
    let source = conversation.dialect;
    let Some(key) = node.get("key").and_then(JsonNode::json_string) else { return false };
    let value = node.get("value").map_or(RawJson::NULL, JsonNode::json);
    let holds = node.get("holds").map(JsonNode::str_or_empty).unwrap_or_default();
    if holds == "system" {
        conversation.system = decode_system(source, &value, ledger);
    }
    let is_known = node.get("known").and_then(JsonNode::as_bool).unwrap_or(false);
    if let Some(previous) = conversation.top_level_fields.iter().position(|field| field.key == key)
    {
        let message = format!("the field `{key}` appears twice: the last one counts");
        ledger.record_loss(note::DUPLICATE_KEY, LedgerPath::BODY, message);
        conversation.top_level_fields.remove(previous);
    }
    let dialect = registry::find_provider_dialect(source.0);
    let known_subfields =
        dialect.and_then(|dialect| (dialect.codec().known_subfields)(&key.unescape()));
    let field = TopLevelField { key, value, is_modeled: is_known, known_subfields };
    conversation.top_level_fields.push(field);
    holds == "tools"
}

/// Decodes settings and tools from the original fields, where those are marked as current.
fn redecode_fields(
    conversation: &mut Conversation,
    settings: bool,
    tools: bool,
    ledger: &mut Ledger,
) {
    let Some(dialect) = registry::find_provider_dialect(conversation.dialect.0) else { return };
    let body = RawJson::object(|o| {
        for field in &conversation.top_level_fields {
            o.key_json_string(&field.key).json(&field.value);
        }
    });
    let mut body_ledger = Ledger::default();
    let decoded = dialect.decode_request(&body.to_doc(), &mut body_ledger).into_value();
    let is_redecoded = |section: LedgerSection| match section {
        LedgerSection::Settings => settings,
        LedgerSection::Tools => tools,
        LedgerSection::Body
        | LedgerSection::System
        | LedgerSection::Turns
        | LedgerSection::Reply => false,
    };
    for entry in body_ledger.entries {
        if is_redecoded(entry.path.section) {
            ledger.push(entry);
        }
    }
    if settings {
        conversation.settings = decoded.settings;
    }
    if tools {
        conversation.tools = decoded.tools;
    }
}

fn decode_system(
    source: DialectId,
    value: &RawJson,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Block>>> {
    let doc = value.to_doc();
    match registry::find_provider_dialect(source.0) {
        Some(dialect) => dialect.decode_system(doc.root(), ledger),
        None => decode::block::decode_blocks(Some(doc.root()), Role::System, ledger).into(),
    }
}

/// Version of the format, for future readers.
const FORMAT_VERSION: u64 = 1;
const KNOWN_FIELDS: &[&str] =
    &["interlingua", "source", "model", "system", "turns", "tools", "settings", "fields"];
