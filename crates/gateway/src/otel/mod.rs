//! Traces and metrics for OpenTelemetry collectors, by the conventions for generative AI. Without a
//! collector there is none of this, and with one neither prompts nor keys are a part of it.
//!
//! A request is a span, and every question to a provider one within it. What is told goes into a queue
//! that never makes anybody wait: what does not fit is counted and forgotten.

mod attribute;
mod context;
mod export;
mod measure;
mod name;
mod proto;
mod span;

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use http::HeaderMap;
use interlingua::Text;
use interlingua::model::{Reply, StopReason, Usage};
use metrics::counter;
use tokio::sync::mpsc;
use uuid::Uuid;

use self::context::Parent;
pub(crate) use self::export::Exporter;

/// Where traces are told, for whoever answers requests.
#[derive(Clone)]
pub(crate) struct Teller(mpsc::Sender<Box<Told>>);

/// Teller and listener, before anybody listens.
pub(crate) struct Line {
    pub(crate) teller: Teller,
    listener: Mutex<Option<mpsc::Receiver<Box<Told>>>>,
}

/// One request while it is answered.
pub(crate) struct Trace {
    teller: Teller,
    told: Box<Told>,
    clock: Instant,
}

/// One request that is over.
struct Told {
    trace: [u8; 16],
    span: [u8; 8],
    parent: Option<[u8; 8]>,
    sampled: bool,
    dialect: &'static str,
    began: SystemTime,
    took: Duration,
    streamed: bool,
    /// The canonical name of what went wrong, and the status of the answer.
    error: Option<&'static str>,
    status: u16,
    calls: Vec<Call>,
}

/// One question to a provider.
struct Call {
    span: [u8; 8],
    provider: String,
    model: String,
    /// Since the request began.
    began: Duration,
    took: Duration,
    error: Option<&'static str>,
    status: Option<u16>,
    said: Option<Said>,
}

/// What is known of a reply, besides its content.
#[derive(Default)]
struct Said {
    model: Option<String>,
    id: Option<String>,
    stop: Option<StopReason>,
    usage: Usage,
    /// When it began, since the request did; for a stream.
    first: Option<Duration>,
}

impl Line {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        Self { teller: Teller(sender), listener: Mutex::new(Some(receiver)) }
    }
}

impl Teller {
    /// A request begins: in the trace of who asks, or in one that has the id of the turn.
    pub(crate) fn begin(&self, id: Uuid, dialect: &'static str, headers: &HeaderMap) -> Trace {
        let parent = Parent::read(headers);
        let told = Told {
            trace: parent.map_or_else(|| id.into_bytes(), |parent| parent.trace),
            span: fresh(),
            parent: parent.map(|parent| parent.span),
            sampled: parent.is_none_or(|parent| parent.sampled),
            dialect,
            began: SystemTime::now(),
            took: Duration::ZERO,
            streamed: false,
            error: None,
            status: 0,
            calls: Vec::new(),
        };
        Trace { teller: self.clone(), told: Box::new(told), clock: Instant::now() }
    }
}

impl Trace {
    pub(crate) fn asks(&mut self, provider: &str, model: &str) {
        self.told.calls.push(Call {
            span: fresh(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            began: self.clock.elapsed(),
            took: Duration::ZERO,
            error: None,
            status: None,
            said: None,
        });
    }

    /// The provider that was asked last did not answer as it should.
    pub(crate) fn stumbled(&mut self, error: &'static str, status: u16) {
        let now = self.clock.elapsed();
        if let Some(call) = self.told.calls.last_mut() {
            call.took = now.saturating_sub(call.began);
            (call.error, call.status) = (Some(error), Some(status));
        }
    }

    /// What the provider that was asked last says, as far as it has come.
    pub(crate) fn heard(&mut self, reply: &Reply, whole: bool) {
        if let Some(call) = self.told.calls.last_mut() {
            let text = |text: &Option<Text>| text.as_ref().map(|text| text.contents().into_owned());
            call.said = Some(Said {
                model: text(&reply.model),
                id: text(&reply.id),
                stop: whole.then_some(reply.stop.reason),
                usage: reply.usage.clone(),
                first: None,
            });
        }
    }

    /// The request is over; `first` is when a stream began.
    pub(crate) fn end(mut self, error: Option<&'static str>, status: u16, first: Option<Duration>) {
        let told = &mut self.told;
        told.took = self.clock.elapsed();
        (told.error, told.status, told.streamed) = (error, status, first.is_some());
        if let Some(call) = told.calls.last_mut().filter(|call| call.error.is_none()) {
            call.took = told.took.saturating_sub(call.began);
            call.error = error;
            if let Some(said) = &mut call.said {
                said.first = first;
            }
        }
        if self.teller.0.try_send(self.told).is_err() {
            lost(1);
        }
    }
}

/// What a collector never hears of.
fn lost(requests: usize) {
    counter!("interlingua_telemetry_dropped_total").increment(requests as u64);
}

/// A new id for a span. The latter half of an id that is made of time and chance is chance.
fn fresh() -> [u8; 8] {
    Uuid::now_v7().as_u64_pair().1.to_be_bytes()
}

/// Requests that wait to be told.
const QUEUE: usize = 4096;
