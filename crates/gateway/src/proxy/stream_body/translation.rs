//! Reads the provider's body and translates it.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::Body as _;
use interlingua::{ApiError, StreamTranslator};
use interlingua_upstream::UpstreamBody;
use serde_json::json;

use crate::proxy::request_log::RequestLog;
use crate::telemetry::capture::CaptureStage;

/// A stage of the chain. Each has the one before it, and the first one is the translation.
pub(super) trait StreamStage {
    /// Ready when there is output, or when the stream has ended. It may have output while it is
    /// pending: then more is worth waiting for.
    fn poll_output(&mut self, cx: &mut Context<'_>) -> Poll<()>;

    fn translation(&self) -> &Translation;

    fn translation_mut(&mut self) -> &mut Translation;
}

/// The state of the stream.
pub(super) struct Translation {
    provider_body: Option<UpstreamBody>,
    pub(super) translator: Box<StreamTranslator>,
    /// Translated bytes that the client has not read yet.
    pub(super) output: Vec<u8>,
    /// With this many bytes of output, nothing more is read.
    flush_threshold: usize,
    /// The provider has sent something since this was last reset.
    pub(super) has_received: bool,
    pub(super) log: Box<RequestLog>,
}

impl Translation {
    pub(super) fn new(
        provider_body: Option<UpstreamBody>,
        translator: Box<StreamTranslator>,
        output: Vec<u8>,
        max_output: usize,
        mut log: Box<RequestLog>,
    ) -> Self {
        log.begin_stage(CaptureStage::ClientReply, || json!({"status": 200}), None);
        let flush_threshold = FLUSH_THRESHOLD_BYTES.min(max_output);
        Self { provider_body, translator, output, flush_threshold, has_received: false, log }
    }

    /// Whether something can be sent: bytes, or an end that waits until the reply is stored.
    pub(super) fn has_output(&self) -> bool {
        !self.output.is_empty() || self.translator.holds_end()
    }

    /// The provider sends nothing more, and does not continue the turn.
    pub(super) fn is_complete(&self) -> bool {
        self.provider_body.is_none() && !self.translator.is_paused()
    }

    /// Reads from this body from now on.
    pub(super) fn set_provider_body(&mut self, body: Option<UpstreamBody>) {
        self.provider_body = body;
    }

    pub(super) fn fail(&mut self, error: ApiError) {
        self.provider_body = None;
        self.translator.fail(error, &mut self.output);
    }

    /// Ends the stream, unless the provider has ended it.
    pub(super) fn finish(&mut self) {
        if self.provider_body.take().is_some() {
            self.translator.finish(&mut self.output);
        }
    }
}

impl StreamStage for Translation {
    fn poll_output(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.translator.is_paused()
            && let Some(body) = &mut self.provider_body
        {
            match std::task::ready!(Pin::new(&mut *body).poll_frame(cx)) {
                Some(Ok(frame)) => {
                    self.has_received = true;
                    if let Ok(data) = frame.into_data() {
                        self.log.append_stage_body(CaptureStage::ProviderReply, &data);
                        self.translator.push(&data, &mut self.output);
                    }
                    let is_drained = body.is_buffer_empty();
                    if self.translator.is_closed() {
                        self.provider_body = None;
                        break;
                    }
                    // hyper polls again after writing this frame.
                    let has_enough = self.output.len() >= self.flush_threshold;
                    if has_enough || (is_drained && self.has_output()) {
                        break;
                    }
                }
                Some(Err(error)) => self.fail(error),
                None => self.finish(),
            }
        }
        Poll::Ready(())
    }

    fn translation(&self) -> &Translation {
        self
    }

    fn translation_mut(&mut self) -> &mut Translation {
        self
    }
}

impl Drop for Translation {
    fn drop(&mut self) {
        let is_complete = self.is_complete();
        self.log.finish_stream(&self.translator, is_complete);
    }
}

/// Maximum bytes per flush of a provider that is faster than its client.
const FLUSH_THRESHOLD_BYTES: usize = 16 * 1024;
