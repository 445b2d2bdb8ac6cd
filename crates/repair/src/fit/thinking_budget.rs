//! A budget for thinking is brought within what the model takes.
//!
//! Where it must be less than all that may be written, half of that is left for the answer. Where even
//! the least budget leaves no room, thinking is turned off for this request.
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

use interlingua_model::{Place, ReasoningMode};
use interlingua_wire::Json;

use crate::profile::thinking::{Asked, Budget, asked};
use crate::{Work, number};

pub fn apply(work: &mut Work<'_>) {
    let Budget::Within { least, most, below_max_tokens } = work.profile.thinking.budget else {
        return;
    };
    let beta = work.profile.thinking.unbounded_beta;
    let unbounded = !beta.is_empty() && work.profile.reading().lets_in(beta);
    let below_max_tokens = below_max_tokens && !unbounded;
    let settings = &work.conversation().settings;
    if asked(settings) != Asked::Budget {
        return;
    }
    let budget = settings.reasoning.as_ref().and_then(|said| said.budget.as_ref());
    // What is beyond counting is not written in another dialect.
    let uncounted = !work.is_own() && budget.is_some_and(|budget| budget.count().is_none());
    let Some(said) = budget.and_then(number::said) else { return };
    // Where nobody counts it against the answer, less than nothing is as much as it takes.
    if said < 0.0 && !below_max_tokens && said.total_cmp(&-1.0).is_eq() {
        return;
    }
    let budget = number::count(said);
    let room = settings.max_tokens.as_ref().filter(|_| below_max_tokens).and_then(Json::count);
    let most = if uncounted { most.min(number::count(number::whole(said))) } else { most };
    let mut wanted = budget.clamp(least, most.max(least));
    if let Some(room) = room.filter(|room| wanted >= *room) {
        wanted = (room / 2).max(least);
        if wanted >= room {
            return turn_off(work, room);
        }
    }
    if wanted != budget || said < 0.0 || uncounted {
        let reasoning = work.settings().reasoning.get_or_insert_default();
        reasoning.budget = Some(Json::number(wanted));
        let what = format!("the budget for thinking is {wanted} tokens, and not {said}");
        work.change(Place::SETTINGS, what);
    }
}

fn turn_off(work: &mut Work<'_>, room: u64) {
    let said = work.settings().reasoning.get_or_insert_default();
    said.mode = Some(ReasoningMode::Off);
    said.budget = None;
    let what = format!("thinking is off: {room} tokens leave no room for it");
    work.change(Place::SETTINGS, what);
}
