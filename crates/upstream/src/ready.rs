//! What is said before a request: for a turn it is nearly always the same.

use std::sync::{Arc, OnceLock};

use http::Request;
use interlingua::Failure;

use crate::plain;

/// What is said before the body of a request.
pub(crate) struct Heading {
    pub(crate) request: Request<()>,
    /// As it is written where it is sent as text, but for the length of the body.
    text: OnceLock<Vec<u8>>,
}

impl Heading {
    pub(crate) fn new(request: Request<()>) -> Arc<Self> {
        Arc::new(Self { request, text: OnceLock::new() })
    }

    pub(crate) fn text(&self) -> &[u8] {
        self.text.get_or_init(|| plain::written(&self.request))
    }

    /// To be sent by others.
    pub(crate) fn into_request(self: Arc<Self>) -> Request<()> {
        Arc::try_unwrap(self).map_or_else(|shared| shared.request.clone(), |own| own.request)
    }
}

/// What a provider hears before a turn when the client adds nothing to it: before a whole one, and before a stream.
#[derive(Default)]
pub(crate) struct Ready([OnceLock<Arc<Heading>>; 2]);

impl Ready {
    /// The heading as it was written first, if there is one that stays the same.
    pub(crate) fn heading(
        &self,
        stream: bool,
        stays: impl FnOnce() -> bool,
        write: impl FnOnce() -> Result<Arc<Heading>, Failure>,
    ) -> Result<Arc<Heading>, Failure> {
        let place = &self.0[usize::from(stream)];
        match place.get() {
            Some(heading) => Ok(Arc::clone(heading)),
            None if stays() => write().map(|heading| Arc::clone(place.get_or_init(|| heading))),
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
