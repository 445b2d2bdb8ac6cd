//! JSON Schema validation with bounded cost: compiled once, checked often.
//!
//! A keyword that is not supported (a reference to another document, a pattern that a linear-time
//! engine cannot run) is neither true nor false: only certain violations are reported. Every step
//! of a check is counted, so that no schema and no arguments can block the process.

mod applicators;
mod cache;
mod check;
mod compile;
mod compiler;
mod keywords;
mod limits;
mod node;
mod pattern;
mod ref_resolver;
mod violation;

use interlingua_wire::{JsonDoc, JsonNode, RawJson};

pub use cache::SchemaCache;
pub use check::CheckReport;
pub use limits::{SkipReason, ValidationLimits};
pub use node::TypeSet;
pub(crate) use violation::truncate;
pub use violation::{Violation, ViolationKind};

use node::SchemaNode;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    /// The root is first.
    nodes: Vec<SchemaNode>,
    max_steps: usize,
}

impl Schema {
    /// Compiles a schema within these limits.
    pub fn compile(schema: &RawJson, limits: &ValidationLimits) -> Result<Self, SkipReason> {
        if schema.as_str().len() > limits.max_schema_bytes {
            return Err(SkipReason::SchemaTooLarge);
        }
        let bounds = interlingua_wire::JsonLimits {
            max_bytes: limits.max_schema_bytes,
            max_depth: limits.max_schema_depth,
            ..interlingua_wire::JsonLimits::default()
        };
        let doc = JsonDoc::parse(schema.as_str().into(), bounds)
            .map_err(|_| SkipReason::SchemaTooDeep)?;
        let nodes = compile::compile(doc.root(), limits.max_compile_steps)?;
        Ok(Self {
            nodes,
            max_steps: limits.max_compile_steps.saturating_mul(CHECK_STEPS_PER_COMPILE_STEP),
        })
    }

    /// Checks a value; fails if that takes too many steps.
    pub fn check(&self, value: JsonNode<'_>) -> Result<CheckReport, SkipReason> {
        check::check(&self.nodes, value, self.max_steps)
    }

    /// The required parameters of the root, each with its types if they are simple.
    pub fn required(&self) -> Vec<(String, TypeSet)> {
        node::required_properties(&self.nodes)
    }
}

const CHECK_STEPS_PER_COMPILE_STEP: usize = 20;
