//! What happened to one request: told once, to the log and to the metrics, when it is over.

use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use interlingua::guard::Finding;
use interlingua::model::{FailureKind, Reply, Usage};
use interlingua::{Failure, Ledger, Stream};
use metrics::counter;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use crate::billed::Bill;
use crate::captured::{About, Stage, Stages};
use crate::guarding::Desk;
use crate::meters::Over;
use crate::otel::{Teller, Trace};
use crate::quota::Guest;
use crate::recent::{self, Short, Telling};
use crate::remembered::Settling;
use crate::responses::Holding;
use crate::sessions::Recording;
use crate::vault::Keeping;

/// One request, from its head to the last byte of its answer. Content and keys are no part of it.
pub(crate) struct Tale {
    pub(crate) id: Uuid,
    began: Instant,
    dialect: &'static str,
    /// Who answered or was asked last, and for which model.
    pub(crate) provider: String,
    pub(crate) model: String,
    /// The conversation that it goes on with, or begins.
    pub(crate) conversation: u64,
    streamed: bool,
    first: Option<Duration>,
    tries: u32,
    usage: Usage,
    /// The rules by which it was repaired.
    rules: Vec<&'static str>,
    end: End,
    /// For collectors, if there is one.
    trace: Option<Trace>,
    /// Where the guard reports what it finds, if it watches over the reply.
    pub(crate) desk: Option<Desk>,
    /// Where its reply is kept, when it is whole.
    pub(crate) keeping: Option<Keeping>,
    /// Where it is kept under its id, when it is whole.
    pub(crate) holding: Option<Holding>,
    /// Where it is added up what it has used.
    pub(crate) bill: Option<Bill>,
    /// The session it goes into, when it is whole.
    pub(crate) recording: Option<Recording>,
    /// What is said at every stage, where that is kept.
    pub(crate) stages: Option<Box<Stages>>,
    /// Where others hear of it.
    pub(crate) telling: Option<Telling>,
    /// Its place among those that are answered at the same time.
    _place: Place,
}

/// Held for as long as a request is being answered: its place in the house, and its key's.
pub(crate) type Place = (OwnedSemaphorePermit, Guest);

enum End {
    /// Nobody said how it ended: the client left.
    Unknown,
    Answered,
    Failed(FailureKind, u16),
}

impl Tale {
    pub(crate) fn begin(
        dialect: &'static str,
        place: Place,
        teller: Option<&Teller>,
        headers: &HeaderMap,
    ) -> Self {
        let id = Uuid::now_v7();
        let trace = teller.map(|teller| teller.begin(id, dialect, headers));
        Self {
            id,
            began: Instant::now(),
            dialect,
            provider: String::new(),
            model: String::new(),
            conversation: 0,
            streamed: false,
            first: None,
            tries: 0,
            usage: Usage::default(),
            rules: Vec::new(),
            end: End::Unknown,
            trace,
            desk: None,
            keeping: None,
            holding: None,
            bill: None,
            recording: None,
            stages: None,
            telling: None,
            _place: place,
        }
    }

    /// A provider is asked; gives the id of the turn.
    pub(crate) fn asks(&mut self, provider: &str, model: &str) -> Uuid {
        provider.clone_into(&mut self.provider);
        model.clone_into(&mut self.model);
        self.tries += 1;
        if let Some(trace) = &mut self.trace {
            trace.asks(provider, model);
        }
        self.id
    }

    pub(crate) fn repaired(&mut self, ledger: &Ledger) {
        if let Some(stages) = &mut self.stages {
            stages.repaired(ledger);
        }
        for entry in &ledger.entries {
            if !self.rules.contains(&entry.rule) {
                self.rules.push(entry.rule);
            }
            counter!("interlingua_repairs_total", "rule" => entry.rule).increment(1);
        }
    }

    /// A stage begins, where stages are kept.
    pub(crate) fn begins(
        &mut self,
        stage: Stage,
        facts: impl FnOnce() -> Value,
        headers: Option<&HeaderMap>,
    ) {
        if let Some(stages) = &mut self.stages {
            stages.begin(stage, facts(), headers);
        }
    }

    /// More of the body of a stage.
    pub(crate) fn passes(&mut self, stage: Stage, bytes: &Bytes) {
        if let Some(stages) = &mut self.stages {
            stages.more(stage, bytes);
        }
    }

