//! The body of a streamed response, as a chain of stages with one concern each:
//!
//! ```text
//! provider ─▶ translation ─▶ continuation ─▶ batching ─▶ shutdown ─▶ persistence ─▶ idle time ─▶ client
//! ```
//!
//! It owns the provider's body: when the client disconnects, the provider's connection is closed, and
//! when the client does not read, the provider's body is not read either.

mod batched;
mod continued;
mod idle;
mod persisted;
mod stoppable;
mod translation;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use http_body::Body;
use interlingua::StreamTranslator;
use interlingua_upstream::UpstreamBody;

use self::batched::BatchedStream;
use self::continued::ContinuedStream;
use self::idle::IdleStream;
pub(crate) use self::idle::{CLOSE_GRACE, LINGER_TIMEOUT};
use self::persisted::PersistedStream;
use self::stoppable::StoppableStream;
use self::translation::Translation;
use crate::config::Config;
use crate::proxy::continue_turn::TurnContinuation;
use crate::proxy::request_log::RequestLog;

/// A stream whose beginning was read already.
pub(crate) struct StartedStream {
    /// `None` if the provider has ended it.
    pub(crate) provider_body: Option<UpstreamBody>,
    /// Boxed like the log, because they are large and each stage moves them.
    pub(crate) translator: Box<StreamTranslator>,
    /// What is translated of it.
    pub(crate) output: Vec<u8>,
    /// Continues the turn if the provider pauses it.
    pub(crate) continuation: Option<Box<TurnContinuation>>,
    pub(crate) log: Box<RequestLog>,
}

impl StartedStream {
    /// The rest as a body; with `drain_expired` it ends with an error.
    pub(crate) fn into_body(
        self,
        config: &Config,
        drain_expired: &Arc<AtomicBool>,
    ) -> impl Body<Data = Bytes, Error = Infallible> + Send + use<> {
        let Self { provider_body, translator, output, continuation, log } = self;
        let max_output = config.limits.buffer;
        let translation = Translation::new(provider_body, translator, output, max_output, log);
        let continued = ContinuedStream::new(translation, continuation);
        let batched = BatchedStream::new(continued);
        let stoppable = StoppableStream::new(batched, Arc::clone(drain_expired));
        let persisted = PersistedStream::new(stoppable);
        IdleStream::new(persisted, config.timeouts.heartbeat)
    }
}
