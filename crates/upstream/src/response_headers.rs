//! Response headers that are parsed into a map only when one is read.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{self, HeaderValue};

use crate::redaction::Redactor;

/// Response headers; dereferencing them parses the head into a [`HeaderMap`].
pub struct ResponseHeaders {
    /// The bytes of the response head.
    head_bytes: Bytes,
    parse: fn(&Bytes) -> HeaderMap,
    /// Boxed, because a map is large and responses are moved often.
    map: OnceLock<Box<HeaderMap>>,
    common: CommonHeaders,
}

/// Headers that every response needs, extracted with the head.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommonHeaders {
    pub(crate) content_type: Option<HeaderValue>,
    pub(crate) has_content_encoding: bool,
}

impl ResponseHeaders {
    pub(crate) fn new(
        head_bytes: Bytes,
        parse: fn(&Bytes) -> HeaderMap,
        common: CommonHeaders,
    ) -> Self {
        Self { head_bytes, parse, map: OnceLock::new(), common }
    }

    pub fn content_type(&self) -> Option<&HeaderValue> {
        self.common.content_type.as_ref()
    }

    /// The headers without the secrets of the provider.
    pub(crate) fn redact(self, redactor: &Redactor) -> Self {
        let may_have_secret =
            self.head_bytes.is_empty() || redactor.contains_secret(&self.head_bytes);
        match may_have_secret.then(|| redactor.redact_headers(&self)).flatten() {
            Some(redacted) => redacted.into(),
            None => self,
        }
    }

    /// The first content coding other than `identity`.
    pub(crate) fn content_encoding(&self) -> Option<String> {
        if !self.common.has_content_encoding {
            return None;
        }
        let codings = self.get_all(header::CONTENT_ENCODING).into_iter();
        let mut codings = codings.map(|coding| String::from_utf8_lossy(coding.as_bytes()));
        let coding = codings.find(|coding| !coding.eq_ignore_ascii_case("identity"))?;
        Some(coding.into_owned())
    }
}

impl Deref for ResponseHeaders {
    type Target = HeaderMap;

    fn deref(&self) -> &HeaderMap {
        self.map.get_or_init(|| Box::new((self.parse)(&self.head_bytes)))
    }
}

impl From<HeaderMap> for ResponseHeaders {
    fn from(map: HeaderMap) -> Self {
        let common_headers = CommonHeaders {
            content_type: map.get(header::CONTENT_TYPE).cloned(),
            has_content_encoding: map.contains_key(header::CONTENT_ENCODING),
        };
        Self {
            head_bytes: Bytes::new(),
            parse: |_| HeaderMap::new(),
            map: Box::new(map).into(),
            common: common_headers,
        }
    }
}

impl fmt::Debug for ResponseHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.keys()).finish()
    }
}
