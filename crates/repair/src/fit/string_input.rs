//! A conversation that is one string is a list of one message where the target reads lists only.
//!
//! ## Why
//! > Input must be a list
//!
//! ## Example
//! ```text
//! before   input: "hi"
//! after    input: [user: "hi"]
//! ```

use interlingua_model::Place;
use interlingua_wire::{Json, Kind};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let [only] = work.turns() else { return };
    let is_string = |text: &Json| text.kind() == Kind::String;
    if !work.profile.roles.string && only.text_for(work.profile.dialect).is_some_and(is_string) {
        work.change(
            Place::turn(0),
            "the string is the user's message in a list: only lists are read",
        );
        work.turn(0);
    }
}
