//! Cuts a tool description that is longer than the target accepts.
//!
//! ## Why
//! > Invalid 'tools\[0\].function.description': string too long. Expected a string with maximum length
//! > 1024, but got a string with length 1320 instead.
//!
//! ## Example
//! ```text
//! before   a description of 1,320 characters
//! after    the first 1,021 of them and `...`
//! ```

use interlingua_model::LedgerPath;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::query::tool_choice::count_exempt_legacy_tools;

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(max) = work.profile.tools.max_description_chars else { return };
    for at in 0..work.conversation().tools.len() {
        if at + count_exempt_legacy_tools(work) >= work.conversation().tools.len() {
            return;
        }
        let tool = &work.conversation().tools[at];
        let Some(description) = &tool.description else { continue };
        let contents = description.unescape();
        if contents.len() <= max || contents.chars().count() <= max {
            continue;
        }
        let cut: String = contents.chars().take(max - 3).chain("...".chars()).collect();
        let message = format!("the description of `{}` is cut to {max} characters", tool.name);
        work.record_loss(LedgerPath::tool(at), message);
        work.edit_tools()[at].edit().description = Some(JsonString::new(&cut));
    }
}
