//! Traces for OpenTelemetry collectors, by the semantic conventions for generative AI.
//! Off without a collector; prompts and keys are never exported.
//!
//! A request is a server span; each provider call is a client span within it. Spans go through a
//! bounded queue that never blocks a request: what does not fit is counted and dropped.

mod attribute;
mod export;
mod protobuf;
mod semconv;
mod span;
mod trace_context;

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use http::HeaderMap;
use interlingua::JsonString;
use interlingua_model::{Reply, StopReason, Usage};
use metrics::counter;
use tokio::sync::mpsc;
use uuid::Uuid;

pub(crate) use self::export::Exporter;
use self::trace_context::TraceParent;

/// The sender of finished spans, cloned by every request.
#[derive(Clone)]
pub(crate) struct SpanSender(mpsc::Sender<Box<RequestSpanData>>);

/// The span queue before the exporter takes its receiver.
pub(crate) struct SpanChannel {
    pub(crate) sender: SpanSender,
    receiver: Mutex<Option<mpsc::Receiver<Box<RequestSpanData>>>>,
}

/// The span of a request in progress.
pub(crate) struct RequestSpan {
    sender: SpanSender,
    data: Box<RequestSpanData>,
    started: Instant,
}

/// The span of a finished request.
struct RequestSpanData {
    trace_id: [u8; 16],
    span_id: [u8; 8],
    parent_span_id: Option<[u8; 8]>,
    sampled: bool,
    dialect: &'static str,
    start: SystemTime,
    duration: Duration,
    streamed: bool,
    /// The error kind, and the response's status.
    error: Option<&'static str>,
    status: u16,
    calls: Vec<CallSpanData>,
}

/// A call to a provider.
struct CallSpanData {
    span_id: [u8; 8],
    provider: String,
    model: String,
    /// Since the start of the request.
    start_offset: Duration,
    duration: Duration,
    error: Option<&'static str>,
    status: Option<u16>,
    reply: Option<ReplyAttributes>,
}

/// Attributes of a reply, without its content.
#[derive(Default)]
struct ReplyAttributes {
    model: Option<String>,
    id: Option<String>,
    stop_reason: Option<StopReason>,
    usage: Usage,
    /// Time of the first content since the start of the request; streams only.
    first_chunk_offset: Option<Duration>,
}

impl SpanChannel {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
        Self { sender: SpanSender(sender), receiver: Mutex::new(Some(receiver)) }
    }
}

impl SpanSender {
    /// Starts a span: in the client's trace, or in a new one with the turn's id.
    pub(crate) fn begin(
        &self,
        id: Uuid,
        dialect: &'static str,
        headers: &HeaderMap,
    ) -> RequestSpan {
        let parent = TraceParent::from_headers(headers);
        let data = RequestSpanData {
            trace_id: parent.map_or_else(|| id.into_bytes(), |parent| parent.trace_id),
            span_id: new_span_id(),
            parent_span_id: parent.map(|parent| parent.span_id),
            sampled: parent.is_none_or(|parent| parent.sampled),
            dialect,
            start: SystemTime::now(),
            duration: Duration::ZERO,
            streamed: false,
            error: None,
            status: 0,
            calls: Vec::new(),
        };
        RequestSpan { sender: self.clone(), data: Box::new(data), started: Instant::now() }
    }
}

impl RequestSpan {
    pub(crate) fn begin_call(&mut self, provider: &str, model: &str) {
        self.data.calls.push(CallSpanData {
            span_id: new_span_id(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            start_offset: self.started.elapsed(),
            duration: Duration::ZERO,
            error: None,
            status: None,
            reply: None,
        });
    }

    /// The last call has failed.
    pub(crate) fn call_failed(&mut self, error: &'static str, status: u16) {
        let now = self.started.elapsed();
        if let Some(call) = self.data.calls.last_mut() {
            call.duration = now.saturating_sub(call.start_offset);
            (call.error, call.status) = (Some(error), Some(status));
        }
    }

    /// Records the reply of the last call, as far as it was received.
    pub(crate) fn record_reply(&mut self, reply: &Reply, whole: bool) {
        if let Some(call) = self.data.calls.last_mut() {
            let text =
                |text: &Option<JsonString>| text.as_ref().map(|text| text.unescape().into_owned());
            call.reply = Some(ReplyAttributes {
                model: text(&reply.model),
                id: text(&reply.id),
                stop_reason: whole.then_some(reply.stop.reason),
                usage: reply.usage.clone(),
                first_chunk_offset: None,
            });
        }
    }

    /// Ends the request; `first` is the time to the first content of a stream.
    pub(crate) fn end(mut self, error: Option<&'static str>, status: u16, first: Option<Duration>) {
        let data = &mut self.data;
        data.duration = self.started.elapsed();
        (data.error, data.status, data.streamed) = (error, status, first.is_some());
        if let Some(call) = data.calls.last_mut().filter(|call| call.error.is_none()) {
            call.duration = data.duration.saturating_sub(call.start_offset);
            call.error = error;
            if let Some(reply) = &mut call.reply {
                reply.first_chunk_offset = first;
            }
        }
        if self.sender.0.try_send(self.data).is_err() {
            count_dropped(1);
        }
    }
}

fn count_dropped(requests: usize) {
    counter!("interlingua_telemetry_dropped_total").increment(requests as u64);
}

/// The second half of a `UUIDv7` is random.
fn new_span_id() -> [u8; 8] {
    Uuid::now_v7().as_u64_pair().1.to_be_bytes()
}

/// Finished requests that wait for the exporter.
const QUEUE_CAPACITY: usize = 4096;