    /// A provider did not answer as it should; perhaps another does.
    pub(crate) fn stumbled(&mut self, failure: &Failure) {
        let kind = kind(failure.kind);
        if let Some(trace) = &mut self.trace {
            trace.stumbled(kind, failure.status);
        }
        let provider = self.provider.clone();
        counter!("interlingua_upstream_errors_total", "provider" => provider, "kind" => kind)
            .increment(1);
        // Words of our own begin with who is meant. Those of a provider may repeat what was asked, and
        // that is nobody's business.
        let said = failure.message.contents();
        let why = said.strip_prefix(&*self.provider).and_then(|rest| rest.strip_prefix(": "));
        let why = why.filter(|_| failure.written.is_none());
        tracing::warn!(
            turn = %self.id, provider = self.provider, model = self.model, kind,
            status = failure.status, why, "the provider did not answer as it should",
        );
    }

    /// The guard found something about calls of the reply.
    pub(crate) fn found(&mut self, findings: &[Finding]) {
        if let Some(desk) = &mut self.desk {
            for finding in findings {
                let about = About {
                    turn: self.id,
                    conversation: self.conversation,
                    provider: &self.provider,
                    model: &self.model,
                };
                desk.hear(&about, finding);
            }
        }
    }

    pub(crate) fn failed(&mut self, failure: &Failure) {
        self.end = End::Failed(failure.kind, failure.status);
    }

    /// The reply is whole, and the client does not have the end of it yet: it gets it when all is settled.
    /// `written` is what it gets, if that is one body.
    #[must_use]
    pub(crate) fn keeps(&mut self, reply: &Reply, written: Option<&Bytes>) -> Option<Settling> {
        let told = self.desk.as_ref().is_some_and(|desk| !desk.found.is_empty());
        let (keeping, elsewhere) = (self.keeping.take(), self.recording.is_some());
        let settling = keeping.and_then(|keeping| keeping.keep(reply, told, elsewhere));
        if let Some(recording) = self.recording.take() {
            recording.keep(reply);
        }
        // Last: with it everything is on disk.
        let held = self.holding.take().and_then(|holding| holding.keep(reply, written));
        held.or(settling)
    }

    pub(crate) fn answered(&mut self, reply: &Reply) {
        self.end = End::Answered;
        self.heard(reply, true);
    }

    fn heard(&mut self, reply: &Reply, whole: bool) {
        self.usage = reply.usage.clone();
        if let Some(trace) = &mut self.trace {
            trace.heard(reply, whole);
        }
    }

    /// Bytes go to the client; whether the reply has begun with them.
    pub(crate) fn sent(&mut self, begun: bool) {
        self.streamed = true;
        if begun && self.first.is_none() {
            self.first = Some(self.began.elapsed());
        }
    }

    pub(crate) fn streamed(&mut self, stream: &Stream, whole: bool) {
        self.streamed = true;
        self.heard(stream.so_far(), stream.has_ended());
        self.end = match stream.failure() {
            Some(failure) => End::Failed(failure.kind, 200),
            None if whole || stream.has_ended() => End::Answered,
            None => End::Unknown,
        };
    }
}

impl Tale {
    /// Who was asked for what, in the headers of the answer.
    pub(crate) fn names(&self, headers: &mut HeaderMap) {
        let provider = HeaderValue::from_str(&self.provider);
        let model = HeaderValue::from_str(&self.model);
        let conversation = HeaderValue::from_bytes(&hexadecimal(self.conversation));
        for (name, value) in [(PROVIDER, provider), (MODEL, model), (CONVERSATION, conversation)] {
            // Names that no header can have are not told.
            if let Ok(value) = value {
                headers.insert(name, value);
            }
        }
    }

    /// By which rules the request was repaired that got no answer.
    pub(crate) fn repairs(&self, headers: &mut HeaderMap) {
        let mut rules = self.rules.clone();
        rules.sort_unstable();
        tell_repairs(&rules, headers);
    }

    /// The turn in short, for looking at.
    fn short(
        &mut self,
        outcome: &'static str,
        status: u16,
        (now, took): (SystemTime, Duration),
    ) -> Short {
        Short {
            turn: self.id,
            conversation: self.conversation,
            at: recent::seconds(now),
            dialect: self.dialect,
            provider: std::mem::take(&mut self.provider),
            model: std::mem::take(&mut self.model),
            outcome,
            status,
            tries: self.tries,
            streamed: self.streamed,
            first: self.first,
            took,
            tokens: buckets(&self.usage),
            repairs: std::mem::take(&mut self.rules),
            guard: self.desk.take().map(|desk| desk.found).unwrap_or_default(),
        }
    }
}

