//! Of more cache marks than the target takes, the oldest in the messages go.
//!
//! The last marks cover the longest prefix. Marks on tools and instructions stay as long as there are
//! others to take away.
//!
//! ## Why
//! > A maximum of 4 blocks with cache_control may be provided. Found 5.
//!
//! ## Example
//! ```text
//! before   tools (mark)   system (mark)   user: "a" (mark)   user: "b" (mark)   user: "c" (mark)
//! after    tools (mark)   system (mark)   user: "a"          user: "b" (mark)   user: "c" (mark)
//! ```

use crate::Work;
use crate::marks;

pub fn apply(work: &mut Work<'_>) {
    let cache = work.profile.cache;
    let Some(most) = cache.most else { return };
    let marks = marks::all(work);
    let whole = cache.whole.and_then(|field| marks::whole(work, field)).is_some();
    let more = (marks.len() + usize::from(whole)).saturating_sub(most);
    if more == 0 {
        return;
    }
    // Those of the turns go first, the oldest before the others.
    let (turns, others): (Vec<_>, Vec<_>) =
        marks.into_iter().map(|(spot, _)| spot).partition(|spot| spot.is_in_turns());
    for spot in turns.into_iter().chain(others).take(more) {
        work.loss(spot.place(), format!("left out a cache mark: the target takes {most}"));
        marks::set(work, spot, None);
    }
}
