//! Converts a result without a call to user text.
//!
//! Compaction removes a call and leaves its result, or a result follows after a later assistant
//! turn. The content stays in its position, marked as output of an earlier tool call; long output
//! is truncated.
//!
//! ## Why
//! > messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each
//! > `tool_result` block must have a corresponding `tool_use` block in the previous message.
//!
//! > Invalid parameter: messages with role 'tool' must be a response to a preceeding message with
//! > 'tool_calls'.
//!
//! > No tool call found for function call output with call_id call_1.
//!
//! ## Example
//! ```text
//! before   user: result 1 "a.txt", "go on"          (there is no call 1)
//! after    user: "[earlier tool output] a.txt", "go on"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, MediaSource, ToolResult, Verbatim};
use interlingua_wire::JsonString;

use crate::edit::{remove_reasoning, rounds};
use crate::engine::{DetachedBlock, Work};
use crate::query::describe::{self, result_text};
use crate::query::pairing::ResultMatcher;
use crate::query::reasoning;
use crate::query::rounds::{Round, blocks};
use crate::values::block::{BlockPos, as_result, is_assistant};
use crate::values::placeholder::UNKNOWN_OUTCOME;

pub(super) fn apply(work: &mut Work<'_>) {
    // Moved blocks are removed at the end, so that positions stay valid.
    let mut removed = Vec::new();
    rounds::for_each_unpaired_round(work, |work, round| {
        let result_matcher = ResultMatcher::new(work, round, round.call_ids(work).into_owned());
        let (mut destination, mut media) = (Destination::Unknown, Vec::new());
        let (mut turn, mut at) = (round.following_turns.start, 0);
        while work.turns().get(turn).is_some_and(|turn| !is_assistant(turn)) {
            let Some(block) = work.blocks(turn).get(at) else {
                if !media.is_empty() {
                    work.insert_blocks(turn, std::mem::take(&mut media));
                }
                (turn, at) = (turn + 1, 0);
                continue;
            };
            let result = as_result(block);
            if result.is_some_and(|result| !result_matcher.matches(work, (turn, at), result)) {
                destination = convert(work, (turn, at), destination, &mut removed, &mut media);
            }
            at += 1;
        }
    });
    work.remove_blocks_and_empty_turns(&removed);
}

/// Converts a result without a call; returns the destination of the next one. Blocks that stay
/// beside its text are added to `beside`, with their position.
fn convert(
    work: &mut Work<'_>,
    (turn, at): BlockPos,
    destination: Destination,
    removed: &mut Vec<BlockPos>,
    beside: &mut Vec<(usize, DetachedBlock)>,
) -> Destination {
    let block = work.block(turn, at);
    let BlockContent::ToolResult(result) = &block.content else { return destination };
    let (result, cache) = (result.clone(), block.cache_breakpoint.clone());
    let path = LedgerPath::block(turn, at);
    let destination = if matches!(destination, Destination::Unknown) {
        find_destination(work, turn)
    } else {
        destination
    };
    let (text, omitted) = result_text(&result);
    let id = if result.call_id.is_empty() {
        JsonString::from_static("?")
    } else {
        result.call_id.clone()
    };
    if omitted > 0 {
        let description = format!(
            "the result of {id} has no call: converted to text, without its last {omitted} characters"
        );
        work.record_loss(path, description);
    } else {
        work.record_change(path, format!("the result of {id} has no call: converted to text"));
    }
    let kept_blocks = result.content.into_iter().filter(|block| is_kept_block(block));
    let mut media: Vec<Verbatim<Block>> = kept_blocks
        .map(|block| match describe::data_text(&block) {
            Some(text) => Block::text(text).into(),
            None => block,
        })
        .collect();
    if !matches!(destination, Destination::InPlace) {
        media.insert(0, Block::text(text).into());
        return move_to(work, (turn, at), destination, media, removed);
    }
    remove_loop_reasoning(work, turn);
    let text_block = work.edit_block(turn, at);
    *text_block = Block::text(text);
    if media.is_empty() {
        text_block.cache_breakpoint = cache;
    } else if let Some(last) = media.last_mut().filter(|_| cache.is_some()) {
        last.edit().cache_breakpoint = cache;
    }
    let media = media.into_iter().map(Verbatim::into_value);
    beside.extend(media.map(|block| (at + 1, work.derive_block((turn, at), block))));
    Destination::InPlace
}