impl Drop for Tale {
    fn drop(&mut self) {
        let (now, took) = (SystemTime::now(), self.began.elapsed());
        let (outcome, status) = match self.end {
            End::Unknown => ("left", 499),
            End::Answered => ("answered", 200),
            End::Failed(failed, status) => (kind(failed), status),
        };
        if let Some(trace) = self.trace.take() {
            let error = (outcome != "answered").then_some(outcome);
            trace.end(error, status, self.first.filter(|_| self.streamed));
        }
        let (dialect, provider) = (self.dialect, &*self.provider);
        let (first, tokens) = (self.first, buckets(&self.usage));
        Over { dialect, provider, outcome, took, first, tokens }.count();
        if let Some(bill) = self.bill.take() {
            let failed = match self.end {
                End::Failed(kind, _) => Some(kind),
                End::Unknown | End::Answered => None,
            };
            bill.add(now, &self.provider, &self.model, &self.usage, failed);
        }
        let found = self.desk.as_ref().filter(|desk| !desk.found.is_empty());
        let found = found.map(|desk| desk.found.join(","));
        tracing::info!(
            turn = %self.id, conversation = format_args!("{:016x}", self.conversation), dialect, provider, model = self.model, outcome, status,
            tries = self.tries, streamed = self.streamed,
            first_ms = self.first.map(|first| first.as_secs_f64() * 1000.0),
            ms = took.as_secs_f64() * 1000.0, guard = found,
            "turn",
        );
        let (stages, telling) = (self.stages.take(), self.telling.take());
        if stages.is_none() && telling.is_none() {
            return;
        }
        let short = self.short(outcome, status, (now, took));
        let Some(stages) = stages else {
            if let Some(telling) = telling {
                telling.ends(short);
            }
            return;
        };
        let summary = short.to_json();
        if let Some(telling) = &telling {
            telling.list(short);
        }
        // Who hears of its end asks for its stages.
        stages.keep(&self.id.to_string(), summary, move |summary| {
            if let Some(telling) = telling {
                telling.tell(summary);
            }
        });
    }
}

/// All sixteen digits.
fn hexadecimal(number: u64) -> [u8; 16] {
    std::array::from_fn(|place| b"0123456789abcdef"[(number >> (60 - 4 * place)) as usize & 15])
}

/// Tells the client by which rules its request was repaired.
pub(crate) fn tell_repairs(rules: &[&str], headers: &mut HeaderMap) {
    if !rules.is_empty()
        && let Ok(value) = HeaderValue::from_str(&rules.join(","))
    {
        headers.insert(REPAIRS, value);
    }
}

fn buckets(usage: &Usage) -> [(&'static str, u64); 5] {
    [
        ("input", usage.input.unwrap_or_default()),
        ("cache_read", usage.cache_read.unwrap_or_default()),
        ("cache_write", usage.cache_write.unwrap_or_default()),
        ("output", usage.output.unwrap_or_default()),
        ("reasoning", usage.reasoning.unwrap_or_default()),
    ]
}

/// The canonical names of what can go wrong.
pub(crate) fn kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Shape => "shape",
        FailureKind::Auth => "auth",
        FailureKind::Permission => "permission",
        FailureKind::NotFound => "not-found",
        FailureKind::Billing => "billing",
        FailureKind::RateLimit => "rate-limit",
        FailureKind::Overloaded => "overloaded",
        FailureKind::ContextOverflow => "context-overflow",
        FailureKind::TooLarge => "too-large",
        FailureKind::Filtered => "filtered",
        FailureKind::Timeout => "timeout",
        FailureKind::Upstream => "upstream",
    }
}

const PROVIDER: HeaderName = HeaderName::from_static("x-interlingua-provider");
const MODEL: HeaderName = HeaderName::from_static("x-interlingua-model");
const REPAIRS: HeaderName = HeaderName::from_static("x-interlingua-repairs");
const CONVERSATION: HeaderName = HeaderName::from_static("x-interlingua-conversation");

#[cfg(test)]
#[test]
fn a_conversation_is_called_the_same_in_headers_and_elsewhere() {
    for number in [0, 1, 0xff, 0x0123_4567_89ab_cdef, u64::MAX] {
        assert_eq!(hexadecimal(number), *format!("{number:016x}").as_bytes());
    }
}
