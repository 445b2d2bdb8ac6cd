//! Removes calls from messages of other roles than the assistant where the target would reject
//! them.
//!
//! Merged and edited histories put calls into messages of the user, of a tool or of the
//! instructions. Most servers ignore them, or only check that they are complete. Such calls have no
//! effect and are not repaired: where one of them would be rejected, all calls of the message are
//! removed.
//!
//! ## Why
//! > Invalid 'messages\[0\].tool_calls\[0\].function.name': string does not match pattern. Expected a
//! > string that matches the pattern '^[a-zA-Z0-9_-]+$'.
//!
//! > Invalid type for 'messages\[0\].tool_calls': expected an array of objects, but got a string instead.
//!
//! ## Example
//! ```text
//! before   user: "hi" {tool_calls: [{"id": "1", "type": "function", "function": {"name": "a b", …}}]}
//! after    user: "hi"
//! ```

use std::collections::HashMap;

use interlingua_model::LedgerPath;
use interlingua_providers::profile::calls::UniqueIds;
use interlingua_wire::{JsonNode, JsonString};

use crate::engine::Work;
use crate::query::written_calls::{CALLS_FIELD, are_calls_valid, id_of};
use crate::values::block::{as_call, is_assistant};

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.is_same_dialect() {
        return;
    }
    let dialect = work.profile.dialect;
    let mut id_counts = CallIdCounts::default();
    for turn in 0..work.turns().len() {
        let this = &work.turns()[turn];
        let calls = this.extras.get(dialect, CALLS_FIELD).filter(|_| !is_assistant(this)).cloned();
        let Some(calls) = calls else { continue };
        let calls = calls.to_doc();
        if !is_accepted(work, turn, calls.root(), &mut id_counts) {
            let message = "left out calls in a message that is not the assistant's";
            work.record_loss(LedgerPath::turn(turn), message);
            work.edit_turn(turn).extras.retain(dialect, |key, _| key != CALLS_FIELD);
            id_counts.subtract(turn, calls.root());
        }
    }
}

fn is_accepted(
    work: &Work<'_>,
    turn: usize,
    calls: JsonNode<'_>,
    id_counts: &mut CallIdCounts,
) -> bool {
    let unique = work.profile.calls.unique_ids == UniqueIds::Conversation;
    let are_valid = are_calls_valid(work.profile, calls);
    if !are_valid || !unique {
        return are_valid;
    }
    id_counts.scan(work, turn);
    // Duplicate ids of later calls are replaced by another rule.
    !calls
        .items()
        .any(|call| id_counts.ids.get(&*id_of(call).unescape()).is_some_and(|count| *count > 1))
}

/// How many calls have each id, in any message before a turn.
#[derive(Default)]
struct CallIdCounts {
    scanned_turns: usize,
    ids: HashMap<String, usize>,
}

impl CallIdCounts {
    /// Counts up to and including this turn.
    fn scan(&mut self, work: &Work<'_>, turn: usize) {
        for turn in &work.turns()[self.scanned_turns..=turn] {
            let block_ids = turn.blocks.iter().filter_map(|block| Some(&as_call(block)?.id));
            block_ids.for_each(|id| self.add(id));
            if let Some(calls) = turn.extras.get(work.profile.dialect, CALLS_FIELD) {
                calls.to_doc().root().items().for_each(|call| self.add(&id_of(call)));
            }
        }
        self.scanned_turns = turn + 1;
    }

    fn add(&mut self, id: &JsonString) {
        *self.ids.entry(id.unescape().into_owned()).or_default() += 1;
    }

    /// Subtracts the removed calls of this turn.
    fn subtract(&mut self, turn: usize, calls: JsonNode<'_>) {
        for call in calls.items().filter(|_| turn < self.scanned_turns) {
            if let Some(count) = self.ids.get_mut(&*id_of(call).unescape()) {
                *count -= 1;
            }
        }
    }
}
