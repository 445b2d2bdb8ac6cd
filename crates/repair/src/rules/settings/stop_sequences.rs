//! Removes stop sequences that the target does not accept.
//!
//! Blank ones, those beyond the maximum number, and all of them where the model supports none.
//!
//! ## Why
//! > stop_sequences: each stop sequence must contain non-whitespace
//!
//! > Unsupported parameter: 'stop' is not supported with this model.
//!
//! > stop : maximum number of items is 4
//!
//! ## Example
//! ```text
//! before   stop: "END", "\n"
//! after    stop: "END"
//! ```

use interlingua_model::LedgerPath;

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let limits = work.profile.settings.stop_sequences;
    let stops = &work.conversation().settings.stop_sequences;
    if stops.is_empty() {
        return;
    }
    let is_accepted = |stop: &interlingua_wire::JsonString| {
        limits.supported
            && (limits.allows_empty || !stop.is_empty())
            && (limits.allows_blank || !stop.is_blank())
    };
    let accepted: Vec<_> =
        stops.iter().filter(|stop| is_accepted(stop)).take(limits.max_count).cloned().collect();
    let removed = stops.len() - accepted.len();
    if removed > 0 {
        work.record_loss(
            LedgerPath::SETTINGS,
            format!("left out {removed} stop sequences: the target does not accept them"),
        );
        work.edit_settings().stop_sequences = accepted;
    }
}
