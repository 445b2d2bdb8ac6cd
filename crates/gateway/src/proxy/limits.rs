//! Checks requests and replies against the configured limits.

use interlingua::{ApiError, Dialect, JsonDoc, Ledger, ReplyLimits};
use interlingua_model::{ApiErrorKind, Turn};
use interlingua_wire::JsonNode;

use crate::config::Limits;
use crate::http_util::error_response::failure;

/// Rejects a request that exceeds the configured limits.
pub(crate) fn check_request(
    body: &JsonDoc,
    from: &dyn Dialect,
    limits: &Limits,
) -> Result<(), ApiError> {
    let root = body.root();
    // The number of all JSON values bounds the number of messages and tools: most bodies are not
    // searched.
    if body.value_count() > limits.messages {
        let turns = root.get(from.turns_key()).filter(|turns| turns.is_array());
        let turns = turns.map_or(0, JsonNode::len);
        if turns > limits.messages {
            return Err(limit_exceeded(&format!("{turns} messages"), limits.messages));
        }
    }
    if body.value_count() > limits.blocks {
        let turns = root.get(from.turns_key()).into_iter().flat_map(JsonNode::items);
        let blocks: usize = turns.map(|turn| count_items(turn, BLOCK_DEPTH)).sum();
        if blocks > limits.blocks {
            return Err(limit_exceeded(&format!("{blocks} blocks"), limits.blocks));
        }
    }
    if body.value_count() > limits.tools {
        let tools = root.get(TOOLS).filter(|tools| tools.is_array()).map_or(0, count_tools);
        if tools > limits.tools {
            return Err(limit_exceeded(&format!("{tools} tools"), limits.tools));
        }
    }
    // Only a body longer than the limit can contain such arguments, so most bodies are not decoded
    // here.
    if body.text().len() > limits.arguments {
        let conversation = from.decode_request(body, &mut Ledger::default());
        if conversation.turns.iter().any(|turn| has_long_arguments(turn, limits)) {
            return Err(limit_exceeded("a call with too long arguments", limits.arguments));
        }
    }
    Ok(())
}

pub(crate) fn reply_limits(limits: &Limits) -> ReplyLimits {
    ReplyLimits {
        max_event_bytes: limits.event,
        max_event_lines: limits.event_lines,
        max_argument_bytes: limits.arguments,
        max_blocks: limits.blocks.div_ceil(BLOCKS_PER_REPLY_BLOCK),
        max_reply_bytes: limits.reply,
        // A provider may repeat the whole request in its first events.
        max_preface_bytes: limits.event.saturating_mul(2),
    }
}

fn has_long_arguments(turn: &Turn, limits: &Limits) -> bool {
    turn.blocks.iter().any(|block| block.args_len() > limits.arguments)
}

/// Number of the items of all lists within a value, down to this depth.
fn count_items(value: JsonNode<'_>, depth: usize) -> usize {
    if depth == 0 {
        return 0;
    }
    let own_items = if value.is_array() { value.len() } else { 0 };
    let children = value.items().chain(value.fields().map(|field| field.value));
    own_items + children.map(|child| count_items(child, depth - 1)).sum::<usize>()
}

/// Tools in groups (Gemini's `functionDeclarations`) count individually.
fn count_tools(tools: JsonNode<'_>) -> usize {
    let group = |tool: JsonNode<'_>| {
        let group =
            TOOL_GROUP_KEYS.iter().find_map(|key| tool.get(key)).filter(|group| group.is_array());
        group.map_or(1, |group| group.len().max(1))
    };
    tools.items().map(group).sum()
}

fn limit_exceeded(subject: &str, max: usize) -> ApiError {
    let message = format!("the request has {subject}; the limit is {max}");
    failure(ApiErrorKind::RequestTooLarge, &message)
}

/// Levels below a message with lists of blocks: its content, the content of a result in a field of a
/// block, and that of a document in a result.
const BLOCK_DEPTH: usize = 6;
/// A history has many replies, and a block of a reply takes more memory.
const BLOCKS_PER_REPLY_BLOCK: usize = 10;
const TOOLS: &str = "tools";
const TOOL_GROUP_KEYS: &[&str] = &["functionDeclarations", "function_declarations", "tools"];
