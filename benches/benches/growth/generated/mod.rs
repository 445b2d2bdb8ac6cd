//! Shapes that a seed chooses: a place in the body, and a cycle of items that fills it.

mod blocks;
mod events;
mod items;
mod schemas;

use crate::spelling::fill;
use crate::spelling::{in_list, message, tool, with_setting, with_tools};

/// The seed of one shape. The same seed gives the same items for every dialect that has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed(pub(crate) u64);

/// How the ids and indices of items relate to each other.
#[derive(Clone, Copy)]
struct Numbering(u64);

/// One item of a cycle.
#[derive(Clone, Copy)]
struct Item<'p> {
    /// Which of the dialect's items: taken modulo their number.
    kind: usize,
    /// Its id or index.
    id: usize,
    /// Counts the items.
    at: usize,
    /// Text that makes large bodies large without more items than a request may have.
    padding: &'p str,
}

impl Seed {
    /// Another number for each use of the seed.
    pub(crate) fn number(self, purpose: u64) -> u64 {
        let mut mixed = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ purpose << 32;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(self, purpose: u64, end: usize) -> usize {
        usize::try_from(self.number(purpose) % end as u64).unwrap_or_default()
    }

    /// The items of the shape, one to four of them again and again.
    fn item(self, at: usize, padding: &str) -> Item<'_> {
        let length = 1 + self.below(0, 4);
        let numbering = Numbering(self.number(1) % 6);
        let round = at / length;
        Item {
            kind: self.below(2 + (at % length) as u64, 1 << 20),
            id: numbering.id(at, round),
            at,
            padding,
        }
    }
}

impl Numbering {
    fn id(self, at: usize, round: usize) -> usize {
        match self.0 {
            0 => at,
            // All items of a round belong together.
            1 | 2 => round,
            3 => 0,
            4 => at % 97,
            _ => 10_000_000 - at,
        }
    }
}

/// A request of about this many bytes.
pub(crate) fn request(seed: Seed, client: &str, bytes: usize) -> String {
    let padding = "word ".repeat(bytes / MAX_ITEMS / 5);
    let list = |write: fn(&str, Item<'_>) -> String| {
        fill(bytes, |at| write(client, seed.item(at, &padding)))
    };
    match seed.below(10, 10) {
        0 | 1 => in_list(client, &message(client, "user", &list(blocks::block))),
        2 => {
            let role = if client == "gemini" { "model" } else { "assistant" };
            in_list(client, &message(client, role, &list(blocks::block)))
        }
        3 => blocks::in_result(client, &list(blocks::output)),
        4 => blocks::in_system(client, &list(blocks::block)),
        5 => {
            // Fewer tools than a request may have, each with a schema.
            let schema =
                |at: usize| schemas::schema(bytes / MAX_TOOLS, |inner| seed.item(at + inner, ""));
            let tools = fill(bytes, |at| tool(client, &format!("t{at}"), &schema(at)));
            with_tools(client, &tools)
        }
        6 => with_setting(client, &items::settings(client, seed, bytes)),
        _ => in_list(client, &list(items::message)),
    }
}

/// A reply of about this many bytes and whether it is a stream; `None` where the dialect lacks it.
pub(crate) fn reply(seed: Seed, provider: &str, bytes: usize) -> Vec<u8> {
    if streams(seed) {
        return events::stream(provider, bytes, |at| seed.item(at, ""));
    }
    let blocks = fill(bytes, |at| blocks::block(provider, seed.item(at, "")));
    crate::replies::whole_reply(provider, &blocks).into_bytes()
}

/// Whether the reply of this seed is a stream.
pub(crate) fn streams(seed: Seed) -> bool {
    !seed.number(11).is_multiple_of(4)
}

/// Requests have at most 100,000 blocks: bodies with more are rejected before anything is translated.
const MAX_ITEMS: usize = 60_000;
const MAX_TOOLS: usize = 300;
