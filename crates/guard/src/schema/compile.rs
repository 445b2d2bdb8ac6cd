//! Compiles a schema document into nodes. A worklist replaces recursion, so that neither nesting
//! nor chains of references can overflow the stack.

use interlingua_wire::{JsonKind, JsonNode};

use super::compiler::Compiler;
use super::keywords;
use super::limits::SkipReason;
use super::node::{Constraint, SchemaNode};

pub(super) fn compile(root: JsonNode<'_>, cost: usize) -> Result<Vec<SchemaNode>, SkipReason> {
    let mut compiler = Compiler::new(root, is_old_draft(root), cost);
    compiler.add(root);
    while let Some((id, node)) = compiler.pending.pop() {
        compiler.spend(1 + node.len())?;
        let schema_node = match node.kind() {
            JsonKind::Object => keywords::compile_node(&mut compiler, node)?,
            JsonKind::Bool if node.raw() == "false" => {
                SchemaNode { constraints: vec![Constraint::Never], ..SchemaNode::default() }
            }
            JsonKind::Bool => SchemaNode::default(),
            JsonKind::Null | JsonKind::Number | JsonKind::String | JsonKind::Array if id == 0 => {
                return Err(SkipReason::InvalidSchema);
            }
            JsonKind::Null | JsonKind::Number | JsonKind::String | JsonKind::Array => {
                unknown_node()
            }
        };
        compiler.nodes[id] = schema_node;
    }
    Ok(compiler.nodes)
}

fn unknown_node() -> SchemaNode {
    SchemaNode { constraints: vec![Constraint::Unknown], ..SchemaNode::default() }
}

/// Without `$schema`, a schema that has `definitions` instead of `$defs` is of an old draft.
fn is_old_draft(root: JsonNode<'_>) -> bool {
    let Some(draft) = root.get("$schema").map(JsonNode::str_or_empty) else {
        return root.get("definitions").is_some();
    };
    ["draft-03", "draft-04", "draft-06", "draft-07"].iter().any(|name| draft.contains(name))
}
