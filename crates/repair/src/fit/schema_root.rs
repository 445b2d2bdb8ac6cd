//! The schema of a tool says that the tool takes an object.
//!
//! Some servers of tools give no schema, or one without a type, or a choice of schemas at its root. A
//! tool without a schema takes an empty object; the branches of a choice become one object with all
//! their properties, which requires what each of them requires, and what the choice asks for is said
//! in the tool's description. A schema that is written as a string is read. The schema as it came is
//! kept, for who checks the arguments of a call.
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

use interlingua_model::{Place, ToolKind};
use interlingua_wire::{Json, Text};

use crate::Work;
use crate::profile::tools::Root;
use crate::schema::root;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.tools.schema.root == Root::Free || work.conversation().tools.is_empty() {
        return;
    }
    let looks = work.looks();
    let refused = work.profile.tools.schema.not_at_root;
    for at in (0..looks.len()).filter(|at| looks[*at].root) {
        let tool = &work.conversation().tools[at];
        let ToolKind::Function { schema } = &tool.kind else { continue };
        let name = tool.name.clone();
        let in_string = schema.as_ref().and_then(root::in_string);
        let said = in_string.is_some();
        let written = in_string.or_else(|| schema.clone());
        let lost = written.as_ref().is_some_and(root::is_lost);
        let root::Rooted { json, words } = root::object(written.as_ref(), refused);
        let what = match (&written, &words) {
            (None, _) => format!("`{name}` has no schema: it takes an object"),
            _ if lost => format!("the schema of `{name}` is none: it takes an object"),
            _ if said => format!("the schema of `{name}` is read from the string that it was in"),
            (Some(_), None) => format!("the schema of `{name}` says that it is one of an object"),
            (Some(_), Some(_)) => {
                format!("the choice at the root of the schema of `{name}` is one object")
            }
        };
        let tool = work.tools()[at].edit();
        if let Some(words) = words {
            let words = Text::new(&words);
            tool.description = Some(match &tool.description {
                Some(description) => Text::join([description, &words], "\n\n"),
                None => words,
            });
        }
        tool.kind = ToolKind::Function { schema: Some(json) };
        if lost {
            work.loss(Place::tool(at), what);
        } else {
            work.change(Place::tool(at), what);
        }
        work.lowered_schema(name, written.unwrap_or(Json::TRUE));
    }
}
