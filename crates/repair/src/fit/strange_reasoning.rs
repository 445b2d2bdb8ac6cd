//! Reasoning in a field that the target does not know is said where the target has a place for it.
//!
//! Servers that speak one dialect carry reasoning in different fields, and some refuse those of the others.
//!
//! ## Why
//! > 'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property
//! > 'reasoning_content' is unsupported)]
//!
//! > Extra inputs are not permitted
//!
//! ## Example
//! ```text
//! before   assistant: reasoning in `reasoning_content`, "done"
//! after    assistant: reasoning in the content, "done"
//! ```

use interlingua_model::Place;

use crate::Work;
use crate::look::is_reasoning;
use crate::thoughts::is_thinking;

pub fn apply(work: &mut Work<'_>) {
    let strange = work.profile.thinking.strange_fields;
    if strange.is_empty() || !work.is_own() {
        return;
    }
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        let here = &work.turns()[turn];
        if !here.blocks.iter().any(|block| is_thinking(block)) {
            continue;
        }
        let Some(text) = here.text_for(dialect) else { continue };
        let doc = text.doc();
        let found = strange.iter().find(|field| doc.root().get(field).is_some());
        if let Some(field) = found {
            work.turn(turn);
            work.change(Place::turn(turn), format!("`{field}` is not known here"));
            if work.profile.texts.reasoning_in_content {
                silent(work, turn);
            }
        }
    }
}

/// Leaves out reasoning that has no text for the content.
fn silent(work: &mut Work<'_>, turn: usize) {
    work.sift(turn, |work, at| {
        let block = work.block(turn, at);
        let goes = is_reasoning(block) && !work.is_said(block);
        if goes {
            work.loss(Place::block(turn, at), "left out reasoning that says nothing");
        }
        goes
    });
}
