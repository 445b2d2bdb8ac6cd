//! Base rows for the Gemini API on its different servers, and for older models.

use super::{
    ChoiceWithoutTools, ConflictCondition, FieldConflict, MaxTokensLimits, NumberFormat,
    SamplingRanges, SettingsProfile, StopSequenceLimits, ToolChoiceSupport, ValueRange,
};
use crate::profile::settings::base::{ANY_CHOICE, ANY_MAX_TOKENS, ANY_STOPS, COMPATIBLE};
use crate::profile::settings::fields;

/// Models with a lower output limit.
pub(super) const OLD_VERTEX: SettingsProfile = SettingsProfile {
    max_tokens: MaxTokensLimits { max: 8_192, ..VERTEX.max_tokens },
    stop_sequences: StopSequenceLimits { max_count: 16, ..ANY_STOPS },
    ..VERTEX
};
pub(super) const VERTEX_2_5: SettingsProfile =
    SettingsProfile { max_tokens: MaxTokensLimits { max: 65_535, ..VERTEX.max_tokens }, ..VERTEX };
pub(super) const STUDIO: SettingsProfile = SettingsProfile {
    max_tokens: MaxTokensLimits { min: 1, ..ANY_MAX_TOKENS },
    tool_choice: ToolChoiceSupport {
        without_tools: ChoiceWithoutTools::OnlyNone,
        functions_only: true,
        ..ANY_CHOICE
    },
    sampling: SamplingRanges { temperature: ValueRange::new(0.0, 2.0), ..SamplingRanges::ANY },
    supports_store: true,
    ..VERTEX
};
pub(super) const VERTEX: SettingsProfile = SettingsProfile {
    number_format: NumberFormat::AllowStrings,
    checks_all_numbers: true,
    sampling: SamplingRanges { temperature: ValueRange::new(0.0, 2.0), ..SamplingRanges::ANY },
    fields: fields::GEMINI,
    max_tokens: MaxTokensLimits { min: 1, max: 65_536, ..ANY_MAX_TOKENS },
    stop_sequences: StopSequenceLimits { max_count: 5, ..ANY_STOPS },
    supports_store: false,
    conflicts: &[CACHED_CONTENT_CONFLICT],
    ..COMPATIBLE
};

/// "`CachedContent` can not be used with `GenerateContent` request setting `system_instruction`, tools
/// or `tool_config`."
const CACHED_CONTENT_CONFLICT: FieldConflict = FieldConflict {
    field: "cachedContent",
    list_item: None,
    condition: ConflictCondition::AnyFieldPresent(&["systemInstruction", "tools", "toolConfig"]),
};
pub(super) const OLD_GEMINI_MODELS: &[&str] =
    &["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"];
