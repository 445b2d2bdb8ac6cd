//! Moves betas from a header into the body where the target expects them there, and removes those
//! it does not know.
//!
//! ## Why
//! Without the beta the model does not reason between its calls, or has its usual context length. For a
//! beta that it does not know, the provider answers:
//!
//! > invalid beta flag
//!
//! ## Example
//! ```text
//! before   anthropic-beta: interleaved-thinking-2025-05-14, files-api-2025-04-14
//! after    additionalModelRequestFields: {"anthropic_beta": ["interleaved-thinking-2025-05-14"]}
//! ```

use interlingua_model::LedgerPath;
use interlingua_wire::JsonString;

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    // Clients of the same dialect set betas in the body, or intend the header.
    let Some(known_betas) = work.profile.settings.body_betas.filter(|_| !work.is_same_dialect())
    else {
        return;
    };
    let (mut accepted, mut unknown): (Vec<JsonString>, Vec<JsonString>) = Default::default();
    for beta in &work.profile.betas {
        let list = if known_betas.iter().any(|known| beta == known) {
            &mut accepted
        } else {
            &mut unknown
        };
        if !list.contains(beta) {
            list.push(beta.clone());
        }
    }
    if !unknown.is_empty() {
        let names: Vec<_> = unknown.iter().map(|beta| format!("`{beta}`")).collect();
        let message = format!("left out betas that the target does not know: {}", names.join(", "));
        work.record_loss(LedgerPath::SETTINGS, message);
    }
    if !accepted.is_empty() {
        work.edit_settings().betas = accepted;
    }
}
