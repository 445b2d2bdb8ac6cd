//! Of more tools than the target takes, the last are left out.
//!
//! Tools that the history calls, or that the request asks for by name, stay.
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

use interlingua_model::{Body, Choice, Place};
use interlingua_wire::Text;

use crate::Work;
use crate::tools::forget_choice;

pub fn apply(work: &mut Work<'_>) {
    let Some(most) = work.profile.tools.most else { return };
    let count = work.conversation().tools.len();
    if count <= most {
        return;
    }
    let needed = needed(work);
    let mut kept: Vec<bool> =
        work.conversation().tools.iter().map(|tool| needed.contains(&tool.name)).collect();
    let mut room = most.saturating_sub(kept.iter().filter(|kept| **kept).count());
    for kept in kept.iter_mut().filter(|kept| !**kept) {
        *kept = room > 0;
        room = room.saturating_sub(1);
    }
    let mut over = kept.iter().filter(|kept| **kept).count().saturating_sub(most);
    for kept in kept.iter_mut().rev().filter(|kept| **kept) {
        *kept = over == 0;
        over = over.saturating_sub(1);
    }
    let mut gone = Vec::new();
    for at in (0..count).filter(|at| !kept[*at]) {
        let name = work.conversation().tools[at].name.clone();
        work.loss(Place::tool(at), format!("left out `{name}`: more than {most} tools"));
        gone.push(name);
    }
    work.retain_tools(|at| kept[at]);
    forget_choice(work, &gone);
}

/// The names that the history calls, or the choice.
fn needed(work: &Work<'_>) -> Vec<Text> {
    let mut names: Vec<Text> = match &work.conversation().settings.choice {
        Some(Choice::Named(name)) => vec![name.clone()],
        Some(Choice::Allowed { names, .. }) => names.clone(),
        _ => Vec::new(),
    };
    for block in work.turns().iter().flat_map(|turn| &turn.blocks) {
        if let Body::ToolCall(call) = &block.body
            && !names.contains(&call.name)
        {
            names.push(call.name.clone());
        }
    }
    names
}
