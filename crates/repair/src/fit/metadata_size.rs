//! Metadata beyond what the target takes is left out.
//!
//! ## Why
//! > Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an
//! > object with 20 properties instead.
//!
//! ## Example
//! ```text
//! before   metadata: 20 pairs
//! after    metadata: the first 16 of them
//! ```

use interlingua_model::Place;
use interlingua_wire::Json;

use crate::Work;
use crate::profile::params::Pairs;

pub fn apply(work: &mut Work<'_>) {
    let Some(limits) = work.profile.params.metadata else { return };
    let Some(metadata) = &work.conversation().settings.metadata else { return };
    if !metadata.is_object() {
        work.loss(Place::SETTINGS, "left out the metadata: it is no object");
        work.settings().metadata = None;
        return;
    }
    if limits.most < limits.least {
        work.loss(Place::SETTINGS, "left out the metadata: it is not taken");
        work.settings().metadata = None;
        return;
    }
    let (kept, count, gone) = fitting(metadata, limits);
    if gone > 0 || count < limits.least {
        work.loss(
            Place::SETTINGS,
            format!("left out {gone} pairs of metadata: too many or too long"),
        );
        work.settings().metadata = (count >= limits.least).then_some(kept);
    }
}

/// The pairs that are taken, how many they are, and how many are not.
fn fitting(metadata: &Json, limits: Pairs) -> (Json, usize, usize) {
    let doc = metadata.doc();
    let (mut count, mut gone) = (0, 0);
    let kept = Json::object(|kept| {
        for field in doc.root().fields() {
            let long = |text: &str, most: usize| text.len() > most && text.chars().count() > most;
            if count < limits.most
                && !long(&field.name(), limits.key)
                && !long(&field.value.word(), limits.value)
            {
                count += 1;
                kept.key_text(&field.key()).json(&field.value.json());
            } else {
                gone += 1;
            }
        }
    });
    (kept, count, gone)
}
