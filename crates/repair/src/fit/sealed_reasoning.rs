//! Reasoning is asked for in a form that can be sent back.
//!
//! Some providers keep what their models thought and give out a summary. For a client of another
//! dialect it comes back with its seal, so that the next turn goes on where this one ended, and nothing
//! has to be kept by the provider.
//!
//! ## Why
//! > Item 'rs_1' of type 'reasoning' was provided without its required following item.
//!
//! ## Example
//! ```text
//! before   {"model": "gpt-5.2", "input": …}
//! after    {"model": "gpt-5.2", "input": …, "store": false, "include": ["reasoning.encrypted_content"]}
//! ```

use interlingua_model::Place;

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let row = &work.profile.thinking;
    let thinks = row.items && row.asked && row.effort_asks;
    if !work.profile.remembers || work.is_own() || !thinks {
        return;
    }
    let settings = &work.conversation().settings;
    if settings.store == Some(true) || settings.sealed {
        return;
    }
    work.change(Place::SETTINGS, "reasoning is asked for sealed, and the reply is not stored");
    let settings = work.settings();
    settings.store = Some(false);
    settings.sealed = true;
}
