//! Removes cache breakpoints where the model does not support them.
//!
//! ## Why
//! > Additional properties are not allowed ('prompt_cache_breakpoint' was unexpected) -
//! > 'messages.0.content.0'
//!
//! ## Example
//! ```text
//! before   user: "hi" (mark)
//! after    user: "hi"
//! ```

use crate::edit::cache_marks;
use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.cache.supported || !work.is_same_dialect() {
        return;
    }
    for (pos, _) in cache_marks::list_breakpoints(work) {
        work.record_loss(pos.ledger_path(), "left out a cache breakpoint: the model supports none");
        cache_marks::set_breakpoint(work, pos, None);
    }
}
