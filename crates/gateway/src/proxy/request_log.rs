//! Records one request from head to end, and writes log line, metrics, span, usage and capture when
//! it is dropped.

use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use interlingua::{ApiError, Ledger, StreamTranslator};
use interlingua_guard::Finding;
use interlingua_model::{ApiErrorKind, Reply, Usage};
use metrics::counter;
use serde_json::Value;
use uuid::Uuid;

use crate::client_name::ModelName;
use crate::http_util::error_response::error_kind_name;
use crate::proxy::request::RequestPermits;
use crate::services::guard::GuardReporter;
use crate::services::reasoning::ReasoningRecorder;
use crate::services::recording::SessionRecorder;
use crate::services::responses::ResponseRecorder;
use crate::services::store::FlushFuture;
use crate::services::usage::UsageRecord;
use crate::telemetry::capture::{CaptureStage, TurnCapture, TurnRef};
use crate::telemetry::otel::{RequestSpan, SpanSender};
use crate::telemetry::recent;
use crate::telemetry::recent::{TurnPublisher, TurnSummary, rounded_millis};
use crate::telemetry::turn_metrics::FinishedTurn;

/// The state and statistics of one request. They contain no content and no keys.
pub(crate) struct RequestLog {
    pub(crate) turn_id: Uuid,
    started: Instant,
    dialect: &'static str,
    /// The provider and model of the last attempt.
    pub(crate) provider: String,
    pub(crate) model: ModelName,
    pub(crate) conversation_id: u64,
    streamed: bool,
    time_to_first_token: Option<Duration>,
    attempts: u32,
    usage: Usage,
    /// The repair rules that were applied to the request, and the notes of its translation.
    repair_rules: Vec<&'static str>,
    /// The same of the reply.
    reply_rules: Vec<&'static str>,
    outcome: Outcome,
    /// `None` without a collector.
    span: Option<RequestSpan>,
    /// Set if the guard checks the reply.
    pub(crate) guard_reporter: Option<GuardReporter>,
    /// Stores the reply's reasoning when it is complete.
    pub(crate) reasoning_recorder: Option<ReasoningRecorder>,
    /// Stores the reply under its id when it is complete.
    pub(crate) response_recorder: Option<ResponseRecorder>,
    /// Adds the tokens to the usage of the key.
    pub(crate) usage_record: Option<UsageRecord>,
    /// Appends the reply to a session when it is complete.
    pub(crate) session_recorder: Option<SessionRecorder>,
    /// Set where stages are captured.
    pub(crate) capture: Option<Box<TurnCapture>>,
    /// Publishes the end of the turn to `/api/events`.
    pub(crate) publisher: Option<TurnPublisher>,
    _permits: RequestPermits,
}

enum Outcome {
    /// The default: the client disconnected before any other outcome.
    ClientClosed,
    Completed,
    Failed(ApiErrorKind, u16),
}

impl RequestLog {
    pub(crate) fn new(
        dialect: &'static str,
        permits: RequestPermits,
        span_sender: Option<&SpanSender>,
        headers: &HeaderMap,
    ) -> Self {
        let turn_id = Uuid::now_v7();
        let span = span_sender.map(|span_sender| span_sender.begin(turn_id, dialect, headers));
        Self {
            turn_id,
            started: Instant::now(),
            dialect,
            provider: String::new(),
            model: ModelName::default(),
            conversation_id: 0,
            streamed: false,
            time_to_first_token: None,
            attempts: 0,
            usage: Usage::default(),
            repair_rules: Vec::new(),
            reply_rules: Vec::new(),
            outcome: Outcome::ClientClosed,
            span,
            guard_reporter: None,
            reasoning_recorder: None,
            response_recorder: None,
            usage_record: None,
            session_recorder: None,
            capture: None,
            publisher: None,
            _permits: permits,
        }
    }

