//! The stages of a turn: what came, what was asked, what was answered, and what went back.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use http::HeaderMap;
use interlingua::Ledger;
use interlingua::model::Entry;
use serde_json::Value;

use super::{Captured, blackout};

/// The stages of one turn as far as it has come. Bodies are shared with whoever sends them.
pub(crate) struct Stages {
    captured: Arc<Captured>,
    owner: String,
    /// Nothing is blacked out.
    plain: bool,
    list: Vec<One>,
    repairs: Vec<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    ClientRequest,
    ProviderRequest,
    ProviderReply,
    ClientReply,
}

struct One {
    stage: Stage,
    facts: Value,
    body: Vec<Bytes>,
    /// All of the body, and as much as is held of it.
    size: usize,
    held: usize,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::ClientRequest => "client-request",
            Self::ProviderRequest => "provider-request",
            Self::ProviderReply => "provider-reply",
            Self::ClientReply => "client-reply",
        }
    }
}

impl Stages {
    pub(super) fn new(captured: Arc<Captured>, owner: &str, plain: bool) -> Self {
        Self { captured, owner: owner.to_owned(), plain, list: Vec::new(), repairs: Vec::new() }
    }

    /// A stage begins, with what is known of it beside its body.
    pub(crate) fn begin(&mut self, stage: Stage, mut facts: Value, headers: Option<&HeaderMap>) {
        if let Some(headers) = headers {
            facts["headers"] = shown(headers);
        }
        self.list.push(One { stage, facts, body: Vec::new(), size: 0, held: 0 });
    }

    /// More of the body of a stage that has begun.
    pub(crate) fn more(&mut self, stage: Stage, bytes: &Bytes) {
        let Some(one) = self.list.iter_mut().rev().find(|one| one.stage == stage) else { return };
        one.size += bytes.len();
        let some = bytes.slice(..bytes.len().min(LARGEST - one.held));
        if !some.is_empty() {
            one.held += some.len();
            one.body.push(some);
        }
    }

    /// What was changed on the way.
    pub(crate) fn repaired(&mut self, ledger: &Ledger) {
        let entries = ledger.entries.iter().map(Entry::to_json);
        self.repairs.extend(entries.filter_map(|entry| serde_json::from_str(entry.as_str()).ok()));
    }

    /// The turn is over; `summary` says how. `then` is called with it when all can be found.
    pub(crate) fn keep(
        self,
        turn: &str,
        summary: Value,
        then: impl FnOnce(&Value) + Send + 'static,
    ) {
        let turn = turn.to_owned();
        let work = move || {
            self.write(&turn, &summary);
            then(&summary);
        };
        // Long bodies are looked through; nobody who is answered waits for that.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(work)),
            Err(_) => work(),
        }
    }

    fn write(self, turn: &str, summary: &Value) {
        let mut whole = summary.clone();
        whole["repairs"] = self.repairs.into();
        let plain = self.plain;
        whole["stages"] = self.list.into_iter().map(|one| one.into_json(plain)).collect();
        self.captured.put(&self.owner, vec![super::turns()], summary);
        self.captured.put(&self.owner, vec![super::stages_of(turn)], &whole);
    }
}

impl One {
    fn into_json(self, plain: bool) -> Value {
        let body = self.body.concat();
        let body = if plain { body } else { blackout::black_out(&body) };
        let mut one = self.facts;
        one["stage"] = self.stage.name().into();
        one["size"] = self.size.into();
        if self.held < self.size {
            one["held"] = self.held.into();
        }
        match String::from_utf8(body) {
            Ok(text) => one["body"] = text.into(),
            Err(bytes) => one["base64"] = BASE64.encode(bytes.as_bytes()).into(),
        }
        one
    }
}

/// The headers that tell something and are no secret.
fn shown(headers: &HeaderMap) -> Value {
    let told = headers.iter().filter(|(name, _)| {
        let name = name.as_str();
        HEADERS.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    });
    let told =
        told.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.into())));
    Value::Object(told.collect())
}

/// As much of a body as is kept.
const LARGEST: usize = 1024 * 1024;
const HEADERS: &[&str] = &[
    "content-type",
    "content-length",
    "content-encoding",
    "user-agent",
    "accept",
    "retry-after",
    "request-id",
    "x-request-id",
];
const PREFIXES: &[&str] =
    &["anthropic-", "openai-", "x-stainless-", "x-ratelimit-", "x-interlingua-"];
