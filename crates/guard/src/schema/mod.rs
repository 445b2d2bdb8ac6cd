//! JSON Schema validation with bounded cost: compiled once, checked often.
//!
//! A keyword that is not supported (a reference to another document, a pattern that a linear-time
//! engine cannot run) is neither true nor false: only certain violations are reported. Every step
//! of a check is counted, so that no schema and no arguments can block the process.

mod applicators;
mod check;
mod compile;
mod decimal;
mod keywords;
mod node;
mod pattern;
mod ref_resolver;
mod violation;

use interlingua_wire::{JsonDoc, JsonNode, RawJson};

pub use check::CheckReport;
pub(crate) use decimal::Decimal;
pub use node::TypeSet;
pub(crate) use violation::truncate;
pub use violation::{Violation, ViolationKind};

use node::SchemaNode;

/// Limits of compiling a schema and of checking a call's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidationLimits {
    /// Maximum size of a schema's text.
    pub max_schema_bytes: usize,
    /// Nesting levels of a schema.
    pub max_schema_depth: usize,
    /// Steps to compile a schema; one check may take 20 times as many.
    pub max_compile_steps: usize,
    /// For one call.
    pub max_argument_bytes: usize,
}

/// Why a schema or a call was not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// The schema is not a JSON Schema.
    InvalidSchema,
    /// The schema's text is larger than the limit.
    SchemaTooLarge,
    /// The schema is nested deeper than the limit.
    SchemaTooDeep,
    /// Compiling the schema takes more steps than the limit.
    SchemaTooCostly,
    /// The arguments are larger than the limit.
    ArgumentsTooLarge,
    /// Checking the arguments takes more steps than the limit.
    TooManySteps,
}

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

impl Default for ValidationLimits {
    fn default() -> Self {
        Self {
            max_schema_bytes: 256 * 1024,
            max_schema_depth: 64,
            max_compile_steps: 10_000,
            max_argument_bytes: 4 * 1024 * 1024,
        }
    }
}

impl SkipReason {
    /// The reason's name in metrics and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidSchema => "unreadable-schema",
            Self::SchemaTooLarge => "schema-size",
            Self::SchemaTooDeep => "schema-depth",
            Self::SchemaTooCostly => "schema-cost",
            Self::ArgumentsTooLarge => "argument-size",
            Self::TooManySteps => "steps",
        }
    }
}

const CHECK_STEPS_PER_COMPILE_STEP: usize = 20;
