//! Removes null fields of a message where the target rejects them.
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

use interlingua_model::{LedgerPath, Role};
use interlingua_wire::RawJson;

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.texts.rejects_null_fields || !work.is_same_dialect() {
        return;
    }
    for turn in 0..work.turns().len() {
        if has_null(work, turn) {
            work.record_change(LedgerPath::turn(turn), "left out null fields of the message");
            let dialect = work.profile.dialect;
            work.edit_turn(turn).extras.retain(dialect, |_, value| *value != RawJson::NULL);
        }
    }
}

/// Whether the message has a rejected null field; the content of an assistant message may be null.
fn has_null(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let is_assistant_turn = this.role == Role::Assistant;
    let mut fields = this.extras.fields_for(work.profile.dialect).iter();
    // A message without verbatim text is encoded with its extras.
    if this.text_for(work.profile.dialect).is_none() {
        return fields.any(|(_, value)| *value == RawJson::NULL);
    }
    this.text_for(work.profile.dialect).filter(|text| text.as_str().contains("null")).is_some_and(
        |text| {
            let doc = text.to_doc();
            let is_allowed = |key: &str| is_assistant_turn && key == "content";
            doc.root().fields().any(|field| field.value.is_null() && !is_allowed(&field.key()))
        },
    )
}
