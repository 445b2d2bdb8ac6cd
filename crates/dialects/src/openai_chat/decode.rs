//! Messages, decoded: each is a turn.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::mem;

use interlingua_model::{
    Block, Body, Extras, Form, Ledger, Place, Role, Seal, Thinking, ToolResult, Turn, Verbatim,
};
use interlingua_wire::{Json, Node, Text};

use super::calls::Nameless;
use super::fields::{CALL, DETAILS, Fields, UNSAID, UNTHOUGHT};
use super::mark;
use super::parts::{self, odd};
use super::unanswered::{CALLS_PER_TURN, Unanswered};
use super::{ID, annotations, calls, paired, reasoning, usual};
use crate::body;

pub(super) fn messages(list: Node<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Turn>> {
    let mut unanswered = Unanswered::default();
    let messages = body::messages(list, ledger);
    let mut turns = Vec::with_capacity(messages.len());
    for (at, node) in messages.enumerate() {
        let turn = message(node, &turns, &mut unanswered, Place::turn(at), ledger);
        turns.push(turn);
    }
    turns
}

/// One message, whatever its role, behind these turns.
pub(super) fn message(
    node: Node<'_>,
    before: &[Verbatim<Turn>],
    unanswered: &mut Unanswered,
    place: Place,
    ledger: &mut Ledger,
) -> Verbatim<Turn> {
    let guess = |name: Option<&Text>| unanswered.guess(before, name, place);
    usual::message(node, place, ledger).unwrap_or_else(|| any_message(node, guess, place, ledger))
}

/// As [`message`], however it is written.
pub(super) fn any_message(
    node: Node<'_>,
    guess: impl FnOnce(Option<&Text>) -> Text,
    place: Place,
    ledger: &mut Ledger,
) -> Verbatim<Turn> {
    if !node.is_object() {
        odd(ledger, place, "a message that is no object is read as the user's");
        let mut turn = Turn::new(Role::User);
        parts::content(Some(node), &mut turn.blocks, place, ledger);
        return Verbatim::read(turn, ID, node.json());
    }
    let mut fields = Fields::read(node);
    fields.settle(place, ledger);
    let role = fields.role.map(Node::word).unwrap_or_default();
    let turn = match &*role {
        "user" => plain(node, Role::User, &mut fields, place, ledger),
        "system" => plain(node, Role::System, &mut fields, place, ledger),
        "developer" => plain(node, Role::Developer, &mut fields, place, ledger),
        "assistant" => assistant(node, &mut fields, None, place, ledger),
        "tool" | "function" => result(node, &mut fields, &role, guess, place, ledger),
        _ => {
            // Not every server minds: where one does, a rule says so.
            if let Some(said) = fields.role.filter(|said| said.is_string()) {
                fields.extras.put(ID, Text::word(mark::UNKNOWN_ROLE), said.json());
            } else {
                odd(ledger, place, "a message without a role is read as its other fields suggest");
            }
            if fields.tool_call_id.is_some() {
                result(node, &mut fields, "tool", guess, place, ledger)
            } else if fields.tool_calls.is_some_and(|calls| !calls.is_empty()) || &*role == "model"
            {
                assistant(node, &mut fields, None, place, ledger)
            } else {
                plain(node, Role::User, &mut fields, place, ledger)
            }
        }
    };
    Verbatim::read(turn, ID, node.json())
}

/// The message of a reply with this id.
pub(super) fn answer(node: Node<'_>, id: Option<&Text>, ledger: &mut Ledger) -> Turn {
    let mut fields = Fields::read_once(node);
    let mut turn = assistant(node, &mut fields, id, Place::REPLY, ledger);
    // How a provider wrote its reply need not be remembered.
    turn.extras.retain(ID, |key, _| !Extras::is_memory(key));
    turn
}

/// One block, told by its own form: a part, a call, an entry of `reasoning_details`.
pub(super) fn block(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Verbatim<Block> {
    let kind = node.get("type").map(Node::word).unwrap_or_default();
    match &*kind {
        "function" | "custom" => calls::decode(node, Nameless::default(), place, ledger),
        kind if kind.starts_with("reasoning.") => reasoning::entry(node),
        "" if node.get("name").is_some() && node.get("arguments").is_some() => {
            calls::decode_legacy(node, Nameless::default())
        }
        _ => parts::part(node, place, ledger),
    }
}

fn plain(
    node: Node<'_>,
    role: Role,
    fields: &mut Fields<'_>,
    place: Place,
    ledger: &mut Ledger,
) -> Turn {
    fields.left_by(node, UNSAID, place, ledger);
    let mut turn = Turn::new(role);
    parts::content(fields.content, &mut turn.blocks, place, ledger);
    turn.extras = mem::take(&mut fields.extras);
    turn
}

fn assistant(
    node: Node<'_>,
    fields: &mut Fields<'_>,
    reply: Option<&Text>,
    place: Place,
    ledger: &mut Ledger,
) -> Turn {
    fields.left_by(node, &[CALL], place, ledger);
    if fields.are_usual() {
        let mut turn = usual::assistant(fields.content, fields.tool_calls, reply, place, ledger);
        turn.extras = mem::take(&mut fields.extras);
        turn
    } else {
        unusual(node, fields, reply, place, ledger)
    }
}

/// A message in which something stands beside words and calls, or that is written otherwise.
fn unusual(
    node: Node<'_>,
    fields: &mut Fields<'_>,
    reply: Option<&Text>,
    place: Place,
    ledger: &mut Ledger,
) -> Turn {
    let calls = tool_calls(fields, reply, place, ledger);
    let mut turn = Turn::new(Role::Assistant);
    // Mostly there are words or thoughts, and calls.
    turn.blocks.reserve_exact(calls.len() + 1);
    let (before, seals) = thinking(fields, &calls, place != Place::REPLY, &mut turn);
    let mut sealed: HashMap<Cow<'_, str>, &Seal> = HashMap::new();
    for (call, seal) in &seals {
        sealed.entry(call.contents()).or_insert(seal);
    }
    let first = turn.blocks.len();
    let entries = ledger.entries.len();
    spoken(node, fields, &calls, &mut turn, place, ledger);
    let notes = ledger.entries.get_mut(entries..).unwrap_or_default();
    let among_parts = paired::take_calls(&mut turn.blocks, first, &calls, notes);
    annotations::decode(fields, turn.blocks.get_mut(first..).unwrap_or_default(), place, ledger);
    turn.blocks[before..].rotate_left(first - before);
    for image in fields.images.into_iter().flat_map(Node::items) {
        let mut block = parts::part(image, place, ledger);
        if place != Place::REPLY {
            block.change_beside(|block| mark::hold(&mut block.extras, "images"));
        }
        turn.blocks.push(block);
    }
    for mut block in calls {
        if let Body::ToolCall(call) = &block.body
            && let Some(seal) = sealed.get(&*call.id.contents())
        {
            let seal = Some(Box::new(Seal::clone(seal)));
            block.edit().seal = seal;
        }
        turn.blocks.push(block);
    }
    turn.blocks.extend(among_parts);
    turn.extras = mem::take(&mut fields.extras);
    turn
}

fn tool_calls(
    fields: &Fields<'_>,
    reply: Option<&Text>,
    place: Place,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    let mut found = Vec::new();
    if let Some(list) = fields.tool_calls {
        if !list.is_array() {
            odd(ledger, place, "tool calls that are no list are read as one call");
        }
        let one = Some(list).filter(|list| list.is_object());
        found.reserve_exact(list.len());
        for (at, node) in list.items().chain(one).enumerate() {
            found.push(calls::decode(node, nameless(reply, place, at), place, ledger));
        }
    }
    if let Some(legacy) = fields.function_call {
        found.push(calls::decode_legacy(legacy, nameless(reply, place, found.len())));
    }
    found
}

/// What makes the id of one of the calls of a message.
pub(super) fn nameless(reply: Option<&Text>, place: Place, at: usize) -> Nameless<'_> {
    let first = place.index.unwrap_or_default() as usize * CALLS_PER_TURN;
    Nameless { reply, number: first + at }
}

/// The reasoning of a message comes before its words, or some of it. Returns how much of it does, and
/// seals that belong to calls.
fn thinking(
    fields: &mut Fields<'_>,
    calls: &[Verbatim<Block>],
    is_history: bool,
    turn: &mut Turn,
) -> (usize, Vec<(Text, Seal)>) {
    let called: OnceCell<HashSet<Cow<'_, str>>> = OnceCell::new();
    let ids = || {
        calls.iter().filter_map(|block| match &block.body {
            Body::ToolCall(call) => Some(call.id.contents()),
            _ => None,
        })
    };
    let is_call = |id: &Text| called.get_or_init(|| ids().collect()).contains(&*id.contents());
    let details = fields.details.map(|list| reasoning::decode(list, is_call)).unwrap_or_default();
    let is_thought = |block: &Verbatim<Block>| matches!(block.body, Body::Thinking(_));
    if fields.details.is_some() && !details.blocks.iter().any(is_thought) {
        mark::hold(&mut fields.extras, DETAILS);
    }
    // In the history, an empty one stands for reasoning that is gone: some servers want at least that.
    let text = fields.reasoning.take().filter(|text| is_history || !text.is_empty());
    let shows = |block: &Verbatim<Block>| match &block.body {
        Body::Thinking(thinking) => !thinking.text.is_empty(),
        _ => false,
    };
    // In a reply, entries that nobody can read do not say what the plain text says.
    let beside = !is_history && text.is_some() && !details.blocks.iter().any(shows);
    if details.blocks.is_empty() || beside {
        turn.blocks.extend(text.map(|text| {
            Verbatim::new(Block::new(Body::Thinking(Thinking { text, form: Form::Full })))
        }));
    } else if let Some(text) = text.filter(|text| !is_same(text, &details.blocks)) {
        fields.extras.put(ID, Text::word("reasoning"), Json::string(&text));
    }
    let before = if beside { turn.blocks.len() + details.before } else { details.before };
    let before = if details.blocks.is_empty() { turn.blocks.len() } else { before };
    turn.blocks.extend(details.blocks);
    (before, details.calls)
}

/// Whether a plain text of reasoning only repeats what the entries say.
fn is_same(text: &Text, blocks: &[Verbatim<Block>]) -> bool {
    let shown: Vec<&Text> = blocks
        .iter()
        .filter_map(|block| match &block.body {
            Body::Thinking(thinking) => Some(&thinking.text),
            _ => None,
        })
        .filter(|text| !text.is_empty())
        .collect();
    ["", "\n\n", "\n"]
        .into_iter()
        .any(|between| Text::join(shown.iter().copied(), between) == *text)
}

/// Content and refusal.
fn spoken(
    node: Node<'_>,
    fields: &Fields<'_>,
    calls: &[Verbatim<Block>],
    turn: &mut Turn,
    place: Place,
    ledger: &mut Ledger,
) {
    let first = turn.blocks.len();
    let is_filler = fields.has_empty_content() && (!calls.is_empty() || fields.refusal.is_some());
    if !is_filler {
        parts::content(fields.content, &mut turn.blocks, place, ledger);
    }
    if turn.blocks.len() == first {
        let transcript = fields.audio.and_then(|audio| audio.get("transcript")?.text());
        turn.blocks.extend(transcript.map(Block::text).map(Verbatim::new));
    }
    let signed = |block: &&mut Verbatim<Block>| matches!(block.body, Body::Text { .. });
    if let Some(seal) = fields.may_be_signed.then(|| calls::signature(node)).flatten() {
        match turn.blocks.get_mut(first..).unwrap_or_default().iter_mut().rev().find(signed) {
            Some(block) => block.change_beside(|block| block.seal = Some(Box::new(seal))),
            None => turn.blocks.push(Block::text(Text::EMPTY).sealed(Some(seal)).into()),
        }
    }
    if let Some(refusal) = fields.refusal.clone().filter(|refusal| !refusal.is_empty()) {
        turn.blocks.push(Block::new(Body::Refusal(refusal)).into());
    }
}

/// A message that brings the result of a call.
fn result(
    node: Node<'_>,
    fields: &mut Fields<'_>,
    role: &str,
    guess: impl FnOnce(Option<&Text>) -> Text,
    place: Place,
    ledger: &mut Ledger,
) -> Turn {
    fields.left_by(node, UNTHOUGHT, place, ledger);
    let name = fields.name.and_then(Node::text);
    let id = fields.tool_call_id.map(parts::text_of);
    // In the old way there is no id: one that is there all the same is a field that few know.
    let old = role != "tool";
    if old && (id.is_some() || fields.null_call) {
        mark::hold(&mut fields.extras, CALL);
    }
    // Which call a result without an id answers is told by all that comes before and after it.
    let mark = match &id {
        _ if old => Some(mark::LEGACY),
        None if fields.null_call => Some(mark::NULL_CALL),
        None => Some(mark::NO_CALL),
        Some(id) if id.is_empty() => Some(mark::EMPTY_CALL),
        _ => None,
    };
    let call = match id {
        Some(id) if !(old && id.is_empty()) => id,
        _ if !old => Text::EMPTY,
        _ => guess(name.as_ref()),
    };
    let mut content = Vec::new();
    parts::content(fields.content, &mut content, Place { block: Some(0), ..place }, ledger);
    let is_filler = |block: &Verbatim<Block>| {
        let beside = block.cache.is_some() || !block.extras.is_empty();
        !beside && block.body.as_text().is_some_and(Text::is_empty)
    };
    if content.len() == 1 && content.iter().all(is_filler) {
        content.clear();
    }
    let result = ToolResult { call, name, content, is_error: false };
    let mut extras = Extras::default();
    for (key, value) in mem::take(&mut fields.extras).of(ID) {
        if key != "name" {
            extras.put(ID, key.clone(), value.clone());
        }
    }
    let mut block = Block::new(Body::ToolResult(result));
    let nameless = mark == Some(mark::LEGACY) && fields.name.is_none();
    for mark in mark.into_iter().chain(nameless.then_some(mark::NO_NAME)) {
        block.extras.put(ID, Text::word(mark), Json::NULL);
    }
    let block = Verbatim::new(block);
    Turn { role: Role::User, blocks: vec![block], extras }
}
