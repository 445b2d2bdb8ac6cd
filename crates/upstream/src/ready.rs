//! The head of a turn, which is nearly always the same.

use std::sync::OnceLock;

use http::Request;
use interlingua::Failure;

/// What a provider hears before a turn when the client adds nothing to it: before a whole one, and before a stream.
#[derive(Default)]
pub(crate) struct Ready([OnceLock<Request<()>>; 2]);

impl Ready {
    /// The head as it was written first, if there is one that stays the same.
    pub(crate) fn head(
        &self,
        stream: bool,
        stays: impl FnOnce() -> bool,
        write: impl FnOnce() -> Result<Request<()>, Failure>,
    ) -> Result<Request<()>, Failure> {
        let place = &self.0[usize::from(stream)];
        match place.get() {
            Some(head) => Ok(head.clone()),
            None if stays() => write().map(|head| place.get_or_init(|| head).clone()),
            None => write(),
        }
    }
}

/// A copy of a provider may become another one, and has nothing ready.
impl Clone for Ready {
    fn clone(&self) -> Self {
        Self::default()
    }
}
