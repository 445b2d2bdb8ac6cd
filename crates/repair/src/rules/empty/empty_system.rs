//! Removes empty instruction blocks, and the field if none is left.
//!
//! A cache breakpoint on a removed block moves to the block before.
//!
//! ## Why
//! > Invalid length for parameter system\[0\].text, value: 0, valid min length: 1
//!
//! > system: text content blocks must be non-empty
//!
//! > GenerateContentRequest.system_instruction.parts\[0\].data: required oneof field 'data' must have
//! > one initialized field
//!
//! ## Example
//! ```text
//! before   system: "", "Be brief."
//! after    system: "Be brief."
//! ```

use interlingua_model::LedgerPath;
use interlingua_providers::profile::texts::TextMinimum;
use interlingua_wire::JsonKind;

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let minimum = match work.profile.texts.min_system_text {
        TextMinimum::Empty if !work.is_same_dialect() => TextMinimum::NonEmpty,
        minimum => minimum,
    };
    let system = &work.conversation().system;
    // An instruction field that is a plain string is not a block.
    let is_string =
        system.text_for(work.profile.dialect).is_some_and(|text| text.kind() == JsonKind::String);
    if is_string || !system.iter().any(|block| work.is_text_below(block, minimum)) {
        return;
    }
    let mut removed = Vec::new();
    for at in (0..work.conversation().system.len()).rev() {
        if work.is_text_below(&work.conversation().system[at], minimum) {
            pass_breakpoint_back(work, at);
            removed.push(at);
        }
    }
    work.remove_system_where(|_, at| removed.pop_if(|next| *next == at).is_some());
}

/// Moves the removed block's cache breakpoint to the block before.
fn pass_breakpoint_back(work: &mut Work<'_>, at: usize) {
    work.record_change(LedgerPath::system(at), "left out empty instructions");
    let Some(breakpoint) = work.conversation().system[at].cache_breakpoint.clone() else { return };
    let before = at.checked_sub(1).and_then(|before| work.edit_system().get_mut(before));
    match before {
        Some(before) if before.cache_breakpoint.is_none() => {
            before.edit().cache_breakpoint = Some(breakpoint);
        }
        Some(_) => {}
        None => work
            .record_loss(LedgerPath::SYSTEM, "left out the cache breakpoint of empty instructions"),
    }
}
