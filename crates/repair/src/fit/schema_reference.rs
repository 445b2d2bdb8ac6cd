//! References in the schema of a tool are followed, where the target does not.
//!
//! What a reference names stands in its place; what stands beside the reference wins. A schema that
//! refers to itself is cut where it does, to any object. The schema as it came is kept.
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

use interlingua_model::{Place, Tool, ToolKind};

use crate::Work;
use crate::schema::inline;

pub fn apply(work: &mut Work<'_>) {
    if work.conversation().tools.is_empty() {
        return;
    }
    let looks = work.looks();
    for (at, look) in looks.iter().enumerate() {
        let tool = &work.conversation().tools[at];
        if !(look.references || work.profile.tools.deferral && is_circular(tool)) {
            continue;
        }
        let ToolKind::Function { schema: Some(schema) } = &tool.kind else { continue };
        let (name, written) = (tool.name.clone(), schema.clone());
        let schema = Some(inline::inline(&written));
        work.tools()[at].edit().kind = ToolKind::Function { schema };
        let what = format!("the references in the schema of `{name}` are followed");
        work.change(Place::tool(at), what);
        work.lowered_schema(name, written);
    }
}

/// Code calls it, and its schema refers to itself.
fn is_circular(tool: &Tool) -> bool {
    let Some((_, extras)) = tool.extras.all() else { return false };
    let callers = extras.iter().find(|(key, _)| key == "allowed_callers");
    let by_code = callers.is_some_and(|(_, callers)| {
        let doc = callers.doc();
        doc.root().items().any(|caller| caller.word().starts_with("code_"))
    });
    let ToolKind::Function { schema: Some(schema) } = &tool.kind else { return false };
    by_code && inline::is_circular(schema)
}
