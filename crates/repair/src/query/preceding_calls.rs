//! Finds the calls that results refer to for targets that match them by index.

use std::collections::HashMap;

use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::query::call_ids;
use crate::query::rounds::blocks;
use crate::values::block::{BlockPos, as_call};

/// The calls of the turn before, of any role.
pub(crate) struct PrecedingCalls {
    pub positions: Vec<BlockPos>,
    /// Index of the first call with an id, and of the first that is sent with the id.
    ids: HashMap<String, usize>,
    written_ids: HashMap<String, usize>,
}

impl PrecedingCalls {
    pub(crate) fn new(work: &Work<'_>, turn: usize) -> Self {
        let mut calls =
            Self { positions: Vec::new(), ids: HashMap::new(), written_ids: HashMap::new() };
        for (pos, block) in blocks(work, turn.saturating_sub(1)..turn) {
            let Some(call) = as_call(block) else { continue };
            let rank = calls.positions.len();
            calls.positions.push(pos);
            calls.ids.entry(call.id.unescape().into_owned()).or_insert(rank);
            if let Some(id) = call_ids::written_id(work, block) {
                calls.written_ids.entry(id.unescape().into_owned()).or_insert(rank);
            }
        }
        calls
    }

    /// Index of the first call with this id.
    pub(crate) fn rank(&self, id: &JsonString) -> Option<usize> {
        self.ids.get(&*id.unescape()).copied()
    }

    /// The call that the target matches a result to: by the id that is sent with both, otherwise by
    /// index.
    pub(crate) fn assumed_call(
        &self,
        work: &Work<'_>,
        pos: BlockPos,
        order: usize,
    ) -> Option<BlockPos> {
        let id = call_ids::written_id(work, work.block(pos.0, pos.1));
        let same = id.and_then(|id| self.written_ids.get(&*id.unescape()).copied());
        self.positions.get(same.unwrap_or(order)).copied()
    }
}
