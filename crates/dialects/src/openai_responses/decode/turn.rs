//! Decodes input items as turns.

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, Reasoning, ReasoningForm, Role, Seal, Spelling,
    ToolArgs, ToolCall, ToolResult, Turn, Verbatim, derive_id,
};
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use super::block::{
    self, Author, BlockParent, PART_TYPES, REASONING_TEXT, SUMMARY_TEXT, decode_content_item,
    decode_part,
};
use super::fields::decode_extras;
use crate::note;
use crate::openai_responses::id::{ID, OPENAI_ISSUER};
use crate::openai_responses::namespace;

/// Decodes the element of `input` at `position`.
pub(crate) fn decode_turn(
    item: JsonNode<'_>,
    position: usize,
    ledger: &mut Ledger,
) -> Verbatim<Turn> {
    let path = LedgerPath::turn(position);
    if let Some(text) = item.json_string() {
        let turn = single_block_turn(Role::User, Verbatim::new(Block::text(text)));
        return Verbatim::with_text(turn, ID, item.json());
    }
    if !item.is_object() {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "an item that is not an object is read as a user message",
        );
        let mut turn = Turn::new(Role::User);
        turn.blocks =
            block::decode_content(item, BlockParent::Message(position, Author::Client), ledger);
        return Verbatim::with_text(turn, ID, item.json());
    }
    let [kind, role] = item.get_many(["type", "role"]);
    if kind.is_some_and(|kind| !kind.is_string()) {
        ledger.record_change(note::ODD_INPUT, path, "the type of an item is not a string");
    }
    // An item without a type is a message.
    let kind = kind.filter(|kind| kind.is_string());
    let is_mistyped =
        kind.is_some_and(|kind| is_mistyped_message(item, &kind.str_or_empty(), role));
    if is_mistyped {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "an item with a role and content is read as a message",
        );
    }
    let kind = kind.filter(|_| !is_mistyped);
    let turn = if is_message_type(kind) && is_untyped_reasoning(item, role) {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "an item with reasoning fields and no type is read as reasoning",
        );
        single_block_turn(Role::Assistant, decode_reasoning(item, position, ledger).into())
    } else if is_message_type(kind) {
        decode_message(item, role, position, ledger)
    } else {
        let kind = kind.map(JsonNode::str_or_empty).unwrap_or_default();
        let block = decode_item_of_type(&kind, item, position, ledger);
        let role = role.filter(|_| item.get("content").is_some() || is_known_role(role));
        single_block_turn(role_of_item(&kind, role), Verbatim::with_text(block, ID, item.json()))
    };
    Verbatim::with_text(turn, ID, item.json())
}

fn single_block_turn(role: Role, block: Verbatim<Block>) -> Turn {
    Turn { blocks: vec![block], ..Turn::new(role) }
}

/// The type of a message may be omitted.
pub(crate) fn is_message(item: JsonNode<'_>) -> bool {
    is_message_type(item.get("type"))
}

fn is_message_type(kind: Option<JsonNode<'_>>) -> bool {
    match kind {
        Some(kind) if !kind.is_null() => kind.str_or_empty() == "message",
        _ => true,
    }
}

/// Returns whether an item is a message despite its type: it has the fields of a message and lacks
/// those of its type.
fn is_mistyped_message(item: JsonNode<'_>, kind: &str, role: Option<JsonNode<'_>>) -> bool {
    if !is_known_role(role) {
        return false;
    }
    let text = |key: &str| item.get(key).is_some_and(JsonNode::is_string);
    let lacks_fields = match kind {
        "reasoning" => item.get("summary").or_else(|| item.get("encrypted_content")).is_none(),
        "function_call" | "custom_tool_call" => !text("call_id") || !text("name"),
        "function_call_output" | "custom_tool_call_output" => item.get("output").is_none(),
        _ => false,
    };
    lacks_fields
        && item.get("content").is_some_and(|content| content.is_string() || content.is_array())
}

