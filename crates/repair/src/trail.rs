//! Where each turn and block came from, so that a change can be told in the client's terms.

mod many;

use std::collections::HashMap;
use std::ops::Range;

use interlingua_model::{Entry, Ledger, Place, Section};

pub(crate) use many::{Aside, land, lift};

/// Follows turns and blocks through insertions, removals and moves. Costs nothing until the first.
#[derive(Debug, Default)]
pub struct Trail {
    /// One for each turn; `None` while every turn stands where it stood.
    marks: Option<Vec<Mark>>,
    /// The tools that are left, and the instructions outside the turns.
    tools: Left,
    system: Left,
    /// Turns and blocks that no client wrote, so far.
    fresh: u32,
    /// Blocks that went into another, by the one they went into.
    joined: HashMap<Thing, Vec<Thing>>,
    /// Entries of the ledger and the thing each is about.
    pending: Vec<(usize, Thing)>,
}

/// What is left of a list, by where it stood; `None` while nothing is gone.
#[derive(Debug, Default)]
struct Left(Option<Vec<u32>>);

impl Left {
    fn before(&self, index: Option<u32>) -> Option<u32> {
        let left = self.0.as_deref().unwrap_or_default();
        index.map(|index| left.get(index as usize).copied().unwrap_or(index))
    }

    /// Of this many, those for which `keep` says so stay.
    fn retain(&mut self, count: usize, mut keep: impl FnMut(usize) -> bool) {
        let mut at = 0;
        self.0.get_or_insert_with(|| (0..count as u32).collect()).retain(|_| {
            at += 1;
            keep(at - 1)
        });
    }
}

#[derive(Debug)]
struct Mark {
    turn: u32,
    /// The nearest turn up to this one that a client wrote.
    near: u32,
    /// `None` while every block stands where it stood.
    blocks: Option<Vec<Thing>>,
}

impl Mark {
    /// Of a turn that stands where it stood.
    fn known(turn: u32) -> Self {
        Self { turn, near: turn, blocks: None }
    }
}

/// The nearest turn before this place that a client wrote; the first, where there is none.
fn near(marks: &[Mark], at: usize) -> u32 {
    let before = at.checked_sub(1).and_then(|before| marks.get(before));
    before.map_or(0, |mark| mark.near)
}

/// A turn, or a block of it, as first seen. Numbers from `FRESH` on are of things no client wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Thing {
    turn: u32,
    block: Option<u32>,
}

impl Trail {
    /// The place, as it is now, in the client's terms; for what no client wrote, the nearest.
    fn before(&self, place: Place) -> Place {
        match place.section {
            Section::Tools => return Place { index: self.tools.before(place.index), ..place },
            Section::System => return Place { block: self.system.before(place.block), ..place },
            Section::Turns | Section::Body | Section::Settings | Section::Reply => {}
        }
        let Some(thing) = self.thing(place) else { return place };
        let origin = |turn: u32, block| Place { index: Some(turn), block, ..place };
        match thing {
            Thing { turn, block: Some(block) } if turn < FRESH && block < FRESH => {
                origin(turn, Some(block))
            }
            Thing { turn, .. } if turn < FRESH => origin(turn, None),
            Thing { .. } => {
                let marks = self.marks.as_deref().unwrap_or_default();
                origin(near(marks, place.index.unwrap_or(0) as usize), None)
            }
        }
    }

    /// Of this many tools, those for which `keep` says so stay.
    pub(crate) fn tools_kept(&mut self, count: usize, keep: impl FnMut(usize) -> bool) {
        self.tools.retain(count, keep);
    }

    /// Of this many blocks of instructions, these go.
    pub(crate) fn system_removed(&mut self, count: usize, gone: Range<usize>) {
        self.system.retain(count, |one| !gone.contains(&one));
    }

