//! Matches results without an id to the calls of their turn.

use interlingua_model::{BlockContent, LedgerPath, Role, Turn, Verbatim, derive_id};
use interlingua_wire::JsonString;

use crate::common::unanswered_calls::{UnansweredCall, UnansweredCalls};

/// The calls of one turn that no result has answered yet. The turns are only examined when a result
/// without an id appears, which is rare.
#[derive(Debug, Default)]
pub(crate) struct CallPairing {
    /// Number of turns examined.
    turns_seen: usize,
    unanswered: UnansweredCalls,
}

impl CallPairing {
    /// Examines the turns added since the last call.
    fn observe_turns(&mut self, turns: &[Verbatim<Turn>]) {
        for turn in turns.get(self.turns_seen..).unwrap_or_default() {
            if turn.role == Role::Assistant {
                // The model's next turn ends the wait for earlier results.
                self.unanswered.clear();
            }
            for block in &turn.blocks {
                match &block.content {
                    BlockContent::ToolCall(call) => self.unanswered.push(UnansweredCall {
                        id: call.id.clone(),
                        name: call.name.clone(),
                        has_derived_id: false,
                    }),
                    BlockContent::ToolResult(result) => {
                        self.unanswered.remove_by_id(&result.call_id);
                    }
                    _ => {}
                }
            }
        }
        self.turns_seen = turns.len();
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
        let by_name = name.and_then(|name| self.unanswered.take_by_name(name));
        by_name.or_else(|| self.unanswered.take_any()).unwrap_or_else(|| {
            let number = path.index.unwrap_or_default() as usize * CALLS_PER_TURN;
            derive_id("call_", name.unwrap_or(&JsonString::EMPTY), number)
        })
    }
}

/// Keeps the derived ids of different turns distinct.
pub(super) const CALLS_PER_TURN: usize = 128;