/// Returns whether an item without a type is reasoning.
fn is_untyped_reasoning(item: JsonNode<'_>, role: Option<JsonNode<'_>>) -> bool {
    let has_reasoning = || item.get("summary").or_else(|| item.get("encrypted_content")).is_some();
    role.is_none() && item.get("content").is_none() && has_reasoning()
}

fn decode_message(
    item: JsonNode<'_>,
    role: Option<JsonNode<'_>>,
    position: usize,
    ledger: &mut Ledger,
) -> Turn {
    let path = LedgerPath::turn(position);
    let role_name = role.map(JsonNode::str_or_empty).unwrap_or_default();
    let role = match &*role_name {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        "developer" => Role::Developer,
        _ => {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                "a message of unknown role is read as a user message",
            );
            Role::User
        }
    };
    let mut turn = Turn::new(role);
    match item.get("content") {
        Some(content) => {
            let author = if role == Role::Assistant { Author::Assistant } else { Author::Client };
            turn.blocks =
                block::decode_content(content, BlockParent::Message(position, author), ledger);
        }
        None => ledger.record_change(note::ODD_INPUT, path, "the message has no content"),
    }
    turn.extras = decode_extras(item, &["type", "role", "content"]);
    turn
}

/// The role of an item that is not a message.
fn role_of_item(kind: &str, role: Option<JsonNode<'_>>) -> Role {
    if MODEL_ITEM_TYPES.contains(&kind) {
        return Role::Assistant;
    }
    match &*role.map(JsonNode::str_or_empty).unwrap_or_default() {
        "developer" => Role::Developer,
        "system" => Role::System,
        "user" => Role::User,
        _ if kind.ends_with("_output") || CLIENT_ITEM_TYPES.contains(&kind) => Role::User,
        // An unknown role other than the model's counts as user.
        role_name if role.is_some() && !matches!(role_name, "assistant" | "model") => Role::User,
        _ => Role::Assistant,
    }
}

fn is_known_role(role: Option<JsonNode<'_>>) -> bool {
    role.is_some_and(|role| ROLES.contains(&&*role.str_or_empty()))
}

/// Decodes an item that is one block.
pub(crate) fn decode_item(item: JsonNode<'_>, position: usize, ledger: &mut Ledger) -> Block {
    let kind = item.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    decode_item_of_type(&kind, item, position, ledger)
}

fn decode_item_of_type(
    kind: &str,
    item: JsonNode<'_>,
    position: usize,
    ledger: &mut Ledger,
) -> Block {
    match kind {
        "reasoning" => decode_reasoning(item, position, ledger),
        "function_call" | "custom_tool_call" => decode_tool_call(item, kind, position, ledger),
        "function_call_output" => decode_tool_result(item, false, position, ledger),
        "custom_tool_call_output" => decode_tool_result(item, true, position, ledger),
        _ => Block::new(BlockContent::Foreign {
            dialect: ID,
            kind: JsonString::new(kind),
            json: item.json(),
        }),
    }
}

