//! Removes an empty list of calls.
//!
//! ## Why
//! > Invalid 'messages\[4\].tool_calls': empty array. Expected an array with minimum length 1, but got
//! > an empty array instead.
//!
//! ## Example
//! ```text
//! before   {"role": "assistant", "content": "hello", "tool_calls": []}
//! after    {"role": "assistant", "content": "hello"}
//! ```

use interlingua_model::{LedgerPath, Spelling};

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.calls.accepts_empty_list {
        return;
    }
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        if !work.turns()[turn].extras.has(dialect, Spelling::EmptyToolCalls) {
            continue;
        }
        work.edit_turn(turn).extras.remove_spellings(dialect, Spelling::EmptyToolCalls);
        work.record_change(LedgerPath::turn(turn), "left out the list of calls: there are none");
    }
}
