//! The request that is checked.

use std::fmt;
use std::sync::OnceLock;

use bytes::Bytes;
use interlingua::Dialect;
use interlingua_model::LedgerPath;
use serde_json::Value;

/// A request that is checked.
#[derive(Clone)]
pub struct SampleRequest {
    pub dialect: &'static dyn Dialect,
    pub body: Value,
    pub bytes: Bytes,
    /// The requested model, if the body does not have it.
    pub model_hint: Option<String>,
    /// The issuer of its seals, if they are genuine.
    pub seal_issuer: Option<SealIssuer>,
    pub(crate) cache: RequestCache,
}

/// The flavor and model that issued the seals of a conversation.
#[derive(Clone, Debug)]
pub struct SealIssuer {
    pub flavor: &'static str,
    pub model: String,
}

/// Properties of a request that several targets need, computed once.
#[derive(Clone, Default)]
pub(crate) struct RequestCache {
    /// The body as a provider parses it; `None` for invalid JSON.
    pub(crate) parsed: OnceLock<Option<Value>>,
    pub(crate) canaries: OnceLock<Vec<PlacedCanary>>,
    pub(crate) shorter_history: OnceLock<Option<Bytes>>,
    pub(crate) is_genuine: OnceLock<bool>,
}

/// A canary of the input with its location; `None` if it is in no decoded content.
#[derive(Clone, Debug)]
pub(crate) struct PlacedCanary {
    pub(crate) number: usize,
    pub(crate) at: Option<(LedgerPath, &'static str)>,
}

impl PlacedCanary {
    pub(crate) fn is_in(&self, kind: &str) -> bool {
        self.at.is_some_and(|(_, it)| it == kind)
    }

    pub(crate) fn path(&self) -> String {
        self.at.map_or(String::new(), |(path, _)| path.to_string())
    }
}

impl SampleRequest {
    pub fn new(dialect: &'static dyn Dialect, body: Value) -> Self {
        let bytes = crate::raw_json::to_bytes(&body);
        Self {
            dialect,
            body,
            bytes,
            model_hint: None,
            seal_issuer: None,
            cache: RequestCache::default(),
        }
    }

    /// A request with the exact bytes of a file. JSON that a `Value` cannot represent is not
    /// shrunk.
    pub fn from_bytes(from: &'static dyn Dialect, bytes: Bytes) -> Self {
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { bytes, ..Self::new(from, body) }
    }

    /// The body as a provider parses it.
    pub(crate) fn parsed(&self) -> Option<&Value> {
        self.cache.parsed.get_or_init(|| serde_json::from_slice(&self.bytes).ok()).as_ref()
    }

    /// The requested model, if it is known.
    pub fn requested_model(&self) -> Option<&str> {
        self.model_in_body().or(self.model_hint.as_deref())
    }

    /// The model of the body.
    pub(crate) fn model_in_body(&self) -> Option<&str> {
        self.body.get("model").or_else(|| self.body.get("modelId")).and_then(Value::as_str)
    }

    /// The same request with another body.
    #[must_use]
    pub fn with_body(&self, body: Value) -> Self {
        Self {
            model_hint: self.model_hint.clone(),
            seal_issuer: self.seal_issuer.clone(),
            ..Self::new(self.dialect, body)
        }
    }
}

impl fmt::Debug for SampleRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.dialect.id(), String::from_utf8_lossy(&self.bytes))
    }
}
