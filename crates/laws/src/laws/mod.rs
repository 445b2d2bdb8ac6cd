//! The laws of translation, one file each, and their breaches.

mod chat_template;
mod deterministic;
mod difference;
mod idempotent;
mod minimal;
mod no_silent_loss;
mod pieces;
mod prefix_stable;
mod seal_integrity;
mod sound;
mod transcoding;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use bytes::Bytes;
use interlingua::{Dialect, TranslatedRequest, translate_request};
use interlingua_strict::seal::SealKey;
use interlingua_strict::{Request, Switches, Verdict};
use serde_json::Value;
pub use transcoding::{check_decoding, check_stored, check_transcoding};

use crate::canary;
use crate::targets::Destination;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// 0: every JSON object is translated without an error or a panic.
    Total,
    /// 1: the judge accepts every translated body.
    Sound,
    /// 2: a body that the provider accepts is unchanged.
    Minimal,
    /// 3: a second translation changes nothing.
    Idempotent,
    /// 4: the translation of a longer history starts with that of the shorter one.
    PrefixStable,
    /// 5: content that is not sent has a ledger entry.
    NoSilentLoss,
    /// 6: seals are sent intact, and only to their issuer.
    SealIntegrity,
    /// 8: the same input gives the same output.
    Deterministic,
}

/// A law that does not hold for a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub law: Law,
    /// The subject, such as the judge's rule. Law and rule identify a kind of breach.
    pub rule: String,
    pub path: String,
    pub message: String,
}

/// A request that is checked.
#[derive(Clone)]
pub struct SampleRequest {
    pub dialect: &'static dyn Dialect,
    pub body: Value,
    pub bytes: Bytes,
    /// The requested model, if the body does not have it.
    pub model_hint: Option<String>,
    /// The issuer of its seals, if they are genuine.
    pub seal_issuer: Option<SealIssuer>,
    cache: RequestCache,
}

/// The flavor and model that issued the seals of a conversation.
#[derive(Clone, Debug)]
pub struct SealIssuer {
    pub flavor: &'static str,
    pub model: String,
}

/// Properties of a request that several targets need, computed once.
#[derive(Clone, Default)]
struct RequestCache {
    /// The body as a provider parses it; `None` for invalid JSON.
    parsed: OnceLock<Option<Value>>,
    canaries: OnceLock<Vec<no_silent_loss::PlacedCanary>>,
    shorter_history: OnceLock<Option<Bytes>>,
    is_genuine: OnceLock<bool>,
}

/// The translation for one target, parsed once for all laws.
struct SentRequest<'c> {
    original: &'c SampleRequest,
    destination: &'c Destination,
    translated: TranslatedRequest,
    parsed_body: Value,
    /// The numbers of the canaries in the translation, in order.
    canaries: OnceLock<Vec<usize>>,
}

type LawCheck = fn(&SentRequest<'_>, &mut Vec<Breach>);

impl Law {
    pub const ALL: &'static [Self] = &[
        Self::Total,
        Self::Sound,
        Self::Minimal,
        Self::Idempotent,
        Self::PrefixStable,
        Self::NoSilentLoss,
        Self::SealIntegrity,
        Self::Deterministic,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Sound => "sound",
            Self::Minimal => "minimal",
            Self::Idempotent => "idempotent",
            Self::PrefixStable => "prefix",
            Self::NoSilentLoss => "kept",
            Self::SealIntegrity => "seals",
            Self::Deterministic => "deterministic",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|law| law.name() == name)
    }

    fn check_fn(self) -> LawCheck {
        match self {
            // `translate_sample` reports these breaches.
            Self::Total => |_, _| {},
            Self::Sound => sound::check,
            Self::Minimal => minimal::check,
            Self::Idempotent => idempotent::check,
            Self::PrefixStable => prefix_stable::check,
            Self::NoSilentLoss => no_silent_loss::check,
            Self::SealIntegrity => seal_integrity::check,
            Self::Deterministic => deterministic::check,
        }
    }
}

impl SampleRequest {
    pub fn new(dialect: &'static dyn Dialect, body: Value) -> Self {
        let bytes = crate::raw_json::to_bytes(&body);
        Self {
            dialect,
            body,
            bytes,
            model_hint: None,
            seal_issuer: None,
            cache: RequestCache::default(),
        }
    }

    /// A request with the exact bytes of a file. JSON that a `Value` cannot represent is not
    /// shrunk.
    pub fn from_bytes(from: &'static dyn Dialect, bytes: Bytes) -> Self {
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { bytes, ..Self::new(from, body) }
    }

