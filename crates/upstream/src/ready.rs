//! The head of a turn, which is nearly always the same.

use std::sync::OnceLock;

use http::Request;

/// What a provider hears before a turn when the client adds nothing to it: before a whole one, and before a stream.
#[derive(Default)]
pub(crate) struct Ready([OnceLock<Request<()>>; 2]);

impl Ready {
    /// The head as it was written first, once it was.
    pub(crate) fn of(&self, stream: bool) -> &OnceLock<Request<()>> {
        &self.0[usize::from(stream)]
    }
}

/// A copy of a provider may become another one, and has nothing ready.
impl Clone for Ready {
    fn clone(&self) -> Self {
        Self::default()
    }
}
