//! What happened in turns, kept for looking at: what the guard found, and the stages of each turn where that
//! is wanted.

mod blackout;
mod stages;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use interlingua::guard::{Done, Finding};
use interlingua::model::Args;
use interlingua_store::{Kind, Record, Store};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::config::Capture;
use crate::recent;

pub(crate) use stages::{Stage, Stages};

/// What is kept for looking at.
#[derive(Debug)]
pub(crate) struct Captured {
    store: Arc<dyn Store>,
}

/// The turn that something was found in.
pub(crate) struct About<'t> {
    pub(crate) turn: Uuid,
    pub(crate) conversation: u64,
    pub(crate) provider: &'t str,
    pub(crate) model: &'t str,
}

impl Captured {
    pub(crate) fn kept_in(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Keeps what was found about a call. What the call says is kept only where that is wanted.
    pub(crate) fn keep(&self, owner: &str, about: &About<'_>, finding: &Finding, plain: bool) {
        let violations = finding.violations.iter();
        let mut found = json!({
            "turn": about.turn.to_string(),
            "conversation": format!("{:016x}", about.conversation),
            "at": recent::now(),
            "provider": about.provider,
            "model": about.model,
            "tool": finding.call.name.contents(),
            "call": finding.call.id.contents(),
            "kind": finding.kind.name(),
            "done": finding.done(),
            "violations": violations.map(|one| one.what.as_str()).collect::<Vec<_>>(),
            "told": finding.answer(),
        });
        if plain {
            found["arguments"] = said(&finding.call.args);
            if let Done::Mended(call) = &finding.done {
                found["mended"] = said(&call.args);
            }
        }
        self.put(owner, vec![key(Some(&about.turn.to_string())), key(None)], &found);
    }

    /// Where the stages of a turn are gathered, if that is wanted.
    pub(crate) fn stages(self: &Arc<Self>, owner: &str, capture: &Capture) -> Option<Box<Stages>> {
        let wanted = capture.enabled && capture.stages;
        wanted.then(|| Box::new(Stages::new(Arc::clone(self), owner, !capture.redact)))
    }

    fn put(&self, owner: &str, keys: Vec<String>, what: &Value) {
        let (owner, body) = (owner.to_owned(), what.to_string().into());
        self.store.keep(Record { kind: Kind::Capture, owner, keys, body });
    }

    /// The newest turns of this owner: those of late, and those that were kept before.
    pub(crate) async fn list(&self, owner: &str, mut late: Vec<Value>) -> Value {
        let listed = |all: &[Value], turn: &Value| all.iter().any(|one| one["turn"] == *turn);
        let mut kept = self.all(owner, &turns()).await;
        kept.retain(|one| !listed(&late, &one["turn"]));
        late.append(&mut kept);
        json!({"guard": self.all(owner, &key(None)).await, "turns": late})
    }

    /// What is kept of a turn, if anything is; `late` is known of it anyway.
    pub(crate) async fn shown(
        &self,
        owner: &str,
        turn: &str,
        late: Option<Value>,
    ) -> Option<Value> {
        let guard = self.all(owner, &key(Some(turn))).await;
        let stages = self.all(owner, &stages_of(turn)).await.into_iter().next().or(late);
        let any = stages.is_some() || !guard.is_empty();
        any.then(|| json!({"guard": guard, "turn": stages}))
    }

    async fn all(&self, owner: &str, key: &str) -> Vec<Value> {
        let found = self.store.find(Kind::Capture, owner, &[key]).await;
        found.iter().filter_map(|found| serde_json::from_slice(&found.body).ok()).collect()
    }
}

/// Under which all turns are found, in short.
fn turns() -> String {
    "turns".to_owned()
}

fn stages_of(turn: &str) -> String {
    format!("turn:{turn}")
}

fn key(turn: Option<&str>) -> String {
    turn.map_or_else(|| "guard".to_owned(), |turn| format!("guard:{turn}"))
}

/// Arguments as they came, whatever they are.
fn said(args: &Args) -> Value {
    match args {
        Args::Json(json) => json.as_str().into(),
        Args::Malformed(text) | Args::Freeform(text) => text.contents().into(),
    }
}
