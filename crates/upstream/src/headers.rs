//! The headers of an answer, most of which nobody asks for.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{self, HeaderValue};

/// Headers, which become a map when they are looked at as one.
pub struct Headers {
    /// The head that they stand in.
    text: Bytes,
    read: fn(&Bytes) -> HeaderMap,
    /// Apart: it is large, and answers go from hand to hand.
    map: OnceLock<Box<HeaderMap>>,
    usual: Usual,
}

/// What every answer is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usual {
    pub(crate) content_type: Option<HeaderValue>,
    pub(crate) is_encoded: bool,
}

impl Headers {
    pub(crate) fn new(text: Bytes, read: fn(&Bytes) -> HeaderMap, usual: Usual) -> Self {
        Self { text, read, map: OnceLock::new(), usual }
    }

    pub fn content_type(&self) -> Option<&HeaderValue> {
        self.usual.content_type.as_ref()
    }

    /// How the body was encoded, if it was.
    pub(crate) fn coding(&self) -> Option<String> {
        if !self.usual.is_encoded {
            return None;
        }
        let codings = self.get_all(header::CONTENT_ENCODING).into_iter();
        let mut codings = codings.map(|coding| String::from_utf8_lossy(coding.as_bytes()));
        let coding = codings.find(|coding| !coding.eq_ignore_ascii_case("identity"))?;
        Some(coding.into_owned())
    }
}

impl Deref for Headers {
    type Target = HeaderMap;

    fn deref(&self) -> &HeaderMap {
        self.map.get_or_init(|| Box::new((self.read)(&self.text)))
    }
}

impl From<HeaderMap> for Headers {
    fn from(map: HeaderMap) -> Self {
        let usual = Usual {
            content_type: map.get(header::CONTENT_TYPE).cloned(),
            is_encoded: map.contains_key(header::CONTENT_ENCODING),
        };
        Self { text: Bytes::new(), read: |_| HeaderMap::new(), map: Box::new(map).into(), usual }
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.keys()).finish()
    }
}
