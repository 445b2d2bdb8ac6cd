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

/// Turns, or blocks of a turn, that are about to go; found from the last to the first.
#[derive(Debug, Default)]
pub(crate) struct Going {
    places: Vec<usize>,
    /// What stays behind the one that was found last.
    behind: usize,
}

impl Going {
    pub(crate) fn push(&mut self, at: usize) {
        self.behind = self.behind(at);
        self.places.push(at);
    }

    /// The next behind this one that stays.
    pub(crate) fn behind(&self, at: usize) -> usize {
        if self.places.last() == Some(&(at + 1)) { self.behind } else { at + 1 }
    }

    /// In the order in which they stand.
    pub(crate) fn into_places(mut self) -> Vec<usize> {
        self.places.reverse();
        self.places
    }
}

impl Work<'_> {
    /// Takes away the blocks of a turn for which `goes` says so; it is asked from the last to the first, and
    /// notes what it takes. Whether there was any.
    pub(crate) fn sift(
        &mut self,
        turn: usize,
        mut goes: impl FnMut(&mut Self, usize) -> bool,
    ) -> bool {
        let mut gone = Going::default();
        for at in (0..self.blocks(turn).len()).rev() {
            if goes(self, at) {
                gone.push(at);
            }
        }
        let gone = gone.into_places();
        self.remove_blocks(turn, &gone);
        !gone.is_empty()
    }

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
        self.land_turns(blocks.into_iter().map(|one| (at, Role::User, vec![one])).collect());
    }

    /// Makes turns of blocks, each before the one that stands at its place now; in this order.
    pub(crate) fn land_turns(&mut self, made: Vec<(usize, Role, Vec<Moved>)>) {
        let Some((first, ..)) = made.first() else { return };
        let first = *first;
        let (mut marks, mut turns) =
            (Vec::with_capacity(made.len()), Vec::with_capacity(made.len()));
        for (at, role, blocks) in made {
            let mut turn = Turn::new(role);
            let mut things = Vec::with_capacity(blocks.len());
            for one in blocks {
                things.push(one.thing);
                turn.blocks.push(one.block);
            }
            marks.push((at, things));
            turns.push((at, turn.into()));
        }
        self.done.trail.turns_landed(self.turns().len(), marks);
        self.unsettle(first);
        trail::land(&mut self.conversation.edit().turns, turns);
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

    /// Takes blocks that stand in this order to the end of a turn.
    pub(crate) fn carry_spots(&mut self, spots: &[Spot], to: usize) {
        if spots.is_empty() {
            return;
        }
        let end = self.blocks(to).len();
        let blocks = self.lift(spots).into_iter().map(|block| (end, block)).collect();
        self.land(to, blocks);
    }

    /// Takes blocks that stand in this order, and behind this spot, to it.
    pub(crate) fn carry_before(&mut self, spots: &[Spot], (turn, at): Spot) {
        if !spots.is_empty() {
            let blocks = self.lift(spots).into_iter().map(|block| (at, block)).collect();
            self.land(turn, blocks);
        }
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

    /// Takes away blocks that stand in this order, and turns that held nothing else.
    pub(crate) fn remove_spots(&mut self, spots: &[Spot]) {
        self.lift(spots);
        let mut emptied: Vec<usize> = spots.iter().map(|(turn, _)| *turn).collect();
        emptied.dedup();
        emptied.retain(|turn| self.blocks(*turn).is_empty());
        self.remove_turns(&emptied);
    }

    /// Takes away blocks of a turn that stand in this order.
    pub(crate) fn remove_blocks(&mut self, turn: usize, places: &[usize]) {
        if !places.is_empty() {
            let spots: Vec<Spot> = places.iter().map(|at| (turn, *at)).collect();
            self.lift(&spots);
        }
    }

    /// Takes away the blocks of the instructions outside the turns for which `goes` says so; it is asked from the
    /// first to the last, and notes what it takes.
    pub(crate) fn sift_system(&mut self, mut goes: impl FnMut(&mut Self, usize) -> bool) {
        let all = 0..self.conversation.system.len();
        let gone: Vec<usize> = all.clone().filter(|at| goes(self, *at)).collect();
        if gone.is_empty() {
            return;
        }
        self.done.trail.system_sifted(all.len(), &gone);
        crate::trail::lift(self.system(), &gone);
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
