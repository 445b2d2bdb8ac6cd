//! The limits of schemas and arguments, and why something was not checked.

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
