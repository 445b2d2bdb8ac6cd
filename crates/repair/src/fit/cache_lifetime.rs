//! A cache mark asks for a lifetime that there is, and for none longer than the mark before it.
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

use interlingua_model::{Cache, Place};
use interlingua_wire::{Json, Text};

use crate::Work;
use crate::marks;

pub fn apply(work: &mut Work<'_>) {
    let lifetimes = work.profile.cache.lifetimes;
    let Some(shortest) = lifetimes.len().checked_sub(1) else { return };
    let mut longest = 0;
    let mut last = None;
    for (spot, ttl) in marks::all(work) {
        let asked = match &ttl {
            Some(ttl) => lifetimes.iter().position(|known| ttl == *known),
            None => Some(shortest),
        };
        let rank = asked.unwrap_or(shortest).max(longest);
        if asked != Some(rank) {
            let lifetime = lifetimes[rank];
            let asked = ttl.as_ref().map_or_else(String::new, |ttl| format!(" instead of {ttl}"));
            work.change(spot.place(), format!("the cache mark lasts {lifetime}{asked}"));
            marks::set(work, spot, Some(Cache { ttl: Some(Text::new(lifetime)) }));
        }
        longest = rank;
        last = Some((spot, rank));
    }
    let on_last = last.filter(|(spot, _)| *spot == last_block(work));
    whole(work, on_last.map(|(_, rank)| rank));
}

/// The last block of the conversation.
fn last_block(work: &Work<'_>) -> marks::Spot {
    let turn = work.turns().len().saturating_sub(1);
    let blocks = work.turns().last().map_or(0, |turn| turn.blocks.len());
    marks::Spot::Block(turn, blocks.saturating_sub(1))
}

/// The mark on the whole request stands on its last block, and agrees with a mark that is there.
fn whole(work: &mut Work<'_>, on_last: Option<usize>) {
    let cache = work.profile.cache;
    let (Some(field), Some(rank)) = (cache.whole, on_last) else { return };
    let Some((at, written)) = marks::whole(work, field) else { return };
    let lifetime = cache.lifetimes[rank];
    if written.as_deref().unwrap_or(cache.lifetimes[cache.lifetimes.len() - 1]) != lifetime {
        work.change(
            Place::BODY,
            format!("`{field}` lasts {lifetime}, as the mark on the last block"),
        );
        work.fields()[at].value = Json::object(|out| {
            out.word("type", "ephemeral");
            out.word("ttl", lifetime);
        });
    }
}
