//! The guard's desk: what calls are checked with, what the model is told later, and who hears of it.

use std::sync::Arc;

use http::HeaderValue;
use interlingua::guard::{Answers, Finding, Kind, Limits, Mode, Offer, Schemas, Watch};
use interlingua::guard::{answer_of, recall};
use interlingua::{Conversation, Told};
use metrics::counter;

use crate::captured::{About, Captured};
use crate::config::Config;

/// What all requests share.
pub(crate) struct Guarding {
    schemas: Arc<Schemas>,
    answers: Arc<dyn Answers>,
}

/// Where findings about one reply are reported.
#[derive(Debug)]
pub(crate) struct Desk {
    answers: Arc<dyn Answers>,
    /// Where it is kept for looking at, if it is; and whether with what calls say.
    captured: Option<(Arc<Captured>, bool)>,
    owner: String,
    /// The kinds that were found, in order.
    pub(crate) found: Vec<&'static str>,
}

impl Guarding {
    /// With answers kept here.
    pub(crate) fn keeping(answers: Arc<dyn Answers>) -> Self {
        Self { schemas: Arc::default(), answers }
    }

    /// Watches over the reply to this conversation, if there is anything to watch over.
    pub(crate) fn watch(&self, config: &Config, conversation: &Conversation) -> Option<Watch> {
        if conversation.tools.is_empty() || !config.guard.is_on() {
            return None;
        }
        let limits = &config.limits;
        Some(Watch {
            offer: Offer::of(conversation),
            modes: config.guard.clone(),
            limits: Limits {
                schema: limits.schema,
                depth: limits.schema_depth,
                cost: limits.schema_cost,
                arguments: limits.arguments,
            },
            schemas: Arc::clone(&self.schemas),
        })
    }

    /// What the model is to be told of calls in this conversation, where that is wanted.
    pub(crate) async fn told(
        &self,
        config: &Config,
        owner: &str,
        conversation: &Conversation,
    ) -> Vec<Told> {
        if !config.guard.is_on() {
            return Vec::new();
        }
        let mut told = recall(conversation, owner, &*self.answers).await;
        told.retain(|told| {
            let mode = config.guard.of(&told.call.name.contents());
            matches!(mode, Mode::Answer | Mode::Mend)
        });
        told
    }

    pub(crate) fn desk(&self, owner: &str, captured: Option<(Arc<Captured>, bool)>) -> Desk {
        let (answers, owner) = (Arc::clone(&self.answers), owner.to_owned());
        Desk { answers, captured, owner, found: Vec::new() }
    }
}

impl Desk {
    /// Keeps what the model is to be told, counts and logs what was found. Of the arguments nothing
    /// is logged.
    pub(crate) fn hear(&mut self, about: &About<'_>, finding: &Finding) {
        if let Some(answer) = answer_of(finding) {
            self.answers.keep(&self.owner, answer);
        }
        if let Some((captured, plain)) = &self.captured {
            captured.keep(&self.owner, about, finding, *plain);
        }
        let About { turn, provider, model, .. } = *about;
        let (kind, done) = (finding.kind.name(), finding.done());
        counter!("interlingua_guard_total", "kind" => kind, "done" => done).increment(1);
        self.found.push(kind);
        let (tool, call) = (finding.call.name.contents(), finding.call.id.contents());
        if let Kind::NotChecked(beyond) = finding.kind {
            let why = beyond.name();
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

/// The findings for a header: which tool, and what is wrong.
pub(crate) fn header(findings: &[Finding]) -> Option<HeaderValue> {
    let one = |finding: &Finding| {
        let name = finding.call.name.contents();
        let name: String =
            name.chars().take(LONGEST_NAME).filter(|letter| is_plain(*letter)).collect();
        format!("{name}={}", finding.kind.name())
    };
    let all: Vec<String> = findings.iter().take(MOST).map(one).collect();
    let value = HeaderValue::from_str(&all.join(","));
    value.ok().filter(|value| !value.is_empty())
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_graphic() && !matches!(letter, ',' | '=')
}

const MOST: usize = 16;
const LONGEST_NAME: usize = 64;
