//! Captures the four stages of a turn: client request, provider request, provider reply, client
//! reply.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use http::HeaderMap;
use interlingua::Ledger;
use interlingua_model::LedgerEntry;
use serde_json::Value;

use super::{CaptureStore, redact, stages_key, turns_key};
use crate::config::Capture;

/// The captured stages of one turn. Bodies share their buffers with the senders, without a copy.
pub(crate) struct TurnCapture {
    store: Arc<CaptureStore>,
    owner: String,
    is_unredacted: bool,
    stages: Vec<StageCapture>,
    repairs: Vec<Value>,
    reply_changes: Vec<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaptureStage {
    ClientRequest,
    ProviderRequest,
    ProviderReply,
    ClientReply,
}

struct StageCapture {
    stage: CaptureStage,
    metadata: Value,
    body: Vec<Bytes>,
    /// Size of the whole body, and of the part that is captured (at most [`MAX_STAGE_BYTES`]).
    total_bytes: usize,
    captured_bytes: usize,
}

impl CaptureStage {
    fn name(self) -> &'static str {
        match self {
            Self::ClientRequest => "client-request",
            Self::ProviderRequest => "provider-request",
            Self::ProviderReply => "provider-reply",
            Self::ClientReply => "client-reply",
        }
    }
}

impl CaptureStore {
    /// Starts capturing the stages of a turn, if that is configured.
    pub(crate) fn begin_turn(
        self: &Arc<Self>,
        owner: &str,
        capture: &Capture,
    ) -> Option<Box<TurnCapture>> {
        let wanted = capture.enabled && capture.stages;
        wanted.then(|| Box::new(TurnCapture::new(Arc::clone(self), owner, !capture.redact)))
    }
}

impl TurnCapture {
    fn new(store: Arc<CaptureStore>, owner: &str, is_unredacted: bool) -> Self {
        Self {
            store,
            owner: owner.to_owned(),
            is_unredacted,
            stages: Vec::new(),
            repairs: Vec::new(),
            reply_changes: Vec::new(),
        }
    }

    /// Starts a stage with its metadata; the body follows in [`Self::append_body`].
    pub(crate) fn begin_stage(
        &mut self,
        stage: CaptureStage,
        mut metadata: Value,
        headers: Option<&HeaderMap>,
    ) {
        if let Some(headers) = headers {
            metadata["headers"] = captured_headers(headers);
        }
        self.stages.push(StageCapture {
            stage,
            metadata,
            body: Vec::new(),
            total_bytes: 0,
            captured_bytes: 0,
        });
    }

    pub(crate) fn append_body(&mut self, stage: CaptureStage, bytes: &Bytes) {
        let Some(stage_capture) =
            self.stages.iter_mut().rev().find(|stage_capture| stage_capture.stage == stage)
        else {
            return;
        };
        stage_capture.total_bytes += bytes.len();
        let captured =
            bytes.slice(..bytes.len().min(MAX_STAGE_BYTES - stage_capture.captured_bytes));
        if !captured.is_empty() {
            stage_capture.captured_bytes += captured.len();
            stage_capture.body.push(captured);
        }
    }

    pub(crate) fn add_repairs(&mut self, ledger: &Ledger) {
        self.repairs.extend(ledger.entries.iter().filter_map(to_value));
    }

    /// What the client's dialect has no form for was not lost on the way: its client could not have
    /// read it.
    pub(crate) fn add_reply_changes(&mut self, ledger: &Ledger) {
        let reported = |entry: &LedgerEntry| {
            let is_unknown_to_client = entry.rule.starts_with("no-such-");
            let is_loss = entry.is_loss && !is_unknown_to_client;
            to_value(&LedgerEntry { is_loss, ..entry.clone() })
        };
        self.reply_changes.extend(ledger.entries.iter().filter_map(reported));
    }

    /// Stores the finished turn, then calls `then` with its summary.
    pub(crate) fn persist(
        self,
        turn: &str,
        summary: Value,
        then: impl FnOnce(&Value) + Send + 'static,
    ) {
        let turn = turn.to_owned();
        let store = move || {
            self.write(&turn, &summary);
            then(&summary);
        };
        // Redaction scans whole bodies, so it runs on the blocking pool.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(store)),
            Err(_) => store(),
        }
    }

    fn write(self, turn: &str, summary: &Value) {
        let mut record = summary.clone();
        record["repairs"] = self.repairs.into();
        record["reply_repairs"] = self.reply_changes.into();
        let unredacted = self.is_unredacted;
        record["stages"] =
            self.stages.into_iter().map(|capture| capture.into_json(unredacted)).collect();
        self.store.put(&self.owner, vec![turns_key()], summary);
        self.store.put(&self.owner, vec![stages_key(turn)], &record);
    }
}

fn to_value(entry: &LedgerEntry) -> Option<Value> {
    serde_json::from_str(entry.to_json().as_str()).ok()
}

impl StageCapture {
    fn into_json(self, unredacted: bool) -> Value {
        let body = self.body.concat();
        let body = if unredacted { body } else { redact::redact_secrets(&body) };
        let mut record = self.metadata;
        record["stage"] = self.stage.name().into();
        record["size"] = self.total_bytes.into();
        if self.captured_bytes < self.total_bytes {
            record["held"] = self.captured_bytes.into();
        }
        match String::from_utf8(body) {
            Ok(text) => record["body"] = text.into(),
            Err(bytes) => record["base64"] = BASE64.encode(bytes.as_bytes()).into(),
        }
        record
    }
}

/// The headers that are useful for debugging and carry no secrets.
fn captured_headers(headers: &HeaderMap) -> Value {
    let captured = headers.iter().filter(|(name, _)| {
        let name = name.as_str();
        CAPTURED_HEADERS.contains(&name)
            || CAPTURED_HEADER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    });
    let captured =
        captured.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.into())));
    Value::Object(captured.collect())
}

const MAX_STAGE_BYTES: usize = 1024 * 1024;
const CAPTURED_HEADERS: &[&str] = &[
    "content-type",
    "content-length",
    "content-encoding",
    "user-agent",
    "accept",
    "retry-after",
    "request-id",
    "x-request-id",
];
const CAPTURED_HEADER_PREFIXES: &[&str] =
    &["anthropic-", "openai-", "x-stainless-", "x-ratelimit-", "x-interlingua-"];
