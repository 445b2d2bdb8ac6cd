//! What the Gemini API accepts of settings on its different servers.

use super::setting_fields as fields;
use super::settings::{ANY_CHOICE, ANY_FORMAT, ANY_MAX_TOKENS, ANY_STOPS, COMPATIBLE};
use crate::profile::settings::{
    ChoiceWithoutTools, ConflictCondition, FieldConflict, MaxTokensLimits, NumberFormat,
    ResponseFormatSupport, SamplingRanges, SettingsProfile, StopSequenceLimits, ToolChoiceSupport,
    ValueRange,
};

pub(crate) const STUDIO: SettingsProfile = SettingsProfile {
    max_tokens: MaxTokensLimits { min: 1, ..ANY_MAX_TOKENS },
    tool_choice: ToolChoiceSupport {
        without_tools: ChoiceWithoutTools::OnlyNone,
        functions_only: true,
        ..VERTEX.tool_choice
    },
    sampling: SamplingRanges { temperature: ValueRange::new(0.0, 2.0), ..SamplingRanges::ANY },
    supports_store: true,
    ..VERTEX
};
pub(crate) const VERTEX: SettingsProfile = SettingsProfile {
    tool_choice: ToolChoiceSupport { cross_dialect_lists: true, ..ANY_CHOICE },
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
pub(crate) const CACHED_CONTENT_CONFLICT: FieldConflict = FieldConflict {
    field: "cachedContent",
    list_item: None,
    condition: ConflictCondition::AnyFieldPresent(&["systemInstruction", "tools", "toolConfig"]),
};

pub(crate) const GEMINI_FORMAT: ResponseFormatSupport = ResponseFormatSupport {
    json_with_tools: false,
    json_trigger: Some(("generationConfig", "responseMimeType", "application/json")),
    ..ANY_FORMAT
};
