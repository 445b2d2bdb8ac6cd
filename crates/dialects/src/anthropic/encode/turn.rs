//! Encodes the list of messages.

use interlingua_model::{Block, BlockContent, Conversation, LedgerPath, Role, Turn, Verbatim};
use interlingua_wire::json::ArrayWriter;
use interlingua_wire::{JsonString, RawJson};

use super::context::{BlockParent, EncodeCx};
use super::{block, fields};
use crate::anthropic::id::ID;
use crate::note;

/// Encodes each turn as a separate message, as the client sent it.
pub(crate) fn encode_same_dialect(
    conversation: &Conversation,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    for (at, turn) in conversation.turns.iter().enumerate() {
        if let Some(text) = turn.text_for(ID) {
            out.item().json(text);
            continue;
        }
        let (role, parent) = match turn.role {
            Role::User => ("user", BlockParent::User),
            Role::Assistant => ("assistant", BlockParent::Assistant),
            Role::System | Role::Developer => ("system", BlockParent::System),
        };
        fields::note_dropped_extras(&turn.extras, LedgerPath::turn(at), cx.ledger);
        out.object(|o| {
            o.static_str("role", role);
            o.array("content", |a| {
                for (block_index, block) in turn.blocks.iter().enumerate() {
                    block::encode_block(block, parent, LedgerPath::block(at, block_index), cx, a);
                }
            });
            turn.extras.write(ID, o);
        });
    }
}

/// Encodes the turns after the leading instructions, and merges runs of the same role into one
/// message.
pub(crate) fn encode_cross_dialect(
    conversation: &Conversation,
    leading: usize,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    let turns = conversation.turns.get(leading..).unwrap_or_default();
    let mut first = leading;
    for turns in turns.chunk_by(|a, b| is_assistant(a) == is_assistant(b)) {
        encode_merged_message(turns, first, cx, out);
        first += turns.len();
    }
}

fn is_assistant(turn: &Verbatim<Turn>) -> bool {
    turn.role == Role::Assistant
}

fn encode_merged_message(
    turns: &[Verbatim<Turn>],
    first: usize,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    let [only_or_first, ..] = turns else { return };
    if let ([turn], Some(text)) = (turns, only_or_first.text_for(ID))
        && matches!(turn.role, Role::User | Role::Assistant)
    {
        out.item().json(text);
        return;
    }
    let is_reply = is_assistant(only_or_first);
    let role = if is_reply { "assistant" } else { "user" };
    if turns.iter().all(|turn| turn.blocks.is_empty()) || turns.iter().any(has_always_encoded_block)
    {
        out.object(|o| {
            o.static_str("role", role);
            o.array("content", |a| encode_merged_content(turns, first, cx, a));
        });
        return;
    }
    // A message without blocks is rejected. The ledger already has the dropped blocks.
    let content = RawJson::array(|a| encode_merged_content(turns, first, cx, a));
    if content != RawJson::EMPTY_ARRAY {
        out.object(|o| {
            o.static_str("role", role);
            o.json("content", &content);
        });
    }
}

/// Returns whether the turn has a block that is never dropped.
fn has_always_encoded_block(turn: &Verbatim<Turn>) -> bool {
    turn.blocks.iter().any(|block| match block.content {
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Json(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_) => true,
        BlockContent::Reasoning(_) | BlockContent::Media(_) | BlockContent::Foreign { .. } => false,
    })
}

/// Encodes the blocks of a run. In a user message, tool results come first.
fn encode_merged_content(
    turns: &[Verbatim<Turn>],
    first: usize,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    let blocks = || {
        turns.iter().enumerate().flat_map(move |(at, turn)| {
            turn.blocks
                .iter()
                .enumerate()
                .map(move |(block_index, block)| (first + at, block_index, turn, block))
        })
    };
    for (at, turn) in turns.iter().enumerate() {
        fields::note_dropped_extras(&turn.extras, LedgerPath::turn(first + at), cx.ledger);
    }
    if is_assistant(&turns[0]) {
        for (at, block_index, _, block) in blocks() {
            block::encode_block(
                block,
                BlockParent::Assistant,
                LedgerPath::block(at, block_index),
                cx,
                out,
            );
        }
        return;
    }
    let mut after_other = false;
    for (at, block_index, _, block) in blocks() {
        let is_result = is_tool_result(block);
        if is_result && after_other {
            let message = "the tool result is moved before the rest of the message";
            cx.ledger.record_change(
                note::ORDER_CHANGED,
                LedgerPath::block(at, block_index),
                message,
            );
        }
        if is_result {
            block::encode_block(
                block,
                BlockParent::User,
                LedgerPath::block(at, block_index),
                cx,
                out,
            );
        }
        after_other |= !is_result;
    }
    for (at, block_index, turn, block) in blocks().filter(|(.., block)| !is_tool_result(block)) {
        let path = LedgerPath::block(at, block_index);
        if turn.role == Role::User {
            block::encode_block(block, BlockParent::User, path, cx, out);
        } else {
            encode_system_reminder(block, path, cx, out);
        }
    }
}

fn is_tool_result(block: &Verbatim<Block>) -> bool {
    matches!(block.content, BlockContent::ToolResult(_))
}

/// Encodes an instruction in the middle of the conversation as user text, because the API has no
/// such role.
fn encode_system_reminder(
    block: &Verbatim<Block>,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    let BlockContent::Text { text, .. } = &block.content else {
        block::encode_block(block, BlockParent::User, path, cx, out);
        return;
    };
    let message = "an instruction in the middle of the conversation is sent as user text";
    cx.ledger.record_change(note::SYSTEM_MOVED, path, message);
    let (head, tail) = (
        JsonString::from_static("<system-reminder>\\n"),
        JsonString::from_static("\\n</system-reminder>"),
    );
    let wrapped = JsonString::concat([&head, text, &tail]);
    let mut moved = Block::clone(block);
    if let BlockContent::Text { text, .. } = &mut moved.content {
        *text = wrapped;
    }
    block::encode_block(&moved.into(), BlockParent::User, path, cx, out);
}
