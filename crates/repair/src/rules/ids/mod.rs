//! Rules about the ids of calls and items.

mod call_id;
mod item_id;

use crate::engine::rule::{ConversationRule, fit};

pub(super) const RULES: &[ConversationRule] =
    &[fit("call-id", call_id::apply).after(&["result-kind"]), fit("item-id", item_id::apply)];
