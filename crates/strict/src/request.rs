//! A judged request: its body, the headers that matter, and what the provider knows already.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::json::JsonExt as _;
use crate::seal::SealKey;
use crate::switches::Switches;

/// A request in the form in which the provider receives it.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    pub body: &'r Value,
    /// The requested model, from the body or the path.
    pub model: &'r str,
    pub flavor: &'r str,
    /// The API version header, where the provider has one: empty if it was not sent, `None` if
    /// that is unknown.
    pub version: Option<&'r str>,
    /// Values of the beta header.
    pub betas: &'r [&'r str],
    pub switches: &'r Switches,
    /// Verifies the seals of reasoning; `None` skips verification.
    pub seal_key: Option<&'r SealKey>,
    /// The replies that the provider has stored; `None` skips the rules about them.
    pub stored_replies: Option<&'r StoredReplies>,
    /// Whether the request only counts tokens.
    pub count_tokens: bool,
    pub body_encoding: BodyEncoding<'r>,
}

/// The headers of a body and the result of decompressing it. Absent headers are not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyEncoding<'r> {
    /// The header `content-type`.
    pub content_type: Option<&'r str>,
    /// The header `content-encoding`.
    pub content_encoding: Option<&'r str>,
    pub decompression: Decompression,
}

/// The result of decompressing a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decompression {
    /// The whole body, or it was not compressed.
    #[default]
    Complete,
    /// The body is not in the encoding that its header names.
    Malformed,
    /// The decompressed body exceeds the size limit.
    TooLarge,
}

/// Stored replies by id. The judge is stateless: its caller supplies them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredReplies {
    by_id: BTreeMap<String, StoredReply>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredReply {
    /// Hash of the request fields that must stay unchanged when the conversation continues; empty
    /// if any may change.
    pub fingerprint: String,
    pub continuation: ContinuationState,
}

/// Whether the conversation was continued from a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContinuationState {
    #[default]
    NotYet,
    /// A request that continues from this reply is being processed.
    InFlight,
    Done,
}

impl<'r> Request<'r> {
    /// A request with the body's model and defaults for everything else.
    pub fn new(body: &'r Value, flavor: &'r str, switches: &'r Switches) -> Self {
        Self {
            body,
            model: body.field("model").and_then(Value::as_str).unwrap_or_default(),
            flavor,
            version: None,
            betas: &[],
            switches,
            seal_key: None,
            stored_replies: None,
            count_tokens: false,
            body_encoding: BodyEncoding::default(),
        }
    }
}

impl StoredReplies {
    pub fn insert(&mut self, id: impl Into<String>, stored_reply: StoredReply) {
        self.by_id.insert(id.into(), stored_reply);
    }

    pub fn remove(&mut self, id: &str) {
        self.by_id.remove(id);
    }

    pub fn get(&self, id: &str) -> Option<&StoredReply> {
        self.by_id.get(id)
    }
}
