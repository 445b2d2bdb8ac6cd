//! Describes which settings each target accepts.

use crate::facts::{facts, words};
use crate::shape::FieldSpec;

facts! {
#[derive(Clone, Copy, Debug)]
pub struct SettingsProfile {
    pub max_tokens: MaxTokensLimits,
    /// Accepted ranges, whether the model reasons or not.
    pub sampling: SamplingRanges,
    /// Accepted ranges while the model reasons.
    pub sampling_while_reasoning: SamplingRanges,
    /// Temperature and `top_p` may be combined.
    pub temperature_with_top_p: bool,
    pub number_format: NumberFormat,
    /// Checks the number format of `top_k` and a budget in its own dialect.
    pub checks_all_numbers: bool,
    pub stop_sequences: StopSequenceLimits,
    pub tool_choice: ToolChoiceSupport,
    pub response_format: ResponseFormatSupport,
    /// The only accepted value of `stream`, if there is one.
    pub required_stream: Option<bool>,
    /// While the model reasons, the reply must be streamed.
    pub reasoning_requires_stream: bool,
    /// The only accepted value of `store`, if there is one.
    pub required_store: Option<bool>,
    pub metadata: Option<MetadataLimits>,
    /// Names of service tiers; `None` if unchecked.
    pub service_tiers: Option<&'static [&'static str]>,
    /// Names of verbosities; `None` if unchecked.
    pub verbosities: Option<&'static [&'static str]>,
    /// Names of reasoning displays; `None` if unchecked.
    pub reasoning_displays: Option<&'static [&'static str]>,
    /// Another display, with the beta that enables it.
    pub beta_display: Option<(&'static str, &'static str)>,
    /// Betas that can be requested in the body instead of a header; `None` if there is no such
    /// field.
    pub body_betas: Option<&'static [&'static str]>,
    /// Ignores the reasoning mode between tools.
    pub ignores_between_tools: bool,
    /// Maximum length of a user id; 0 if none is accepted.
    pub max_user_id_chars: usize,
    /// The user id may be an email address.
    pub user_id_may_be_email: bool,
    /// Maximum length of a cache key.
    pub max_cache_key_chars: usize,
    /// Fields of the settings in the target's own dialect.
    pub fields: &'static [FieldSpec],
    /// The request can specify whether to store the reply.
    pub supports_store: bool,
    /// Fields that refer to a stored conversation.
    pub stored_state_fields: &'static [&'static str],
    /// Fields that conflict with others.
    pub conflicts: &'static [FieldConflict],
    /// Fields of the body that decoding understands, and that the target names differently or
    /// lacks.
    pub renamed_fields: &'static [&'static str],
}
}

facts! {
#[derive(Clone, Copy, Debug)]
pub struct MaxTokensLimits {
    pub required: bool,
    pub min: u64,
    pub max: u64,
    /// Negative values are not checked.
    pub accepts_negative: bool,
    /// Zero is accepted to warm a cache, without any setting about the output.
    pub zero_prewarms_cache: bool,
}
}

facts! {
/// Accepted ranges of the sampling parameters.
#[derive(Clone, Copy, Debug)]
pub struct SamplingRanges {
    pub temperature: ValueRange,
    pub top_p: ValueRange,
    pub top_k: ValueRange,
    pub penalties: ValueRange,
}
named { "any" => Self::ANY }
}

facts! {
/// An inclusive range. If `min` exceeds `max`, the parameter must be absent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    pub min: f64,
    pub max: f64,
}
named { "any" => Self::ANY, "never" => Self::NEVER }
}

words! {
/// Accepted spellings of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFormat {
    /// The spelling is not checked.
    Unchecked,
    /// Numbers may be strings.
    AllowStrings,
    Numbers,
    /// Integers must have neither fraction nor exponent.
    PlainIntegers,
}
}

facts! {
#[derive(Clone, Copy, Debug)]
pub struct StopSequenceLimits {
    pub supported: bool,
    /// Blank stop sequences are accepted, except empty ones.
    pub allows_blank: bool,
    pub allows_empty: bool,
    pub max_count: usize,
}
}

