//! Positions of a reply's items by id and output index: a scan of the items for each event would be
//! quadratic.

use std::collections::HashMap;

use interlingua_wire::JsonString;

#[derive(Debug, Default)]
pub(super) struct ItemIndex {
    by_id: HashMap<String, Vec<usize>>,
    by_output_index: HashMap<u64, Vec<usize>>,
}

impl ItemIndex {
    pub(super) fn insert(&mut self, at: usize, id: Option<&JsonString>, output_index: Option<u64>) {
        if let Some(id) = id {
            self.by_id.entry(id.unescape().into_owned()).or_default().push(at);
        }
        if let Some(output_index) = output_index {
            self.by_output_index.entry(output_index).or_default().push(at);
        }
    }

    /// The items with this id, first to last.
    pub(super) fn with_id(&self, id: Option<&JsonString>) -> &[usize] {
        let positions = id.and_then(|id| self.by_id.get(&*id.unescape()));
        latest(positions)
    }

    /// The items with this output index, first to last.
    pub(super) fn with_output_index(&self, output_index: Option<u64>) -> &[usize] {
        latest(output_index.and_then(|output_index| self.by_output_index.get(&output_index)))
    }
}

fn latest(positions: Option<&Vec<usize>>) -> &[usize] {
    let positions = positions.map_or(&[][..], Vec::as_slice);
    &positions[positions.len().saturating_sub(MAX_SAME_NAME)..]
}

/// Items with the same id or output index that are looked at, the latest ones.
const MAX_SAME_NAME: usize = 32;
