//! Keywords in the schema of a tool that are wrong, or that the target does not have, are said
//! otherwise or left out.
//!
//! A list of items is spelled anew, an array without items holds anything, `properties: []` is an empty
//! object, a type that no draft knows is the one it most likely means. Where a target reads a narrow
//! kind of schema, what that does not have is said in its terms, or left out; a schema in a provider's
//! own kind that has more than it may is sent as JSON Schema instead. The schema as it came is kept.
//!
//! ## Why
//! > Invalid schema for function 'x': In context=('properties', 'tags'), array schema missing items.
//!
//! > tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12
//!
//! > Invalid JSON payload received. Unknown name "const" at
//! > 'tools\[0\].function_declarations\[0\].parameters': Cannot find field.
//!
//! ## Example
//! ```text
//! before   {"type": "object", "properties": {"tags": {"type": "array"}, "at": {"type": "date"}}}
//! after    {"type": "object", "properties": {"tags": {"type": "array", "items": {}}, "at": {"type": "string"}}}
//! ```

use interlingua_model::{Place, ToolKind};
use interlingua_wire::Json;

use crate::Work;
use crate::schema::spell;

pub fn apply(work: &mut Work<'_>) {
    if work.conversation().tools.is_empty() {
        return;
    }
    let looks = work.looks();
    for (at, look) in looks.iter().enumerate() {
        if look.own {
            widen(work, at);
        } else if look.keywords {
            mend(work, at);
        }
    }
}

fn mend(work: &mut Work<'_>, at: usize) {
    let rules = &work.profile.tools.schema;
    let tool = &work.conversation().tools[at];
    let ToolKind::Function { schema: Some(schema) } = &tool.kind else { return };
    let (name, written) = (tool.name.clone(), schema.clone());
    let refused = if rules.inlined { &["$schema"][..] } else { rules.refused };
    let (json, touched) = spell::mend(&written, refused, rules.narrow);
    work.tools()[at].edit().kind = ToolKind::Function { schema: Some(json) };
    let touched: Vec<_> = touched.iter().map(|key| format!("`{key}`")).collect();
    let what = format!("in the schema of `{name}`, {} is said otherwise", touched.join(", "));
    work.change(Place::tool(at), what);
    work.lowered_schema(name, written);
}

/// A schema of the provider's own kind, as one of JSON Schema.
fn widen(work: &mut Work<'_>, at: usize) {
    let tool = &work.conversation().tools[at];
    let name = tool.name.clone();
    let answers = tool.extras.of(work.profile.dialect).iter().any(|(key, _)| key == "response");
    let what = format!("the schema of `{name}` is sent as JSON Schema: it has more than its kind");
    work.change(Place::tool(at), what);
    if answers {
        work.loss(Place::tool(at), format!("left out what `{name}` answers: it is no such schema"));
    }
    let dialect = work.profile.dialect;
    work.tools()[at].edit().extras.retain(dialect, |key, value| {
        !(key == "response" || key == "parameters" && *value == Json::NULL)
    });
}
