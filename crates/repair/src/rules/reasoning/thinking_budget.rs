//! Brings a reasoning budget into the range that the model accepts.
//!
//! Where the budget must be less than `max_tokens`, half of `max_tokens` is left for the answer.
//! Where even the minimum budget exceeds it, reasoning is turned off for this request.
//!
//! ## Why
//! > `max_tokens` must be greater than `thinking.budget_tokens`.
//!
//! > thinking.enabled.budget_tokens: Input should be greater than or equal to 1024
//!
//! ## Example
//! ```text
//! before   max_tokens: 4000   thinking: a budget of 8000
//! after    max_tokens: 4000   thinking: a budget of 2000
//! ```

use interlingua_model::{LedgerPath, ReasoningMode};
use interlingua_providers::profile::reasoning::BudgetSupport;
use interlingua_wire::RawJson;

use crate::engine::Work;
use crate::profile::reasoning::{ReasoningRequest, reasoning_request};
use crate::values::number;

pub(super) fn apply(work: &mut Work<'_>) {
    let BudgetSupport::Range { min: least, max: most, below_max_tokens } =
        work.profile.reasoning.budget
    else {
        return;
    };
    let beta = work.profile.reasoning.unbounded_budget_beta;
    let unbounded = !beta.is_empty() && work.profile.shape_checker().has_beta(beta);
    let below_max_tokens = below_max_tokens && !unbounded;
    let settings = &work.conversation().settings;
    if reasoning_request(settings) != ReasoningRequest::Budget {
        return;
    }
    let budget = settings.reasoning.as_ref().and_then(|reasoning| reasoning.budget_tokens.as_ref());
    // A budget that is no unsigned integer is not encoded in another dialect.
    let is_no_integer =
        !work.is_same_dialect() && budget.is_some_and(|budget| budget.as_u64().is_none());
    let Some(requested) = budget.and_then(number::parse) else { return };
    // Where the budget does not count against `max_tokens`, -1 means a dynamic budget.
    if requested < 0.0 && !below_max_tokens && requested.total_cmp(&-1.0).is_eq() {
        return;
    }
    let budget = number::to_count(requested);
    let max_tokens =
        settings.max_tokens.as_ref().filter(|_| below_max_tokens).and_then(RawJson::as_u64);
    let most = if is_no_integer {
        most.min(number::to_count(number::to_safe_integer(requested)))
    } else {
        most
    };
    let mut accepted = budget.clamp(least, most.max(least));
    if let Some(max_tokens) = max_tokens.filter(|max_tokens| accepted >= *max_tokens) {
        accepted = (max_tokens / 2).max(least);
        if accepted >= max_tokens {
            return turn_off_reasoning(work, max_tokens);
        }
    }
    if accepted != budget || requested < 0.0 || is_no_integer {
        let reasoning = work.edit_settings().reasoning.get_or_insert_default();
        reasoning.budget_tokens = Some(RawJson::number(accepted));
        let message = format!("the reasoning budget is {accepted} tokens instead of {requested}");
        work.record_change(LedgerPath::SETTINGS, message);
    }
}

fn turn_off_reasoning(work: &mut Work<'_>, max_tokens: u64) {
    let reasoning = work.edit_settings().reasoning.get_or_insert_default();
    reasoning.mode = Some(ReasoningMode::Off);
    reasoning.budget_tokens = None;
    let message = format!("reasoning is off: `max_tokens` of {max_tokens} is too low for a budget");
    work.record_change(LedgerPath::SETTINGS, message);
}
