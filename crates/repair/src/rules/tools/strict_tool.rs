//! Removes strict mode from a tool if the provider cannot enforce its schema.
//!
//! Providers enforce a schema only if it meets certain rules: closed objects, no or not too many
//! optional properties, no look-around in patterns. Strict mode is removed instead of changing the
//! input that the tool accepts.
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

use interlingua_model::{LedgerPath, Tool, ToolKind};
use interlingua_providers::profile::tools::StrictMode;

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let is_strict = |tool: &Tool| tool.strict == Some(true) && is_function(tool);
    let rules = work.profile.tools.strict;
    if rules == StrictMode::Unchecked
        || !work.conversation().tools.iter().any(|tool| is_strict(tool))
    {
        return;
    }
    if rules == StrictMode::AllOrNone {
        return make_uniform(work);
    }
    let issues = work.tool_issues();
    let (mut strict_count, mut optional_count) = (0, 0);
    for (at, issue) in issues.iter().enumerate() {
        if !is_strict(&work.conversation().tools[at]) {
            continue;
        }
        let exceeds_limits = match rules {
            StrictMode::Compiled { max_tools, max_optional } => {
                strict_count + 1 > max_tools
                    || optional_count + issue.optional_properties > max_optional
            }
            StrictMode::Closed(_) | StrictMode::Unchecked | StrictMode::AllOrNone => false,
        };
        if issue.not_strict || exceeds_limits {
            let name = work.conversation().tools[at].name.clone();
            let reason = if issue.not_strict {
                "its schema does not meet the rules for strict mode"
            } else {
                "the request has too many strict tools or optional properties"
            };
            let message = format!("`{name}` is not strict: {reason}");
            work.record_loss(LedgerPath::tool(at), message);
            work.edit_tools()[at].edit().strict = Some(false);
        } else {
            strict_count += 1;
            optional_count += issue.optional_properties;
        }
    }
}

/// Removes strict mode from all tools if one is not strict.
fn make_uniform(work: &mut Work<'_>) {
    let tools = &work.conversation().tools;
    // Freeform tools of another dialect are offered as functions.
    let is_sent_as_function =
        |tool: &Tool| !work.is_same_dialect() && matches!(tool.kind, ToolKind::Freeform { .. });
    let is_not_strict =
        |tool: &Tool| is_sent_as_function(tool) || is_function(tool) && tool.strict != Some(true);
    let not_strict = tools.iter().find(|tool| is_not_strict(tool));
    let Some(strict) = not_strict.map(|tool| tool.strict) else { return };
    for at in 0..tools.len() {
        let tool = &work.conversation().tools[at];
        if tool.strict == Some(true) && is_function(tool) {
            let message = format!("`{}` is not strict: not all tools are", tool.name);
            work.record_loss(LedgerPath::tool(at), message);
            work.edit_tools()[at].edit().strict = strict;
        }
    }
}

fn is_function(tool: &Tool) -> bool {
    matches!(tool.kind, ToolKind::Function { .. })
}
