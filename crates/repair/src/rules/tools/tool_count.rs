//! Removes the last tools beyond the target's limit.
//!
//! Tools that the history calls, or that the tool choice names, stay.
//!
//! ## Why
//! > Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with
//! > length 130 instead.
//!
//! ## Example
//! ```text
//! before   200 tools, of which the history calls the 150th
//! after    the first 127 and the 150th
//! ```

use interlingua_model::{BlockContent, LedgerPath, ToolChoice};
use interlingua_wire::JsonString;

use crate::edit::tool_choice::drop_choice_of_removed;
use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(max) = work.profile.tools.max_tools else { return };
    let count = work.conversation().tools.len();
    if count <= max {
        return;
    }
    let needed = needed_names(work);
    let mut kept: Vec<bool> =
        work.conversation().tools.iter().map(|tool| needed.contains(&tool.name)).collect();
    let mut free_slots = max.saturating_sub(kept.iter().filter(|kept| **kept).count());
    for kept in kept.iter_mut().filter(|kept| !**kept) {
        *kept = free_slots > 0;
        free_slots = free_slots.saturating_sub(1);
    }
    let mut excess = kept.iter().filter(|kept| **kept).count().saturating_sub(max);
    for kept in kept.iter_mut().rev().filter(|kept| **kept) {
        *kept = excess == 0;
        excess = excess.saturating_sub(1);
    }
    let mut removed_names = Vec::new();
    for at in (0..count).filter(|at| !kept[*at]) {
        let name = work.conversation().tools[at].name.clone();
        work.record_loss(LedgerPath::tool(at), format!("left out `{name}`: more than {max} tools"));
        removed_names.push(name);
    }
    work.retain_tools(|at| kept[at]);
    drop_choice_of_removed(work, &removed_names);
}

/// The names that the history calls or the tool choice names.
fn needed_names(work: &Work<'_>) -> Vec<JsonString> {
    let mut names: Vec<JsonString> = match &work.conversation().settings.tool_choice {
        Some(ToolChoice::Named(name)) => vec![name.clone()],
        Some(ToolChoice::Allowed { names, .. }) => names.clone(),
        _ => Vec::new(),
    };
    for block in work.turns().iter().flat_map(|turn| &turn.blocks) {
        if let BlockContent::ToolCall(call) = &block.content
            && !names.contains(&call.name)
        {
            names.push(call.name.clone());
        }
    }
    names
}
