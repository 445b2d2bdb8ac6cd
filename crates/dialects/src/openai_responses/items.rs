//! Items of the input, read: each is one turn.

use interlingua_model::{
    Args, Block, Body, Extras, Form, Ledger, Place, Role, Seal, Thinking, ToolCall, ToolResult,
    Turn, Verbatim, derive_id,
};
use interlingua_wire::{Field, Json, Node, Text};

use super::parts::{Room, Side};
use super::{ID, OPENAI, names, parts};
use crate::note;

/// One element of `input`. `position` is its place in the list.
pub(super) fn decode_turn(item: Node<'_>, position: usize, ledger: &mut Ledger) -> Verbatim<Turn> {
    let place = Place::turn(position);
    if let Some(text) = item.text() {
        let turn = turn(Role::User, Verbatim::new(Block::text(text)));
        return Verbatim::read(turn, ID, item.json());
    }
    if !item.is_object() {
        ledger.change(note::ODD_INPUT, place, "an item that is not an object is the user's");
        let mut turn = Turn::new(Role::User);
        turn.blocks = parts::decode_content(item, Room::Message(position, Side::Client), ledger);
        return Verbatim::read(turn, ID, item.json());
    }
    let [kind, role] = item.pick(["type", "role"]);
    if kind.is_some_and(|kind| !kind.is_string()) {
        ledger.change(note::ODD_INPUT, place, "the type of an item is not a word");
    }
    // What does not say what it is passes for a message.
    let kind = kind.filter(|kind| kind.is_string());
    let spoken = kind.is_some_and(|kind| is_spoken(item, &kind.word(), role));
    if spoken {
        ledger.change(note::ODD_INPUT, place, "an item with a role and a content is a message");
    }
    let kind = kind.filter(|_| !spoken);
    let turn = if is_type_of_message(kind) && is_reasoning(item, role) {
        ledger.change(note::ODD_INPUT, place, "an item that holds reasoning does not say so");
        turn(Role::Assistant, reasoning(item, position, ledger).into())
    } else if is_type_of_message(kind) {
        message(item, role, position, ledger)
    } else {
        let kind = kind.map(Node::word).unwrap_or_default();
        let block = decode_item_of(&kind, item, position, ledger);
        let role = role.filter(|_| item.get("content").is_some() || is_known(role));
        turn(role_of_item(&kind, role), Verbatim::read(block, ID, item.json()))
    };
    Verbatim::read(turn, ID, item.json())
}

fn turn(role: Role, block: Verbatim<Block>) -> Turn {
    Turn { blocks: vec![block], ..Turn::new(role) }
}

/// The type may be left out of a message.
pub(super) fn is_message(item: Node<'_>) -> bool {
    is_type_of_message(item.get("type"))
}

fn is_type_of_message(kind: Option<Node<'_>>) -> bool {
    match kind {
        Some(kind) if !kind.is_null() => kind.word() == "message",
        _ => true,
    }
}

/// Whether an item is a message, though it says that it is something else: it has what a message has,
/// and lacks what the other would have.
fn is_spoken(item: Node<'_>, kind: &str, role: Option<Node<'_>>) -> bool {
    if !is_known(role) {
        return false;
    }
    let text = |key: &str| item.get(key).is_some_and(Node::is_string);
    let lacking = match kind {
        "reasoning" => item.get("summary").or_else(|| item.get("encrypted_content")).is_none(),
        "function_call" | "custom_tool_call" => !text("call_id") || !text("name"),
        "function_call_output" | "custom_tool_call_output" => item.get("output").is_none(),
        _ => false,
    };
    lacking && item.get("content").is_some_and(|content| content.is_string() || content.is_array())
}

/// Whether an item that passes for a message is reasoning that lost its type.
fn is_reasoning(item: Node<'_>, role: Option<Node<'_>>) -> bool {
    let holds = || item.get("summary").or_else(|| item.get("encrypted_content")).is_some();
    role.is_none() && item.get("content").is_none() && holds()
}

fn message(item: Node<'_>, role: Option<Node<'_>>, position: usize, ledger: &mut Ledger) -> Turn {
    let place = Place::turn(position);
    let word = role.map(Node::word).unwrap_or_default();
    let role = match &*word {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        "developer" => Role::Developer,
        _ => {
            ledger.change(note::ODD_INPUT, place, "a message of no known role is the user's");
            Role::User
        }
    };
    let mut turn = Turn::new(role);
    match item.get("content") {
        Some(content) => {
            let side = if role == Role::Assistant { Side::Assistant } else { Side::Client };
            turn.blocks = parts::decode_content(content, Room::Message(position, side), ledger);
        }
        None => ledger.change(note::ODD_INPUT, place, "a message has no content"),
    }
    turn.extras = extras(item, &["type", "role", "content"]);
    turn
}

