//! Indexes the first turn in which each call id occurs. Queries extend it on demand, so that many
//! lookups scan the turns once; edits truncate it.

use std::collections::HashMap;

use interlingua_wire::JsonString;

#[derive(Debug, Default)]
pub(crate) struct CallIndex {
    /// Turns before this one are indexed.
    pub scanned_turns: usize,
    pub calls: FirstTurns,
    /// Calls in foreign blocks.
    pub foreign_calls: FirstTurns,
    /// Turns of foreign calls that match any id.
    pub wildcard_turns: Vec<usize>,
}

/// The first turn of each id.
#[derive(Debug, Default)]
pub(crate) struct FirstTurns {
    by_id: HashMap<String, usize>,
    /// In the order of turns.
    ids: Vec<(usize, String)>,
}

impl CallIndex {
    /// Forgets the turns from this one on, because they change.
    pub(crate) fn truncate(&mut self, turn: usize) {
        if turn >= self.scanned_turns {
            return;
        }
        self.scanned_turns = turn;
        self.calls.truncate(turn);
        self.foreign_calls.truncate(turn);
        self.wildcard_turns.truncate(self.wildcard_turns.partition_point(|at| *at < turn));
    }
}

impl FirstTurns {
    pub(crate) fn insert(&mut self, id: &str, turn: usize) {
        if !self.by_id.contains_key(id) {
            self.by_id.insert(id.to_owned(), turn);
            self.ids.push((turn, id.to_owned()));
        }
    }

    pub(crate) fn is_before(&self, id: &JsonString, turn: usize) -> bool {
        self.by_id.get(&*id.unescape()).is_some_and(|first| *first < turn)
    }

    fn truncate(&mut self, from: usize) {
        while let Some((_, id)) = self.ids.pop_if(|(turn, _)| *turn >= from) {
            self.by_id.remove(&id);
        }
    }
}