/// Removes reasoning that is sealed within a tool loop, which the text in this turn now ends.
fn remove_loop_reasoning(work: &mut Work<'_>, turn: usize) {
    if !work.profile.reasoning.seals_bind_loop {
        return;
    }
    let turns = work.turns();
    let is_user_input = |at: &usize| {
        let is_input = |block: &Verbatim<Block>| as_result(block).is_none();
        reasoning::counts_as_user(work, *at) && turns[*at].blocks.iter().any(is_input)
    };
    let start = (0..turn).rev().find(is_user_input).map_or(0, |at| at + 1);
    let is_bound = |block: &Block| {
        block.seal.is_some() || matches!(block.content, BlockContent::Foreign { .. })
    };
    let mut earlier = turns[start..turn].iter().filter(|turn| is_assistant(turn));
    if earlier.any(|turn| turn.blocks.iter().any(|block| is_bound(block))) {
        let end = (turn + 1..turns.len()).find(is_user_input).unwrap_or(turns.len());
        remove_reasoning::remove_reasoning(work, turn + 1..end, |work, turn, at| {
            let sealed = work.block(turn, at).seal.is_some();
            sealed.then(|| "left out reasoning: its tool loop is interrupted".to_owned())
        });
    }
}

/// Where the text of an orphan result goes. Text between results would end the tool loop and
/// misplace the reasoning in it.
enum Destination {
    /// Not determined yet.
    Unknown,
    /// In its position: the turn has other content already.
    InPlace,
    /// Into another tool's result.
    InResult(BlockPos),
    /// Into a new result for this unanswered call.
    AsResultOf(JsonString),
}

fn find_destination(work: &Work<'_>, turn: usize) -> Destination {
    if !work.profile.reasoning.seals_bind_loop {
        return Destination::InPlace;
    }
    let is_model_turn = |at: &usize| is_assistant(&work.turns()[*at]);
    let Some(start) = (0..turn).rev().find(is_model_turn) else { return Destination::InPlace };
    let runs = work.turns()[..start].iter().rev().take_while(|turn| is_assistant(turn)).count();
    let Some(round) = Round::starting_at(work.turns(), start - runs) else {
        return Destination::InPlace;
    };
    let mut following_blocks = blocks(work, round.following_turns.clone());
    if following_blocks.any(|(_, block)| as_result(block).is_none()) {
        return Destination::InPlace;
    }
    let call_ids = round.call_ids(work);
    let matched =
        round.results(work).filter(|(_, result)| call_ids.contains(&result.call_id)).last();
    match matched {
        Some((pos, _)) => Destination::InResult(pos),
        None => round
            .calls(work)
            .next()
            .map_or(Destination::InPlace, |(_, call)| Destination::AsResultOf(call.id.clone())),
    }
}

fn move_to(
    work: &mut Work<'_>,
    from: BlockPos,
    destination: Destination,
    content_blocks: Vec<Verbatim<Block>>,
    removed: &mut Vec<BlockPos>,
) -> Destination {
    match destination {
        Destination::InResult(to) => {
            let cache = work.block(from.0, from.1).cache_breakpoint.clone();
            let block = work.edit_block(to.0, to.1);
            block.cache_breakpoint = block.cache_breakpoint.take().or(cache);
            if let BlockContent::ToolResult(result) = &mut block.content {
                result.content.extend(content_blocks);
            }
            work.record_merge(from, to);
            removed.push(from);
            Destination::InResult(to)
        }
        Destination::AsResultOf(call) => {
            let is_error = content_blocks.len() == 1;
            let mut content = vec![Block::text(JsonString::from_static(UNKNOWN_OUTCOME)).into()];
            content.extend(content_blocks);
            let result = ToolResult { call_id: call, name: None, content, is_error };
            let block = work.edit_block(from.0, from.1);
            *block = Block {
                cache_breakpoint: block.cache_breakpoint.take(),
                ..Block::new(BlockContent::ToolResult(result))
            };
            Destination::InResult(from)
        }
        Destination::Unknown | Destination::InPlace => destination,
    }
}

/// Whether a block cannot be converted to text and is kept next to it.
fn is_kept_block(block: &Block) -> bool {
    match &block.content {
        BlockContent::Media(media) => !matches!(media.source, MediaSource::Text(_)),
        BlockContent::Foreign { .. } | BlockContent::Reasoning(_) => true,
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Json(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_) => false,
    }
}
