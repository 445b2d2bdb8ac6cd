//! Fields of a message that are null are left out where the target refuses them.
//!
//! ## Why
//! > 'messages.0' : for 'role:user' the following must be satisfied\[('messages.0.name' : value must be
//! > a string)\]
//!
//! ## Example
//! ```text
//! before   user (name: null): "hi"
//! after    user: "hi"
//! ```

use interlingua_model::{Extras, Place, Role};
use interlingua_wire::{Json, Text};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.texts.nulls_refused || !work.is_own() {
        return;
    }
    for turn in 0..work.turns().len() {
        if has_null(work, turn) {
            work.change(Place::turn(turn), "left out fields of the message that are null");
            let dialect = work.profile.dialect;
            let keep = |key: &Text, value: &Json| *value != Json::NULL || Extras::is_memory(key);
            work.turn(turn).extras.retain(dialect, |key, value| keep(key, value));
        }
    }
}

/// The content of the assistant's may be null.
fn has_null(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let assistants = this.role == Role::Assistant;
    let kept = this.extras.of(work.profile.dialect).iter();
    // What is written anew has the fields that are kept.
    if this.text_for(work.profile.dialect).is_none() {
        return kept
            .into_iter()
            .any(|(key, value)| *value == Json::NULL && !Extras::is_memory(key));
    }
    this.text_for(work.profile.dialect).filter(|text| text.as_str().contains("null")).is_some_and(
        |text| {
            let message = text.doc();
            let spared = |key: &str| assistants && key == "content";
            message.root().fields().any(|field| field.value.is_null() && !spared(&field.name()))
        },
    )
}