    /// Records an attempt at a provider; returns the turn's id.
    pub(crate) fn begin_attempt(&mut self, provider: &str, model: &ModelName) -> Uuid {
        provider.clone_into(&mut self.provider);
        self.model.clone_from(model);
        self.attempts += 1;
        if let Some(span) = &mut self.span {
            span.begin_call(provider, model);
        }
        self.turn_id
    }

    /// Records what was changed of the request.
    pub(crate) fn record_repairs(&mut self, ledger: &Ledger) {
        if let Some(capture) = &mut self.capture {
            capture.add_repairs(ledger);
        }
        add_rules(&mut self.repair_rules, ledger);
    }

    /// Records what was changed of the reply.
    pub(crate) fn record_reply_changes(&mut self, ledger: &Ledger) {
        if let Some(capture) = &mut self.capture {
            capture.add_reply_changes(ledger);
        }
        add_rules(&mut self.reply_rules, ledger);
    }

    /// Starts a captured stage, if stages are captured.
    pub(crate) fn begin_stage(
        &mut self,
        stage: CaptureStage,
        metadata: impl FnOnce() -> Value,
        headers: Option<&HeaderMap>,
    ) {
        if let Some(capture) = &mut self.capture {
            capture.begin_stage(stage, metadata(), headers);
        }
    }

    pub(crate) fn append_stage_body(&mut self, stage: CaptureStage, bytes: &Bytes) {
        if let Some(capture) = &mut self.capture {
            capture.append_body(stage, bytes);
        }
    }

    /// Records a failed attempt. Another one may follow.
    pub(crate) fn attempt_failed(&mut self, error: &ApiError) {
        let kind = error_kind_name(error.kind);
        if let Some(span) = &mut self.span {
            span.call_failed(kind, error.status);
        }
        let provider = self.provider.clone();
        counter!("interlingua_upstream_errors_total", "provider" => provider, "kind" => kind)
            .increment(1);
        // The gateway's own messages start with the provider's name. Messages of providers may
        // quote the prompt, so they are not logged.
        let message = error.message.unescape();
        let why = message.strip_prefix(&*self.provider).and_then(|rest| rest.strip_prefix(": "));
        let why = why.filter(|_| error.original.is_none());
        tracing::warn!(
            turn = %self.turn_id, provider = self.provider, model = &*self.model, kind,
            status = error.status, why, "an attempt at a provider failed",
        );
    }

    pub(crate) fn report_findings(&mut self, findings: &[Finding]) {
        if let Some(guard_reporter) = &mut self.guard_reporter {
            for finding in findings {
                let turn_ref = TurnRef {
                    turn: self.turn_id,
                    conversation: self.conversation_id,
                    provider: &self.provider,
                    model: &self.model,
                };
                guard_reporter.report(&turn_ref, finding);
            }
        }
    }

    pub(crate) fn finish_failed(&mut self, error: &ApiError) {
        self.outcome = Outcome::Failed(error.kind, error.status);
    }

    /// Stores the complete reply; the client gets its end after the returned future. `written` is
    /// the client's body if it is sent whole.
    #[must_use]
    pub(crate) fn persist_reply(
        &mut self,
        reply: &Reply,
        written: Option<&Bytes>,
    ) -> Option<FlushFuture> {
        let has_guard_answers = self
            .guard_reporter
            .as_ref()
            .is_some_and(|guard_reporter| !guard_reporter.kinds.is_empty());
        let (reasoning_recorder, in_session) =
            (self.reasoning_recorder.take(), self.session_recorder.is_some());
        let reasoning_flush = reasoning_recorder.and_then(|reasoning_recorder| {
            reasoning_recorder.record(reply, has_guard_answers, in_session)
        });
        let session_commit = self
            .session_recorder
            .take()
            .and_then(|session_recorder| session_recorder.record(reply));
        // Last: flushing it flushes all records.
        let response_flush = self
            .response_recorder
            .take()
            .and_then(|response_recorder| response_recorder.record(reply, written));
        let flush = response_flush.or(reasoning_flush);
        match (flush, session_commit) {
            (Some(flush), Some(commit)) => Some(Box::pin(async move {
                // The commit runs meanwhile.
                flush.await?;
                commit.await
            })),
            (flush, commit) => flush.or(commit),
        }
    }

