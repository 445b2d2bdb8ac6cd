//! A tool that is to be held to its schema is offered without that promise, where the provider cannot
//! keep it.
//!
//! Providers hold a model to a schema only if the schema is made for it: objects that are closed, no
//! optional properties or not too many, no patterns that look around. Rather than change what the tool
//! takes, the promise is left out.
//!
//! ## Why
//! > Invalid schema for function 'x': In context=(), 'additionalProperties' is required to be supplied
//! > and to be false.
//!
//! > Schema is too complex for compilation.
//!
//! > Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or
//! > 'strict: false'
//!
//! ## Example
//! ```text
//! before   `read`, strict, {"type": "object", "properties": {"path": {"type": "string"}}}
//! after    `read`, not strict, with the same schema
//! ```

use interlingua_model::{Place, Tool, ToolKind};

use crate::Work;
use crate::profile::tools::Strict;

pub fn apply(work: &mut Work<'_>) {
    let held = |tool: &Tool| tool.strict == Some(true) && is_function(tool);
    let rules = work.profile.tools.strict;
    if rules == Strict::Unchecked || !work.conversation().tools.iter().any(|tool| held(tool)) {
        return;
    }
    if rules == Strict::Alike {
        return alike(work);
    }
    let looks = work.looks();
    let (mut tools, mut optional) = (0, 0);
    for (at, look) in looks.iter().enumerate() {
        if !held(&work.conversation().tools[at]) {
            continue;
        }
        let crowded = match rules {
            Strict::Compiled { tools: most, optional: most_optional } => {
                tools + 1 > most || optional + look.optional > most_optional
            }
            Strict::Closed(_) | Strict::Unchecked | Strict::Alike => false,
        };
        if look.loose || crowded {
            let name = work.conversation().tools[at].name.clone();
            let why =
                if look.loose { "its schema is not made for it" } else { "there are too many" };
            let what = format!("`{name}` is not held to its schema: {why}");
            work.loss(Place::tool(at), what);
            work.tools()[at].edit().strict = Some(false);
        } else {
            tools += 1;
            optional += look.optional;
        }
    }
}

/// If one tool is not held to its schema, none is.
fn alike(work: &mut Work<'_>) {
    let tools = &work.conversation().tools;
    // What takes free text elsewhere is offered as a function.
    let wrapped = |tool: &Tool| !work.is_own() && matches!(tool.kind, ToolKind::Freeform { .. });
    let is_loose = |tool: &Tool| wrapped(tool) || is_function(tool) && tool.strict != Some(true);
    let loose = tools.iter().find(|tool| is_loose(tool));
    let Some(theirs) = loose.map(|tool| tool.strict) else { return };
    for at in 0..tools.len() {
        let tool = &work.conversation().tools[at];
        if tool.strict == Some(true) && is_function(tool) {
            let what = format!("`{}` is not held to its schema: not all tools are", tool.name);
            work.loss(Place::tool(at), what);
            work.tools()[at].edit().strict = theirs;
        }
    }
}

fn is_function(tool: &Tool) -> bool {
    matches!(tool.kind, ToolKind::Function { .. })
}
