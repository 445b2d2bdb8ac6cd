//! Discards the raw text of values that decoding could not read exactly, so that their decoded form
//! is sent.
//!
//! Decoding keeps the raw text of each value and notes irregularities beside the conversation. Here
//! the notes become entries of the ledger, and the raw text at their paths is discarded.

use interlingua_model::{
    Block, BlockContent, DecodingNotes, LedgerPath, LedgerSection, MediaSource, Role, ToolResult,
    Turn, Verbatim,
};
use interlingua_wire::{JsonNode, JsonString};

use crate::engine::Work;
use crate::values::block::is_reasoning_block;

pub(crate) fn normalize(work: &mut Work<'_>, mut notes: DecodingNotes) {
    if let Some(accepts) = work.profile.fields.accepts_item.filter(|_| work.is_same_dialect()) {
        drop_unchecked(work, accepts, &mut notes);
    }
    if notes.is_empty() {
        return;
    }
    // Each nested block of a result has a note with the path of the result.
    let mut paths: Vec<LedgerPath> = notes.paths().collect();
    paths.dedup();
    work.record_notes(notes);
    let has_reasoning =
        |turn: &Verbatim<Turn>| turn.blocks.iter().any(|block| is_reasoning_block(block));
    let first_reasoning = work.turns().iter().position(has_reasoning);
    for path in paths {
        normalize_at(work, path);
        if work.profile.reasoning.checks_placement {
            fill_lost_text(work, path, first_reasoning);
        }
    }
}

/// Drops notes about values that the target does not check: they leave unchanged.
fn drop_unchecked(work: &Work<'_>, accepts: fn(JsonNode<'_>) -> bool, notes: &mut DecodingNotes) {
    let dialect = work.profile.dialect;
    let accepted: Vec<bool> = work
        .turns()
        .iter()
        .map(|turn| turn.text_for(dialect).is_some_and(|text| accepts(work.json_ref(text).root())))
        .collect();
    let is_rejected = |turn: u32| accepted.get(turn as usize) != Some(&true);
    notes.retain(|path| match path.section {
        LedgerSection::Turns => path.index.is_none_or(is_rejected),
        LedgerSection::System | LedgerSection::Tools | LedgerSection::Settings => false,
        LedgerSection::Body | LedgerSection::Reply => true,
    });
}

fn normalize_at(work: &mut Work<'_>, path: LedgerPath) {
    let index = path.index.map(|index| index as usize);
    let block = path.block.map(|block| block as usize);
    match (path.section, index, block) {
        (LedgerSection::Turns, Some(turn), None) if turn < work.turns().len() => {
            work.discard_turn_text(turn);
        }
        (LedgerSection::Turns, Some(turn), Some(block)) if turn < work.turns().len() => {
            if let Some(block) = work.edit_turn(turn).blocks.get_mut(block) {
                discard_block_text(block);
            }
        }
        (LedgerSection::System, _, block) => {
            let system = work.edit_system();
            if let Some(block) = block.and_then(|block| system.get_mut(block)) {
                discard_block_text(block);
            }
        }
        (LedgerSection::Tools, Some(tool), _) => {
            if let Some(tool) = work.edit_tools().get_mut(tool) {
                tool.edit();
            }
        }
        (LedgerSection::Body | LedgerSection::Settings, ..) => {
            work.discard_body_text();
        }
        (LedgerSection::Turns | LedgerSection::Tools | LedgerSection::Reply, ..) => {}
    }
}

/// Discards the raw text of a block and of nested blocks.
fn discard_block_text(block: &mut Verbatim<Block>) {
    match &mut block.edit().content {
        BlockContent::ToolResult(ToolResult { content, .. }) => {
            content.iter_mut().for_each(discard_block_text);
        }
        BlockContent::Media(media) => {
            if let MediaSource::Blocks(blocks) = &mut media.source {
                blocks.iter_mut().for_each(discard_block_text);
            }
        }
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Reasoning(_)
        | BlockContent::Json(_)
        | BlockContent::ToolCall(_)
        | BlockContent::Foreign { .. } => {}
    }
}

/// Puts a placeholder into an assistant text that was lost, if reasoning comes before it.
fn fill_lost_text(work: &mut Work<'_>, path: LedgerPath, first_reasoning: Option<usize>) {
    let (Some(turn), Some(at)) = (path.index, path.block) else { return };
    let (turn, at) = (turn as usize, at as usize);
    let Some(this) = work.turns().get(turn) else { return };
    let is_lost = path.section == LedgerSection::Turns
        && this.role == Role::Assistant
        && this
            .blocks
            .get(at)
            .and_then(|block| block.content.as_text())
            .is_some_and(JsonString::is_empty);
    if is_lost && first_reasoning.is_some_and(|first| first <= turn) {
        work.set_rule("empty-text");
        work.record_change(
            path,
            "a placeholder keeps the position of a lost text among reasoning blocks",
        );
        let text = JsonString::from_static(LOST_TEXT);
        work.edit_block(turn, at).content = BlockContent::Text { text, citations: Vec::new() };
    }
}

const LOST_TEXT: &str = "(lost text)";