    /// The body as a provider parses it.
    fn parsed(&self) -> Option<&Value> {
        self.cache.parsed.get_or_init(|| serde_json::from_slice(&self.bytes).ok()).as_ref()
    }

    /// The requested model, if it is known.
    pub fn requested_model(&self) -> Option<&str> {
        self.model_in_body().or(self.model_hint.as_deref())
    }

    /// The model of the body.
    fn model_in_body(&self) -> Option<&str> {
        self.body.get("model").or_else(|| self.body.get("modelId")).and_then(Value::as_str)
    }

    /// The same request with another body.
    #[must_use]
    pub fn with_body(&self, body: Value) -> Self {
        Self {
            model_hint: self.model_hint.clone(),
            seal_issuer: self.seal_issuer.clone(),
            ..Self::new(self.dialect, body)
        }
    }
}

/// Translates a request for one target and checks the given laws.
pub fn check_laws(
    case: &SampleRequest,
    destination: &Destination,
    laws: &[Law],
    breaches: &mut Vec<Breach>,
) {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut found = Vec::new();
        match translate_sample(case, destination) {
            Ok(sent_request) => {
                for law in laws {
                    law.check_fn()(&sent_request, &mut found);
                }
            }
            Err(breach) if laws.contains(&breach.law) => found.push(breach),
            Err(_) => {}
        }
        found
    }));
    match outcome {
        Ok(found) => breaches.extend(found),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message =
                message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
            breaches.push(Breach::new(Law::Total, "panic", "", message));
        }
    }
}

fn translate_sample<'c>(
    case: &'c SampleRequest,
    destination: &'c Destination,
) -> Result<SentRequest<'c>, Breach> {
    let translated = translate(&case.bytes, case.dialect, destination)
        .map_err(|error| Breach::new(Law::Total, "refused", "", error))?;
    let value = (destination.provider.judge.parse(&translated.body))
        .map_err(|violation| Breach::new(Law::Sound, violation.rule, "", violation.message))?;
    Ok(SentRequest {
        original: case,
        destination,
        translated,
        parsed_body: value,
        canaries: OnceLock::new(),
    })
}

impl SentRequest<'_> {
    /// Whether the translation has the canary with this number.
    fn has_canary(&self, number: usize) -> bool {
        let canaries = self.canaries.get_or_init(|| {
            let body = &self.translated.body;
            let mut canaries: Vec<usize> = canary::find_canaries(body).collect();
            canaries.extend(canary::find_in_base64(body));
            canaries.sort_unstable();
            canaries
        });
        canaries.binary_search(&number).is_ok()
    }
}

/// Translates a body for one target.
pub(crate) fn translate(
    body: &Bytes,
    from: &dyn Dialect,
    destination: &Destination,
) -> Result<TranslatedRequest, String> {
    translate_request(body.clone(), from, destination.provider.to, &destination.target())
        .map_err(|error| error.to_string())
}

/// Checks a body with the judge of the target, without verifying seals.
fn judge_body(body: &Value, destination: &Destination) -> Verdict {
    judge_body_with_key(body, destination, None)
}

fn judge_body_with_key(body: &Value, destination: &Destination, key: Option<&SealKey>) -> Verdict {
    let switches = Switches::default();
    let mut request = Request::new(body, destination.provider.flavor, &switches);
    request.model = &destination.model;
    request.seal_key = key;
    destination.provider.judge.check(&request)
}

impl Breach {
    fn new(
        law: Law,
        rule: impl Into<String>,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { law, rule: rule.into(), path: path.into(), message: message.into() }
    }

    /// The rule with the text of its ledger entry, without quoted content; without an entry, the
    /// rule with the path.
    pub fn fine_key(&self) -> String {
        // Only the messages of these laws end with one ledger entry.
        let message =
            Some(&self.message).filter(|_| matches!(self.law, Law::Minimal | Law::Idempotent));
        let Some((_, entry)) = message.and_then(|message| message.split_once("; ")) else {
            let path = self.path.split('.').map(|segment| match segment.parse::<usize>() {
                Ok(_) => "*",
                Err(_) => segment,
            });
            return format!("{} at {}", self.rule, path.collect::<Vec<_>>().join("."));
        };
        let text = entry.split('`').step_by(2).collect::<Vec<_>>().join("…");
        format!("{}: {text}", self.rule)
    }
}

impl fmt::Debug for SampleRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.dialect.id(), String::from_utf8_lossy(&self.bytes))
    }
}
