//! Stores guard findings and, if configured, the stages of each turn for `/api/turns` and the debug
//! UI.

mod redact;
mod stages;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use interlingua_guard::{Finding, GuardAction};
use interlingua_model::ToolArgs;
use interlingua_store::{Record, RecordKind, RecordStore};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::telemetry::recent;

pub(crate) use stages::{CaptureStage, TurnCapture};

#[derive(Debug)]
pub(crate) struct CaptureStore {
    store: Arc<dyn RecordStore>,
}

/// The turn that a finding belongs to.
pub(crate) struct TurnRef<'t> {
    pub(crate) turn: Uuid,
    pub(crate) conversation: u64,
    pub(crate) provider: &'t str,
    pub(crate) model: &'t str,
}

impl CaptureStore {
    pub(crate) fn new(store: Arc<dyn RecordStore>) -> Self {
        Self { store }
    }

    /// Stores a finding. The call's arguments are stored only where capturing without redaction is
    /// configured.
    pub(crate) fn store_finding(
        &self,
        owner: &str,
        turn_ref: &TurnRef<'_>,
        finding: &Finding,
        unredacted: bool,
    ) {
        let violations = finding.violations.iter();
        let mut record = json!({
            "turn": turn_ref.turn.to_string(),
            "conversation": format!("{:016x}", turn_ref.conversation),
            "at": recent::unix_now(),
            "provider": turn_ref.provider,
            "model": turn_ref.model,
            "tool": finding.call.name.unescape(),
            "call": finding.call.id.unescape(),
            "kind": finding.kind.name(),
            "done": finding.action_name(),
            "violations": violations.map(|violation| violation.message.as_str()).collect::<Vec<_>>(),
            "told": finding.answer_message(),
        });
        if unredacted {
            record["arguments"] = arguments_json(&finding.call.args);
            if let GuardAction::Mended(call) = &finding.action {
                record["mended"] = arguments_json(&call.args);
            }
        }
        self.put(
            owner,
            vec![findings_key(Some(&turn_ref.turn.to_string())), findings_key(None)],
            &record,
        );
    }

    fn put(&self, owner: &str, keys: Vec<String>, value: &Value) {
        let (owner, body) = (owner.to_owned(), value.to_string().into());
        self.store.put(Record { kind: RecordKind::Capture, owner, keys, body });
    }

    /// The recent turns of an owner, then the stored ones, and all guard findings.
    pub(crate) async fn list_turns(&self, owner: &str, mut recent: Vec<Value>) -> Value {
        let listed =
            |turns: &[Value], turn: &Value| turns.iter().any(|other| other["turn"] == *turn);
        let mut stored = self.find(owner, &turns_key()).await;
        stored.retain(|summary| !listed(&recent, &summary["turn"]));
        recent.append(&mut stored);
        json!({"guard": self.find(owner, &findings_key(None)).await, "turns": recent})
    }

    /// The findings and stages of a turn; `recent` is its in-memory summary, used where no stages
    /// are stored.
    pub(crate) async fn get_turn(
        &self,
        owner: &str,
        turn: &str,
        recent: Option<Value>,
    ) -> Option<Value> {
        let guard = self.find(owner, &findings_key(Some(turn))).await;
        let stages = self.find(owner, &stages_key(turn)).await.into_iter().next().or(recent);
        let is_known = stages.is_some() || !guard.is_empty();
        is_known.then(|| json!({"guard": guard, "turn": stages}))
    }

    async fn find(&self, owner: &str, key: &str) -> Vec<Value> {
        let hits = self.store.find(RecordKind::Capture, owner, &[key]).await;
        hits.iter().filter_map(|hit| serde_json::from_slice(&hit.body).ok()).collect()
    }
}

fn turns_key() -> String {
    "turns".to_owned()
}

fn stages_key(turn: &str) -> String {
    format!("turn:{turn}")
}

fn findings_key(turn: Option<&str>) -> String {
    turn.map_or_else(|| "guard".to_owned(), |turn| format!("guard:{turn}"))
}

/// The arguments as the model sent them, as a JSON string even if they are malformed.
fn arguments_json(args: &ToolArgs) -> Value {
    match args {
        ToolArgs::Json(json) => json.as_str().into(),
        ToolArgs::Malformed(text) | ToolArgs::Freeform(text) => text.unescape().into(),
    }
}
