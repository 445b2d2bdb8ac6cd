//! Gives each cache breakpoint a lifetime that the target has, and none longer than the breakpoint
//! before it.
//!
//! ## Why
//! > system.0.cache_control.ephemeral.ttl: Input should be '5m' or '1h'
//!
//! > messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a
//! > ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`,
//! > `system`, `messages`.
//!
//! ## Example
//! ```text
//! before   tools: `bash` (5m)   user: "hi" (1h)   assistant: "hello" (2 days)
//! after    tools: `bash` (5m)   user: "hi" (5m)   assistant: "hello" (5m)
//! ```

use interlingua_model::{CacheBreakpoint, LedgerPath};
use interlingua_wire::{JsonString, RawJson};

use crate::edit::cache_marks;
use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let ttls = work.profile.cache.ttls;
    let Some(shortest) = ttls.len().checked_sub(1) else { return };
    let mut longest = 0;
    let mut last = None;
    for (pos, ttl) in cache_marks::list_breakpoints(work) {
        let asked = match &ttl {
            Some(ttl) => ttls.iter().position(|known| ttl == *known),
            None => Some(shortest),
        };
        let rank = asked.unwrap_or(shortest).max(longest);
        if asked != Some(rank) {
            let ttl_text = ttls[rank];
            let instead = ttl.as_ref().map_or_else(String::new, |ttl| format!(" instead of {ttl}"));
            work.record_change(
                pos.ledger_path(),
                format!("the cache breakpoint lasts {ttl_text}{instead}"),
            );
            cache_marks::set_breakpoint(
                work,
                pos,
                Some(CacheBreakpoint { ttl: Some(JsonString::new(ttl_text)) }),
            );
        }
        longest = rank;
        last = Some((pos, rank));
    }
    let on_last = last.filter(|(pos, _)| *pos == last_block(work));
    align_request_breakpoint(work, on_last.map(|(_, rank)| rank));
}

/// The position of the conversation's last block.
fn last_block(work: &Work<'_>) -> cache_marks::CacheBreakpointPos {
    let turn = work.turns().len().saturating_sub(1);
    let blocks = work.turns().last().map_or(0, |turn| turn.blocks.len());
    cache_marks::CacheBreakpointPos::Block(turn, blocks.saturating_sub(1))
}

/// The breakpoint of the whole request applies to the last block, so its lifetime must equal that
/// of a breakpoint there.
fn align_request_breakpoint(work: &mut Work<'_>, last_rank: Option<usize>) {
    let cache = &work.profile.cache;
    let (Some(field), Some(rank)) = (cache.request_breakpoint_field, last_rank) else { return };
    let Some((at, written_ttl)) = cache_marks::request_breakpoint(work, field) else { return };
    let lifetime = cache.ttls[rank];
    if written_ttl.as_deref().unwrap_or(cache.ttls[cache.ttls.len() - 1]) != lifetime {
        work.record_change(
            LedgerPath::BODY,
            format!("`{field}` lasts {lifetime}, as the cache breakpoint on the last block"),
        );
        work.edit_top_level_fields()[at].value = RawJson::object(|out| {
            out.str("type", "ephemeral");
            out.str("ttl", lifetime);
        });
    }
}