    /// Of this many blocks of instructions, those at these places go; the places are in order.
    pub(crate) fn system_sifted(&mut self, count: usize, gone: &[usize]) {
        self.system.retain(count, |one| gone.binary_search(&one).is_err());
    }

    /// What stands at a place now.
    fn thing(&self, place: Place) -> Option<Thing> {
        let index = place.index.filter(|_| place.section == Section::Turns)?;
        let here = Thing { turn: index, block: place.block };
        let Some(mark) = self.marks.as_ref().and_then(|marks| marks.get(index as usize)) else {
            return Some(here);
        };
        let Some(block) = place.block else { return Some(Thing { turn: mark.turn, block: None }) };
        match &mark.blocks {
            Some(blocks) => blocks.get(block as usize).copied(),
            None => Some(Thing { turn: mark.turn, block: Some(block) }),
        }
    }

    /// An entry was made about a place as it is now; its place becomes the client's. A loss is told
    /// of everything that went into what stands there.
    pub(crate) fn noted(&mut self, ledger: &mut Ledger) {
        let Some(entry) = ledger.entries.last_mut() else { return };
        if matches!(entry.place.section, Section::Tools | Section::System) {
            entry.place = self.before(entry.place);
        }
        let Some(thing) = self.thing(entry.place) else { return };
        entry.place = self.before(entry.place);
        let again = self.told_again(entry, thing);
        self.pending.push((ledger.entries.len() - 1, thing));
        for entry in again {
            self.pending.push((ledger.entries.len(), thing));
            ledger.entries.push(entry);
        }
    }

    /// The same loss at the places of what went into the thing it is about.
    fn told_again(&self, entry: &Entry, thing: Thing) -> Vec<Entry> {
        let mut held = vec![thing];
        let mut at = 0;
        while let Some(one) = held.get(at).copied().filter(|_| entry.loss) {
            held.extend(self.joined.get(&one).into_iter().flatten());
            at += 1;
        }
        let origins = held.into_iter().skip(1).filter(|of| of.turn < FRESH);
        let origins = origins.filter(|of| of.block.is_none_or(|block| block < FRESH));
        let place = |of: Thing| Place { index: Some(of.turn), block: of.block, ..entry.place };
        origins.map(|of| Entry { place: place(of), ..entry.clone() }).collect()
    }

    /// What a block says is said by another now, before it goes.
    pub(crate) fn block_joined(&mut self, from: Place, into: Place) {
        if let (Some(from), Some(into)) = (self.thing(from), self.thing(into)) {
            self.joined.entry(into).or_default().push(from);
        }
    }

    /// The marks, for `turns` turns.
    fn marks(&mut self, turns: usize) -> &mut Vec<Mark> {
        self.marks.get_or_insert_with(|| (0..turns as u32).map(Mark::known).collect())
    }

    /// The blocks of a turn that has `count` now.
    fn blocks(&mut self, turns: usize, turn: usize, count: usize) -> &mut Vec<Thing> {
        let mark = &mut self.marks(turns)[turn];
        let turn = mark.turn;
        let own = |block| Thing { turn, block: Some(block) };
        mark.blocks.get_or_insert_with(|| (0..count as u32).map(own).collect())
    }

    fn anew(&mut self) -> u32 {
        self.fresh += 1;
        FRESH + self.fresh
    }

    pub(crate) fn turn_inserted(&mut self, turns: usize, at: usize) {
        let turn = self.anew();
        let marks = self.marks(turns);
        let near = near(marks, at);
        marks.insert(at, Mark { turn, near, blocks: None });
    }

    pub(crate) fn turn_removed(&mut self, turns: usize, at: usize) {
        self.marks(turns).remove(at);
    }

    pub(crate) fn block_inserted(&mut self, turns: usize, turn: usize, count: usize, at: usize) {
        let block = self.anew();
        let of = self.marks(turns)[turn].turn;
        self.blocks(turns, turn, count).insert(at, Thing { turn: of, block: Some(block) });
    }