fn decode_reasoning(item: JsonNode<'_>, position: usize, ledger: &mut Ledger) -> Block {
    let [content, summary, data, id] =
        item.get_many(["content", "summary", "encrypted_content", "id"]);
    let is_string_or_null = |value: Option<JsonNode<'_>>| {
        value.is_none_or(|value| value.is_null() || value.is_string())
    };
    let is_odd = !summary.is_some_and(|list| is_text_list(list, SUMMARY_TEXT))
        || content.is_some_and(|list| !list.is_null() && !is_text_list(list, REASONING_TEXT))
        || !is_string_or_null(data)
        || !is_string_or_null(id);
    if is_odd {
        let message = "malformed reasoning is normalized";
        ledger.record_change(note::ODD_INPUT, LedgerPath::block(position, 0), message);
    }
    let content = content.filter(|list| !list.is_empty());
    let (text, form) = match content {
        Some(content) => (join_texts(content), ReasoningForm::Full),
        None => (summary.map(join_texts).unwrap_or_default(), ReasoningForm::Summary),
    };
    let summary = summary.filter(|list| !list.is_empty());
    let seal = data.and_then(JsonNode::json_string).map(|data| {
        let mut seal = Seal::new(OPENAI_ISSUER, data);
        seal.id = id.and_then(JsonNode::json_string);
        seal
    });
    let form = if text.is_empty() && seal.is_some() { ReasoningForm::Redacted } else { form };
    // A list with one part is not kept next to the text; a list of several joined parts is.
    let content_is_held = content.is_none_or(|content| content.len() == 1);
    let summary_is_held =
        summary.is_none_or(|summary| form != ReasoningForm::Full && summary.len() == 1);
    let held_fields = [
        (true, "type"),
        (seal.is_some() || is_odd, "encrypted_content"),
        (seal.is_some() || !is_string_or_null(id), "id"),
        (content_is_held, "content"),
        (summary_is_held, "summary"),
    ];
    let is_known = |field: &Field<'_>| {
        held_fields.iter().any(|(is_held, name)| *is_held && field.key_is(name))
    };
    let mut block = Block::new(BlockContent::Reasoning(Reasoning { text, form })).with_seal(seal);
    for field in item.fields().filter(|field| !is_known(field)) {
        let kind = [("summary", SUMMARY_TEXT), ("content", REASONING_TEXT)].into_iter();
        match kind.filter(|(name, _)| is_odd && field.key_is(name)).map(|(_, kind)| kind).next() {
            Some(kind) => {
                block.extras.push(ID, field.key_json_string(), to_text_parts(field.value, kind));
            }
            None => block.extras.push_field(ID, field),
        }
    }
    block
}

/// Returns whether a list contains only texts of this type.
fn is_text_list(list: JsonNode<'_>, kind: &str) -> bool {
    list.is_array()
        && list.items().all(|part| {
            let [part_type, text] = part.get_many(["type", "text"]);
            part.is_object()
                && part_type.is_some_and(|part_type| part_type.str_or_empty() == kind)
                && text.is_some_and(JsonNode::is_string)
                && part.fields().count() == 2
        })
}

/// Converts the texts of a list to parts of this type.
fn to_text_parts(list: JsonNode<'_>, kind: &'static str) -> RawJson {
    RawJson::array(|a| {
        for text in decode_texts(list) {
            a.object(|o| {
                o.str("type", kind);
                o.json_string("text", &text);
            });
        }
    })
}

/// Joins the texts of a list of parts.
pub(crate) fn join_texts(list: JsonNode<'_>) -> JsonString {
    JsonString::join(&decode_texts(list), "\n\n")
}

fn decode_texts(list: JsonNode<'_>) -> Vec<JsonString> {
    match list.json_string() {
        Some(text) => vec![text],
        None => list
            .items()
            .filter_map(|part| part.json_string().or_else(|| part.get("text")?.json_string()))
            .collect(),
    }
}

fn decode_tool_call(item: JsonNode<'_>, kind: &str, position: usize, ledger: &mut Ledger) -> Block {
    let path = LedgerPath::block(position, 0);
    let [name, namespace, id, arguments, input] =
        item.get_many(["name", "namespace", "call_id", "arguments", "input"]);
    let is_custom = kind == "custom_tool_call";
    let args_node = if is_custom { input } else { arguments };
    let field_count = 1 + [name, id, args_node].iter().flatten().count();
    let local_name = name.and_then(JsonNode::json_string).unwrap_or_else(|| {
        ledger.record_change(note::ODD_INPUT, path, "the call has no name");
        JsonString::EMPTY
    });
    let namespace = namespace.and_then(JsonNode::json_string);
    // A namespace without a name does not identify a tool.
    let namespace = namespace.filter(|_| !local_name.is_empty());
    let name = namespace::qualified_name(namespace.as_ref(), &local_name);
    let id = id.and_then(JsonNode::json_string).filter(|id| !id.is_empty());
    let id = id.unwrap_or_else(|| {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "the call has no id: one is derived from its name",
        );
        derive_id("call_", &name, position)
    });
    let args = match args_node.map(|args_node| (args_node, args_node.json_string())) {
        Some((_, Some(text))) if is_custom => ToolArgs::Freeform(text),
        Some((_, Some(text))) => ToolArgs::from_json_string(&text),
        Some((args_node, None)) if !args_node.is_null() => {
            ledger.record_change(note::ODD_INPUT, path, "arguments are JSON and not a string");
            if is_custom {
                ToolArgs::Freeform(JsonString::new(args_node.raw()))
            } else {
                ToolArgs::Json(args_node.json())
            }
        }
        _ => {
            ledger.record_change(note::ODD_INPUT, path, "the call has no arguments");
            if is_custom {
                ToolArgs::Freeform(JsonString::EMPTY)
            } else {
                ToolArgs::Malformed(JsonString::EMPTY)
            }
        }
    };
    let mut block = Block::new(BlockContent::ToolCall(ToolCall { id, name, args }));
    if item.len() > field_count {
        let args_node = if is_custom { "input" } else { "arguments" };
        block.extras = decode_extras(item, &["type", "call_id", "name", args_node]);
    }
    block
}

