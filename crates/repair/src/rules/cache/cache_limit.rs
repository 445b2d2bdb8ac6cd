//! Removes the oldest cache breakpoints in the messages beyond the target's limit.
//!
//! The last breakpoints cover the longest prefix. Those on tools and instructions stay as long as
//! there are others to remove.
//!
//! ## Why
//! > A maximum of 4 blocks with cache_control may be provided. Found 5.
//!
//! ## Example
//! ```text
//! before   tools (mark)   system (mark)   user: "a" (mark)   user: "b" (mark)   user: "c" (mark)
//! after    tools (mark)   system (mark)   user: "a"          user: "b" (mark)   user: "c" (mark)
//! ```

use crate::edit::cache_marks;
use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let cache = &work.profile.cache;
    let Some(max) = cache.max_breakpoints else { return };
    let breakpoints = cache_marks::list_breakpoints(work);
    let has_request_breakpoint = cache
        .request_breakpoint_field
        .and_then(|field| cache_marks::request_breakpoint(work, field))
        .is_some();
    let excess = (breakpoints.len() + usize::from(has_request_breakpoint)).saturating_sub(max);
    if excess == 0 {
        return;
    }
    // Breakpoints in turns are removed first, the oldest first.
    let (turns, others): (Vec<_>, Vec<_>) =
        breakpoints.into_iter().map(|(pos, _)| pos).partition(|pos| pos.is_in_turns());
    for pos in turns.into_iter().chain(others).take(excess) {
        work.record_loss(
            pos.ledger_path(),
            format!("left out a cache breakpoint: the target accepts {max}"),
        );
        cache_marks::set_breakpoint(work, pos, None);
    }
}
