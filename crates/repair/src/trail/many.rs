//! Insertions and removals of many at once.

use super::{Mark, Thing, Trail, near};
use crate::pairing::Spot;

impl Trail {
    pub(crate) fn blocks_lifted(
        &mut self,
        turns: usize,
        turn: usize,
        count: usize,
        places: &[usize],
    ) -> Vec<Thing> {
        lift(self.blocks(turns, turn, count), places)
    }

    /// Those that were nothing are new.
    pub(crate) fn blocks_landed(
        &mut self,
        turns: usize,
        turn: usize,
        count: usize,
        things: Vec<(usize, Option<Thing>)>,
    ) {
        let of = self.marks(turns)[turn].turn;
        let known = |(at, thing): (usize, Option<Thing>)| {
            let new = || Thing { turn: of, block: Some(self.anew()) };
            (at, thing.unwrap_or_else(new))
        };
        let things = things.into_iter().map(known).collect();
        land(self.blocks(turns, turn, count), things);
    }

    /// New turns of these blocks, each before what stands at its place now.
    pub(crate) fn turns_landed(&mut self, turns: usize, made: Vec<(usize, Vec<Option<Thing>>)>) {
        self.marks(turns);
        let mark = |(at, things): (usize, Vec<Option<Thing>>)| {
            let turn = self.anew();
            let near = near(self.marks.as_deref().unwrap_or_default(), at);
            let mut known = |thing: Option<Thing>| {
                thing.unwrap_or_else(|| Thing { turn, block: Some(self.anew()) })
            };
            let blocks = things.into_iter().map(&mut known).collect();
            (at, Mark { turn, near, blocks: Some(blocks) })
        };
        let made = made.into_iter().map(mark).collect();
        land(self.marks(turns), made);
    }

    /// Two blocks change places; each with how many its turn has.
    pub(crate) fn blocks_exchanged(
        &mut self,
        turns: usize,
        ((turn, at), count): (Spot, usize),
        ((other_turn, other_at), other_count): (Spot, usize),
    ) {
        let first = self.blocks(turns, turn, count)[at];
        let second =
            std::mem::replace(&mut self.blocks(turns, other_turn, other_count)[other_at], first);
        self.blocks(turns, turn, count)[at] = second;
    }

    pub(crate) fn turns_removed(&mut self, turns: usize, gone: &[usize]) {
        lift(self.marks(turns), gone);
    }
}

/// What follows of turns that are put aside, the last first; `None` while every turn stands where it stood.
#[derive(Debug)]
pub(crate) struct Aside(Option<Vec<Mark>>);

impl Trail {
    /// The turns from this one on are put aside.
    pub(crate) fn put_aside(&mut self, from: usize) -> Aside {
        Aside(self.marks.as_mut().map(|marks| {
            let mut aside = marks.split_off(from);
            aside.reverse();
            aside
        }))
    }

    /// The first of those that were put aside comes back behind the others. It stood at this place.
    pub(crate) fn brought_back(&mut self, Aside(aside): &mut Aside, stood: usize) {
        let Some(marks) = &mut self.marks else { return };
        match aside {
            Some(aside) => marks.extend(aside.pop()),
            None => marks.push(Mark::known(stood as u32)),
        }
    }
}

/// Takes what stands at these places, which are in order, out of a list.
pub(crate) fn lift<T>(list: &mut Vec<T>, places: &[usize]) -> Vec<T> {
    let (Some(first), Some(last)) = (places.first().copied(), places.last().copied()) else {
        return Vec::new();
    };
    let mut wanted = places.iter().copied().peekable();
    let mut lifted = Vec::with_capacity(places.len());
    let mut left = Vec::new();
    let end = (last + 1).min(list.len());
    for (at, one) in (first..).zip(list.drain(first.min(end)..end)) {
        if wanted.next_if_eq(&at).is_some() {
            lifted.push(one);
        } else {
            left.push(one);
        }
    }
    list.splice(first.min(list.len())..first.min(list.len()), left);
    lifted
}

/// Puts each before what stands at its place now; the places are in order.
pub(crate) fn land<T>(list: &mut Vec<T>, new: Vec<(usize, T)>) {
    let place = |one: Option<&(usize, T)>| one.map(|(at, _)| (*at).min(list.len()));
    let (Some(first), Some(last)) = (place(new.first()), place(new.last())) else { return };
    let mut landed = Vec::with_capacity(new.len() + last - first);
    let mut new = new.into_iter().peekable();
    for (at, one) in (first..).zip(list.drain(first..last)) {
        while let Some((_, one)) = new.next_if(|(place, _)| *place <= at) {
            landed.push(one);
        }
        landed.push(one);
    }
    landed.extend(new.map(|(_, one)| one));
    list.splice(first..first, landed);
}
