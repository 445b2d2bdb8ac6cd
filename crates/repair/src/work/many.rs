//! Many changes of one kind at once: what is done one by one moves all that stands behind it each time.

use std::ops::Range;

use interlingua_model::{Block, Role, Turn, Verbatim};
use interlingua_wire::Text;

use super::{HELD, Work};
use crate::pairing::Spot;
use crate::trail::{self, Thing};

/// A block on its way to its place, and what it was, if a client wrote it.
#[derive(Debug)]
pub(crate) struct Moved {
    pub block: Verbatim<Block>,
    thing: Option<Thing>,
}

impl From<Block> for Moved {
    fn from(block: Block) -> Self {
        Self { block: block.into(), thing: None }
    }
}

/// The turns that are put aside, the last first.
#[derive(Debug)]
pub(crate) struct Aside {
    turns: Vec<Verbatim<Turn>>,
    marks: trail::Aside,
    /// Where the first of them stood.
    stood: usize,
}

impl Work<'_> {
    /// Puts the turns from this one on aside: nobody may ask for them until they are back.
    pub(crate) fn put_aside(&mut self, from: usize) -> Aside {
        let stood = from.min(self.turns().len());
        let mut turns = Vec::new();
        self.conversation.change_beside(|conversation| {
            turns = conversation.turns.split_off(stood);
            turns.reverse();
        });
        Aside { turns, marks: self.done.trail.put_aside(stood), stood }
    }

    /// Brings back one turn, if there is one.
    pub(crate) fn bring_back(&mut self, aside: &mut Aside) -> bool {
        let Some(turn) = aside.turns.pop() else { return false };
        self.done.trail.brought_back(&mut aside.marks, aside.stood);
        aside.stood += 1;
        self.conversation.change_beside(|conversation| conversation.turns.push(turn));
        true
    }

    /// Brings back the turn behind this one, if it was put aside.
    pub(crate) fn bring_next(&mut self, aside: &mut Aside, turn: usize) {
        if turn + 1 >= self.turns().len() {
            self.bring_back(aside);
        }
    }

    /// Takes up blocks that stand in this order.
    pub(crate) fn lift(&mut self, spots: &[Spot]) -> Vec<Moved> {
        let mut lifted = Vec::with_capacity(spots.len());
        for of_turn in spots.chunk_by(|one, next| one.0 == next.0) {
            let Some((turn, _)) = of_turn.first() else { continue };
            let (turns, count) = (self.turns().len(), self.blocks(*turn).len());
            let places: Vec<usize> = of_turn.iter().map(|(_, at)| *at).collect();
            let things = self.done.trail.blocks_lifted(turns, *turn, count, &places);
            let blocks = crate::trail::lift(&mut self.turn(*turn).blocks, &places);
            let moved = blocks.into_iter().zip(things);
            lifted.extend(moved.map(|(block, thing)| Moved { block, thing: Some(thing) }));
        }
        lifted
    }

    /// Puts blocks into a turn, each before the one that stands at its place now; in this order.
    pub(crate) fn land(&mut self, turn: usize, blocks: Vec<(usize, Moved)>) {
        let (turns, count) = (self.turns().len(), self.blocks(turn).len());
        let (things, blocks): (Vec<_>, Vec<_>) =
            blocks.into_iter().map(|(at, one)| ((at, one.thing), (at, one.block))).unzip();
        self.done.trail.blocks_landed(turns, turn, count, things);
        crate::trail::land(&mut self.turn(turn).blocks, blocks);
    }

    /// Makes a turn of the user's for each block, the first of them at this place.
    pub(crate) fn land_apart(&mut self, at: usize, blocks: Vec<Moved>) {
        let (things, blocks): (Vec<_>, Vec<_>) =
            blocks.into_iter().map(|one| (one.thing, one.block)).unzip();
        self.done.trail.turns_landed(self.turns().len(), at, things);
        self.unsettle(at);
        let turns = blocks.into_iter().map(|block| {
            let mut turn = Turn::new(Role::User);
            turn.blocks.push(block);
            turn.into()
        });
        self.conversation.edit().turns.splice(at..at, turns);
    }

    /// Lets two blocks change places.
    pub(crate) fn exchange(&mut self, one: Spot, other: Spot) {
        let turns = self.turns().len();
        let count = |turn: usize| self.blocks(turn).len();
        let (counted_one, counted_other) = (count(one.0), count(other.0));
        self.done.trail.blocks_exchanged(turns, (one, counted_one), (other, counted_other));
        let first =
            std::mem::replace(&mut self.turn(one.0).blocks[one.1], Block::text(Text::EMPTY).into());
        let second = std::mem::replace(&mut self.turn(other.0).blocks[other.1], first);
        self.turn(one.0).blocks[one.1] = second;
    }

    /// Takes all blocks of a turn from a place on to the end of another.
    pub(crate) fn carry_rest(&mut self, (turn, from): Spot, to: usize) {
        let end = self.blocks(turn).len();
        self.carry_all(turn, from..end, to);
    }

    /// Takes some blocks of a turn to the end of another.
    pub(crate) fn carry_all(&mut self, turn: usize, places: Range<usize>, to: usize) {
        let spots: Vec<Spot> = places.map(|at| (turn, at)).collect();
        self.carry_spots(&spots, to);
    }

    /// Takes blocks that stand in this order to the end of a turn.
    pub(crate) fn carry_spots(&mut self, spots: &[Spot], to: usize) {
        if spots.is_empty() {
            return;
        }
        let end = self.blocks(to).len();
        let blocks = self.lift(spots).into_iter().map(|block| (end, block)).collect();
        self.land(to, blocks);
    }

    /// Takes what a turn holds of its fields for both, where the other has none of that name.
    fn hold(&mut self, turn: usize, from: usize) {
        let dialect = self.profile.dialect;
        let fields = self.turns()[from].extras.of(dialect).iter();
        let held: Vec<_> = fields.filter(|(key, _)| key.raw().starts_with(HELD)).cloned().collect();
        for (key, value) in held {
            if self.turns()[turn].extras.find(dialect, &key.contents()).is_none() {
                self.turn(turn).extras.put(dialect, key, value);
            }
        }
    }

    /// Joins the turns before `end` to one that stands before them all.
    pub(crate) fn join_all(&mut self, turn: usize, end: usize) {
        let mut spots = Vec::new();
        for from in turn + 1..end {
            self.hold(turn, from);
            spots.extend((0..self.blocks(from).len()).map(|at| (from, at)));
        }
        self.carry_spots(&spots, turn);
        let gone: Vec<usize> = (turn + 1..end).collect();
        self.remove_turns(&gone);
    }

    /// Takes away blocks of a turn that stand in this order.
    pub(crate) fn remove_blocks(&mut self, turn: usize, places: &[usize]) {
        if !places.is_empty() {
            let spots: Vec<Spot> = places.iter().map(|at| (turn, *at)).collect();
            self.lift(&spots);
        }
    }

    /// Takes away some blocks of the instructions outside the turns.
    pub(crate) fn remove_systems(&mut self, gone: Range<usize>) {
        self.done.trail.system_removed(self.conversation.system.len(), gone.clone());
        self.system().drain(gone);
    }

    /// Takes away turns that stand in this order.
    pub(crate) fn remove_turns(&mut self, gone: &[usize]) {
        let Some(first) = gone.first() else { return };
        self.unsettle(*first);
        self.done.trail.turns_removed(self.turns().len(), gone);
        crate::trail::lift(&mut self.conversation.edit().turns, gone);
    }
}
