//! The words in which a model is told of its mistake.

use interlingua_model::ToolCall;
use interlingua_wire::Text;

use crate::finding::Kind;
use crate::offer::Takes;
use crate::schema::{Schema, Types, Violation, shortened};

/// Composes the error result for a call whose arguments are wrong.
pub(crate) fn about_arguments(
    call: &ToolCall,
    kind: Kind,
    said: &str,
    violations: &[Violation],
    schema: Option<&Schema>,
) -> String {
    let tool = name(&call.name);
    let mut message = match kind {
        Kind::EmptyArguments => format!(
            "Error: Tool '{tool}' was called with empty arguments. This tool requires parameters."
        ),
        Kind::DoubleEncoded => format!(
            "Error: Tool '{tool}' was called with its arguments as a JSON string that holds JSON. \
             Give the arguments as a JSON object, encoded once."
        ),
        Kind::Concatenated => format!(
            "Error: Tool '{tool}' was called with several JSON objects one after the other{said}. \
             Give one JSON object per call, and make one call for each."
        ),
        Kind::Truncated => format!(
            "Error: Tool '{tool}' was called with arguments that break off before their end. \
             Give complete arguments; make several smaller calls if they are too long for one."
        ),
        Kind::Malformed => format!(
            "Error: Tool '{tool}' was called with arguments that are not valid JSON ({said}). \
             Give the arguments as one JSON object."
        ),
        Kind::NotAnObject => format!(
            "Error: Tool '{tool}' was called with {said} as its arguments. \
             Give the arguments as a JSON object."
        ),
        _ => format!("Error: Tool '{tool}' was called with arguments that do not fit its schema."),
    };
    for violation in violations {
        message.push_str("\n- ");
        message.push_str(&violation.what);
    }
    let required = schema.map(Schema::required).unwrap_or_default();
    if !required.is_empty() {
        message.push_str("\n\nRequired parameters: ");
        message.push_str(&listed(&required));
        message.push('.');
    }
    message.push_str("\n\n");
    message.push_str(if violations.is_empty() { AGAIN } else { REVIEW });
    shortened(&message, LONGEST)
}

/// Composes the error result for a call of a tool that does not exist.
pub(crate) fn about_name(call: &ToolCall, meant: Option<&Text>, tools: &[(Text, Takes)]) -> String {
    let called = name(&call.name);
    let mut message = format!("Error: There is no tool named '{called}'.");
    if let Some(meant) = meant {
        message.push_str(" Did you mean '");
        message.push_str(&name(meant));
        message.push_str("'? Names must match exactly.");
    } else {
        let names: Vec<String> =
            tools.iter().take(MOST_NAMES).map(|(tool, _)| format!("'{}'", name(tool))).collect();
        message.push_str(" Available tools: ");
        message.push_str(&names.join(", "));
        message.push_str(if tools.len() > MOST_NAMES { ", and more." } else { "." });
    }
    message.push_str("\n\n");
    message.push_str(NAME_AGAIN);
    shortened(&message, LONGEST)
}

fn listed(required: &[(String, Types)]) -> String {
    let one = |(name, types): &(String, Types)| {
        let name = shortened(name, LONGEST_NAME);
        if types.is_any() { name } else { format!("{name} ({})", types.names().join(" or ")) }
    };
    let mut shown: Vec<String> = required.iter().take(MOST_NAMES).map(one).collect();
    if required.len() > MOST_NAMES {
        shown.push(format!("and {} more", required.len() - MOST_NAMES));
    }
    shown.join(", ")
}

fn name(text: &Text) -> String {
    shortened(&text.contents(), LONGEST_NAME)
}

const REVIEW: &str = "This is likely a mistake of the model. Please review the tool's schema, provide \
                      all required parameters, and call the tool again.";
const AGAIN: &str =
    "This is likely a mistake of the model. Please correct the arguments and call the tool again.";
const NAME_AGAIN: &str =
    "This is likely a mistake of the model. Please call one of the tools that are offered.";
const LONGEST: usize = 4000;
const LONGEST_NAME: usize = 100;
const MOST_NAMES: usize = 40;
