//! Sets the required value of settings for which a backend accepts only one.
//!
//! For example that the reply is streamed, or that nothing is stored. A client that requested a
//! complete reply gets one that is assembled from the stream.
//!
//! ## Why
//! > Stream must be set to true
//!
//! > Store must be set to false
//!
//! > parameter.enable_thinking must be set to false for non-streaming calls
//!
//! ## Example
//! ```text
//! before   stream: false
//! after    stream: true   store: false
//! ```

use interlingua_model::LedgerPath;

use crate::edit::reasoning_settings::turn_off_reasoning;
use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let settings_profile = &work.profile.settings;
    if let Some(stream) = settings_profile.required_stream
        && work.conversation().settings.stream != Some(stream)
    {
        work.edit_settings().stream = Some(stream);
        work.record_change(
            LedgerPath::SETTINGS,
            format!("`stream` is {stream}: the target accepts no other value"),
        );
    }
    if let Some(store) = settings_profile.required_store
        && work.conversation().settings.store != Some(store)
    {
        work.edit_settings().store = Some(store);
        work.record_change(
            LedgerPath::SETTINGS,
            format!("`store` is {store}: the target accepts no other value"),
        );
    }
    let settings = &work.conversation().settings;
    if settings_profile.reasoning_requires_stream
        && settings.stream != Some(true)
        && work.is_reasoning_enabled()
    {
        turn_off_reasoning(work, "reasoning is off for this request: the reply is not streamed");
    }
}
