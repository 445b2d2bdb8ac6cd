//! Rules about tool results: their calls, order and fields.

mod duplicate_result;
mod guard_answer;
mod orphan_result;
mod repeated_field;
mod result_kind;
mod result_name;
mod result_order;
mod scattered_result;
mod search_result;
mod unnamed_result;
mod unsealed_search;

use crate::engine::Feature;
use crate::engine::rule::{ConversationRule, fit, mend};

pub(super) const RULES: &[ConversationRule] = &[
    fit("unsealed-search", unsealed_search::apply)
        .requires(Feature::ForeignBlocks)
        .after(&["foreign-block"]),
    mend("unnamed-result", unnamed_result::apply)
        .requires(Feature::ResultWithoutId)
        .after(&["duplicate-call"]),
    mend("duplicate-result", duplicate_result::apply),
    mend("orphan-result", orphan_result::apply),
    mend("scattered-result", scattered_result::apply),
    mend("guard-answer", guard_answer::apply),
    fit("result-order", result_order::apply).after(&["unkept-item"]),
    fit("search-result", search_result::apply)
        .requires(Feature::ForeignBlocks)
        .after(&["failed-result-media"]),
    fit("repeated-field", repeated_field::apply)
        .requires(Feature::Extras)
        .after(&["bad-arguments"]),
    fit("result-name", result_name::apply),
    fit("result-kind", result_kind::apply),
];
