//! Events of blocks that wait until the open block is closed: clients know one open block at a time.

use std::collections::{HashMap, VecDeque};

/// The events, grouped by the index that the provider gave their block: a scan or a replay of all
/// of them for each block would be quadratic.
#[derive(Debug)]
pub(crate) struct PendingEvents<E> {
    /// Indices with events, in the order of their first one.
    order: VecDeque<u64>,
    by_index: HashMap<u64, Vec<E>>,
}

impl<E> Default for PendingEvents<E> {
    fn default() -> Self {
        Self { order: VecDeque::new(), by_index: HashMap::new() }
    }
}

impl<E> PendingEvents<E> {
    pub(crate) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    pub(crate) fn contains(&self, wire_index: u64) -> bool {
        !self.order.is_empty() && self.by_index.contains_key(&wire_index)
    }

    pub(crate) fn push(&mut self, wire_index: u64, event: E) {
        let order = &mut self.order;
        let events = self.by_index.entry(wire_index).or_insert_with(|| {
            order.push_back(wire_index);
            Vec::new()
        });
        events.push(event);
    }

    /// Removes the block whose events came first.
    pub(crate) fn pop_first(&mut self) -> Option<(u64, Vec<E>)> {
        let wire_index = self.order.pop_front()?;
        Some((wire_index, self.by_index.remove(&wire_index)?))
    }
}
