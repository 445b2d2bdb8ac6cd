//! Rules about tool calls: their ids, arguments and positions.

mod bad_arguments;
mod duplicate_call;
mod foreign_pair;
mod freeform_call;
mod incomplete_call;
mod old_call;
mod pending_code;
mod split_calls;
mod strange_calls;
mod unanswered_call;
mod wrong_side;

use crate::engine::Feature;
use crate::engine::rule::{ConversationRule, fit, mend};

pub(super) const RULES: &[ConversationRule] = &[
    // The list of tools decides which calls may stay unanswered.
    fit("old-call", old_call::apply).requires(Feature::Extras).after(&["unknown-tool"]),
    mend("wrong-side", wrong_side::apply),
    fit("split-calls", split_calls::apply),
    mend("duplicate-call", duplicate_call::apply),
    mend("foreign-pair", foreign_pair::apply)
        .requires(Feature::ForeignBlocks)
        .after(&["orphan-result"]),
    mend("unanswered-call", unanswered_call::apply).after(&["guard-answer"]),
    fit("incomplete-call", incomplete_call::apply)
        .requires(Feature::Extras)
        .after(&["empty-calls"]),
    fit("freeform-call", freeform_call::apply),
    fit("strange-calls", strange_calls::apply).requires(Feature::Extras).after(&["unknown-field"]),
    fit("bad-arguments", bad_arguments::apply)
        .requires(Feature::NonObjectArgs)
        .after(&["document-alone"]),
    fit("pending-code", pending_code::apply).after(&["conflicting-field"]),
];
