//! Merges a list of texts into one string where the target accepts no lists, or loses part of them.
//!
//! The texts are separated by a blank line. Instructions of several texts are merged for local
//! servers, and for servers without a flavor at an address that is not the vendor's own; not those
//! with a cache breakpoint.
//!
//! ## Why
//! Chat templates of Mistral Small 3.2 and Devstral read `content[0]["text"]` of the instructions,
//! and the server accepts the rest without a word.
//!
//! > Failed to deserialize the JSON body into the target type: messages\[19\]: invalid type: sequence,
//! > expected a string
//!
//! > messages.0.content: Input should be a valid string
//!
//! ## Example
//! ```text
//! before   user: ["What", "is the weather?"]
//! after    user: "What\n\nis the weather?"
//! ```

use interlingua_model::{Block, BlockContent, Extras, LedgerPath, Role, Turn, Verbatim};
use interlingua_providers::profile::texts::StringContent;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::values::block::{has_content_elsewhere, is_assistant, is_reasoning_or_entry, is_result};
use crate::values::placeholder::BLANK_LINE;

pub(super) fn apply(work: &mut Work<'_>) {
    match work.profile.string_content() {
        StringContent::NotRequired => {}
        StringContent::Instructions => join_instructions(work),
        StringContent::Replies | StringContent::AllMessages => flatten_lists(work),
    }
}

fn join_instructions(work: &mut Work<'_>) {
    for turn in 0..work.turns().len() {
        let Some((first, merged)) = separate_instructions(work, turn) else { continue };
        work.record_change(
            LedgerPath::turn(turn),
            "the instructions are sent as one string: chat templates may read only the first text",
        );
        if work.blocks(turn).iter().any(|block| !block.extras.is_empty()) {
            work.record_loss(LedgerPath::turn(turn), LOST_FIELDS);
        }
        if work.blocks(turn).iter().any(|block| block.cache_breakpoint.is_some()) {
            work.record_loss(LedgerPath::turn(turn), "left out a cache breakpoint");
        }
        let joined = join_texts(work.blocks(turn));
        for block in &merged {
            work.record_merge((turn, *block), (turn, first));
        }
        work.remove_blocks(turn, &merged);
        *work.edit_block(turn, first) = Block::text(joined);
    }
}

/// Joins texts by blank lines, except where merged turns are separated by one already.
fn join_texts(blocks: &[Verbatim<Block>]) -> JsonString {
    let blank_line = JsonString::new(BLANK_LINE);
    let mut parts = Vec::with_capacity(blocks.len() * 2);
    for text in blocks.iter().filter_map(|block| plain_text(block)) {
        if !parts.is_empty() && !text.raw().starts_with(blank_line.raw()) {
            parts.push(blank_line.clone());
        }
        parts.push(text);
    }
    JsonString::concat(&parts)
}

/// The positions of the first and of the other texts, if a turn has instructions of several plain
/// texts. Blocks of other dialects do not count: they are not sent.
fn separate_instructions(work: &Work<'_>, turn: usize) -> Option<(usize, Vec<usize>)> {
    let Turn { role, blocks, .. } = &*work.turns()[turn];
    if !matches!(role, Role::System | Role::Developer) || blocks.len() < 2 {
        return None;
    }
    let target = work.profile.dialect;
    let mut texts = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        match &block.content {
            BlockContent::Foreign { dialect, .. } if *dialect != target => {}
            _ if plain_text(block).is_some() && !has_sent_mark(work, block) => texts.push(at),
            _ => return None,
        }
    }
    (texts.len() > 1).then(|| (texts.remove(0), texts))
}

/// Whether a block has a cache breakpoint that is sent. Local servers have no field for it, so it
/// leaves only in a part that nothing changed.
fn has_sent_mark(work: &Work<'_>, block: &Verbatim<Block>) -> bool {
    let is_unchanged = block.text_for(work.profile.dialect).is_some();
    let has_field = work.profile.joins_instructions && work.is_same_dialect();
    block.cache_breakpoint.is_some() && (is_unchanged || has_field)
}

/// The text as which a block of instructions is sent.
fn plain_text(block: &Block) -> Option<JsonString> {
    match &block.content {
        BlockContent::Text { text, .. } | BlockContent::Refusal(text) => Some(text.clone()),
        BlockContent::Json(json) => Some(JsonString::new(json.as_str())),
        BlockContent::Reasoning(_)
        | BlockContent::Media(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_)
        | BlockContent::Foreign { .. } => None,
    }
}

fn flatten_lists(work: &mut Work<'_>) {
    for turn in 0..work.turns().len() {
        // Requests of another dialect are encoded in the accepted form.
        if work.is_turn_in_target_dialect(turn) && is_rejected_list(work, turn) {
            work.record_change(
                LedgerPath::turn(turn),
                "the content is sent as a string: the target accepts no lists",
            );
            flatten(work, turn);
        }
    }
}

