//! Encodes the system prompt and the messages of a request.

use interlingua_model::{
    Block, BlockContent, Conversation, Ledger, LedgerPath, Media, Role, Turn, Verbatim,
};
use interlingua_wire::json::ArrayWriter;
use interlingua_wire::{JsonString, JsonWriter, RawJson};

use super::context::EncodeCx;
use super::{block, fields, media};
use crate::bedrock::id::{ID, role_name};
use crate::common::turn_list;
use crate::note;

/// One message to encode.
struct Message<'c> {
    role: Role,
    /// Index of its first turn.
    first_turn: usize,
    parts: Vec<MessagePart<'c>>,
}

enum MessagePart<'c> {
    Block(&'c Verbatim<Block>, LedgerPath),
    /// Media that cannot be sent: a placeholder is written, because text next to them may refer to
    /// them.
    OmittedMedia(&'c Block, &'c Media, LedgerPath),
    /// Instructions in the middle of a conversation, sent as user text.
    Instructions(Vec<&'c Verbatim<Block>>, LedgerPath),
}

/// Encodes the system prompt, then the leading instruction turns. Same-dialect requests keep those
/// turns in place.
pub(crate) fn encode_system(
    conversation: &Conversation,
    cx: EncodeCx,
    ledger: &mut Ledger,
    out: &mut ArrayWriter<'_>,
) {
    for (index, block) in conversation.system.iter().enumerate() {
        encode_system_block(block, cx, LedgerPath::system(index), ledger, out);
    }
    for (turn, index) in
        conversation.turns.iter().zip(0..leading_instruction_count(conversation, cx))
    {
        fields::note_dropped_extras(&turn.extras, LedgerPath::turn(index), ledger);
        for (at, block) in turn.blocks.iter().enumerate() {
            encode_system_block(block, cx, LedgerPath::block(index, at), ledger, out);
        }
    }
}

fn encode_system_block(
    block: &Verbatim<Block>,
    cx: EncodeCx,
    path: LedgerPath,
    ledger: &mut Ledger,
    out: &mut ArrayWriter<'_>,
) {
    let has_text_key = |text: &RawJson| text.to_doc().root().get("text").is_some();
    match &block.content {
        // The API does not accept citations in the system prompt.
        BlockContent::Text { text, citations }
            if !citations.is_empty() || !block.text_for(ID).is_none_or(has_text_key) =>
        {
            if !citations.is_empty() {
                ledger.record_loss(
                    note::CITATION_REDUCED,
                    path,
                    "left out the citations of a text",
                );
            }
            let mut text_block = Block::text(text.clone());
            text_block.cache_breakpoint.clone_from(&block.cache_breakpoint);
            block::encode_block(&text_block.into(), cx, path, ledger, out);
        }
        BlockContent::Text { .. } | BlockContent::Refusal(_) => {
            block::encode_block(block, cx, path, ledger, out);
        }
        BlockContent::Foreign { dialect, .. } if *dialect == ID => {
            block::encode_block(block, cx, path, ledger, out);
        }
        BlockContent::Reasoning(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_)
        | BlockContent::Foreign { .. } => {
            let message = "left out a block of the system prompt that is not text";
            ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
        }
    }
}

/// Number of leading turns that move into the system prompt.
fn leading_instruction_count(conversation: &Conversation, cx: EncodeCx) -> usize {
    if cx == EncodeCx::SameDialect { 0 } else { turn_list::leading_instruction_count(conversation) }
}

pub(crate) fn encode_same_dialect(
    turns: &[Verbatim<Turn>],
    ledger: &mut Ledger,
    out: &mut ArrayWriter<'_>,
) {
    for (index, turn) in turns.iter().enumerate() {
        if let Some(text) = turn.text_for(ID) {
            out.item().json(text);
            continue;
        }
        let mut parts = Vec::with_capacity(turn.blocks.len());
        for (at, block) in turn.blocks.iter().enumerate() {
            push_block(
                block,
                EncodeCx::SameDialect,
                LedgerPath::block(index, at),
                ledger,
                &mut parts,
            );
        }
        fields::note_dropped_extras(&turn.extras, LedgerPath::turn(index), ledger);
        out.object(|o| {
            o.str("role", role_name(turn.role));
            o.array("content", |a| encode_parts(&parts, EncodeCx::SameDialect, ledger, a));
            turn.extras.write(ID, o);
        });
    }
}

/// The API requires alternating roles, so turns of one side are merged. A message without parts is
/// dropped.
pub(crate) fn encode_cross_dialect(
    conversation: &Conversation,
    ledger: &mut Ledger,
    out: &mut ArrayWriter<'_>,
) {
    let mut messages: Vec<Message<'_>> = Vec::new();
    let skip = leading_instruction_count(conversation, EncodeCx::CrossDialect);
    for (index, turn) in conversation.turns.iter().enumerate().skip(skip) {
        let parts = turn_parts(turn, index, ledger);
        let role = if turn.role == Role::Assistant { Role::Assistant } else { Role::User };
        match messages.last_mut().filter(|last| last.role == role) {
            Some(last) => last.parts.extend(parts),
            None if parts.is_empty() => {}
            None => messages.push(Message { role, first_turn: index, parts }),
        }
    }
    for mut message in messages {
        if message.role == Role::User {
            move_tool_results_first(&mut message, ledger);
        }
        out.object(|o| {
            o.str("role", role_name(message.role));
            o.array("content", |a| {
                encode_parts(&message.parts, EncodeCx::CrossDialect, ledger, a);
            });
        });
    }
}

fn turn_parts<'c>(turn: &'c Turn, index: usize, ledger: &mut Ledger) -> Vec<MessagePart<'c>> {
    fields::note_dropped_extras(&turn.extras, LedgerPath::turn(index), ledger);
    let mut parts = Vec::with_capacity(turn.blocks.len());
    let mut instructions = Vec::new();
    for (at, block) in turn.blocks.iter().enumerate() {
        let path = LedgerPath::block(index, at);
        let is_instruction = !matches!(turn.role, Role::User | Role::Assistant);
        if is_instruction && block.content.as_text().is_some() {
            instructions.push(block);
        } else {
            push_block(block, EncodeCx::CrossDialect, path, ledger, &mut parts);
        }
    }
    if !instructions.is_empty() {
        let path = LedgerPath::turn(index);
        let message = "instructions in the middle of the conversation are sent as user text in `<system-reminder>`";
        ledger.record_change(note::SYSTEM_MOVED, path, message);
        parts.insert(0, MessagePart::Instructions(instructions, path));
    }
    parts
}

