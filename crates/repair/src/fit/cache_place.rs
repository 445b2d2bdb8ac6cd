//! A cache mark on reasoning goes to the block before it.
//!
//! ## Why
//! > messages.1.content.0.thinking.cache_control: Extra inputs are not permitted
//!
//! ## Example
//! ```text
//! before   assistant: "so far", thinking (mark)
//! after    assistant: "so far" (mark), thinking
//! ```

use interlingua_model::Body;

use crate::Work;
use crate::marks::{self, Spot};

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.cache.not_on_reasoning {
        return;
    }
    for (spot, ttl) in marks::all(work) {
        let Spot::Block(turn, block) = spot else { continue };
        if !is_reasoning(work, turn, block) {
            continue;
        }
        let before = (0..block).rev().find(|before| {
            !is_reasoning(work, turn, *before) && !work.is_refused(work.block(turn, *before))
        });
        match before.filter(|before| work.block(turn, *before).cache.is_none()) {
            Some(before) => {
                work.change(spot.place(), "the cache mark goes to the block before");
                let cache = interlingua_model::Cache { ttl };
                marks::set(work, Spot::Block(turn, before), Some(cache));
            }
            None => work.loss(spot.place(), "left out a cache mark: reasoning carries none"),
        }
        marks::set(work, spot, None);
    }
}

fn is_reasoning(work: &Work<'_>, turn: usize, block: usize) -> bool {
    matches!(work.block(turn, block).body, Body::Thinking(_))
}
