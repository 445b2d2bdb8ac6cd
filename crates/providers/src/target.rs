//! The target of a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use interlingua_model::Lessons;
use interlingua_wire::JsonString;

use crate::rule_set::RuleSet;

/// Where a request is sent, and what is known of that provider.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
pub struct Target {
    /// The model to request; `None` keeps the client's.
    pub model: Option<JsonString>,
    /// A named variant of the dialect; `None`, or a name that is not known, is the dialect as its vendor
    /// defines it.
    pub flavor: Option<&'static str>,
    /// Names of beta features that the client requested in a header.
    pub betas: Vec<JsonString>,
    /// The client requested a stream by the URL instead of the body.
    pub stream: bool,
    /// Several instruction texts are sent as one string, joined by a blank line. For servers that are
    /// not the vendor's own and have no flavor: chat templates may read only the first text.
    pub joins_instructions: bool,
    /// Pass on unknown fields within one dialect: the provider may be newer than this crate.
    pub pass_unknown_fields: bool,
    /// The caller stores replies, so reasoning may be requested in a form that only its provider
    /// can open.
    pub keeps_replies: bool,
    /// The caller's name of the conversation, if it has one: some providers look up their prompt
    /// cache by it.
    pub conversation_key: Option<JsonString>,
    /// What was learned from the target's rejections.
    pub lessons: Lessons,
    /// Within one dialect the body is sent as the client wrote it, but for the model, and the reply is
    /// passed on as the provider wrote it. Between dialects the request is encoded without repair.
    pub is_verbatim: bool,
    /// Repair rules that do not run.
    pub disabled_rules: RuleSet,
    /// Bytes of a schema above which it is sent without checks; `None` checks every schema.
    pub max_schema_bytes: Option<usize>,
    /// Set once the client does not wait for the translation any more.
    pub stop: StopFlag,
}

/// Stops long work whose result is not needed any more. The default is never set.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Option<Arc<AtomicBool>>);

impl StopFlag {
    /// A flag that can be set.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Requests that the work stops.
    pub fn set(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the work has to stop.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
