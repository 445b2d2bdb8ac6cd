//! What Bedrock accepts of settings of Claude models.

use super::setting_fields;
use super::settings::CONVERSE_FIELDS;
use crate::profile::settings::{
    ChoiceWithoutTools, MaxTokensLimits, SettingsProfile, StopSequenceLimits, ToolChoiceSupport,
};

/// The row of a Claude model on Converse: no field is required, and Converse has fields of its own.
#[expect(clippy::large_types_passed_by_value, reason = "evaluated at compile time")]
pub(crate) const fn on_bedrock(row: SettingsProfile) -> SettingsProfile {
    let max_tokens =
        MaxTokensLimits { required: false, min: 1, zero_prewarms_cache: false, ..row.max_tokens };
    let choice = ToolChoiceSupport {
        without_tools: ChoiceWithoutTools::Any,
        ascii_names: true,
        ..row.tool_choice
    };
    let (shapes, betas) = (setting_fields::BEDROCK_CLAUDE, BETAS);
    SettingsProfile {
        max_tokens,
        tool_choice: choice,
        body_betas: betas,
        fields: shapes,
        ..CONVERSE_FIELDS.with_model_limits(row)
    }
}

/// Betas that Converse accepts in the body and that concern a field it has.
/// <https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html>
/// lists them; the last one is in
/// <https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json>.
pub(crate) const BETAS: Option<&[&str]> = Some(&[
    "interleaved-thinking-2025-05-14",
    "context-1m-2025-08-07",
    "effort-2025-11-24",
    "thinking-display-updates-2026-08-18",
]);
pub(crate) const BETAS_3_7: Option<&[&str]> =
    Some(&["token-efficient-tools-2025-02-19", "output-128k-2025-02-19"]);
pub(crate) const NO_BETAS: Option<&[&str]> = Some(&[]);

impl SettingsProfile {
    /// This row with the limits of a model.
    const fn with_model_limits(self, model: Self) -> Self {
        Self {
            sampling: model.sampling,
            sampling_while_reasoning: model.sampling_while_reasoning,
            temperature_with_top_p: model.temperature_with_top_p,
            stop_sequences: StopSequenceLimits { allows_blank: false, ..self.stop_sequences },
            reasoning_displays: model.reasoning_displays,
            beta_display: model.beta_display,
            ignores_between_tools: model.ignores_between_tools,
            ..self
        }
    }
}
