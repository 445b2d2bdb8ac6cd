//! Inlines references in the schema of a tool where the target does not resolve them.
//!
//! The referenced schema replaces the reference; keywords next to the reference take precedence. A
//! schema that refers to itself is cut at that point, to any object. The original schema is kept.
//!
//! ## Why
//! > reference to undefined schema at properties.target_object.anyOf.1
//!
//! > tools.function.parameters is not a valid moonshot flavored json schema, details: <At path
//! > 'properties.o': conflicting keywords found after $ref expansion: description>
//!
//! > Circular $ref detected
//!
//! ## Example
//! ```text
//! before   {"properties": {"o": {"$ref": "#/$defs/O", "title": "x"}}, "$defs": {"O": {"type": "object"}}}
//! after    {"properties": {"o": {"type": "object", "title": "x"}}}
//! ```

use interlingua_model::{LedgerPath, Tool, ToolKind};

use crate::engine::Work;
use crate::schema::inline;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.conversation().tools.is_empty() {
        return;
    }
    let issues = work.tool_issues();
    for (at, issue) in issues.iter().enumerate() {
        let tool = &work.conversation().tools[at];
        if !(issue.unsupported_references
            || work.profile.tools.deferred_loading
                && !issue.oversized_schema
                && is_circular_code_tool(tool))
        {
            continue;
        }
        let ToolKind::Function { schema: Some(schema) } = &tool.kind else { continue };
        let (name, original) = (tool.name.clone(), schema.clone());
        let schema = Some(inline::inline_references(&original));
        work.edit_tools()[at].edit().kind = ToolKind::Function { schema };
        let message = format!("inlined the references in the schema of `{name}`");
        work.record_change(LedgerPath::tool(at), message);
        work.record_original_schema(name, original);
    }
}

/// Whether code may call the tool and its schema refers to itself.
fn is_circular_code_tool(tool: &Tool) -> bool {
    let Some((_, extras)) = tool.extras.as_parts() else { return false };
    let callers = extras.iter().find(|(key, _)| key == "allowed_callers");
    let by_code = callers.is_some_and(|(_, callers)| {
        let doc = callers.to_doc();
        doc.root().items().any(|caller| caller.str_or_empty().starts_with("code_"))
    });
    let ToolKind::Function { schema: Some(schema) } = &tool.kind else { return false };
    by_code && inline::is_circular(schema)
}