facts! {
#[derive(Clone, Copy, Debug)]
pub struct ToolChoiceSupport {
    pub without_tools: ChoiceWithoutTools,
    pub forced_call: ForcedCall,
    /// Named tools must exist.
    pub names_must_exist: bool,
    /// A single named tool must exist.
    pub single_name_must_exist: bool,
    /// A tool can be named.
    pub by_name: bool,
    /// The same in requests from other dialects.
    pub cross_dialect_by_name: bool,
    /// Several tools can be named, in requests from other dialects.
    pub cross_dialect_lists: bool,
    /// A choice that is an object names a function inside, except for these types.
    pub nested_function: Option<&'static [&'static str]>,
    /// Whether to call tools in parallel can be specified.
    pub parallel_setting: bool,
    /// The same in requests without tools.
    pub parallel_without_tools: bool,
    /// Only functions count as tools.
    pub functions_only: bool,
    /// Named tools must have names of letters, digits, `_` and `-`.
    pub ascii_names: bool,
    /// Fields of the body that refer to objects which may have tools.
    pub tool_bringing_fields: &'static [&'static str],
    /// Checks a legacy choice, too.
    pub reads_legacy_choice: bool,
}
}

words! {
/// Tool choices that are accepted in requests without tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceWithoutTools {
    Any,
    Unforced,
    OnlyNone,
    Rejected,
}
}

words! {
/// Whether a call can be forced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForcedCall {
    Allowed,
    NotWithBudget,
    NoObjectWhileReasoning,
    /// As above, but an object without force is accepted.
    NotForcedWhileReasoning,
    /// One tool can be named, but `required` is rejected.
    NamedOnly,
    Never,
}
}

facts! {
/// Accepted response formats.
#[derive(Clone, Copy, Debug)]
pub struct ResponseFormatSupport {
    /// JSON can be requested without a schema.
    pub json_object: bool,
    /// The same in requests from other dialects.
    pub cross_dialect_json_object: bool,
    /// JSON is requested in the instructions instead of a field.
    pub json_by_instruction: bool,
    /// The conversation must contain the word JSON.
    pub needs_json_word: bool,
    /// The word may be in the instructions.
    pub json_word_in_system: bool,
    /// JSON is accepted while the model reasons.
    pub json_while_reasoning: bool,
    /// JSON can be combined with tools.
    pub json_with_tools: bool,
    /// Outer field, inner field and value that enable JSON; a schema alone does not.
    pub json_trigger: Option<(&'static str, &'static str, &'static str)>,
    pub json_schema: bool,
    /// The same in requests from other dialects.
    pub cross_dialect_json_schema: bool,
    /// All objects of a schema must be closed.
    pub closed_objects: bool,
    /// A schema needs a name in the format of tool names.
    pub ascii_schema_name: bool,
}
}

facts! {
/// A field of the target's own dialect that is rejected under a condition.
#[derive(Clone, Copy, Debug)]
pub struct FieldConflict {
    pub field: &'static str,
    /// An item of its list; `None` for the whole field.
    pub list_item: Option<&'static str>,
    pub condition: ConflictCondition,
}
}

words! {
#[derive(Clone, Copy, Debug)]
pub enum ConflictCondition {
    Always,
    WhileReasoning,
    /// The field is true, and the model reasons.
    TrueWhileReasoning,
    /// The model never reasons.
    ModelNeverReasons,
    /// The reply is not streamed.
    NotStreamed,
    ToolsPresent,
    /// The field is true, tools are present, and the reply is streamed.
    TrueWithToolsAndStream,
    /// Another field is not true.
    FieldNotTrue(&'static str),
    /// No tool has a type with this prefix.
    HostedToolMissing(&'static str),
    /// Another field is present.
    FieldPresent(&'static str),
    /// The field is set, and any of these is present.
    AnyFieldPresent(&'static [&'static str]),
    /// The field is a non-empty string.
    NonEmptyText,
    OutOfRange(ValueRange),
    OutOfRangeWhileReasoning(ValueRange),
    /// A string is longer than this.
    LongerThan(usize),
}
}

facts! {
/// Limits of metadata. If `min_pairs` exceeds `max_pairs`, there must be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetadataLimits {
    pub min_pairs: usize,
    pub max_pairs: usize,
    pub max_key_chars: usize,
    pub max_value_chars: usize,
}
}

impl ValueRange {
    pub const ANY: Self = Self { min: f64::NEG_INFINITY, max: f64::INFINITY };
    pub const NEVER: Self = Self { min: 1.0, max: 0.0 };
    pub const ONE: Self = Self::new(1.0, 1.0);

    pub const fn new(min: f64, max: f64) -> Self {
        Self { min, max }
    }

    pub fn contains(&self, number: f64) -> bool {
        self.min <= number && number <= self.max
    }
}

impl SamplingRanges {
    pub const ANY: Self = Self {
        temperature: ValueRange::ANY,
        top_p: ValueRange::ANY,
        top_k: ValueRange::ANY,
        penalties: ValueRange::ANY,
    };
}
