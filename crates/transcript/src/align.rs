//! Which parts of a request stayed, changed, went or came, from the parts before and after.

use std::collections::HashMap;
use std::ops::Range;

use interlingua::Json;
use interlingua::wire::Node;

use crate::Unit;

/// What became of the parts of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Edits {
    /// One for each part there was.
    pub fates: Vec<Fate>,
    /// The parts that came, in order.
    pub inserts: Vec<Insert>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    Kept,
    Rewritten(Json),
    Removed,
}

/// A part that was not there before.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// The part that now stands before it and was there already.
    pub after: Option<usize>,
    /// The part that now stands behind it and was there already.
    pub before: Option<usize>,
    /// A part of the same turn that was there already, the one before it if there is one.
    pub beside: Option<usize>,
    /// Which turn it is in now.
    pub turn: usize,
    pub role: String,
    pub json: Json,
}

impl Edits {
    pub fn is_empty(&self) -> bool {
        self.inserts.is_empty() && self.fates.iter().all(|fate| *fate == Fate::Kept)
    }
}

/// Compares the parts of a request before and after it was repaired.
pub fn align(before: &[Unit], after: &[Unit]) -> Edits {
    let mut matching = Matching::new(before, after);
    matching.anchor();
    matching.fill();
    matching.pair();
    matching.edits()
}

/// For each part after, the part before that it is.
struct Matching<'u> {
    before: &'u [Unit],
    after: &'u [Unit],
    /// Part after → part before.
    partner: Vec<Option<usize>>,
    /// The partners say the same, byte for byte.
    same: Vec<bool>,
}

impl<'u> Matching<'u> {
    fn new(before: &'u [Unit], after: &'u [Unit]) -> Self {
        Self { before, after, partner: vec![None; after.len()], same: vec![false; after.len()] }
    }

    /// What is alike at both ends is the same. Between, parts that stand once on either side are the
    /// same; the longest run in order is kept.
    fn anchor(&mut self) {
        let most = self.before.len().min(self.after.len());
        let head =
            (0..most).take_while(|at| key(&self.before[*at]) == key(&self.after[*at])).count();
        let from_end = |units: &'u [Unit], at: usize| key(&units[units.len() - 1 - at]);
        let alike = |at: &usize| from_end(self.before, *at) == from_end(self.after, *at);
        let tail = (0..most - head).take_while(alike).count();
        (0..head).for_each(|at| self.join(at, at));
        let (befores, afters) = (self.before.len() - tail, self.after.len() - tail);
        (0..tail).for_each(|at| self.join(befores + at, afters + at));
        self.anchor_between(head..befores, head..afters);
    }

    fn anchor_between(&mut self, befores: Range<usize>, afters: Range<usize>) {
        let mut seen: HashMap<(&str, &str), (usize, usize, usize)> = HashMap::new();
        for (at, unit) in self.before.iter().enumerate().take(befores.end).skip(befores.start) {
            let entry = seen.entry(key(unit)).or_default();
            *entry = (entry.0 + 1, entry.1, at);
        }
        for unit in &self.after[afters.clone()] {
            if let Some(entry) = seen.get_mut(&key(unit)) {
                entry.1 += 1;
            }
        }
        let unique = afters.filter_map(|at| {
            let (there, here, before) = *seen.get(&key(&self.after[at]))?;
            (there == 1 && here == 1).then_some((before, at))
        });
        let unique: Vec<_> = unique.collect();
        for (before, after) in rising(&unique) {
            self.join(before, after);
        }
    }

    /// Between two anchors, equal parts in order are the same.
    fn fill(&mut self) {
        for (befores, afters) in self.gaps() {
            let mut from = befores.start;
            for at in afters {
                let wanted = key(&self.after[at]);
                let found = (from..befores.end).find(|one| key(&self.before[*one]) == wanted);
                if let Some(found) = found {
                    self.join(found, at);
                    from = found + 1;
                }
            }
        }
    }

