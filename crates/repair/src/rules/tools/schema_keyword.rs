//! Rewrites or removes keywords in the schema of a tool that are invalid or that the target does
//! not support.
//!
//! A list in `items` is rewritten, an array without `items` gets an empty one, `properties: []`
//! becomes an empty object, and an unknown type becomes the one that it most likely means. Where a
//! target supports a small subset of JSON Schema, unsupported keywords are expressed in that subset
//! or removed; a schema in a provider's own style with keywords that the style lacks is sent as
//! JSON Schema instead. The original schema is kept. A schema above the limit for schemas is sent
//! as it is.
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

use interlingua_model::{LedgerPath, ToolKind};
use interlingua_wire::RawJson;

use crate::engine::Work;
use crate::schema::keywords;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.conversation().tools.is_empty() {
        return;
    }
    let issues = work.tool_issues();
    for (at, issue) in issues.iter().enumerate() {
        if issue.bad_openapi_schema {
            to_json_schema(work, at);
        } else if issue.bad_keywords {
            rewrite_schema(work, at);
        } else if issue.oversized_schema {
            record_oversized_schema(work, at);
        }
    }
}

fn record_oversized_schema(work: &mut Work<'_>, at: usize) {
    let tool = &work.conversation().tools[at];
    let ToolKind::Function { schema: Some(schema) } = &tool.kind else { return };
    let message = format!(
        "the schema of `{}` is sent unchecked: it has {} bytes, the limit is {}",
        tool.name,
        schema.as_str().len(),
        work.profile.max_schema_bytes
    );
    work.record_change(LedgerPath::tool(at), message);
}

fn rewrite_schema(work: &mut Work<'_>, at: usize) {
    let rules = &work.profile.tools.schema;
    let tool = &work.conversation().tools[at];
    let ToolKind::Function { schema: Some(schema) } = &tool.kind else { return };
    let (name, original) = (tool.name.clone(), schema.clone());
    let rejected =
        if rules.inlines_references { &["$schema"][..] } else { rules.rejected_keywords };
    let (json, touched) = keywords::rewrite_keywords(&original, rejected, rules.restricted);
    work.edit_tools()[at].edit().kind = ToolKind::Function { schema: Some(json) };
    let touched: Vec<_> = touched.iter().map(|key| format!("`{key}`")).collect();
    let message = format!("rewrote {} in the schema of `{name}`", touched.join(", "));
    work.record_change(LedgerPath::tool(at), message);
    work.record_original_schema(name, original);
}

/// Sends a schema in the provider's own style as JSON Schema.
fn to_json_schema(work: &mut Work<'_>, at: usize) {
    let tool = &work.conversation().tools[at];
    let name = tool.name.clone();
    let has_response_schema =
        tool.extras.fields_for(work.profile.dialect).iter().any(|(key, _)| key == "response");
    let message = format!(
        "the schema of `{name}` is sent as JSON Schema: its style lacks some of the keywords"
    );
    work.record_change(LedgerPath::tool(at), message);
    if has_response_schema {
        work.record_loss(
            LedgerPath::tool(at),
            format!("left out the response schema of `{name}`: JSON Schema has no field for it"),
        );
    }
    let dialect = work.profile.dialect;
    work.edit_tools()[at].edit().extras.retain(dialect, |key, value| {
        !(key == "response" || key == "parameters" && *value == RawJson::NULL)
    });
}
