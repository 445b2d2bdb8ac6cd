//! Composes the text of guard answers, which models read as the error result of their call.

use interlingua_model::ToolCall;
use interlingua_wire::JsonString;

use crate::finding::FindingKind;
use crate::offered_tools::ToolInput;
use crate::schema::{Schema, TypeSet, Violation, truncate};

/// The error text for a call with wrong arguments.
pub(crate) fn arguments_error(
    call: &ToolCall,
    kind: FindingKind,
    detail: &str,
    violations: &[Violation],
    schema: Option<&Schema>,
) -> String {
    let tool = truncated_name(&call.name);
    let mut message = match kind {
        FindingKind::EmptyArguments => format!(
            "Error: Tool '{tool}' was called with empty arguments. This tool requires parameters."
        ),
        FindingKind::DoubleEncoded => format!(
            "Error: Tool '{tool}' was called with its arguments as a JSON string that holds JSON. \
             Give the arguments as a JSON object, encoded once."
        ),
        FindingKind::Concatenated => format!(
            "Error: Tool '{tool}' was called with several JSON objects one after the other{detail}. \
             Give one JSON object per call, and make one call for each."
        ),
        FindingKind::Truncated => format!(
            "Error: Tool '{tool}' was called with arguments that break off before their end. \
             Give complete arguments; make several smaller calls if they are too long for one."
        ),
        FindingKind::Malformed => format!(
            "Error: Tool '{tool}' was called with arguments that are not valid JSON ({detail}). \
             Give the arguments as one JSON object."
        ),
        FindingKind::NotAnObject => format!(
            "Error: Tool '{tool}' was called with {detail} as its arguments. \
             Give the arguments as a JSON object."
        ),
        _ => format!("Error: Tool '{tool}' was called with arguments that do not fit its schema."),
    };
    for violation in violations {
        message.push_str("\n- ");
        message.push_str(&violation.message);
    }
    let required = schema.map(Schema::required).unwrap_or_default();
    if !required.is_empty() {
        message.push_str("\n\nRequired parameters: ");
        message.push_str(&list_required(&required));
        message.push('.');
    }
    message.push_str("\n\n");
    message.push_str(if violations.is_empty() { RETRY_HINT } else { REVIEW_HINT });
    truncate(&message, MAX_TEXT_CHARS)
}

/// The error text for a call of a tool that does not exist.
pub(crate) fn unknown_tool_error(
    call: &ToolCall,
    closest: Option<&JsonString>,
    tools: &[(JsonString, ToolInput)],
) -> String {
    let called = truncated_name(&call.name);
    let mut message = format!("Error: There is no tool named '{called}'.");
    if let Some(closest) = closest {
        message.push_str(" Did you mean '");
        message.push_str(&truncated_name(closest));
        message.push_str("'? Names must match exactly.");
    } else {
        let names: Vec<String> = tools
            .iter()
            .take(MAX_LISTED_NAMES)
            .map(|(tool, _)| format!("'{}'", truncated_name(tool)))
            .collect();
        message.push_str(" Available tools: ");
        message.push_str(&names.join(", "));
        message.push_str(if tools.len() > MAX_LISTED_NAMES { ", and more." } else { "." });
    }
    message.push_str("\n\n");
    message.push_str(TOOL_NAME_HINT);
    truncate(&message, MAX_TEXT_CHARS)
}

fn list_required(required: &[(String, TypeSet)]) -> String {
    let describe = |(name, types): &(String, TypeSet)| {
        let name = truncate(name, MAX_NAME_CHARS);
        if types.is_any() { name } else { format!("{name} ({})", types.names().join(" or ")) }
    };
    let mut parts: Vec<String> = required.iter().take(MAX_LISTED_NAMES).map(describe).collect();
    if required.len() > MAX_LISTED_NAMES {
        parts.push(format!("and {} more", required.len() - MAX_LISTED_NAMES));
    }
    parts.join(", ")
}

fn truncated_name(text: &JsonString) -> String {
    truncate(&text.unescape(), MAX_NAME_CHARS)
}

const REVIEW_HINT: &str = "This is likely a mistake of the model. Please review the tool's schema, provide \
                      all required parameters, and call the tool again.";
const RETRY_HINT: &str =
    "This is likely a mistake of the model. Please correct the arguments and call the tool again.";
const TOOL_NAME_HINT: &str =
    "This is likely a mistake of the model. Please call one of the tools that are offered.";
const MAX_TEXT_CHARS: usize = 4000;
const MAX_NAME_CHARS: usize = 100;
const MAX_LISTED_NAMES: usize = 40;
