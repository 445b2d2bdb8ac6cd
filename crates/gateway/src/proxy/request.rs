//! The data of a request on its way through the stages of a turn; each stage is a file beside this one.

use std::sync::OnceLock;

use bytes::Bytes;
use http::header::HeaderMap;
use interlingua::{Dialect, RawJson};
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use crate::config::Config;
use crate::http_util::endpoint::PathParams;
use crate::services::affinity::ConversationKey;
use crate::services::quota::QuotaPermit;
use crate::services::responses::{ConnectionReply, ResponseChain};
use crate::state::Gateway;

/// A client's request with its body.
pub(crate) struct ClientRequest<'c> {
    pub(crate) gateway: &'c Gateway,
    pub(crate) config: &'c Config,
    /// The name of the caller's key; empty without keys.
    pub(crate) owner: &'c str,
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) path_params: PathParams,
    pub(crate) headers: &'c HeaderMap,
    pub(crate) stream_start: &'c StreamStart,
    pub(crate) body: Bytes,
    /// The last reply of the client's connection, if only the connection knows it.
    pub(crate) connection_reply: Option<&'c ConnectionReply>,
}

/// A parsed client request that can be sent on any route.
pub(crate) struct RoutedRequest<'o> {
    pub(crate) gateway: &'o Gateway,
    pub(crate) config: &'o Config,
    /// The name of the caller's key.
    pub(crate) owner: &'o str,
    pub(crate) conversation_key: &'o ConversationKey,
    /// The stored responses that it continues.
    pub(crate) chain: &'o ResponseChain,
    /// The dialect of the body, which can differ from the dialect of the path, and the dialect of
    /// the reply.
    pub(crate) body_dialect: &'static dyn Dialect,
    pub(crate) client_dialect: &'static dyn Dialect,
    pub(crate) headers: &'o HeaderMap,
    pub(crate) stream_start: &'o StreamStart,
    /// The model name that the client sent.
    pub(crate) model: &'o str,
    pub(crate) stream: bool,
    pub(crate) stream_as_array: bool,
    /// The client requests provider-side web search.
    pub(crate) wants_web_search: bool,
    /// The reply compacts the conversation.
    pub(crate) compaction: Option<&'o Compaction>,
}

/// How a reply becomes a compacted conversation.
pub(crate) enum Compaction {
    /// The provider's endpoint responds with it.
    ByProvider,
    /// The reply is a summary, and the client gets one item with it.
    BySummary {
        /// The messages before the item, for a client that wants the whole conversation.
        retained: Option<Vec<RawJson>>,
    },
}

/// What a client that expects an event stream may get before the first content.
#[derive(Debug, Default)]
pub(crate) struct StreamStart {
    /// The turn's id, set once it is known that the client expects an event stream.
    pub(crate) turn_id: OnceLock<Uuid>,
    /// The headers of the response, set once a provider's reply has begun without content.
    pub(crate) headers: OnceLock<Box<HeaderMap>>,
}

/// Held while a request is in progress: its request slot and its key's permit.
pub(crate) type RequestPermits = (OwnedSemaphorePermit, QuotaPermit);
