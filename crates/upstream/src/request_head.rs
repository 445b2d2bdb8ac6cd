//! Caches the serialized request head, which is identical for most calls to one provider.

use std::sync::{Arc, OnceLock};

use http::{Request, header};
use interlingua::ApiError;

/// The head of a request: method, URI and headers.
pub(crate) struct RequestHead {
    pub(crate) request: Request<()>,
    /// The head as HTTP/1.1 text, without the content length.
    serialized: OnceLock<Vec<u8>>,
}

impl RequestHead {
    pub(crate) fn new(request: Request<()>) -> Arc<Self> {
        Arc::new(Self { request, serialized: OnceLock::new() })
    }

    pub(crate) fn serialized(&self) -> &[u8] {
        self.serialized.get_or_init(|| serialize_head(&self.request))
    }

    /// Returns the request for the pooled clients; clones it if it is shared with the cache.
    pub(crate) fn into_request(self: Arc<Self>) -> Request<()> {
        Arc::try_unwrap(self).map_or_else(|shared| shared.request.clone(), |owned| owned.request)
    }
}

/// Request heads of turns to which the client adds no headers: one for complete and one for
/// streamed replies.
#[derive(Default)]
pub(crate) struct CachedHeads([OnceLock<Arc<RequestHead>>; 2]);

impl CachedHeads {
    /// Returns the cached head; builds it, and caches it if it is constant.
    pub(crate) fn get_or_build(
        &self,
        stream: bool,
        is_constant: impl FnOnce() -> bool,
        build: impl FnOnce() -> Result<Arc<RequestHead>, ApiError>,
    ) -> Result<Arc<RequestHead>, ApiError> {
        let cell = &self.0[usize::from(stream)];
        match cell.get() {
            Some(request_head) => Ok(Arc::clone(request_head)),
            None if is_constant() => {
                build().map(|request_head| Arc::clone(cell.get_or_init(|| request_head)))
            }
            None => build(),
        }
    }
}

/// The clone of a provider may be changed, so it starts with an empty cache.
impl Clone for CachedHeads {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Serializes the head of an HTTP/1.1 request, without the content length and the final empty line.
fn serialize_head(request: &Request<()>) -> Vec<u8> {
    let uri = request.uri();
    let mut head = Vec::with_capacity(TYPICAL_HEAD_BYTES);
    let mut append = |parts: &[&[u8]]| parts.iter().for_each(|part| head.extend_from_slice(part));
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    append(&[
        request.method().as_str().as_bytes(),
        b" ",
        target.as_bytes(),
        b" HTTP/1.1\r\nhost: ",
    ]);
    append(&[uri.host().unwrap_or_default().as_bytes()]);
    if let Some(port) = uri.port().filter(|port| port.as_u16() != 80) {
        append(&[b":", port.as_str().as_bytes()]);
    }
    append(&[b"\r\n"]);
    for (name, value) in request.headers() {
        if name != header::HOST && name != header::CONTENT_LENGTH {
            append(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"]);
        }
    }
    head
}

/// Initial capacity; most heads are shorter.
const TYPICAL_HEAD_BYTES: usize = 512;
