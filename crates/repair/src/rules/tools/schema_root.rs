//! Makes the root of a tool's schema an object.
//!
//! Some tool servers send no schema, or one without a type, or a choice of schemas at its root. A
//! tool without a schema takes an empty object. The branches of a choice become one object with all
//! their properties, which requires what every branch requires; the conditions of the choice are
//! added to the tool's description. A schema that is written as a string is parsed. The original
//! schema is kept for checking the arguments of a call.
//!
//! ## Why
//! > tools.21.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top
//! > level
//!
//! > Invalid schema for function 'x': schema must be a JSON Schema of 'type: "object"', got 'type:
//! > "None"'.
//!
//! ## Example
//! ```text
//! before   {"type": "object", "properties": {"a": …, "b": …}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
//! after    {"type": "object", "properties": {"a": …, "b": …}}
//!          and in the description: At least one of these forms of the input applies: `a` given; or `b` given.
//! ```

use interlingua_model::{LedgerPath, ToolKind};
use interlingua_providers::profile::tools::SchemaRoot;
use interlingua_wire::{JsonString, RawJson};

use crate::engine::Work;
use crate::schema::root;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.tools.schema.root == SchemaRoot::Unchecked
        || work.conversation().tools.is_empty()
    {
        return;
    }
    let issues = work.tool_issues();
    let rejected = work.profile.tools.schema.rejected_at_root;
    for at in (0..issues.len()).filter(|at| issues[*at].bad_root) {
        let tool = &work.conversation().tools[at];
        let ToolKind::Function { schema } = &tool.kind else { continue };
        let name = tool.name.clone();
        let in_string = schema.as_ref().and_then(root::parse_string_schema);
        let was_string = in_string.is_some();
        let original = in_string.or_else(|| schema.clone());
        let is_invalid = original.as_ref().is_some_and(root::is_no_schema);
        let root::RootObject { json, description: choice_text } =
            root::to_object_root(original.as_ref(), rejected);
        let message = match (&original, &choice_text) {
            (None, _) => format!("`{name}` has no schema: an object schema is sent"),
            _ if is_invalid => {
                format!("the schema of `{name}` is invalid: an object schema is sent")
            }
            _ if was_string => format!("parsed the schema of `{name}` from a string"),
            (Some(_), None) => format!("added the type `object` to the schema of `{name}`"),
            (Some(_), Some(_)) => {
                format!("merged the choice at the root of the schema of `{name}` into one object")
            }
        };
        let tool = work.edit_tools()[at].edit();
        if let Some(choice_text) = choice_text {
            let choice_text = JsonString::new(&choice_text);
            tool.description = Some(match &tool.description {
                Some(description) => JsonString::join([description, &choice_text], "\n\n"),
                None => choice_text,
            });
        }
        tool.kind = ToolKind::Function { schema: Some(json) };
        if is_invalid {
            work.record_loss(LedgerPath::tool(at), message);
        } else {
            work.record_change(LedgerPath::tool(at), message);
        }
        work.record_original_schema(name, original.unwrap_or(RawJson::TRUE));
    }
}
