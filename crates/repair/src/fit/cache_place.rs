//! A cache mark on reasoning goes to the block before it.
//!
//! One that a client of another API puts on a whole message goes to the last block of that message.
//! A mark that stood at the head of a turn, where it marks nothing, marks the block that comes before it
//! now.
//!
//! ## Why
//! > messages.1.content.0.thinking.cache_control: Extra inputs are not permitted
//!
//! ## Example
//! ```text
//! before   assistant: "so far", thinking (mark)
//! after    assistant: "so far" (mark), thinking
//! ```

use interlingua_model::{Block, Body, Cache, Place};
use interlingua_wire::{Json, Node};

use crate::marks::{self, Spot};
use crate::{About, Work};

pub fn apply(work: &mut Work<'_>) {
    if !work.is_own() && work.holds(About::Extras) {
        whole_turns(work);
    }
    if let Some(kind) = work.profile.cache.beside.filter(|_| work.holds(About::Foreign)) {
        heads(work, kind);
    }
    if !work.holds(About::Cache) {
        return;
    }
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
                let cache = Cache { ttl };
                marks::set(work, Spot::Block(turn, before), Some(cache));
            }
            None => work.loss(spot.place(), "left out a cache mark: reasoning carries none"),
        }
        marks::set(work, spot, None);
    }
}

/// Where dialects are crossed, blocks are marked, and not the turn around them.
fn whole_turns(work: &mut Work<'_>) {
    let source = work.conversation().source;
    for turn in 0..work.turns().len() {
        let mark = work.turns()[turn].extras.find(source, marks::FIELD).map(Json::doc);
        let Some(mark) = mark.filter(|mark| mark.root().is_object()) else { continue };
        let takes = |block: &usize| {
            !is_reasoning(work, turn, *block) && !work.is_refused(work.block(turn, *block))
        };
        let Some(block) = (0..work.blocks(turn).len()).rev().find(takes) else { continue };
        work.turn(turn).extras.retain(source, |key, _| key != marks::FIELD);
        if work.block(turn, block).cache.is_none() {
            let ttl = mark.root().get("ttl").and_then(Node::text);
            marks::set(work, Spot::Block(turn, block), Some(Cache { ttl }));
        }
        work.change(Place::turn(turn), "the cache mark of the message is one of its last block");
    }
}

fn is_reasoning(work: &Work<'_>, turn: usize, block: usize) -> bool {
    matches!(work.block(turn, block).body, Body::Thinking(_))
}

/// Takes blocks of this kind, which are marks, for what they are where something came before them.
fn heads(work: &mut Work<'_>, kind: &str) {
    for turn in 0..work.turns().len() {
        let (mut before, mut gone) = (0, Vec::new());
        for at in 1..work.blocks(turn).len() {
            match point(work.block(turn, at), kind) {
                Some(ttl) if point(work.block(turn, before), kind).is_none() => {
                    work.change(
                        Place::block(turn, at),
                        "the cache mark is one of the block before",
                    );
                    work.joins((turn, at), (turn, before));
                    marks::set(work, Spot::Block(turn, before), Some(ttl));
                    gone.push(at);
                }
                _ => before = at,
            }
        }
        work.remove_blocks(turn, &gone);
    }
}

/// The mark that a block of this kind is.
fn point(block: &Block, kind: &str) -> Option<Cache> {
    let Body::Foreign { kind: of, json, .. } = &block.body else { return None };
    let ttl = |json: &Json| json.doc().root().get(kind)?.get("ttl").and_then(Node::text);
    (of == kind).then(|| Cache { ttl: ttl(json) })
}
