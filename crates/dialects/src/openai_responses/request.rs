//! A request body, both ways.

use std::collections::HashSet;

use bytes::Bytes;
use interlingua_model::{
    Block, Body, Calls, Conversation, Ledger, Place, Role, Target, Turn, Verbatim,
};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json, Kind, Node, Text, Writer};

use super::encode::At;
use super::parts::Room;
use super::{ID, choice, encode, items, names, parts, settings, tools};
use crate::{body, note, run};

pub(super) fn decode(doc: &Doc, ledger: &mut Ledger) -> Conversation {
    let root = doc.root();
    let mut conversation = Conversation::new(ID);
    if !root.is_object() {
        ledger.loss(note::ODD_INPUT, Place::BODY, "the body is not an object");
        return conversation;
    }
    let known = |key: &str| KNOWN.contains(&key) || settings::KEYS.contains(&key);
    conversation.fields = body::read_fields(doc, known, ledger);
    conversation.model = root.get("model").and_then(Node::text);
    if let Some(instructions) = root.get("instructions") {
        conversation.system = decode_system(instructions, ledger);
    }
    if let Some(list) = root.get("tools") {
        conversation.tools = tools::decode(list, ledger);
    }
    if let Some(input) = root.get("input") {
        conversation.turns = decode_input(input, ledger);
    }
    let mut settings = settings::decode(root, &mut conversation.fields, ledger);
    let apart = tools::apart(&conversation.tools);
    if !apart.is_empty() {
        let choice =
            root.get("tool_choice").and_then(|choice| choice::decode_among(choice, &apart));
        settings.choice = choice.or(settings.choice);
        call_apart(&mut conversation.turns, &apart);
    }
    conversation.settings = Verbatim::read(Box::new(settings), ID, doc.whole());
    conversation
}

/// Calls of tools that were set apart have their names.
fn call_apart(turns: &mut [Verbatim<Turn>], apart: &HashSet<String>) {
    let called = |block: &Block| {
        let Body::ToolCall(call) = &block.body else { return None };
        let space = block.extras.find(ID, "namespace").and_then(Json::text)?;
        let name = names::apart(&space, &names::short(Some(&space), &call.name));
        apart.contains(&*name.contents()).then_some(name)
    };
    for turn in turns {
        turn.change_beside(|turn| {
            for block in &mut turn.blocks {
                let Some(name) = called(block) else { continue };
                block.change_beside(|block| {
                    if let Body::ToolCall(call) = &mut block.body {
                        call.name = name;
                    }
                });
            }
        });
    }
}

