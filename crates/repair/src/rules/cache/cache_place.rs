//! Moves a cache breakpoint from a reasoning block to the block before it.
//!
//! A breakpoint that a client of another API sets on a whole message moves to the message's last
//! block. A breakpoint at the start of a turn, where it marks nothing, moves to the block that is
//! now before it.
//!
//! ## Why
//! > messages.1.content.0.thinking.cache_control: Extra inputs are not permitted
//!
//! ## Example
//! ```text
//! before   assistant: "so far", thinking (mark)
//! after    assistant: "so far" (mark), thinking
//! ```

use interlingua_model::{Block, BlockContent, CacheBreakpoint, LedgerPath};
use interlingua_wire::{JsonNode, RawJson};

use crate::edit::cache_marks::{self, CacheBreakpointPos};
use crate::engine::{Feature, Work};

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.is_same_dialect() && work.has(Feature::Extras) {
        move_turn_breakpoints(work);
    }
    if let Some(kind) =
        work.profile.cache.breakpoint_block_kind.filter(|_| work.has(Feature::ForeignBlocks))
    {
        move_leading_breakpoints(work, kind);
    }
    if !work.has(Feature::CacheBreakpoints) {
        return;
    }
    if !work.profile.cache.not_on_reasoning {
        return;
    }
    for (pos, ttl) in cache_marks::list_breakpoints(work) {
        let CacheBreakpointPos::Block(turn, block) = pos else { continue };
        if !is_reasoning(work, turn, block) {
            continue;
        }
        let before = (0..block).rev().find(|before| {
            !is_reasoning(work, turn, *before) && !work.is_text_rejected(work.block(turn, *before))
        });
        match before.filter(|before| work.block(turn, *before).cache_breakpoint.is_none()) {
            Some(before) => {
                work.record_change(
                    pos.ledger_path(),
                    "moved the cache breakpoint to the block before",
                );
                let breakpoint = CacheBreakpoint { ttl };
                cache_marks::set_breakpoint(
                    work,
                    CacheBreakpointPos::Block(turn, before),
                    Some(breakpoint),
                );
            }
            None => work.record_loss(
                pos.ledger_path(),
                "left out a cache breakpoint: reasoning cannot have one",
            ),
        }
        cache_marks::set_breakpoint(work, pos, None);
    }
}

/// Moves breakpoints of whole turns to their last block.
fn move_turn_breakpoints(work: &mut Work<'_>) {
    let source = work.conversation().dialect;
    for turn in 0..work.turns().len() {
        let breakpoint =
            work.turns()[turn].extras.get(source, cache_marks::CACHE_CONTROL).map(RawJson::to_doc);
        let Some(breakpoint) = breakpoint.filter(|breakpoint| breakpoint.root().is_object()) else {
            continue;
        };
        let can_have_breakpoint = |block: &usize| {
            !is_reasoning(work, turn, *block) && !work.is_text_rejected(work.block(turn, *block))
        };
        let Some(block) = (0..work.blocks(turn).len()).rev().find(can_have_breakpoint) else {
            continue;
        };
        work.edit_turn(turn).extras.retain(source, |key, _| key != cache_marks::CACHE_CONTROL);
        if work.block(turn, block).cache_breakpoint.is_none() {
            let ttl = breakpoint.root().get("ttl").and_then(JsonNode::json_string);
            cache_marks::set_breakpoint(
                work,
                CacheBreakpointPos::Block(turn, block),
                Some(CacheBreakpoint { ttl }),
            );
        }
        work.record_change(
            LedgerPath::turn(turn),
            "moved the message's cache breakpoint to its last block",
        );
    }
}

fn is_reasoning(work: &Work<'_>, turn: usize, block: usize) -> bool {
    matches!(work.block(turn, block).content, BlockContent::Reasoning(_))
}

/// Turns foreign cache-point blocks of this kind into a breakpoint on the block before them.
fn move_leading_breakpoints(work: &mut Work<'_>, kind: &str) {
    for turn in 0..work.turns().len() {
        let (mut before, mut removed) = (0, Vec::new());
        for at in 1..work.blocks(turn).len() {
            match cache_point(work.block(turn, at), kind) {
                Some(breakpoint) if cache_point(work.block(turn, before), kind).is_none() => {
                    work.record_change(
                        LedgerPath::block(turn, at),
                        "moved the cache breakpoint to the block before",
                    );
                    work.record_merge((turn, at), (turn, before));
                    cache_marks::set_breakpoint(
                        work,
                        CacheBreakpointPos::Block(turn, before),
                        Some(breakpoint),
                    );
                    removed.push(at);
                }
                _ => before = at,
            }
        }
        work.remove_blocks(turn, &removed);
    }
}

/// The breakpoint that a block of this kind stands for.
fn cache_point(block: &Block, kind: &str) -> Option<CacheBreakpoint> {
    let BlockContent::Foreign { kind: block_kind, json, .. } = &block.content else { return None };
    let ttl =
        |json: &RawJson| json.to_doc().root().get(kind)?.get("ttl").and_then(JsonNode::json_string);
    (block_kind == kind).then(|| CacheBreakpoint { ttl: ttl(json) })
}