    /// What is left between two anchors: of the same role and kind, and about the same call if one of
    /// them is, is the same part, rewritten.
    fn pair(&mut self) {
        self.pair_by(kind);
        self.pair_by(|unit| {
            let (role, kind, _) = kind(unit);
            (role, kind)
        });
    }

    fn pair_by<K: PartialEq>(&mut self, key: impl Fn(&'u Unit) -> K) {
        for (befores, afters) in self.gaps() {
            let mut from = befores.start;
            for at in afters {
                let wanted = key(&self.after[at]);
                // What the file does not hold cannot be rewritten in it.
                let held = |one: &usize| self.before[*one].origin.is_some();
                let same = |one: &usize| key(&self.before[*one]) == wanted;
                let found = (from..befores.end).filter(held).find(same);
                if let Some(found) = found {
                    self.partner[at] = Some(found);
                    from = found + 1;
                }
            }
        }
    }

    fn join(&mut self, before: usize, after: usize) {
        self.partner[after] = Some(before);
        self.same[after] = true;
    }

    /// The runs on both sides that have no partner yet, each between the same neighbours.
    fn gaps(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let mut gaps = Vec::new();
        let (mut from, mut since) = (0, 0);
        for (at, partner) in self.partner.iter().enumerate() {
            if let Some(partner) = partner {
                if at > since && *partner > from {
                    gaps.push((from..*partner, since..at));
                }
                (from, since) = (partner + 1, at + 1);
            }
        }
        if self.after.len() > since && self.before.len() > from {
            gaps.push((from..self.before.len(), since..self.after.len()));
        }
        gaps
    }

    fn edits(&self) -> Edits {
        let mut fates = vec![Fate::Removed; self.before.len()];
        let mut inserts = Vec::new();
        let mut last = None;
        for (at, unit) in self.after.iter().enumerate() {
            if let Some(before) = self.partner[at] {
                fates[before] =
                    if self.same[at] { Fate::Kept } else { Fate::Rewritten(unit.json.clone()) };
                last = Some(before);
                continue;
            }
            let in_turn = |other: &usize| self.after[*other].turn == unit.turn;
            let earlier = (0..at).rev().take_while(in_turn).find_map(|one| self.partner[one]);
            let later = || (at..self.after.len()).take_while(in_turn);
            inserts.push(Insert {
                after: last,
                before: self.partner[at..].iter().find_map(|partner| *partner),
                beside: earlier.or_else(|| later().find_map(|one| self.partner[one])),
                turn: unit.turn,
                role: unit.role.clone(),
                json: unit.json.clone(),
            });
        }
        Edits { fates, inserts }
    }
}

fn key(unit: &Unit) -> (&str, &str) {
    (&unit.role, unit.json.as_str())
}

/// What a part is, and which call it is about.
fn kind(unit: &Unit) -> (&str, String, String) {
    let doc = unit.json.doc();
    let word = |node: Node<'_>, key: &str| node.get(key).map(|value| value.word().into_owned());
    let about =
        |node: Node<'_>| ["tool_use_id", "call_id", "id"].iter().find_map(|key| word(node, key));
    // A part without a type is what its first field says.
    let first = doc.root().fields().next().filter(|_| doc.root().get("type").is_none());
    let kind = first.map(|field| field.name().into_owned()).or_else(|| word(doc.root(), "type"));
    let about = about(doc.root()).or_else(|| about(first?.value));
    (&unit.role, kind.unwrap_or_default(), about.unwrap_or_default())
}

/// The longest choice of pairs that rises on both sides; they rise on the second already.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best run of each length, and for each pair the one before it.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = tails.partition_point(|tail| pairs[*tail].0 < pair.0);
        before.push(length.checked_sub(1).map(|one| tails[one]));
        match tails.get_mut(length) {
            Some(tail) => *tail = at,
            None => tails.push(at),
        }
    }
    let mut run = Vec::with_capacity(tails.len());
    let mut next = tails.last().copied();
    while let Some(at) = next {
        run.push(pairs[at]);
        next = before[at];
    }
    run.reverse();
    run
}
