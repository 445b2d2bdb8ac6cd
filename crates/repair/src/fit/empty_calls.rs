//! An empty list of calls is left out.
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

use interlingua_model::Place;

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.calls.empty_list {
        return;
    }
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        let extras = &work.turns()[turn].extras;
        if extras.is_empty() || extras.find(dialect, EMPTY).is_none() {
            continue;
        }
        let kept = crate::extras::without(extras, dialect, EMPTY);
        work.turn(turn).extras = kept;
        work.change(Place::turn(turn), "left out the list of calls: there are none");
    }
}

/// What a turn with an empty list of calls has among its extras.
const EMPTY: &str = "empty calls";
