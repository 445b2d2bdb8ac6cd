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

use interlingua_model::LedgerPath;

use crate::engine::Work;
use crate::values::block::without_key;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.calls.accepts_empty_list {
        return;
    }
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        let extras = &work.turns()[turn].extras;
        if extras.is_empty() || extras.get(dialect, EMPTY_CALLS_MARKER).is_none() {
            continue;
        }
        let remaining = without_key(extras, dialect, EMPTY_CALLS_MARKER);
        work.edit_turn(turn).extras = remaining;
        work.record_change(LedgerPath::turn(turn), "left out the list of calls: there are none");
    }
}

/// Extras key of a turn that was written with an empty list of calls.
const EMPTY_CALLS_MARKER: &str = "empty calls";
