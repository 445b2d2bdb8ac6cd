//! Decodes messages, also those that clients wrote in the form of Chat Completions.

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, Role, ToolArgs, ToolCall, ToolResult, Turn, Verbatim,
};
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use super::block::{decode_content, note_duplicate_keys};
use super::fields::note_odd_input;
use crate::anthropic::id::ID;
use crate::common::turn_list;

fn decode_chat_tool_calls(
    list: JsonNode<'_>,
    path: LedgerPath,
    blocks: &mut Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) {
    for call in list.items() {
        let inner = call.get("function").unwrap_or(call);
        let (Some(id), Some(name)) = (
            call.get("id").and_then(JsonNode::json_string),
            inner.get("name").and_then(JsonNode::json_string),
        ) else {
            continue;
        };
        let args = match inner.get("arguments") {
            Some(text) if text.is_string() => {
                ToolArgs::from_json_string(&text.json_string().unwrap_or_default())
            }
            Some(json) => ToolArgs::Json(json.json()),
            None => ToolArgs::Malformed(JsonString::EMPTY),
        };
        blocks.push(Block::new(BlockContent::ToolCall(ToolCall { id, name, args })).into());
    }
    note_odd_input(ledger, path, "`tool_calls` are decoded as `tool_use` blocks");
}

/// Wraps the content of a message with `tool_call_id` into the result of that call.
fn decode_chat_tool_message(
    call: JsonNode<'_>,
    path: LedgerPath,
    content: Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    note_odd_input(ledger, path, "a message with `tool_call_id` is decoded as a tool result");
    let call = call.json_string().unwrap_or_default();
    let result = ToolResult { call_id: call, name: None, content, is_error: false };
    vec![Block::new(BlockContent::ToolResult(result)).into()]
}

/// Decodes the list of messages. A value that is not a list is decoded as one message.
pub(crate) fn decode_turns(list: JsonNode<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Turn>> {
    match list.kind() {
        JsonKind::Array => {
            let mut turns = Vec::with_capacity(list.len());
            let messages = turn_list::non_null_items(list, ledger).enumerate();
            turns.extend(messages.map(|(at, item)| decode_turn(item, at, ledger)));
            turns
        }
        JsonKind::Null => Vec::new(),
        JsonKind::Bool | JsonKind::Number | JsonKind::String | JsonKind::Object => {
            note_odd_input(
                ledger,
                LedgerPath::BODY,
                "`messages` is not a list: read as one message",
            );
            vec![decode_turn(list, 0, ledger)]
        }
    }
}

pub(crate) fn decode_turn(node: JsonNode<'_>, at: usize, ledger: &mut Ledger) -> Verbatim<Turn> {
    let path = LedgerPath::turn(at);
    let mut turn = Turn::new(Role::User);
    if node.is_object() {
        let (mut role_node, mut content_node) = (None, None);
        let (mut tool_calls, mut answered_call_id) = (None, None);
        for field in node.fields() {
            match &*field.key() {
                "role" => role_node = Some(field.value),
                "content" => content_node = Some(field.value),
                "tool_calls" if field.value.is_array() => tool_calls = Some(field.value),
                "tool_call_id" if field.value.is_string() => answered_call_id = Some(field.value),
                _ => turn.extras.push_field(ID, field),
            }
        }
        turn.role = decode_role(role_node, path, ledger);
        let needs_content =
            tool_calls.is_none() || content_node.is_some_and(|content| !content.is_null());
        if needs_content {
            // The content of a tool message becomes the content of the tool result, block 0.
            let block = answered_call_id.map(|_| 0);
            turn.blocks = decode_content(content_node, LedgerPath { block, ..path }, ledger);
        }
        if let Some(tool_calls) = tool_calls {
            decode_chat_tool_calls(tool_calls, path, &mut turn.blocks, ledger);
        }
        if let Some(call) = answered_call_id {
            turn.blocks = decode_chat_tool_message(call, path, turn.blocks, ledger);
        }
    } else {
        note_odd_input(ledger, path, "a message is not an object: read as the user's");
        turn.blocks = decode_content(Some(node), path, ledger);
    }
    note_duplicate_keys(node, path, ledger);
    Verbatim::with_text(turn, ID, node.json())
}

fn decode_role(node: Option<JsonNode<'_>>, path: LedgerPath, ledger: &mut Ledger) -> Role {
    let role_name = node.map(JsonNode::str_or_empty).unwrap_or_default();
    match &*role_name {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        other => {
            let role = match other {
                "developer" => Role::Developer,
                "model" | "ai" | "bot" => Role::Assistant,
                _ => Role::User,
            };
            note_odd_input(ledger, path, format!("the role `{other}` is read as {role:?}"));
            role
        }
    }
}
