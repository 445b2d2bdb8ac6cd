//! Stop sequences that the target does not take are left out.
//!
//! Blank ones, those beyond the number that is taken, and all of them where the model takes none.
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

use interlingua_model::Place;

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let row = work.profile.params.stops;
    let stops = &work.conversation().settings.stop;
    if stops.is_empty() {
        return;
    }
    let taken = |stop: &interlingua_wire::Text| {
        row.taken && (row.empty || !stop.is_empty()) && (row.blank || !stop.is_blank())
    };
    let kept: Vec<_> = stops.iter().filter(|stop| taken(stop)).take(row.most).cloned().collect();
    let gone = stops.len() - kept.len();
    if gone > 0 {
        work.loss(Place::SETTINGS, format!("left out {gone} stop sequences: they are not taken"));
        work.settings().stop = kept;
    }
}
