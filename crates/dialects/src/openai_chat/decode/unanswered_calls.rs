//! Tracks calls without a result, in call order.

use std::collections::{HashMap, VecDeque};

use interlingua_model::{BlockContent, LedgerPath, Role, Turn, Verbatim, derive_id};
use interlingua_wire::JsonString;

/// The calls of one turn that no result has answered yet, to match results without an id. The turns
/// are only examined when such a result appears, which is rare.
#[derive(Debug, Default)]
pub(crate) struct UnansweredCalls {
    /// Number of turns examined.
    turns_seen: usize,
    /// Id and name of each call. A short list is scanned and shrinks; in an indexed list, answered
    /// calls become `None`.
    calls: Vec<Option<(JsonString, JsonString)>>,
    /// Positions in `calls`, built once there are many.
    index: Option<CallIndex>,
    /// All calls before this position are answered.
    first_open: usize,
}

#[derive(Debug, Default)]
struct CallIndex {
    by_id: HashMap<String, Vec<usize>>,
    by_name: HashMap<String, VecDeque<usize>>,
}

impl UnansweredCalls {
    /// Examines the turns added since the last call.
    fn observe_turns(&mut self, turns: &[Verbatim<Turn>]) {
        for turn in turns.get(self.turns_seen..).unwrap_or_default() {
            if turn.role == Role::Assistant {
                // The model's next turn ends the wait for earlier results.
                self.calls.clear();
                self.index = None;
                self.first_open = 0;
            }
            for block in &turn.blocks {
                match &block.content {
                    BlockContent::ToolCall(call) => self.push(call.id.clone(), call.name.clone()),
                    BlockContent::ToolResult(result) => self.remove(&result.call_id),
                    _ => {}
                }
            }
        }
        self.turns_seen = turns.len();
    }

    fn push(&mut self, id: JsonString, name: JsonString) {
        if let Some(index) = &mut self.index {
            index.insert(self.calls.len(), &id, &name);
        }
        self.calls.push(Some((id, name)));
        if self.index.is_none() && self.calls.len() > MAX_SCANNED_CALLS {
            let mut index = CallIndex::default();
            for (at, call) in self.calls.iter().enumerate() {
                if let Some((id, name)) = call {
                    index.insert(at, id, name);
                }
            }
            self.index = Some(index);
        }
    }

    fn remove(&mut self, id: &JsonString) {
        match &mut self.index {
            None => {
                self.calls.retain(|call| call.as_ref().is_some_and(|(call_id, _)| call_id != id));
            }
            Some(index) => {
                for at in index.by_id.remove(&*id.unescape()).into_iter().flatten() {
                    self.calls[at] = None;
                }
            }
        }
    }

    /// The call that a result without an id most likely answers: the first unanswered one of that
    /// name, or the first unanswered one.
    pub(crate) fn guess_call_id(
        &mut self,
        turns: &[Verbatim<Turn>],
        name: Option<&JsonString>,
        path: LedgerPath,
    ) -> JsonString {
        self.observe_turns(turns);
        // The result's own turn answers only this call.
        self.turns_seen += 1;
        let by_name = name.and_then(|name| self.first_by_name(name));
        let call = by_name.or_else(|| self.first_position()).and_then(|at| self.calls[at].take());
        if let Some((id, _)) = call {
            if self.index.is_none() {
                self.calls.retain(Option::is_some);
            }
            return id;
        }
        let number = path.index.unwrap_or_default() as usize * CALLS_PER_TURN;
        derive_id("call_", name.unwrap_or(&JsonString::EMPTY), number)
    }

    fn first_by_name(&mut self, name: &JsonString) -> Option<usize> {
        let Some(index) = &mut self.index else {
            return self
                .calls
                .iter()
                .position(|call| call.as_ref().is_some_and(|entry| entry.1 == *name));
        };
        let index = index.by_name.get_mut(&*name.unescape())?;
        while let Some(at) = index.pop_front() {
            if self.calls[at].is_some() {
                return Some(at);
            }
        }
        None
    }

    fn first_position(&mut self) -> Option<usize> {
        while self.calls.get(self.first_open)?.is_none() {
            self.first_open += 1;
        }
        Some(self.first_open)
    }
}

impl CallIndex {
    fn insert(&mut self, at: usize, id: &JsonString, name: &JsonString) {
        self.by_id.entry(id.unescape().into_owned()).or_default().push(at);
        self.by_name.entry(name.unescape().into_owned()).or_default().push_back(at);
    }
}

/// Keeps the derived ids of different turns distinct.
pub(super) const CALLS_PER_TURN: usize = 128;
/// Up to this many calls, a scan is faster than an index.
const MAX_SCANNED_CALLS: usize = 32;
