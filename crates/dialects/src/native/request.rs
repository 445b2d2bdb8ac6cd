//! A conversation, both ways.

use bytes::Bytes;
use interlingua_model::{
    Block, Conversation, DialectId, Ledger, Place, Role, Section, Settings, Target, Tool, TopField,
    Turn, Verbatim,
};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Node, Writer};

use super::blocks::{self, Raw};
use super::{ID, names, read_blocks, settings, tools, unread};
use crate::{body, note};

pub(super) fn encode(conversation: &Verbatim<Conversation>, target: &Target) -> Bytes {
    let model = target.model.as_ref().or(conversation.model.as_ref());
    if let Some(text) = conversation.text_for(ID).filter(|_| model == conversation.model.as_ref()) {
        return text.to_bytes();
    }
    let mut out = Writer::default();
    out.object(|o| {
        o.number("interlingua", VERSION);
        o.word("source", conversation.source.0);
        o.text_if("model", model);
        if !conversation.system.is_empty() {
            o.array("system", |a| blocks::blocks(&conversation.system, Raw::Keep, a));
        }
        o.array("turns", |a| {
            for turn in &conversation.turns {
                a.object(|o| encode_turn(turn, o));
            }
        });
        if !conversation.tools.is_empty() {
            o.array("tools", |a| {
                for tool in conversation.tools.iter() {
                    a.object(|o| tools::encode(tool, o));
                }
            });
        }
        encode_settings(conversation, o);
        encode_fields(conversation, o);
    });
    out.into_bytes().into()
}

pub(super) fn encode_turn(turn: &Verbatim<Turn>, o: &mut Object<'_>) {
    let keep = if blocks::has_raw(turn.written()) { Raw::Above } else { Raw::Keep };
    o.word("role", names::word(names::ROLES, turn.role));
    o.array("blocks", |a| blocks::blocks(&turn.blocks, keep, a));
    blocks::extras(&turn.extras, o);
    blocks::raw(turn.written(), o);
}

/// The text of settings are the body's fields; `as_written` says that those are still true.
fn encode_settings(conversation: &Conversation, o: &mut Object<'_>) {
    let as_written = blocks::has_raw(conversation.settings.written());
    if **conversation.settings != Settings::default() || as_written {
        o.object("settings", |o| {
            settings::encode(&conversation.settings, o);
            if as_written {
                o.boolean("as_written", true);
            }
        });
    }
}

/// The body's fields in order. What turns, system and tools say already is not said twice.
fn encode_fields(conversation: &Conversation, o: &mut Object<'_>) {
    if conversation.fields.is_empty() || conversation.source == ID {
        return;
    }
    let turns_key = crate::find(conversation.source.0).map_or("", crate::Dialect::turns_key);
    let system = conversation.system.text_for(conversation.source);
    let tools = conversation.tools.text_for(conversation.source);
    o.array("fields", |a| {
        for field in &conversation.fields {
            a.object(|o| {
                o.text("key", &field.key);
                if field.key == turns_key && field.value.kind() == interlingua_wire::Kind::Array {
                    o.known("holds", "turns");
                } else {
                    o.json("value", &field.value);
                }
                if system == Some(&field.value) {
                    o.known("holds", "system");
                } else if tools == Some(&field.value) {
                    o.known("holds", "tools");
                }
                o.boolean("known", field.known);
            });
        }
    });
}

pub(super) fn decode(root: Node<'_>, ledger: &mut Ledger) -> Conversation {
    let source = root.get("source").and_then(|name| names::dialect(&name.word())).unwrap_or(ID);
    let mut conversation = Conversation::new(source);
    conversation.model = root.get("model").and_then(interlingua_wire::Node::text);
    let noted = ledger.entries.len();
    conversation.system = read_blocks::blocks(root.get("system"), Role::System, ledger).into();
    read_blocks::place(ledger, noted, |place| {
        *place = Place { section: Section::System, index: None, block: place.block };
    });
    for (key, list) in ["turns", "tools"].map(|key| (key, root.get(key))) {
        if list.is_some_and(|list| !list.is_array() && !list.is_null()) {
            let what = format!("left out `{key}`: it is no list");
            ledger.loss(note::ODD_INPUT, Place::BODY, what);
        }
    }
    let list = root.get("turns").map(|list| body::messages(list, ledger));
    for turn in list.into_iter().flatten() {
        let (at, noted) = (conversation.turns.len(), ledger.entries.len());
        conversation.turns.push(decode_turn(turn, ledger));
        read_blocks::place(ledger, noted, |place| place.index = Some(at as u32));
    }
    conversation.tools = decode_tools(root.get("tools"), ledger).into();
    let mut as_written = false;
    if let Some(node) = root.get("settings") {
        as_written = node.get("as_written").and_then(Node::boolean).unwrap_or(false);
        conversation.settings = Box::new(settings::decode(node)).into();
        if !as_written && !node.is_null() {
            settings::note_unread(node, ledger);
        }
    }
    let mut held = false;
    for field in root.get("fields").into_iter().flat_map(Node::items) {
        held |= decode_field(field, &mut conversation, ledger);
    }
    if as_written || held {
        read_again(&mut conversation, as_written, held, ledger);
    }
    if source == ID {
        unread::body(root, KEYS, ledger);
    }
    conversation
}