    pub(crate) fn finish_reply(&mut self, reply: &Reply) {
        self.outcome = Outcome::Completed;
        self.record_reply(reply, true);
    }

    fn record_reply(&mut self, reply: &Reply, is_complete: bool) {
        self.usage = reply.usage.clone();
        if let Some(span) = &mut self.span {
            span.record_reply(reply, is_complete);
        }
    }

    /// Records sent bytes; `has_content` tells whether the reply has begun.
    pub(crate) fn record_sent(&mut self, has_content: bool) {
        self.streamed = true;
        if has_content && self.time_to_first_token.is_none() {
            self.time_to_first_token = Some(self.started.elapsed());
        }
    }

    pub(crate) fn finish_stream(&mut self, stream: &StreamTranslator, is_complete: bool) {
        self.streamed = true;
        self.record_reply_changes(stream.ledger());
        self.record_reply(stream.partial_reply(), stream.has_ended());
        self.outcome = match stream.error() {
            Some(error) => Outcome::Failed(error.kind, 200),
            None if is_complete || stream.has_ended() => Outcome::Completed,
            None => Outcome::ClientClosed,
        };
    }
}

impl RequestLog {
    /// Sets the provider, model and conversation headers.
    pub(crate) fn set_route_headers(&self, headers: &mut HeaderMap) {
        let provider = HeaderValue::from_str(&self.provider);
        let model = HeaderValue::from_str(&self.model);
        let conversation = HeaderValue::from_bytes(&hex_digits(self.conversation_id));
        for (name, value) in [
            (PROVIDER_HEADER, provider),
            (MODEL_HEADER, model),
            (CONVERSATION_HEADER, conversation),
        ] {
            // Names that are not valid header values are skipped.
            if let Ok(value) = value {
                headers.insert(name, value);
            }
        }
    }

    /// The repairs of a request that failed.
    pub(crate) fn set_repairs_header(&self, headers: &mut HeaderMap) {
        let mut rules = self.repair_rules.clone();
        rules.sort_unstable();
        set_repairs_header(&rules, headers);
    }

    fn summary(
        &mut self,
        outcome: &'static str,
        status: u16,
        (now, duration): (SystemTime, Duration),
    ) -> TurnSummary {
        TurnSummary {
            turn: self.turn_id,
            conversation: self.conversation_id,
            ended_at: recent::unix_seconds(now),
            dialect: self.dialect,
            provider: std::mem::take(&mut self.provider),
            model: std::mem::take(&mut self.model).into_string(),
            outcome,
            status,
            attempts: self.attempts,
            streamed: self.streamed,
            time_to_first_token: self.time_to_first_token,
            duration,
            tokens: token_counts(&self.usage),
            repairs: std::mem::take(&mut self.repair_rules),
            reply_repairs: std::mem::take(&mut self.reply_rules),
            guard_findings: self
                .guard_reporter
                .take()
                .map(|guard_reporter| guard_reporter.kinds)
                .unwrap_or_default(),
        }
    }
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        let (now, duration) = (SystemTime::now(), self.started.elapsed());
        let (outcome, status) = match self.outcome {
            Outcome::ClientClosed => ("left", 499),
            Outcome::Completed => ("answered", 200),
            Outcome::Failed(kind, status) => (error_kind_name(kind), status),
        };
        if let Some(span) = self.span.take() {
            let error = (outcome != "answered").then_some(outcome);
            span.end(error, status, self.time_to_first_token.filter(|_| self.streamed));
        }
        let (dialect, provider) = (self.dialect, &*self.provider);
        let (time_to_first_token, tokens) = (self.time_to_first_token, token_counts(&self.usage));
        FinishedTurn { dialect, provider, outcome, duration, time_to_first_token, tokens }.record();
        if let Some(usage_record) = self.usage_record.take() {
            let failure = match self.outcome {
                Outcome::Failed(kind, _) => Some(kind),
                Outcome::ClientClosed | Outcome::Completed => None,
            };
            usage_record.add(now, &self.provider, &self.model, &self.usage, failure);
        }
        let guard_kinds =
            self.guard_reporter.as_ref().filter(|guard_reporter| !guard_reporter.kinds.is_empty());
        let guard_kinds = guard_kinds.map(|guard_reporter| guard_reporter.kinds.join(","));
        let reply_rules = (!self.reply_rules.is_empty()).then(|| self.reply_rules.join(","));
        tracing::info!(
            turn = %self.turn_id, conversation = format_args!("{:016x}", self.conversation_id), dialect, provider, model = &*self.model, outcome, status,
            tries = self.attempts, streamed = self.streamed,
            first_ms = self.time_to_first_token.map(rounded_millis),
            ms = rounded_millis(duration), guard = guard_kinds,
            reply_repairs = reply_rules,
            "turn",
        );
        let (capture, publisher) = (self.capture.take(), self.publisher.take());
        if capture.is_none() && publisher.is_none() {
            return;
        }
        let turn_summary = self.summary(outcome, status, (now, duration));
        let Some(capture) = capture else {
            if let Some(publisher) = publisher {
                publisher.finish(turn_summary);
            }
            return;
        };
        let summary = turn_summary.to_json();
        if let Some(publisher) = &publisher {
            publisher.add_to_list(turn_summary);
        }
        // Subscribers fetch the stages when the turn ends, so its end is published after they are
        // stored.
        capture.persist(&self.turn_id.to_string(), summary, move |summary| {
            if let Some(publisher) = publisher {
                publisher.publish(summary);
            }
        });
    }
}

