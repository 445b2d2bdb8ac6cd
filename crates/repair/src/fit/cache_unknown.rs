//! A cache mark goes where the model knows none.
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

use crate::Work;
use crate::marks;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.cache.any || !work.is_own() {
        return;
    }
    for (spot, _) in marks::all(work) {
        work.loss(spot.place(), "left out a cache mark: the model knows none");
        marks::set(work, spot, None);
    }
}
