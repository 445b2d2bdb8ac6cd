//! Decodes and encodes request bodies.

use std::collections::HashSet;

use bytes::Bytes;
use interlingua_model::{
    Block, BlockContent, Conversation, Ledger, LedgerPath, ToolCallIndex, Turn, Verbatim,
};
use interlingua_providers::Target;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonKind, JsonNode, JsonString, JsonWriter, RawJson};

use super::decode::block::{self, BlockParent};
use super::encode::context::{self, EncodeCx};
use super::id::ID;
use super::{decode, encode, namespace};
use crate::common::{top_fields, turn_list};
use crate::note;

pub(super) fn decode(doc: &JsonDoc, ledger: &mut Ledger) -> Conversation {
    let root = doc.root();
    let mut conversation = Conversation::new(ID);
    if !root.is_object() {
        ledger.record_loss(note::ODD_INPUT, LedgerPath::BODY, "the body is not an object");
        return conversation;
    }
    let is_known =
        |key: &str| KNOWN_FIELDS.contains(&key) || encode::settings::SETTING_KEYS.contains(&key);
    conversation.top_level_fields =
        top_fields::decode(doc, is_known, decode::settings::known_subfields, ledger);
    conversation.model = root.get("model").and_then(JsonNode::json_string);
    if let Some(instructions) = root.get("instructions") {
        conversation.system = decode_system(instructions, ledger);
    }
    if let Some(list) = root.get("tools") {
        conversation.tools = decode::tool::decode_tools(list, ledger);
    }
    if let Some(input) = root.get("input") {
        conversation.turns = decode_input(input, ledger);
    }
    let mut settings =
        decode::settings::decode_settings(root, &mut conversation.top_level_fields, ledger);
    let disambiguated = decode::tool::disambiguated_names(&conversation.tools);
    if !disambiguated.is_empty() {
        let choice = root
            .get("tool_choice")
            .and_then(|choice| decode::settings::decode_tool_choice_with(choice, &disambiguated));
        settings.tool_choice = choice.or(settings.tool_choice);
        disambiguate_calls(&mut conversation.turns, &disambiguated);
    }
    conversation.settings = Verbatim::with_text(Box::new(settings), ID, doc.to_json());
    conversation
}

/// Renames calls of tools with a disambiguated name.
fn disambiguate_calls(turns: &mut [Verbatim<Turn>], disambiguated: &HashSet<String>) {
    let new_name = |block: &Block| {
        let BlockContent::ToolCall(call) = &block.content else { return None };
        let namespace = block.extras.get(ID, "namespace").and_then(RawJson::json_string)?;
        let name = namespace::disambiguated_name(
            &namespace,
            &namespace::local_name(Some(&namespace), &call.name),
        );
        disambiguated.contains(&*name.unescape()).then_some(name)
    };
    for turn in turns {
        turn.edit_keeping_text(|turn| {
            for block in &mut turn.blocks {
                let Some(name) = new_name(block) else { continue };
                block.edit_keeping_text(|block| {
                    if let BlockContent::ToolCall(call) = &mut block.content {
                        call.name = name;
                    }
                });
            }
        });
    }
}