    /// A part of a block stands on its own now: what becomes of it becomes of the block.
    pub(crate) fn block_parted(
        &mut self,
        turns: usize,
        from: (usize, usize, usize),
        to: (usize, usize, usize),
    ) {
        let (turn, count, at) = from;
        let thing = self.blocks(turns, turn, count)[at];
        let (turn, count, at) = to;
        self.blocks(turns, turn, count).insert(at, thing);
    }

    pub(crate) fn block_removed(&mut self, turns: usize, turn: usize, count: usize, at: usize) {
        self.blocks(turns, turn, count).remove(at);
    }

    /// A block went from one place to another; `count` is what each turn had before.
    pub(crate) fn block_moved(
        &mut self,
        turns: usize,
        from: (usize, usize, usize),
        to: (usize, usize, usize),
    ) {
        let (turn, count, at) = from;
        let thing = self.blocks(turns, turn, count).remove(at);
        let (turn, count, at) = to;
        self.blocks(turns, turn, count).insert(at, thing);
    }

    /// Puts every entry into the client's terms and says where its subject is now. Entries from
    /// `encoded` on were made by who wrote the repaired conversation, about places as they are now.
    pub fn settle(&self, ledger: &mut Ledger, encoded: usize) {
        if ledger.is_empty() {
            return;
        }
        let now = self.now();
        // Noted one after the other, and so in order.
        let pending = |number: usize| {
            let behind = self.pending.partition_point(|(of, _)| *of <= number);
            let (of, thing) = self.pending.get(behind.checked_sub(1)?)?;
            (*of == number).then_some(*thing)
        };
        let mut again = Vec::new();
        for (number, entry) in ledger.entries.iter_mut().enumerate() {
            if number >= encoded {
                entry.after = Some(entry.place);
                let thing = self.thing(entry.place);
                entry.place = self.before(entry.place);
                again.extend(thing.into_iter().flat_map(|thing| self.told_again(entry, thing)));
                continue;
            }
            let index = entry.place.index.filter(|_| entry.place.section == Section::Turns);
            let own = index.map(|turn| Thing { turn, block: entry.place.block });
            entry.after = match pending(number).or(own) {
                Some(thing) if self.marks.is_some() => now.find(thing),
                _ => Some(entry.place),
            };
        }
        ledger.entries.extend(again);
    }

    /// Where everything is now.
    fn now(&self) -> Now {
        let mut now = Now::default();
        for (at, mark) in self.marks.iter().flatten().enumerate() {
            now.turns.push((mark.turn, at, mark.blocks.is_none()));
            for (of, thing) in mark.blocks.iter().flatten().enumerate() {
                now.blocks.push((*thing, Place::block(at, of)));
            }
        }
        // Mostly they stand in the order in which they stood.
        now.turns.sort_unstable();
        now.blocks.sort_by_key(|(thing, _)| *thing);
        now
    }
}

/// Where each turn is, and whether its blocks stand as they stood; where each other block is. In order
/// of where they stood; of what stands in several places, the first comes first.
#[derive(Default)]
struct Now {
    turns: Vec<(u32, usize, bool)>,
    blocks: Vec<(Thing, Place)>,
}

impl Now {
    fn find(&self, thing: Thing) -> Option<Place> {
        let turn = || {
            let at = self.turns.binary_search_by_key(&thing.turn, |(turn, ..)| *turn).ok()?;
            self.turns.get(at)
        };
        let Some(block) = thing.block else { return turn().map(|(_, at, _)| Place::turn(*at)) };
        let moved = self.blocks.partition_point(|(one, _)| *one < thing);
        let moved = self.blocks.get(moved).filter(|(one, _)| *one == thing);
        moved.map(|(_, place)| *place).or_else(|| match turn() {
            Some((_, at, true)) => Some(Place::block(*at, block as usize)),
            _ => None,
        })
    }
}

/// The first number of what no client wrote.
const FRESH: u32 = 1 << 31;
