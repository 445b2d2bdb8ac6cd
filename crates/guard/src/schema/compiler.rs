//! The state of compiling one schema, and the budget for it.

use std::collections::HashMap;

use interlingua_wire::JsonNode;

use super::limits::SkipReason;
use super::node::{NodeId, SchemaNode};
use super::pattern::Pattern;
use super::ref_resolver::RefResolver;

pub(super) struct Compiler<'d> {
    pub(super) nodes: Vec<SchemaNode>,
    /// Node ids by offset in the schema text.
    id_by_offset: HashMap<usize, NodeId>,
    pub(super) pending: Vec<(NodeId, JsonNode<'d>)>,
    resolver: RefResolver<'d>,
    resolved_refs: HashMap<String, Option<NodeId>>,
    /// Drafts up to 7 ignore the keywords next to `$ref`.
    pub(super) ref_ignores_siblings: bool,
    budget: usize,
}

impl<'d> Compiler<'d> {
    pub(super) fn new(root: JsonNode<'d>, ref_ignores_siblings: bool, budget: usize) -> Self {
        Self {
            nodes: Vec::new(),
            id_by_offset: HashMap::new(),
            pending: Vec::new(),
            resolver: RefResolver::new(root),
            resolved_refs: HashMap::new(),
            ref_ignores_siblings,
            budget,
        }
    }

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

const FIELDS_PER_COST: usize = 16;
const BYTES_PER_COST: usize = 8;
/// Steps that the smallest pattern costs.
const PATTERN_COST: usize = 16;