/// The tools; one alone stands for a list of one.
fn decode_tools(tools: Option<Node<'_>>, ledger: &mut Ledger) -> Vec<Verbatim<Tool>> {
    let Some(tools) = tools.filter(|tools| !tools.is_null()) else { return Vec::new() };
    if !tools.is_array() {
        let what = "tools are not a list: read as one tool";
        ledger.change(note::ODD_INPUT, Place::BODY, what);
        return vec![tools::decode(tools, ledger)];
    }
    tools.items().map(|tool| tools::decode(tool, ledger)).collect()
}

/// Whether the field holds the tools.
fn decode_field(node: Node<'_>, conversation: &mut Conversation, ledger: &mut Ledger) -> bool {
    let source = conversation.source;
    let Some(key) = node.get("key").and_then(Node::text) else { return false };
    let value = node.get("value").map_or(Json::NULL, Node::json);
    let holds = node.get("holds").map(Node::word).unwrap_or_default();
    if holds == "system" {
        conversation.system = decode_system(source, &value, ledger);
    }
    let known = node.get("known").and_then(Node::boolean).unwrap_or(false);
    if let Some(earlier) = conversation.fields.iter().position(|field| field.key == key) {
        let what = format!("the field `{key}` stands there twice: the last one counts");
        ledger.loss(note::DUPLICATE_KEY, Place::BODY, what);
        conversation.fields.remove(earlier);
    }
    conversation.fields.push(TopField { key, value, known });
    holds == "tools"
}

/// What is said to stand in the fields as it was written is read from there, and from nowhere else.
fn read_again(conversation: &mut Conversation, settings: bool, tools: bool, ledger: &mut Ledger) {
    let Some(dialect) = crate::find(conversation.source.0).filter(|one| one.id() != ID) else {
        return;
    };
    let body = Json::object(|o| {
        for field in &conversation.fields {
            o.key_text(&field.key).json(&field.value);
        }
    });
    let mut noted = Ledger::default();
    let read = dialect.decode_request(&body.doc(), &mut noted).into_value();
    let about = |section: Section| match section {
        Section::Settings => settings,
        Section::Tools => tools,
        Section::Body | Section::System | Section::Turns | Section::Reply => false,
    };
    ledger.entries.extend(noted.entries.into_iter().filter(|one| about(one.place.section)));
    if settings {
        conversation.settings = read.settings;
    }
    if tools {
        conversation.tools = read.tools;
    }
}

fn decode_system(
    source: DialectId,
    value: &Json,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Block>>> {
    match crate::find(source.0) {
        Some(dialect) => dialect.decode_system(value.doc().root(), ledger),
        None => Verbatim::default(),
    }
}

pub(super) fn decode_turn(node: Node<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
    if let Some((dialect, raw)) = read_blocks::raw(node) {
        let turn = dialect.decode_turn(raw.doc().root(), ledger);
        return turn.beside(|turn| {
            let mut nodes = node.get("blocks").into_iter().flat_map(Node::items);
            let blocks = std::mem::take(&mut turn.blocks).into_iter();
            let restored = blocks.map(|block| match nodes.next() {
                Some(node) => block.beside(|block| read_blocks::restore_id(block, node, &raw)),
                None => block,
            });
            turn.blocks = restored.collect();
        });
    }
    unread::turn(node, ledger);
    let role = names::value(names::ROLES, node.get("role")).unwrap_or(Role::User);
    let blocks = read_blocks::blocks(node.get("blocks"), role, ledger);
    Verbatim::read(Turn { role, blocks, extras: read_blocks::extras(node) }, ID, node.json())
}

/// Of the format, for readers to come.
const VERSION: u64 = 1;
const KEYS: &[&str] =
    &["interlingua", "source", "model", "system", "turns", "tools", "settings", "fields"];
