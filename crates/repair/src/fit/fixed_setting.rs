//! What a backend wants said in one way only is said that way.
//!
//! Such as that the answer is streamed, or that nothing is kept. Whoever asked for an answer in one piece
//! gets it put together from the stream.
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

use interlingua_model::Place;

use super::forced_while_thinking::turn_off;
use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let params = &work.profile.params;
    if let Some(stream) = params.stream
        && work.conversation().settings.stream != Some(stream)
    {
        work.settings().stream = Some(stream);
        work.change(Place::SETTINGS, format!("`stream` is {stream}: nothing else is taken"));
    }
    if let Some(store) = params.store
        && work.conversation().settings.store != Some(store)
    {
        work.settings().store = Some(store);
        work.change(Place::SETTINGS, format!("`store` is {store}: nothing else is taken"));
    }
    let settings = &work.conversation().settings;
    if params.streams_thinking && settings.stream != Some(true) && work.thinks() {
        turn_off(work, "thinking is off for this request: the answer is not streamed");
    }
}
