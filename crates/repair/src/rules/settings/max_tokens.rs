//! Brings `max_tokens` into the range that the model accepts.
//!
//! Where a value is required and missing, a default is set. A value of zero, which only warms the
//! cache, is sent only if no other setting concerns the output.
//!
//! ## Why
//! > max_tokens: Field required
//!
//! > max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for
//! > claude-opus-4-8
//!
//! > Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1
//! > instead.
//!
//! ## Example
//! ```text
//! before   max_tokens: 200000    a model that writes 64000 at the most
//! after    max_tokens: 64000
//! ```

use interlingua_model::{LedgerPath, ResponseFormat};
use interlingua_providers::profile::settings::NumberFormat;
use interlingua_wire::RawJson;

use crate::engine::Work;
use crate::profile::reasoning::{ReasoningRequest, reasoning_request};
use crate::query::tool_choice::is_forced;
use crate::values::number;

pub(super) fn apply(work: &mut Work<'_>) {
    let limits = work.profile.settings.max_tokens;
    if work.profile.settings.number_format == NumberFormat::Unchecked && work.is_same_dialect() {
        return;
    }
    let requested = work.conversation().settings.max_tokens.as_ref().and_then(number::parse);
    if limits.accepts_negative
        && work.is_same_dialect()
        && requested.is_some_and(|requested| requested < 0.0)
    {
        return;
    }
    let Some(requested) = requested else {
        if limits.required {
            let default = DEFAULT_MAX_TOKENS.min(limits.max);
            work.edit_settings().max_tokens = Some(RawJson::number(default));
            work.record_change(
                LedgerPath::SETTINGS,
                format!("`max_tokens` is {default}: the target requires a value"),
            );
        }
        return;
    };
    if limits.max < limits.min {
        work.edit_settings().max_tokens = None;
        return work.record_loss(
            LedgerPath::SETTINGS,
            "left out `max_tokens`: the target does not accept it",
        );
    }
    // Few targets give a negative value or zero a meaning; only clients of the same dialect rely on
    // it.
    let minimum = if work.is_same_dialect() || limits.zero_prewarms_cache {
        limits.min
    } else {
        limits.min.max(1)
    };
    let mut accepted = number::to_count(requested).clamp(minimum, limits.max);
    if requested < 0.0 {
        accepted = accepted.max(1);
    }
    if accepted == 0 && limits.zero_prewarms_cache && concerns_output(work) {
        accepted = 1;
    }
    if accepted != number::to_count(requested) || requested < 0.0 {
        work.edit_settings().max_tokens = Some(RawJson::number(accepted));
        let message = format!("`max_tokens` is {accepted} instead of {requested}");
        work.record_change(LedgerPath::SETTINGS, message);
    }
}

/// Whether a setting concerns the output.
fn concerns_output(work: &Work<'_>) -> bool {
    let settings = &work.conversation().settings;
    settings.stream == Some(true)
        || reasoning_request(settings) == ReasoningRequest::Budget
        || matches!(settings.response_format, Some(ResponseFormat::Schema { .. }))
        || settings.tool_choice.as_ref().is_some_and(is_forced)
}

/// Value for clients that give none.
const DEFAULT_MAX_TOKENS: u64 = 32_000;