fn decode_tool_result(
    item: JsonNode<'_>,
    is_custom: bool,
    position: usize,
    ledger: &mut Ledger,
) -> Block {
    let path = LedgerPath::block(position, 0);
    let [call_id, output, name] = item.get_many(["call_id", "output", "name"]);
    let field_count = 1 + [call_id, output, name].iter().flatten().count();
    let has_name = name.is_some_and(JsonNode::is_string);
    // A result of a client-side tool may name the tool instead of a call id.
    let by_name = !is_custom && has_name && call_id.is_none_or(JsonNode::is_null);
    let call_id = call_id
        .and_then(JsonNode::json_string)
        .filter(|call_id| !call_id.is_empty())
        .unwrap_or_else(|| {
            if !by_name {
                let message = "the result has no `call_id`";
                ledger.record_change(note::ODD_INPUT, path, message);
            }
            JsonString::EMPTY
        });
    if name.is_some_and(|name| !name.is_string() && !name.is_null()) {
        ledger.record_change(note::ODD_INPUT, path, "the name of a tool is not a string");
    }
    let content = match output {
        Some(output) if output.is_array() || output.is_string() => {
            block::decode_content(output, BlockParent::ToolOutput(position), ledger)
        }
        Some(output) if !output.is_null() => {
            ledger.record_change(note::ODD_INPUT, path, "the result is JSON and not text");
            vec![Verbatim::new(Block::new(BlockContent::Json(output.json())))]
        }
        _ => {
            ledger.record_change(note::ODD_INPUT, path, "the result has no output");
            Vec::new()
        }
    };
    let name = name.and_then(JsonNode::json_string);
    let result = ToolResult { call_id, name, content, is_error: false };
    let mut block = Block::new(BlockContent::ToolResult(result));
    if item.len() > field_count {
        block.extras = decode_extras(item, &["type", "call_id", "output", "name"]);
    }
    if is_custom {
        block.extras.add_spellings(ID, Spelling::FreeformResult);
    }
    if by_name {
        block.extras.add_spellings(ID, Spelling::LegacyForm);
    }
    block
}

/// Decodes a single object as a part, or as an item that is one block.
pub(crate) fn decode_block(node: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Block> {
    if !node.is_object() {
        let mut blocks = Vec::new();
        decode_content_item(node, BlockParent::Message(0, Author::Unknown), &mut blocks, ledger);
        return blocks.into_iter().next().unwrap_or_else(|| Block::text(JsonString::EMPTY).into());
    }
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let block = if PART_TYPES.contains(&&*kind) || kind.is_empty() {
        decode_part(node, LedgerPath::block(0, 0), Author::Unknown, ledger)
    } else {
        decode_item(node, 0, ledger)
    };
    Verbatim::with_text(block, ID, node.json())
}

const ROLES: &[&str] = &["user", "assistant", "system", "developer"];

/// Types of items that always come from the model.
const MODEL_ITEM_TYPES: &[&str] = &["reasoning", "function_call", "custom_tool_call"];

/// Types of items from the client that do not end with `_output`.
const CLIENT_ITEM_TYPES: &[&str] = &[
    "mcp_approval_response",
    "agent_message",
    "compaction_trigger",
    "configuration_update",
    "additional_tools",
    "tool_search_output",
];
