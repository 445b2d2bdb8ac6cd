//! Checks tool calls of replies with the guard, reports findings, and stores and recalls guard answers.

use std::sync::Arc;

use http::HeaderValue;
use interlingua::{Conversation, GuardAnswer};
use interlingua_guard::{
    AnswerRecord, AnswerStore, AnswersFuture, CallChecker, Finding, FindingKind, GuardMode,
    OfferedTools, SchemaCache, ValidationLimits, find_guard_answers,
};
use interlingua_store::{Record, RecordKind, RecordStore};
use metrics::counter;

use crate::config::Config;
use crate::telemetry::capture::{CaptureStore, TurnRef};

/// The guard's schemas and answers, shared by all requests.
pub(crate) struct ToolCallGuard {
    schemas: Arc<SchemaCache>,
    answers: Arc<dyn AnswerStore>,
}

/// Reports the findings about one reply.
#[derive(Debug)]
pub(crate) struct GuardReporter {
    answers: Arc<dyn AnswerStore>,
    /// The captures, and whether arguments are stored unredacted.
    captures: Option<(Arc<CaptureStore>, bool)>,
    owner: String,
    /// The kinds of the findings, in order.
    pub(crate) kinds: Vec<&'static str>,
}

/// Guard answers in the store, so that they survive a restart.
#[derive(Debug)]
pub(crate) struct GuardAnswerStore(pub(crate) Arc<dyn RecordStore>);

impl AnswerStore for GuardAnswerStore {
    fn insert(&self, owner: &str, answer_record: AnswerRecord) {
        let body = answer_record.to_json().as_str().to_owned().into();
        let (owner, keys) = (owner.to_owned(), answer_record.keys);
        self.0.put(Record { kind: RecordKind::GuardAnswer, owner, keys, body });
    }

    fn is_empty(&self) -> bool {
        self.0.is_known_empty(RecordKind::GuardAnswer)
    }

    fn find<'a>(&'a self, owner: &'a str, keys: &'a [&'a str]) -> AnswersFuture<'a> {
        let lookup = self.0.find(RecordKind::GuardAnswer, owner, keys);
        Box::pin(async move {
            let hits = lookup.await;
            hits.iter().filter_map(|hit| AnswerRecord::from_json(&hit.body)).collect()
        })
    }
}

impl ToolCallGuard {
    pub(crate) fn new(answers: Arc<dyn AnswerStore>) -> Self {
        Self { schemas: Arc::default(), answers }
    }

    /// The checker for the reply to this conversation; `None` if there are no tools or the guard is
    /// off.
    pub(crate) fn watch(
        &self,
        config: &Config,
        conversation: &Conversation,
    ) -> Option<CallChecker> {
        if conversation.tools.is_empty() || !config.guard.is_enabled() {
            return None;
        }
        let limits = &config.limits;
        Some(CallChecker {
            offered_tools: OfferedTools::from_conversation(conversation),
            modes: config.guard.clone(),
            limits: ValidationLimits {
                max_schema_bytes: limits.schema,
                max_schema_depth: limits.schema_depth,
                max_compile_steps: limits.schema_cost,
                max_argument_bytes: limits.arguments,
            },
            schema_cache: Arc::clone(&self.schemas),
        })
    }

    /// The guard answers for earlier calls of this conversation, except for tools with another
    /// mode.
    pub(crate) async fn recall_answers(
        &self,
        config: &Config,
        owner: &str,
        conversation: &Conversation,
    ) -> Vec<GuardAnswer> {
        if !config.guard.is_enabled() {
            return Vec::new();
        }
        let mut guard_answers = find_guard_answers(conversation, owner, &*self.answers).await;
        guard_answers.retain(|guard_answer| {
            let mode = config.guard.for_tool(&guard_answer.call.name.unescape());
            matches!(mode, GuardMode::Answer | GuardMode::Mend)
        });
        guard_answers
    }

    pub(crate) fn reporter(
        &self,
        owner: &str,
        captures: Option<(Arc<CaptureStore>, bool)>,
    ) -> GuardReporter {
        let (answers, owner) = (Arc::clone(&self.answers), owner.to_owned());
        GuardReporter { answers, captures, owner, kinds: Vec::new() }
    }
}

impl GuardReporter {
    /// Stores the guard answer and the capture, counts and logs the finding. Arguments are never
    /// logged.
    pub(crate) fn report(&mut self, turn_ref: &TurnRef<'_>, finding: &Finding) {
        if let Some(answer) = AnswerRecord::from_finding(finding) {
            self.answers.insert(&self.owner, answer);
        }
        if let Some((captures, unredacted)) = &self.captures {
            captures.store_finding(&self.owner, turn_ref, finding, *unredacted);
        }
        let TurnRef { turn, provider, model, .. } = *turn_ref;
        let (kind, done) = (finding.kind.name(), finding.action_name());
        counter!("interlingua_guard_total", "kind" => kind, "done" => done).increment(1);
        self.kinds.push(kind);
        let (tool, call) = (finding.call.name.unescape(), finding.call.id.unescape());
        if let FindingKind::NotChecked(skip_reason) = finding.kind {
            let why = skip_reason.name();
            tracing::info!(
                turn = %turn, provider, model, ?tool, ?call, why, "a tool call was not checked",
            );
            return;
        }
        tracing::warn!(
            turn = %turn, provider, model, ?tool, ?call, kind, done,
            "the reply has a tool call that does not fit its tool",
        );
    }
}

/// The findings as a header value: `tool=kind,tool=kind`.
pub(crate) fn findings_header(findings: &[Finding]) -> Option<HeaderValue> {
    if findings.is_empty() {
        return None;
    }
    let entry = |finding: &Finding| {
        let name = finding.call.name.unescape();
        let name: String = name
            .chars()
            .take(MAX_HEADER_TOOL_NAME)
            .filter(|letter| is_header_safe(*letter))
            .collect();
        format!("{name}={}", finding.kind.name())
    };
    let entries: Vec<String> = findings.iter().take(MAX_HEADER_FINDINGS).map(entry).collect();
    let value = HeaderValue::from_str(&entries.join(","));
    value.ok().filter(|value| !value.is_empty())
}

fn is_header_safe(letter: char) -> bool {
    letter.is_ascii_graphic() && !matches!(letter, ',' | '=')
}

const MAX_HEADER_FINDINGS: usize = 16;
const MAX_HEADER_TOOL_NAME: usize = 64;
