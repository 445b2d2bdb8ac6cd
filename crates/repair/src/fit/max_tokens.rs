//! The length of the answer is brought within what the model takes.
//!
//! Where a length is required and none is given, it is a usual one. Asking for nothing at all, to warm a
//! cache, goes only with what does not concern the answer.
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

use interlingua_model::{Format, Place};
use interlingua_wire::Json;

use super::tool_choice::is_forced;
use crate::profile::params::Spelling;
use crate::profile::thinking::{Asked, asked};
use crate::{Work, number};

pub fn apply(work: &mut Work<'_>) {
    let row = work.profile.params.max_tokens;
    if work.profile.params.spelling == Spelling::Free && work.is_own() {
        return;
    }
    let said = work.conversation().settings.max_tokens.as_ref().and_then(number::said);
    if row.negative && work.is_own() && said.is_some_and(|said| said < 0.0) {
        return;
    }
    let Some(said) = said else {
        if row.required {
            let usual = USUAL.min(row.most);
            work.settings().max_tokens = Some(Json::number(usual));
            work.change(Place::SETTINGS, format!("the answer has at most {usual} tokens"));
        }
        return;
    };
    if row.most < row.least {
        work.settings().max_tokens = None;
        return work.loss(Place::SETTINGS, "left out the length of the answer: it is not taken");
    }
    // Asking for nothing means something to few; what it means is for their own clients to know.
    let least = if work.is_own() || row.prewarms { row.least } else { row.least.max(1) };
    let mut wanted = number::count(said).clamp(least, row.most);
    if said < 0.0 {
        wanted = wanted.max(1);
    }
    if wanted == 0 && row.prewarms && concerns_output(work) {
        wanted = 1;
    }
    if wanted != number::count(said) || said < 0.0 {
        work.settings().max_tokens = Some(Json::number(wanted));
        let what = format!("the answer has at most {wanted} tokens, and not {said}");
        work.change(Place::SETTINGS, what);
    }
}

/// Something is said of the answer.
fn concerns_output(work: &Work<'_>) -> bool {
    let settings = &work.conversation().settings;
    settings.stream == Some(true)
        || asked(settings) == Asked::Budget
        || matches!(settings.format, Some(Format::Schema { .. }))
        || settings.choice.as_ref().is_some_and(is_forced)
}

/// What clients ask for that know nothing about the model.
const USUAL: u64 = 32_000;
