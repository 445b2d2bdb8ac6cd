//! Requests reasoning in a form that can be sent back.
//!
//! Some providers keep the reasoning of their models and return a summary. For a client of another
//! dialect the reasoning is requested with its seal, so that the next turn can continue from it and
//! the provider need not store the reply.
//!
//! ## Why
//! > Item 'rs_1' of type 'reasoning' was provided without its required following item.
//!
//! ## Example
//! ```text
//! before   {"model": "gpt-5.2", "input": …}
//! after    {"model": "gpt-5.2", "input": …, "store": false, "include": ["reasoning.encrypted_content"]}
//! ```

use interlingua_model::LedgerPath;

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let reasoning = &work.profile.reasoning;
    let is_available = reasoning.is_item && reasoning.configurable && reasoning.effort_enables;
    if !work.profile.keeps_replies || work.is_same_dialect() || !is_available {
        return;
    }
    let settings = &work.conversation().settings;
    if settings.store == Some(true) || settings.sealed_reasoning {
        return;
    }
    work.record_change(
        LedgerPath::SETTINGS,
        "requested sealed reasoning and turned off storing the reply",
    );
    let settings = work.edit_settings();
    settings.store = Some(false);
    settings.sealed_reasoning = true;
}
