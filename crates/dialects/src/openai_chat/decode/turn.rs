//! Decodes messages: each becomes one turn.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::mem;

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, Reasoning, ReasoningForm, Role, Seal, Spelling,
    SpellingSet, ToolResult, Turn, Verbatim, WrittenForm,
};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::call_pairing::CallPairing;
use super::fields::{self, note_odd_input};
use super::message_fields::{ASSISTANT_FIELDS, MessageFields, NON_USER_FIELDS, TOOL_CALL_ID};
use super::tool_call::{self, CallIdSeed, call_id_seed};
use super::{block, fast_path};
use crate::common::turn_list;
use crate::openai_chat::id::ID;
use crate::openai_chat::{citation, reasoning_details};

pub(crate) fn decode_messages(list: JsonNode<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Turn>> {
    let mut call_pairing = CallPairing::default();
    let messages = turn_list::non_null_items(list, ledger);
    let mut turns = Vec::with_capacity(messages.len());
    for (at, node) in messages.enumerate() {
        let turn = decode_message(node, &turns, &mut call_pairing, LedgerPath::turn(at), ledger);
        turns.push(turn);
    }
    turns
}

/// Decodes one message of any role; `previous_turns` are the turns before it.
pub(crate) fn decode_message(
    node: JsonNode<'_>,
    previous_turns: &[Verbatim<Turn>],
    call_pairing: &mut CallPairing,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Turn> {
    let guess_call_id =
        |name: Option<&JsonString>| call_pairing.guess_call_id(previous_turns, name, path);
    fast_path::decode_message(node, path, ledger)
        .unwrap_or_else(|| decode_message_slow(node, guess_call_id, path, ledger))
}

/// Like [`decode_message`], for a message of any form.
pub(super) fn decode_message_slow(
    node: JsonNode<'_>,
    guess_call_id: impl FnOnce(Option<&JsonString>) -> JsonString,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Turn> {
    if !node.is_object() {
        note_odd_input(ledger, path, "a message that is not an object is read as a user message");
        let mut turn = Turn::new(Role::User);
        block::decode_content(Some(node), &mut turn.blocks, path, ledger);
        return Verbatim::with_text(turn, ID, node.json());
    }
    let mut fields = MessageFields::parse(node);
    fields.note_wrong_types(path, ledger);
    let role = fields.role.map(JsonNode::str_or_empty).unwrap_or_default();
    let turn = match &*role {
        "user" => decode_plain_message(node, Role::User, &mut fields, path, ledger),
        "system" => decode_plain_message(node, Role::System, &mut fields, path, ledger),
        "developer" => decode_plain_message(node, Role::Developer, &mut fields, path, ledger),
        "assistant" => decode_assistant(node, &mut fields, None, path, ledger),
        "tool" | "function" => {
            decode_tool_message(node, &mut fields, &role, guess_call_id, path, ledger)
        }
        _ => {
            // Some servers accept unknown roles; a repair rule handles those that do not.
            if let Some(role) = fields.role.and_then(JsonNode::json_string) {
                fields.extras.set_written(ID, WrittenForm::Role(role));
            } else {
                note_odd_input(
                    ledger,
                    path,
                    "a message without a role gets its role from its other fields",
                );
            }
            if fields.tool_call_id.is_some() {
                decode_tool_message(node, &mut fields, "tool", guess_call_id, path, ledger)
            } else if fields.tool_calls.is_some_and(|calls| !calls.is_empty()) || &*role == "model"
            {
                decode_assistant(node, &mut fields, None, path, ledger)
            } else {
                decode_plain_message(node, Role::User, &mut fields, path, ledger)
            }
        }
    };
    Verbatim::with_text(turn, ID, node.json())
}

/// Decodes the message of a reply with this id.
pub(crate) fn decode_reply_message(
    node: JsonNode<'_>,
    id: Option<&JsonString>,
    ledger: &mut Ledger,
) -> Turn {
    let mut fields = MessageFields::parse_reply(node);
    let mut turn = decode_assistant(node, &mut fields, id, LedgerPath::REPLY, ledger);
    // Only requests need the spellings.
    turn.extras.remove_spellings(ID, SpellingSet::ALL);
    turn
}

/// Decodes a single block by its form: a part, a call, or an entry of `reasoning_details`.
pub(crate) fn decode_block(
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Block> {
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    match &*kind {
        "function" | "custom" => {
            tool_call::decode_tool_call(node, CallIdSeed::default(), path, ledger)
        }
        kind if kind.starts_with("reasoning.") => reasoning_details::decode_detail(node),
        "" if node.get("name").is_some() && node.get("arguments").is_some() => {
            tool_call::decode_function_call(node, CallIdSeed::default())
        }
        _ => block::decode_part(node, path, ledger),
    }
}

fn decode_plain_message(
    node: JsonNode<'_>,
    role: Role,
    fields: &mut MessageFields<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Turn {
    fields.keep_unused_fields(node, NON_USER_FIELDS, path, ledger);
    let mut turn = Turn::new(role);
    block::decode_content(fields.content, &mut turn.blocks, path, ledger);
    turn.extras = mem::take(&mut fields.extras);
    turn
}

fn decode_assistant(
    node: JsonNode<'_>,
    fields: &mut MessageFields<'_>,
    reply_id: Option<&JsonString>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Turn {
    fields.keep_unused_fields(node, &[TOOL_CALL_ID], path, ledger);
    if fields.is_text_and_calls_only() {
        let mut turn =
            fast_path::decode_assistant(fields.content, fields.tool_calls, reply_id, path, ledger);
        turn.extras = mem::take(&mut fields.extras);
        turn
    } else {
        decode_assistant_slow(node, fields, reply_id, path, ledger)
    }
}

/// Decodes a message with fields other than text and calls, or with unusual forms of them.
fn decode_assistant_slow(
    node: JsonNode<'_>,
    fields: &mut MessageFields<'_>,
    reply_id: Option<&JsonString>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Turn {
    let calls = decode_tool_calls(fields, reply_id, path, ledger);
    let mut turn = Turn::new(Role::Assistant);
    // The usual message has a text or reasoning, and calls.
    turn.blocks.reserve_exact(calls.len() + 1);
    let (before_content, seals) =
        decode_reasoning(fields, &calls, path != LedgerPath::REPLY, &mut turn);
    let mut seals_by_call: HashMap<Cow<'_, str>, &Seal> = HashMap::new();
    for (call, seal) in &seals {
        seals_by_call.entry(call.unescape()).or_insert(seal);
    }
    let first = turn.blocks.len();
    let first_entry = ledger.entries.len();
    decode_content_and_refusal(node, fields, &calls, &mut turn, path, ledger);
    let notes = ledger.entries.get_mut(first_entry..).unwrap_or_default();
    let calls_in_parts = tool_call::take_tool_calls(&mut turn.blocks, first, &calls, notes);
    citation::attach_annotations(
        fields,
        turn.blocks.get_mut(first..).unwrap_or_default(),
        path,
        ledger,
    );
    turn.blocks[before_content..].rotate_left(first - before_content);
    for image in fields.images.into_iter().flat_map(JsonNode::items) {
        let mut block = block::decode_part(image, path, ledger);
        if path != LedgerPath::REPLY {
            block.edit_keeping_text(|block| block.extras.add_spellings(ID, Spelling::ImagesField));
        }
        turn.blocks.push(block);
    }
    for mut block in calls {
        if let BlockContent::ToolCall(call) = &block.content
            && let Some(seal) = seals_by_call.get(&*call.id.unescape())
        {
            let seal = Some(Box::new(Seal::clone(seal)));
            block.edit().seal = seal;
        }
        turn.blocks.push(block);
    }
    turn.blocks.extend(calls_in_parts);
    turn.extras = mem::take(&mut fields.extras);
    turn
}

fn decode_tool_calls(
    fields: &MessageFields<'_>,
    reply_id: Option<&JsonString>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    let mut blocks = Vec::new();
    if let Some(list) = fields.tool_calls {
        if !list.is_array() {
            note_odd_input(ledger, path, "`tool_calls` is not a list: read as one call");
        }
        let single_call = Some(list).filter(|list| list.is_object());
        blocks.reserve_exact(list.len());
        for (at, node) in list.items().chain(single_call).enumerate() {
            blocks.push(tool_call::decode_tool_call(
                node,
                call_id_seed(reply_id, path, at),
                path,
                ledger,
            ));
        }
    }
    if let Some(legacy) = fields.function_call {
        blocks.push(tool_call::decode_function_call(
            legacy,
            call_id_seed(reply_id, path, blocks.len()),
        ));
    }
    blocks
}

/// Decodes reasoning, which precedes the text at least in part. Returns the number of blocks before
/// the text, and the seals that belong to calls.
fn decode_reasoning(
    fields: &mut MessageFields<'_>,
    calls: &[Verbatim<Block>],
    is_history: bool,
    turn: &mut Turn,
) -> (usize, Vec<(JsonString, Seal)>) {
    let call_ids: OnceCell<HashSet<Cow<'_, str>>> = OnceCell::new();
    let ids = || {
        calls.iter().filter_map(|block| match &block.content {
            BlockContent::ToolCall(call) => Some(call.id.unescape()),
            _ => None,
        })
    };
    let is_call =
        |id: &JsonString| call_ids.get_or_init(|| ids().collect()).contains(&*id.unescape());
    let details = fields
        .reasoning_details
        .map(|list| reasoning_details::decode_details(list, is_call))
        .unwrap_or_default();
    let is_thought = |block: &Verbatim<Block>| matches!(block.content, BlockContent::Reasoning(_));
    if fields.reasoning_details.is_some() && !details.blocks.iter().any(is_thought) {
        fields.extras.add_spellings(ID, Spelling::ReasoningDetailsField);
    }
    // In the history, an empty text stands for removed reasoning: some servers require at least
    // that.
    let text = fields.reasoning.take().filter(|text| is_history || !text.is_empty());
    let has_text = |block: &Verbatim<Block>| match &block.content {
        BlockContent::Reasoning(thinking) => !thinking.text.is_empty(),
        _ => false,
    };
    // In a reply, details without readable text do not repeat the plain text.
    let keeps_plain_text = !is_history && text.is_some() && !details.blocks.iter().any(has_text);
    if details.blocks.is_empty() || keeps_plain_text {
        turn.blocks.extend(text.map(|text| {
            Verbatim::new(Block::new(BlockContent::Reasoning(Reasoning {
                text,
                form: ReasoningForm::Full,
            })))
        }));
    } else if let Some(text) = text.filter(|text| !repeats_details(text, &details.blocks)) {
        fields.extras.push(ID, JsonString::from_static("reasoning"), RawJson::string(&text));
    }
    let before_content = if keeps_plain_text {
        turn.blocks.len() + details.before_content
    } else {
        details.before_content
    };
    let before_content = if details.blocks.is_empty() { turn.blocks.len() } else { before_content };
    turn.blocks.extend(details.blocks);
    (before_content, details.call_seals)
}

/// Returns whether the plain reasoning text only repeats the details.
fn repeats_details(text: &JsonString, blocks: &[Verbatim<Block>]) -> bool {
    let texts: Vec<&JsonString> = blocks
        .iter()
        .filter_map(|block| match &block.content {
            BlockContent::Reasoning(thinking) => Some(&thinking.text),
            _ => None,
        })
        .filter(|text| !text.is_empty())
        .collect();
    ["", "\n\n", "\n"]
        .into_iter()
        .any(|separator| JsonString::join(texts.iter().copied(), separator) == *text)
}

fn decode_content_and_refusal(
    node: JsonNode<'_>,
    fields: &MessageFields<'_>,
    calls: &[Verbatim<Block>],
    turn: &mut Turn,
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    let first = turn.blocks.len();
    let is_filler = fields.has_empty_content() && (!calls.is_empty() || fields.refusal.is_some());
    if !is_filler {
        block::decode_content(fields.content, &mut turn.blocks, path, ledger);
    }
    if turn.blocks.len() == first {
        let transcript = fields.audio.and_then(|audio| audio.get("transcript")?.json_string());
        turn.blocks.extend(transcript.map(Block::text).map(Verbatim::new));
    }
    let is_text = |block: &&mut Verbatim<Block>| matches!(block.content, BlockContent::Text { .. });
    if let Some(seal) =
        fields.has_extra_content.then(|| tool_call::decode_google_signature(node)).flatten()
    {
        match turn.blocks.get_mut(first..).unwrap_or_default().iter_mut().rev().find(is_text) {
            Some(block) => block.edit_keeping_text(|block| block.seal = Some(Box::new(seal))),
            None => turn.blocks.push(Block::text(JsonString::EMPTY).with_seal(Some(seal)).into()),
        }
    }
    if let Some(refusal) = fields.refusal.clone().filter(|refusal| !refusal.is_empty()) {
        turn.blocks.push(Block::new(BlockContent::Refusal(refusal)).into());
    }
}

/// Decodes a message with the result of a call.
fn decode_tool_message(
    node: JsonNode<'_>,
    fields: &mut MessageFields<'_>,
    role: &str,
    guess_call_id: impl FnOnce(Option<&JsonString>) -> JsonString,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Turn {
    fields.keep_unused_fields(node, ASSISTANT_FIELDS, path, ledger);
    let name = fields.name.and_then(JsonNode::json_string);
    let id = fields.tool_call_id.map(fields::text_or_raw);
    // A legacy `function` message has no id: an id in it is an unusual field.
    let is_legacy = role != "tool";
    if is_legacy && (id.is_some() || fields.null_tool_call_id) {
        fields.extras.add_spellings(ID, Spelling::ToolCallIdField);
    }
    // The call that a result without an id answers is determined later from the whole conversation.
    let spellings = match &id {
        _ if is_legacy && fields.name.is_none() => {
            SpellingSet::new(&[Spelling::LegacyForm, Spelling::NoName])
        }
        _ if is_legacy => Spelling::LegacyForm.into(),
        None if fields.null_tool_call_id => Spelling::NullCallId.into(),
        None => Spelling::NoCallId.into(),
        Some(id) if id.is_empty() => Spelling::EmptyCallId.into(),
        _ => SpellingSet::EMPTY,
    };
    let call_id = match id {
        Some(id) if !(is_legacy && id.is_empty()) => id,
        _ if !is_legacy => JsonString::EMPTY,
        _ => guess_call_id(name.as_ref()),
    };
    let mut content = Vec::new();
    block::decode_content(
        fields.content,
        &mut content,
        LedgerPath { block: Some(0), ..path },
        ledger,
    );
    let is_filler = |block: &Verbatim<Block>| {
        let has_attributes = block.cache_breakpoint.is_some() || !block.extras.is_empty();
        !has_attributes && block.content.as_text().is_some_and(JsonString::is_empty)
    };
    if content.len() == 1 && content.iter().all(is_filler) {
        content.clear();
    }
    let result = ToolResult { call_id, name, content, is_error: false };
    let mut extras = mem::take(&mut fields.extras);
    extras.retain(ID, |key, _| key != "name");
    let mut block = Block::new(BlockContent::ToolResult(result));
    block.extras.add_spellings(ID, spellings);
    let block = Verbatim::new(block);
    Turn { role: Role::User, blocks: vec![block], extras }
}