fn is_rejected_list(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let is_reply = this.role == Role::Assistant || this.blocks.iter().any(|block| is_result(block));
    let is_checked = match work.profile.texts.string_content {
        StringContent::NotRequired | StringContent::Instructions => false,
        StringContent::AllMessages => true,
        StringContent::Replies => is_reply,
    };
    // A string cannot hold the user's media; media of other messages are moved elsewhere.
    let fits_string =
        |block: &Verbatim<Block>| is_reply || !matches!(block.content, BlockContent::Media(_));
    let is_part_of_list = |block: &Verbatim<Block>| is_part(work, block);
    is_checked
        && (content_blocks(this).any(is_part_of_list) && content_blocks(this).all(fits_string)
            || is_empty_list(work, this))
}

/// The blocks of the content; for the message of a tool they are in the result.
fn content_blocks(turn: &Turn) -> impl Iterator<Item = &Verbatim<Block>> {
    turn.blocks.iter().flat_map(|block| match &block.content {
        BlockContent::ToolResult(result) => result.content.as_slice(),
        _ => std::slice::from_ref(block),
    })
}

/// Whether a block is encoded as a part of a list. A text of a string has no verbatim text of its
/// own, and reasoning and calls have separate fields.
fn is_part(work: &Work<'_>, block: &Verbatim<Block>) -> bool {
    let written = block.text_for(work.profile.dialect).is_some();
    match &block.content {
        // A text with other fields is encoded as a part.
        BlockContent::Text { .. } | BlockContent::Refusal(_) | BlockContent::Json(_) => {
            written || !block.extras.is_empty() || block.cache_breakpoint.is_some()
        }
        BlockContent::Foreign { kind, .. } => !kind.raw().starts_with("reasoning"),
        BlockContent::Reasoning(_)
        | BlockContent::Media(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_) => false,
    }
}

fn is_empty_list(work: &Work<'_>, turn: &Verbatim<Turn>) -> bool {
    let is_in_other_field = |block: &Verbatim<Block>| {
        is_reasoning_or_entry(block)
            || matches!(block.content, BlockContent::ToolCall(_) | BlockContent::Refusal(_))
    };
    let has_other_content =
        || is_assistant(turn) && has_content_elsewhere(turn, work.profile.dialect);
    (content_blocks(turn).all(is_in_other_field) || has_other_content())
        && turn.text_for(work.profile.dialect).is_some_and(|text| {
            let doc = text.to_doc();
            let has_no_content = content_blocks(turn).next().is_none();
            doc.root()
                .get("content")
                .is_some_and(|list| list.is_array() && (has_no_content || list.is_empty()))
        })
}

fn flatten(work: &mut Work<'_>, turn: usize) {
    for block in 0..work.blocks(turn).len() {
        let this = work.block(turn, block);
        let mut lost = false;
        if is_part(work, this) {
            lost = !this.extras.is_empty();
            to_text(work.edit_block(turn, block));
        } else if let BlockContent::ToolResult(result) = &this.content {
            let parts: Vec<bool> =
                result.content.iter().map(|inner| is_part(work, inner)).collect();
            lost = result
                .content
                .iter()
                .zip(&parts)
                .any(|(inner, part)| *part && !inner.extras.is_empty());
            if let BlockContent::ToolResult(result) = &mut work.edit_block(turn, block).content {
                for (inner, _) in result.content.iter_mut().zip(parts).filter(|(_, part)| *part) {
                    to_text(inner.edit());
                }
            }
        }
        if lost {
            work.record_loss(LedgerPath::turn(turn), LOST_FIELDS);
        }
    }
    work.discard_turn_text(turn);
    if is_assistant(&work.turns()[turn]) {
        separate_texts(work, turn);
    }
}

/// Makes a part a text; the text of an unknown part is its JSON.
fn to_text(block: &mut Block) {
    block.extras = Extras::default();
    if let BlockContent::Foreign { json, .. } | BlockContent::Json(json) = &block.content {
        block.content =
            BlockContent::Text { text: JsonString::new(json.as_str()), citations: Vec::new() };
    }
}

/// Separates the texts of an assistant message by blank lines: they are encoded as parts of one
/// string.
fn separate_texts(work: &mut Work<'_>, turn: usize) {
    for block in 1..work.blocks(turn).len() {
        let neighbours =
            [block - 1, block].map(|at| work.block(turn, at).content.as_text().cloned());
        if let [Some(before), Some(text)] = neighbours
            && !before.is_empty()
            && let BlockContent::Text { text: separated, .. } =
                &mut work.edit_block(turn, block).content
        {
            *separated = JsonString::concat([&JsonString::new(BLANK_LINE), &text]);
        }
    }
}

const LOST_FIELDS: &str = "left out other fields of the texts in the list";
