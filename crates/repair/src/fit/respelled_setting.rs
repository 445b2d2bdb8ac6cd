//! A setting that the target knows by another name is said under that name.
//!
//! Servers that speak one dialect have different words for the same thing, such as the length of the
//! answer or whether to think. What the target has no word for at all is left out.
//!
//! ## Why
//! > Unsupported parameter: 'max_tokens' is not supported with this model. Use
//! > 'max_completion_tokens' instead.
//!
//! ## Example
//! ```text
//! before   max_tokens: 1024
//! after    max_completion_tokens: 1024
//! ```

use interlingua_model::Place;

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let strange = work.profile.params.respelled;
    if strange.is_empty() || !work.is_own() {
        return;
    }
    while let Some(at) = work
        .conversation()
        .fields
        .iter()
        .position(|field| strange.contains(&&*field.key.contents()))
    {
        let field = work.fields().remove(at);
        // Without its field, what it says is said anew.
        work.settings();
        let what = format!("`{}` is not known here: what it says is said otherwise", field.key);
        work.change(Place::SETTINGS, what);
    }
}
