//! Features that a client asks for by name, in a header, are asked for in the body where the target hears
//! of them there; what it does not know by that name is left out.
//!
//! ## Why
//! Without the name the model does not think between its calls, or reads no more than usual. And of a name
//! that it does not know, the provider says:
//!
//! > invalid beta flag
//!
//! ## Example
//! ```text
//! before   anthropic-beta: interleaved-thinking-2025-05-14, files-api-2025-04-14
//! after    additionalModelRequestFields: {"anthropic_beta": ["interleaved-thinking-2025-05-14"]}
//! ```

use interlingua_model::Place;
use interlingua_wire::Text;

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    // Whoever speaks the target's own dialect says it in the body, or means the header.
    let Some(known) = work.profile.params.betas.filter(|_| !work.is_own()) else { return };
    let (mut taken, mut left): (Vec<Text>, Vec<Text>) = Default::default();
    for beta in &work.profile.betas {
        let list = if known.iter().any(|known| beta == known) { &mut taken } else { &mut left };
        if !list.contains(beta) {
            list.push(beta.clone());
        }
    }
    if !left.is_empty() {
        let names: Vec<_> = left.iter().map(|beta| format!("`{beta}`")).collect();
        let what = format!("left out features that are not known by name: {}", names.join(", "));
        work.loss(Place::SETTINGS, what);
    }
    if !taken.is_empty() {
        work.settings().betas = taken;
    }
}
