//! Ids of calls have the form that the target takes.
//!
//! An id that fits stays as it is. Any other is replaced by one that depends on it, and never on what
//! comes later; no two calls get the same. The reply brings the client's ids back. Where there are no
//! ids at all, they are left out.
//!
//! ## Why
//! > Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.
//!
//! > messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'
//!
//! > Invalid 'messages\[2\].tool_calls\[0\].id': string too long. Expected a string with maximum length
//! > 40, but got a string with length 44 instead.
//!
//! ## Example
//! ```text
//! before   call `functions.read:0`, result of `functions.read:0`
//! after    call `call_4f0c…`, result of `call_4f0c…`
//! ```

use std::collections::{HashMap, HashSet};

use interlingua_model::{Block, Body, Calls, Place, Verbatim, derive_id};
use interlingua_wire::{Json, Text};

use crate::Work;
use crate::pairing::{self, Spot, UNWRITTEN};
use crate::profile::calls::Ids;

pub fn apply(work: &mut Work<'_>) {
    let calls = &work.profile.calls;
    let ids = calls.crossing_ids.filter(|_| !work.is_own()).unwrap_or(calls.ids);
    if ids.absent {
        return leave_out(work);
    }
    if ids.surely_fit(work.survey().ids()) || all_fit(work, ids) {
        return;
    }
    let dialect = work.profile.dialect;
    let mut map = Map::new(ids);
    let mut turn = 0;
    while turn < work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            let Some(id) = id_of(block).cloned() else { continue };
            // Where it may be null, it says nothing, and is no id.
            let null = block.extras.find(dialect, NULL).is_some();
            if null && id.is_empty() && !pairing::is_incomplete(work, &block.extras) {
                continue;
            }
            // Nobody looks at what names no call that is here.
            let named = pairing::call(block).is_some() || map.known.contains_key(&*id.contents());
            if ids.of_calls && !named {
                continue;
            }
            let sent = map.sent(&id);
            if sent != id {
                replace(work, (turn, at), id, sent);
            }
        }
        turn += 1;
    }
}

fn all_fit(work: &Work<'_>, ids: Ids) -> bool {
    let fits = |block: &Verbatim<Block>| id_of(block).is_none_or(|id| ids.fit(&id.contents()));
    work.turns().iter().all(|turn| turn.blocks.iter().all(fits))
}

fn id_of(block: &Block) -> Option<&Text> {
    match &block.body {
        Body::ToolCall(call) if !pairing::is_old(block) => Some(&call.id),
        Body::ToolResult(result) if !pairing::is_old(block) => Some(&result.call),
        _ => None,
    }
}

/// The client's ids, and those sent in their place.
struct Map {
    ids: Ids,
    known: HashMap<String, Text>,
    taken: HashSet<String>,
}

impl Map {
    fn new(ids: Ids) -> Self {
        Self { ids, known: HashMap::new(), taken: HashSet::new() }
    }

    fn sent(&mut self, id: &Text) -> Text {
        let contents = id.contents();
        if let Some(sent) = self.known.get(&*contents) {
            return sent.clone();
        }
        let mut sent = id.clone();
        let mut number = 0;
        while !self.ids.fit(&sent.contents()) || self.taken.contains(&*sent.contents()) {
            sent = self.derived(id, number);
            number += 1;
        }
        self.taken.insert(sent.contents().into_owned());
        self.known.insert(contents.into_owned(), sent.clone());
        sent
    }

    /// An id of the right form.
    fn derived(&self, id: &Text, number: usize) -> Text {
        let plain = derive_id("call_", id, number);
        if self.ids.fit(&plain.contents()) {
            return plain;
        }
        // The digits of the derived id in a larger alphabet, so that few of them tell ids apart.
        let contents = plain.contents();
        let digits = contents.trim_start_matches("call_");
        let mut rest = digits.chars().fold(0_u128, |number, digit| {
            (number << 4) | u128::from(digit.to_digit(16).unwrap_or(0))
        });
        let mut short = String::with_capacity(self.ids.least);
        while short.len() < self.ids.least {
            let base = LETTERS.len() as u128;
            short.push(char::from(LETTERS[(rest % base) as usize]));
            rest /= base;
        }
        Text::new(&short)
    }
}

fn replace(work: &mut Work<'_>, (turn, at): Spot, id: Text, sent: Text) {
    let is_call = pairing::call(work.block(turn, at)).is_some();
    let what = format!("the id {id} is sent as {sent}");
    match &mut work.edit(turn, at).body {
        Body::ToolCall(call) => call.id = sent.clone(),
        Body::ToolResult(result) => result.call = sent.clone(),
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Thinking(_)
        | Body::Media(_)
        | Body::Data(_)
        | Body::Foreign { .. } => {}
    }
    work.change(Place::block(turn, at), what);
    if is_call {
        work.renamed_call(sent, id);
    }
}

/// Calls and results find each other by name and order. The names are said while the ids still tell
/// them.
fn leave_out(work: &mut Work<'_>) {
    let is_written = |work: &Work<'_>, (turn, at): Spot| {
        let block = work.block(turn, at);
        let written = block.extras.find(work.profile.dialect, UNWRITTEN);
        // An empty one is written, too.
        id_of(block).is_some_and(|id| written.map_or(!id.is_empty(), |it| *it != Json::NULL))
    };
    let everything = 0..work.turns().len();
    let spots = pairing::blocks(work, everything).map(|(spot, _)| spot);
    let written: Vec<Spot> = spots.filter(|spot| is_written(work, *spot)).collect();
    let calls = Calls::of(work.conversation());
    let name_of = |(turn, at): &Spot| {
        let result = pairing::result(work.block(*turn, *at))?;
        calls.call_of(*turn, &result.call).map(|call| call.name.clone())
    };
    let names: Vec<Option<Text>> = written.iter().map(name_of).collect();
    for ((turn, at), name) in written.into_iter().zip(names).rev() {
        let dialect = work.profile.dialect;
        let extras = crate::extras::without(&work.block(turn, at).extras, dialect, UNWRITTEN);
        let block = work.edit(turn, at);
        block.extras = extras;
        match &mut block.body {
            Body::ToolCall(call) => call.id = Text::EMPTY,
            Body::ToolResult(result) => {
                result.call = Text::EMPTY;
                result.name = name.or(result.name.take());
            }
            Body::Text { .. }
            | Body::Refusal(_)
            | Body::Thinking(_)
            | Body::Media(_)
            | Body::Data(_)
            | Body::Foreign { .. } => {}
        }
        work.change(Place::block(turn, at), "left out the id: the order tells");
    }
}

/// What a result whose call is null has among its extras.
const NULL: &str = "null call";
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
