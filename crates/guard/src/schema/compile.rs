//! Compiles a schema document into nodes. A worklist replaces recursion, so that neither nesting
//! nor chains of references can overflow the stack.

use std::collections::HashMap;

use interlingua_wire::{JsonKind, JsonNode};

use super::SkipReason;
use super::keywords;
use super::node::{Constraint, NodeId, SchemaNode};
use super::pattern::Pattern;
use super::ref_resolver::RefResolver;

pub(super) fn compile(root: JsonNode<'_>, cost: usize) -> Result<Vec<SchemaNode>, SkipReason> {
    let mut compiler = Compiler {
        nodes: Vec::new(),
        id_by_offset: HashMap::new(),
        pending: Vec::new(),
        resolver: RefResolver::new(root),
        resolved_refs: HashMap::new(),
        ref_ignores_siblings: is_old_draft(root),
        budget: cost,
    };
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

pub(super) struct Compiler<'d> {
    nodes: Vec<SchemaNode>,
    /// Node ids by offset in the schema text.
    id_by_offset: HashMap<usize, NodeId>,
    pending: Vec<(NodeId, JsonNode<'d>)>,
    resolver: RefResolver<'d>,
    resolved_refs: HashMap<String, Option<NodeId>>,
    /// Drafts up to 7 ignore the keywords next to `$ref`.
    pub(super) ref_ignores_siblings: bool,
    budget: usize,
}

impl<'d> Compiler<'d> {
    /// The node id of a schema, which is queued for compilation.
    pub(super) fn add(&mut self, node: JsonNode<'d>) -> NodeId {
        let next_id = self.nodes.len();
        let id = *self.id_by_offset.entry(node.range().start).or_insert(next_id);
        if id == next_id {
            self.nodes.push(SchemaNode::default());
            self.pending.push((id, node));
        }
        id
    }

    pub(super) fn add_all(&mut self, list: JsonNode<'d>) -> Result<Vec<NodeId>, SkipReason> {
        self.spend(list.len())?;
        Ok(list.items().map(|node| self.add(node)).collect())
    }

    /// The node id that a reference leads to; `None` if it is not in this document.
    pub(super) fn resolve_ref(&mut self, reference: &str) -> Result<Option<NodeId>, SkipReason> {
        if let Some(id) = self.resolved_refs.get(reference) {
            return Ok(*id);
        }
        let target = self.resolver.resolve(reference);
        self.spend(1 + self.resolver.visited_fields / FIELDS_PER_COST)?;
        self.resolver.visited_fields %= FIELDS_PER_COST;
        let id = target.map(|node| self.add(node));
        self.resolved_refs.insert(reference.to_owned(), id);
        Ok(id)
    }

    pub(super) fn pattern(&mut self, source: &str) -> Result<Option<Pattern>, SkipReason> {
        self.spend(PATTERN_COST + source.len() / BYTES_PER_COST)?;
        Ok(Pattern::compile(source))
    }

    pub(super) fn spend(&mut self, cost: usize) -> Result<(), SkipReason> {
        self.budget = self.budget.checked_sub(cost).ok_or(SkipReason::SchemaTooCostly)?;
        Ok(())
    }
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

const FIELDS_PER_COST: usize = 16;
const BYTES_PER_COST: usize = 8;
/// Steps that the smallest pattern costs.
const PATTERN_COST: usize = 16;