/// Who an item that is no message comes from.
fn role_of_item(kind: &str, role: Option<Node<'_>>) -> Role {
    if OF_THE_MODEL.contains(&kind) {
        return Role::Assistant;
    }
    match &*role.map(Node::word).unwrap_or_default() {
        "developer" => Role::Developer,
        "system" => Role::System,
        "user" => Role::User,
        _ if kind.ends_with("_output") || FROM_CLIENT.contains(&kind) => Role::User,
        // Whoever has something to say, and is not the model.
        word if role.is_some() && !matches!(word, "assistant" | "model") => Role::User,
        _ => Role::Assistant,
    }
}

fn is_known(role: Option<Node<'_>>) -> bool {
    role.is_some_and(|role| ROLES.contains(&&*role.word()))
}

/// An item that is one block.
pub(super) fn decode_item(item: Node<'_>, position: usize, ledger: &mut Ledger) -> Block {
    let kind = item.get("type").map(Node::word).unwrap_or_default();
    decode_item_of(&kind, item, position, ledger)
}

fn decode_item_of(kind: &str, item: Node<'_>, position: usize, ledger: &mut Ledger) -> Block {
    match kind {
        "reasoning" => reasoning(item, position, ledger),
        "function_call" | "custom_tool_call" => call(item, kind, position, ledger),
        "function_call_output" => result(item, false, position, ledger),
        "custom_tool_call_output" => result(item, true, position, ledger),
        _ => Block::new(Body::Foreign { dialect: ID, kind: Text::new(kind), json: item.json() }),
    }
}

fn reasoning(item: Node<'_>, position: usize, ledger: &mut Ledger) -> Block {
    let [content, summary, data, id] = item.pick(["content", "summary", "encrypted_content", "id"]);
    let word =
        |value: Option<Node<'_>>| value.is_none_or(|value| value.is_null() || value.is_string());
    let is_odd = !summary.is_some_and(|list| holds(list, SUMMARY))
        || content.is_some_and(|list| !list.is_null() && !holds(list, THOUGHT))
        || !word(data)
        || !word(id);
    if is_odd {
        let what = "reasoning is read otherwise than it is written";
        ledger.change(note::ODD_INPUT, Place::block(position, 0), what);
    }
    let content = content.filter(|list| !list.is_empty());
    let (text, form) = match content {
        Some(content) => (joined(content), Form::Full),
        None => (summary.map(joined).unwrap_or_default(), Form::Summary),
    };
    let summary = summary.filter(|list| !list.is_empty());
    let seal = data.and_then(Node::text).map(|data| {
        let mut seal = Seal::new(OPENAI, data);
        seal.id = id.and_then(Node::text);
        seal
    });
    let form = if text.is_empty() && seal.is_some() { Form::Redacted } else { form };
    // What the text says already is not kept beside it; parts that it joins are.
    let content_is_said = content.is_none_or(|content| content.len() == 1);
    let summary_is_said = summary.is_none_or(|summary| form != Form::Full && summary.len() == 1);
    let known = [
        (true, "type"),
        (seal.is_some() || is_odd, "encrypted_content"),
        (seal.is_some() || !word(id), "id"),
        (content_is_said, "content"),
        (summary_is_said, "summary"),
    ];
    let is_known = |field: &Field<'_>| known.iter().any(|(said, name)| *said && field.is(name));
    let mut block = Block::new(Body::Thinking(Thinking { text, form })).sealed(seal);
    for field in item.fields().filter(|field| !is_known(field)) {
        let kind = [("summary", SUMMARY), ("content", THOUGHT)].into_iter();
        match kind.filter(|(name, _)| is_odd && field.is(name)).map(|(_, kind)| kind).next() {
            Some(kind) => block.extras.put(ID, field.key(), as_parts(field.value, kind)),
            None => block.extras.keep(ID, field),
        }
    }
    block
}

/// Whether a list of what was thought holds nothing but texts of this kind.
fn holds(list: Node<'_>, kind: &str) -> bool {
    list.is_array()
        && list.items().all(|part| {
            let [of, text] = part.pick(["type", "text"]);
            part.is_object()
                && of.is_some_and(|of| of.word() == kind)
                && text.is_some_and(Node::is_string)
                && part.fields().count() == 2
        })
}

/// The texts of what was thought, as such a list.
fn as_parts(list: Node<'_>, kind: &'static str) -> Json {
    Json::array(|a| {
        for text in texts(list) {
            a.object(|o| {
                o.word("type", kind);
                o.text("text", &text);
            });
        }
    })
}

/// The texts of a list of parts as one text.
pub(super) fn joined(list: Node<'_>) -> Text {
    Text::join(&texts(list), "\n\n")
}

fn texts(list: Node<'_>) -> Vec<Text> {
    match list.text() {
        Some(text) => vec![text],
        None => list
            .items()
            .filter_map(|part| part.text().or_else(|| part.get("text")?.text()))
            .collect(),
    }
}

