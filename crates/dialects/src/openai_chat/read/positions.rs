//! Finds the calls and seals of a reply by what entries refer to them with: a scan for each entry
//! would be quadratic.

use std::collections::{HashMap, VecDeque};

use interlingua_model::Seal;
use interlingua_wire::JsonString;

use super::tool_call::ToolCallState;

/// The last call with each index and id. Empty while there are few calls, which are scanned faster.
#[derive(Debug, Default)]
pub(super) struct CallPositions {
    by_index: HashMap<u64, usize>,
    by_id: HashMap<String, usize>,
}

impl CallPositions {
    pub(super) fn insert(&mut self, at: usize, call: &ToolCallState) {
        let last = |known: &mut usize| *known = at.max(*known);
        if let Some(index) = call.index {
            self.by_index.entry(index).and_modify(last).or_insert(at);
        }
        if !call.id.is_empty() {
            self.by_id.entry(call.id.unescape().into_owned()).and_modify(last).or_insert(at);
        }
    }

    pub(super) fn find_by_index(&self, index: u64) -> Option<usize> {
        self.by_index.get(&index).copied()
    }

    pub(super) fn find_by_id(&self, id: &JsonString) -> Option<usize> {
        self.by_id.get(&*id.unescape()).copied()
    }
}

/// Seals that arrived before the call with their id, in order.
#[derive(Debug, Default)]
pub(super) struct PendingSeals {
    seals: Vec<Option<(JsonString, Seal)>>,
    by_id: HashMap<String, VecDeque<usize>>,
}

impl PendingSeals {
    pub(super) fn push(&mut self, id: &JsonString, seal: Seal) {
        let positions = self.by_id.entry(id.unescape().into_owned()).or_default();
        positions.push_back(self.seals.len());
        self.seals.push(Some((id.clone(), seal)));
    }

    /// Removes the first seal for this id.
    pub(super) fn take(&mut self, id: &JsonString) -> Option<Seal> {
        let at = self.by_id.get_mut(&*id.unescape())?.pop_front()?;
        self.seals[at].take().map(|(_, seal)| seal)
    }

    pub(super) fn take_all(&mut self) -> impl Iterator<Item = (JsonString, Seal)> + use<> {
        std::mem::take(self).seals.into_iter().flatten()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum DetailKind {
    Text,
    Summary,
    /// Without text, or of an unknown form: received completely.
    Opaque,
}