/// Adds the ledger's rules to a list of distinct ones, and counts its changes.
fn add_rules(rules: &mut Vec<&'static str>, ledger: &Ledger) {
    for entry in &ledger.entries {
        if !rules.contains(&entry.rule) {
            rules.push(entry.rule);
        }
        counter!("interlingua_repairs_total", "rule" => entry.rule)
            .increment(1 + u64::from(entry.more));
    }
}

/// Zero-padded hexadecimal.
fn hex_digits(number: u64) -> [u8; 16] {
    std::array::from_fn(|digit| b"0123456789abcdef"[(number >> (60 - 4 * digit)) as usize & 15])
}

pub(crate) fn capture_provider_bytes(log: &mut Option<RequestLog>, bytes: &Bytes) {
    if let Some(log) = log {
        log.append_stage_body(CaptureStage::ProviderReply, bytes);
    }
}

/// Sets the header with the repair rules.
pub(crate) fn set_repairs_header(rules: &[&str], headers: &mut HeaderMap) {
    if !rules.is_empty()
        && let Ok(value) = HeaderValue::from_str(&rules.join(","))
    {
        headers.insert(REPAIRS_HEADER, value);
    }
}

fn token_counts(usage: &Usage) -> [(&'static str, u64); 5] {
    [
        ("input", usage.input.unwrap_or_default()),
        ("cache_read", usage.cache_read.unwrap_or_default()),
        ("cache_write", usage.cache_write.unwrap_or_default()),
        ("output", usage.output.unwrap_or_default()),
        ("reasoning", usage.reasoning.unwrap_or_default()),
    ]
}

const PROVIDER_HEADER: HeaderName = HeaderName::from_static("x-interlingua-provider");
const MODEL_HEADER: HeaderName = HeaderName::from_static("x-interlingua-model");
const REPAIRS_HEADER: HeaderName = HeaderName::from_static("x-interlingua-repairs");
const CONVERSATION_HEADER: HeaderName = HeaderName::from_static("x-interlingua-conversation");

#[cfg(test)]
#[test]
fn hex_digits_are_formatted_like_016x() {
    for number in [0, 1, 0xff, 0x0123_4567_89ab_cdef, u64::MAX] {
        assert_eq!(hex_digits(number), *format!("{number:016x}").as_bytes());
    }
}