fn call(item: Node<'_>, kind: &str, position: usize, ledger: &mut Ledger) -> Block {
    let place = Place::block(position, 0);
    let [name, namespace, id, arguments, input] =
        item.pick(["name", "namespace", "call_id", "arguments", "input"]);
    let custom = kind == "custom_tool_call";
    let said = if custom { input } else { arguments };
    let known = 1 + [name, id, said].iter().flatten().count();
    let short = name.and_then(Node::text).unwrap_or_else(|| {
        ledger.change(note::ODD_INPUT, place, "a call has no name");
        Text::EMPTY
    });
    let namespace = namespace.and_then(Node::text);
    // Without a name of its own a call is of no tool, wherever that would be.
    let namespace = namespace.filter(|_| !short.is_empty());
    let name = names::full(namespace.as_ref(), &short);
    let id = id.and_then(Node::text).filter(|id| !id.is_empty());
    let id = id.unwrap_or_else(|| {
        ledger.change(note::ODD_INPUT, place, "a call has no id; one is derived from its name");
        derive_id("call_", &name, position)
    });
    let args = match said.map(|said| (said, said.text())) {
        Some((_, Some(text))) if custom => Args::Freeform(text),
        Some((_, Some(text))) => Args::from_text(&text),
        Some((said, None)) if !said.is_null() => {
            ledger.change(note::ODD_INPUT, place, "arguments that should be a string are JSON");
            if custom { Args::Freeform(Text::new(said.raw())) } else { Args::Json(said.json()) }
        }
        _ => {
            ledger.change(note::ODD_INPUT, place, "a call has no arguments");
            if custom { Args::Freeform(Text::EMPTY) } else { Args::Malformed(Text::EMPTY) }
        }
    };
    let mut block = Block::new(Body::ToolCall(ToolCall { id, name, args }));
    if item.len() > known {
        let said = if custom { "input" } else { "arguments" };
        block.extras = extras(item, &["type", "call_id", "name", said]);
    }
    block
}

fn result(item: Node<'_>, custom: bool, position: usize, ledger: &mut Ledger) -> Block {
    let place = Place::block(position, 0);
    let [call, output, name] = item.pick(["call_id", "output", "name"]);
    let known = 1 + [call, output, name].iter().flatten().count();
    let named = name.is_some_and(Node::is_string);
    // A tool that is called otherwise than by the model is told by its name alone.
    let by_name = !custom && named && call.is_none_or(Node::is_null);
    let call = call.and_then(Node::text).filter(|call| !call.is_empty()).unwrap_or_else(|| {
        if !by_name {
            let what = "a result does not say which call it answers";
            ledger.change(note::ODD_INPUT, place, what);
        }
        Text::EMPTY
    });
    if name.is_some_and(|name| !name.is_string() && !name.is_null()) {
        ledger.change(note::ODD_INPUT, place, "the name of a tool is not a word");
    }
    let content = match output {
        Some(output) if output.is_array() || output.is_string() => {
            parts::decode_content(output, Room::Output(position), ledger)
        }
        Some(output) if !output.is_null() => {
            ledger.change(note::ODD_INPUT, place, "a result that should be text is JSON");
            vec![Verbatim::new(Block::new(Body::Data(output.json())))]
        }
        _ => {
            ledger.change(note::ODD_INPUT, place, "a result has no output");
            Vec::new()
        }
    };
    let name = name.and_then(Node::text);
    let result = ToolResult { call, name, content, is_error: false };
    let mut block = Block::new(Body::ToolResult(result));
    if item.len() > known {
        block.extras = extras(item, &["type", "call_id", "output", "name"]);
    }
    if custom {
        block.extras.put(ID, CUSTOM, Json::NULL);
    }
    if by_name {
        block.extras.put(ID, BY_NAME, Json::NULL);
    }
    block
}

/// The fields the model has no name for.
pub(super) fn extras(node: Node<'_>, known: &[&str]) -> Extras {
    let mut extras = Extras::default();
    for field in node.fields().filter(|field| !known.iter().any(|name| field.is(name))) {
        extras.keep(ID, field);
    }
    extras
}

/// Stands in the extras of a result that was written as that of a custom tool.
pub(super) const CUSTOM: Text = Text::word("custom output");

/// Stands in the extras of a result that has the name of a tool, and no id of a call.
pub(super) const BY_NAME: Text = Text::word("legacy form");

/// Kinds of parts that reasoning consists of.
pub(super) const SUMMARY: &str = "summary_text";
pub(super) const THOUGHT: &str = "reasoning_text";

const ROLES: &[&str] = &["user", "assistant", "system", "developer"];

/// Items of the model, whatever else they say.
const OF_THE_MODEL: &[&str] = &["reasoning", "function_call", "custom_tool_call"];

/// Items of the client whose names do not say so.
const FROM_CLIENT: &[&str] = &[
    "mcp_approval_response",
    "compaction_trigger",
    "configuration_update",
    "additional_tools",
    "tool_search_output",
];
