//! The interface of models.

use std::fmt;

use interlingua::{Ledger, Verbatim};
use interlingua_guard::{CallChecker, Finding};
use interlingua_model::{ApiError, Conversation, Reply, StreamEvent};

use crate::BoxFuture;

/// A model. It may retry failed requests until the first part of a reply was received.
pub trait Model: Send + Sync + fmt::Debug {
    /// The name for users.
    fn name(&self) -> &str;

    /// Requests one reply; calls `on_event` for each event as it arrives.
    fn generate<'a>(
        &'a self,
        request: ModelRequest<'a>,
        on_event: &'a mut EventCallback<'a>,
    ) -> ReplyFuture<'a>;
}

/// The future of a reply.
pub type ReplyFuture<'a> = BoxFuture<'a, Result<ModelReply, ApiError>>;

/// Receives the events of a reply.
pub type EventCallback<'a> = dyn FnMut(&StreamEvent) + Send + 'a;

/// A request to a model.
#[derive(Clone, Debug)]
pub struct ModelRequest<'a> {
    pub conversation: &'a Verbatim<Conversation>,
    /// Checks the reply's calls.
    pub call_checker: Option<CallChecker>,
}

/// A complete reply.
#[derive(Clone, Debug, Default)]
pub struct ModelReply {
    pub reply: Reply,
    /// Calls that do not match their tools' schemas.
    pub findings: Vec<Finding>,
    /// Changes and losses of encoding the request and decoding the reply.
    pub ledger: Ledger,
}
