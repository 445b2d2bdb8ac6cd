//! JSON Schema as far as it can be decided within limits, compiled once and checked often.
//!
//! What is not understood (a reference to elsewhere, a pattern beyond a linear-time engine) is neither
//! true nor false: only what is certainly wrong is reported. Every step of a check is counted, so that
//! no schema and no arguments can hold the process up, however they were made.

mod check;
mod combine;
mod compile;
mod decimal;
mod form;
mod keywords;
mod pattern;
mod point;
mod say;

use interlingua_wire::{Doc, Json, Node};

pub use check::Checked;
pub(crate) use decimal::Decimal;
pub use form::Types;
pub(crate) use say::shortened;
pub use say::{Flaw, Violation};

use form::Form;

/// How much of a schema, and of the arguments of a call, is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a schema.
    pub schema: usize,
    /// How deep a schema may nest.
    pub depth: usize,
    /// Steps that a schema may take to compile, and a twentieth of those of one check.
    pub cost: usize,
    /// Bytes of the arguments of one call.
    pub arguments: usize,
}

/// Why something is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// The schema is no JSON Schema at all.
    Unreadable,
    SchemaSize,
    SchemaDepth,
    SchemaCost,
    ArgumentSize,
    /// The check took more steps than it may.
    Steps,
}

/// A schema, ready to check with.
#[derive(Debug)]
pub struct Schema {
    /// The root is the first.
    forms: Vec<Form>,
    steps: usize,
}

impl Schema {
    pub fn compile(schema: &Json, limits: &Limits) -> Result<Self, Beyond> {
        if schema.as_str().len() > limits.schema {
            return Err(Beyond::SchemaSize);
        }
        let bounds = interlingua_wire::Limits { bytes: limits.schema, depth: limits.depth };
        let doc = Doc::parse(schema.as_str().into(), bounds).map_err(|_| Beyond::SchemaDepth)?;
        let forms = compile::forms(doc.root(), limits.cost)?;
        Ok(Self { forms, steps: limits.cost.saturating_mul(STEPS_PER_COST) })
    }

    /// What is certainly wrong with a value.
    pub fn check(&self, value: Node<'_>) -> Result<Checked, Beyond> {
        check::check(&self.forms, value, self.steps)
    }

    /// The parameters that a call must give, each with its type if that is simple.
    pub fn required(&self) -> Vec<(String, Types)> {
        form::required(&self.forms)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { schema: 256 * 1024, depth: 64, cost: 10_000, arguments: 4 * 1024 * 1024 }
    }
}

impl Beyond {
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable-schema",
            Self::SchemaSize => "schema-size",
            Self::SchemaDepth => "schema-depth",
            Self::SchemaCost => "schema-cost",
            Self::ArgumentSize => "argument-size",
            Self::Steps => "steps",
        }
    }
}

const STEPS_PER_COST: usize = 20;
