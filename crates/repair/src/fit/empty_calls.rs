//! An empty list of calls is left out.
//!
//! ## Why
//! > Invalid 'messages[4].tool_calls': empty array. Expected an array with minimum length 1, but got
//! > an empty array instead.
//!
//! ## Example
//! ```text
//! before   {"role": "assistant", "content": "hello", "tool_calls": []}
//! after    {"role": "assistant", "content": "hello"}
//! ```

use interlingua_model::{Place, Turn};
use interlingua_wire::Json;

use crate::{Work, pairing};

pub fn apply(work: &mut Work<'_>) {
    let Some(key) = work.profile.calls.empty_list.filter(|_| !pairing::crosses(work)) else {
        return;
    };
    let dialect = work.profile.dialect;
    let is_empty =
        |turn: &Turn| turn.extras.find(dialect, key).is_some_and(|list| *list == Json::EMPTY_ARRAY);
    for turn in 0..work.turns().len() {
        if !is_empty(&work.turns()[turn]) {
            continue;
        }
        let kept = pairing::without(&work.turns()[turn].extras, dialect, key);
        work.turn(turn).extras = kept;
        work.change(Place::turn(turn), format!("left out `{key}`: there are none"));
    }
}