fn decode_input(input: Node<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Turn>> {
    match input.kind() {
        Kind::String => vec![items::decode_turn(input, 0, ledger)],
        Kind::Null => {
            ledger.change(note::ODD_INPUT, Place::BODY, "`input` is null");
            Vec::new()
        }
        Kind::Array => {
            let messages = body::messages(input, ledger).enumerate();
            let turn = |(at, item): (usize, Node<'_>)| {
                let turn = items::decode_turn(item, at, ledger);
                if item.is_string() {
                    let what = "an item that is a string is the user's message";
                    ledger.change(note::ODD_INPUT, Place::turn(at), what);
                    return Verbatim::new(turn.into_value());
                }
                turn
            };
            messages.map(turn).collect()
        }
        Kind::Object | Kind::Number | Kind::Bool => {
            ledger.change(note::ODD_INPUT, Place::BODY, "`input` is neither a string nor a list");
            vec![items::decode_turn(input, 0, ledger)]
        }
    }
}

pub(super) fn decode_system(node: Node<'_>, ledger: &mut Ledger) -> Verbatim<Vec<Verbatim<Block>>> {
    let blocks = match node.kind() {
        Kind::Null => Vec::new(),
        Kind::String => node.text().map(|text| Block::text(text).into()).into_iter().collect(),
        Kind::Array | Kind::Object | Kind::Number | Kind::Bool => {
            ledger.change(note::ODD_INPUT, Place::SYSTEM, "`instructions` is not a string");
            parts::decode_content(node, Room::Instructions, ledger)
        }
    };
    Verbatim::read(blocks, ID, node.json())
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
    let mut out = Writer::with_capacity(body::room(conversation));
    out.object(|o| {
        if conversation.source == ID {
            rewrite(conversation, model, o, ledger);
        } else {
            cross(conversation, model, o, ledger);
        }
    });
    out.into_bytes().into()
}

/// Within the dialect: fields stay in their order, and as they are unless they were edited.
fn rewrite(
    conversation: &Conversation,
    model: Option<&Text>,
    o: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    let settings_as_written = conversation.settings.text_for(ID).is_some();
    let has = |key: &str| conversation.fields.iter().any(|field| field.key == *key);
    body::write_fields(conversation, o, |key, value, o| match key {
        "model" => {
            o.text_if("model", model);
            true
        }
        "input" => {
            write_input(conversation, 0, o, ledger);
            true
        }
        "instructions" => {
            write_instructions(conversation, 0, o, ledger);
            true
        }
        "tools" => {
            write_tools(conversation, o, ledger);
            true
        }
        _ if settings_as_written => false,
        "user" if has("safety_identifier") => false,
        "user" => {
            settings::write_field(key, Some(value), conversation, o);
            true
        }
        _ if settings::KEYS.contains(&key) => {
            settings::write_field(key, Some(value), conversation, o);
            true
        }
        _ => false,
    });
    if !has("model") {
        o.text_if("model", model);
    }
    if !has("instructions") && !conversation.system.is_empty() {
        write_instructions(conversation, 0, o, ledger);
    }
    if !has("input") && !conversation.turns.is_empty() {
        write_input(conversation, 0, o, ledger);
    }
    if !has("tools") && !conversation.tools.is_empty() {
        write_tools(conversation, o, ledger);
    }
    if !settings_as_written {
        settings::note_differences(conversation, ledger);
        let unsaid = settings::KEYS.iter().filter(|key| !has(key));
        for key in unsaid.filter(|key| **key != "safety_identifier" || !has("user")) {
            settings::write_field(key, None, conversation, o);
        }
    }
}

/// From another dialect: everything is written from the model.
fn cross(
    conversation: &Conversation,
    model: Option<&Text>,
    o: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    body::note_left_out(conversation, ID, ledger);
    o.text_if("model", model);
    let instructions =
        |turn: &Verbatim<Turn>| turn.blocks.iter().all(|block| block.body.as_text().is_some());
    let leading = run::leading_instructions(conversation);
    let leading = conversation.turns.iter().take(leading).take_while(|t| instructions(t)).count();
    write_instructions(conversation, leading, o, ledger);
    write_input(conversation, leading, o, ledger);
    if !conversation.tools.is_empty() {
        write_tools(conversation, o, ledger);
    }
    settings::note_differences(conversation, ledger);
    for key in settings::KEYS {
        settings::write_field(key, None, conversation, o);
    }
    if conversation.settings.sealed {
        o.array("include", |a| a.item().text(&SEALED_REASONING));
    }
}

/// The instructions and the first `leading` turns as one text.
fn write_instructions(
    conversation: &Conversation,
    leading: usize,
    o: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    if let Some(text) = conversation.system.text_for(ID) {
        return o.json("instructions", text);
    }
    let same = conversation.source == ID;
    let mut texts: Vec<&Text> = Vec::new();
    for (at, block) in conversation.system.iter().enumerate() {
        encode::note_block(block, At { place: Place::system(at), same }, ledger);
        texts.extend(block.body.as_text());
        if block.body.as_text().is_none() {
            let what = "left out what is not text in the instructions";
            ledger.loss(note::NO_SUCH_BLOCK, Place::system(at), what);
        }
    }
    for (at, turn) in conversation.turns.iter().enumerate().take(leading) {
        encode::note_extras(&turn.extras, Place::turn(at), ledger);
        for (block_at, block) in turn.blocks.iter().enumerate() {
            encode::note_block(block, At { place: Place::block(at, block_at), same }, ledger);
            texts.extend(block.body.as_text());
        }
    }
    if !texts.is_empty() {
        o.key("instructions").joined(texts, "\n\n");
    }
}

fn write_input(
    conversation: &Conversation,
    leading: usize,
    o: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    if let [only] = conversation.turns.as_slice() {
        let string = |text: &&Json| text.kind() == Kind::String;
        if let Some(text) = only.text_for(ID).filter(string) {
            return o.json("input", text);
        }
    }
    let calls = Calls::of(conversation);
    o.array("input", |a| {
        for (at, turn) in conversation.turns.iter().enumerate().skip(leading) {
            match turn.text_for(ID).filter(|text| text.kind() != Kind::String) {
                Some(text) => a.item().json(text),
                None => encode::write_turn(&calls, at, turn, a, ledger),
            }
        }
    });
}

fn write_tools(conversation: &Conversation, o: &mut Object<'_>, ledger: &mut Ledger) {
    match conversation.tools.text_for(ID) {
        Some(text) => o.json("tools", text),
        None => o.array("tools", |a| tools::encode(conversation, a, ledger)),
    }
}

/// The word of a role on a message.
pub(super) fn role_word(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

const SEALED_REASONING: Text = Text::word("reasoning.encrypted_content");

/// Fields beside the settings that the model holds.
const KNOWN: &[&str] = &["model", "input", "instructions", "tools", "user"];