fn decode_input(input: JsonNode<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Turn>> {
    match input.kind() {
        JsonKind::String => vec![decode::turn::decode_turn(input, 0, ledger)],
        JsonKind::Null => {
            ledger.record_change(note::ODD_INPUT, LedgerPath::BODY, "`input` is null");
            Vec::new()
        }
        JsonKind::Array => {
            let messages = turn_list::non_null_items(input, ledger).enumerate();
            let turn = |(at, item): (usize, JsonNode<'_>)| {
                let turn = decode::turn::decode_turn(item, at, ledger);
                if item.is_string() {
                    let message = "an item that is a string is read as a user message";
                    ledger.record_change(note::ODD_INPUT, LedgerPath::turn(at), message);
                    return Verbatim::new(turn.into_value());
                }
                turn
            };
            messages.map(turn).collect()
        }
        JsonKind::Object | JsonKind::Number | JsonKind::Bool => {
            ledger.record_change(
                note::ODD_INPUT,
                LedgerPath::BODY,
                "`input` is neither a string nor a list",
            );
            vec![decode::turn::decode_turn(input, 0, ledger)]
        }
    }
}

pub(super) fn decode_system(
    node: JsonNode<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Block>>> {
    let blocks = match node.kind() {
        JsonKind::Null => Vec::new(),
        JsonKind::String => {
            node.json_string().map(|text| Block::text(text).into()).into_iter().collect()
        }
        JsonKind::Array | JsonKind::Object | JsonKind::Number | JsonKind::Bool => {
            ledger.record_change(
                note::ODD_INPUT,
                LedgerPath::SYSTEM,
                "`instructions` is not a string",
            );
            block::decode_content(node, BlockParent::Instructions, ledger)
        }
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
    out.object(|o| {
        if conversation.dialect == ID {
            encode_same_dialect(conversation, model, o, ledger);
        } else {
            encode_cross_dialect(conversation, model, o, ledger);
        }
    });
    out.into_bytes().into()
}

/// Encodes a same-dialect body: fields keep their order, and unedited fields keep their text.
fn encode_same_dialect(
    conversation: &Conversation,
    model: Option<&JsonString>,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    let keeps_settings = conversation.settings.text_for(ID).is_some();
    let has_field = |key: &str| conversation.top_level_fields.iter().any(|field| field.key == *key);
    top_fields::encode(conversation, o, |key, value, o| match key {
        "model" => {
            o.json_string_opt("model", model);
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
        _ if keeps_settings => false,
        "user" if has_field("safety_identifier") => false,
        "user" => {
            encode::settings::encode_field(key, Some(value), conversation, o);
            true
        }
        _ if encode::settings::SETTING_KEYS.contains(&key) => {
            encode::settings::encode_field(key, Some(value), conversation, o);
            true
        }
        _ => false,
    });
    if !has_field("model") {
        o.json_string_opt("model", model);
    }
    if !has_field("instructions") && !conversation.system.is_empty() {
        write_instructions(conversation, 0, o, ledger);
    }
    if !has_field("input") && !conversation.turns.is_empty() {
        write_input(conversation, 0, o, ledger);
    }
    if !has_field("tools") && !conversation.tools.is_empty() {
        write_tools(conversation, o, ledger);
    }
    if !keeps_settings {
        encode::settings::note_changed_settings(conversation, ledger);
        let missing_keys = encode::settings::SETTING_KEYS.iter().filter(|key| !has_field(key));
        for key in missing_keys.filter(|key| **key != "safety_identifier" || !has_field("user")) {
            encode::settings::encode_field(key, None, conversation, o);
        }
    }
}

/// Encodes a request of another dialect from the model.
fn encode_cross_dialect(
    conversation: &Conversation,
    model: Option<&JsonString>,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    top_fields::note_dropped_fields(conversation, ID, ledger);
    o.json_string_opt("model", model);
    let is_text_only =
        |turn: &Verbatim<Turn>| turn.blocks.iter().all(|block| block.content.as_text().is_some());
    let leading = turn_list::leading_instruction_count(conversation);
    let leading = conversation.turns.iter().take(leading).take_while(|t| is_text_only(t)).count();
    write_instructions(conversation, leading, o, ledger);
    write_input(conversation, leading, o, ledger);
    if !conversation.tools.is_empty() {
        write_tools(conversation, o, ledger);
    }
    encode::settings::note_changed_settings(conversation, ledger);
    for key in encode::settings::SETTING_KEYS {
        encode::settings::encode_field(key, None, conversation, o);
    }
    if conversation.settings.sealed_reasoning {
        o.array("include", |a| a.item().json_string(&ENCRYPTED_REASONING));
    }
}

/// Writes the system prompt and the first `leading` turns as one text.
fn write_instructions(
    conversation: &Conversation,
    leading: usize,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    if let Some(text) = conversation.system.text_for(ID) {
        return o.json("instructions", text);
    }
    let same_dialect = conversation.dialect == ID;
    let mut texts: Vec<&JsonString> = Vec::new();
    for (at, block) in conversation.system.iter().enumerate() {
        context::note_dropped_attributes(
            block,
            EncodeCx { path: LedgerPath::system(at), same_dialect },
            ledger,
        );
        texts.extend(block.content.as_text());
        if block.content.as_text().is_none() {
            let message = "left out a block of the instructions that is not text";
            ledger.record_loss(note::NO_SUCH_BLOCK, LedgerPath::system(at), message);
        }
    }
    for (at, turn) in conversation.turns.iter().enumerate().take(leading) {
        context::note_dropped_extras(&turn.extras, LedgerPath::turn(at), ledger);
        for (block_at, block) in turn.blocks.iter().enumerate() {
            context::note_dropped_attributes(
                block,
                EncodeCx { path: LedgerPath::block(at, block_at), same_dialect },
                ledger,
            );
            texts.extend(block.content.as_text());
        }
    }
    if !texts.is_empty() {
        o.key("instructions").join(texts, "\n\n");
    }
}

fn write_input(
    conversation: &Conversation,
    leading: usize,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    if let [single_turn] = conversation.turns.as_slice() {
        let is_string = |text: &&RawJson| text.kind() == JsonKind::String;
        if let Some(text) = single_turn.text_for(ID).filter(is_string) {
            return o.json("input", text);
        }
    }
    let calls = ToolCallIndex::new(conversation);
    o.array("input", |a| {
        for (at, turn) in conversation.turns.iter().enumerate().skip(leading) {
            match turn.text_for(ID).filter(|text| text.kind() != JsonKind::String) {
                Some(text) => a.item().json(text),
                None => encode::turn::encode_turn(&calls, at, turn, a, ledger),
            }
        }
    });
}

fn write_tools(conversation: &Conversation, o: &mut ObjectWriter<'_>, ledger: &mut Ledger) {
    match conversation.tools.text_for(ID) {
        Some(text) => o.json("tools", text),
        None => o.array("tools", |a| encode::tool::encode_tools(conversation, a, ledger)),
    }
}

const ENCRYPTED_REASONING: JsonString = JsonString::from_static("reasoning.encrypted_content");

/// Decoded fields other than the settings.
const KNOWN_FIELDS: &[&str] = &["model", "input", "instructions", "tools", "user"];