fn push_block<'c>(
    block: &'c Verbatim<Block>,
    cx: EncodeCx,
    path: LedgerPath,
    ledger: &mut Ledger,
    parts: &mut Vec<MessagePart<'c>>,
) {
    match block::unsupported_reason(block, cx) {
        Some((rule, message)) => {
            ledger.record_loss(rule, path, message);
            if let BlockContent::Media(media) = &block.content {
                parts.push(MessagePart::OmittedMedia(block, media, path));
            }
        }
        None => parts.push(MessagePart::Block(block, path)),
    }
}

fn move_tool_results_first(message: &mut Message<'_>, ledger: &mut Ledger) {
    let is_result = |part: &MessagePart<'_>| match part {
        MessagePart::Block(block, _) => matches!(block.content, BlockContent::ToolResult(_)),
        MessagePart::OmittedMedia(..) | MessagePart::Instructions(..) => false,
    };
    if message.parts.is_sorted_by_key(|part| !is_result(part)) {
        return;
    }
    message.parts.sort_by_key(|part| !is_result(part));
    let description = "tool results are moved before the rest of the message";
    ledger.record_change(note::ORDER_CHANGED, LedgerPath::turn(message.first_turn), description);
}

fn encode_parts(
    parts: &[MessagePart<'_>],
    cx: EncodeCx,
    ledger: &mut Ledger,
    out: &mut ArrayWriter<'_>,
) {
    for part in parts {
        match part {
            MessagePart::Block(block, path) => {
                block::encode_block(block, cx, *path, ledger, out);
            }
            MessagePart::OmittedMedia(block, media, path) => {
                block::encode_text(&media::placeholder_text(media), out.item());
                if let Some(cache) = &block.cache_breakpoint {
                    fields::encode_cache_point(cache, *path, ledger, out);
                }
            }
            MessagePart::Instructions(blocks, path) => {
                encode_system_reminder(blocks, out.item());
                if let Some(cache) =
                    blocks.iter().rev().find_map(|block| block.cache_breakpoint.as_deref())
                {
                    fields::encode_cache_point(cache, *path, ledger, out);
                }
            }
        }
    }
}

fn encode_system_reminder(blocks: &[&Verbatim<Block>], out: &mut JsonWriter) {
    let (open, close) = (
        JsonString::from_static("<system-reminder>"),
        JsonString::from_static("</system-reminder>"),
    );
    let texts = blocks.iter().filter_map(|block| block.content.as_text());
    out.object(|o| {
        let lines = std::iter::once(&open).chain(texts).chain(std::iter::once(&close));
        o.key("text").join(lines, "\n");
    });
}
