//! Judges a conversation with and without repair.

use std::collections::{HashMap, HashSet};
use std::panic::resume_unwind;
use std::thread;

use bytes::Bytes;
use interlingua::{
    Conversation, Dialect, JsonDoc, JsonLimits, JsonString, Target, TranslateError, Verbatim,
    find_dialect, repair_stored_request, transcode_request, translate_request,
};
use interlingua_model::{Ledger, LedgerEntry, LedgerSection};
use interlingua_strict::{Judge, Request, Switches, Violation};
use interlingua_transcript::Transcript;

use super::args::DoctorArgs;
use super::describe::ConversationIndex;
use super::issue::{self, Issue};
use crate::error::CommandError;
use crate::suggest;

pub(crate) struct Diagnosis {
    pub(super) target_dialect: &'static dyn Dialect,
    pub(super) target: Target,
    /// The request as the agent would send it.
    pub(super) original: Bytes,
    /// The repaired request.
    pub(super) repaired: Bytes,
    pub(super) issues: Vec<Issue>,
    /// Number of violations that remain after repair, and their rules.
    unrepaired: usize,
    unrepaired_rules: HashSet<&'static str>,
    /// Number of changes by the translation alone, which lose nothing.
    pub(super) translation_changes: usize,
    /// Number of repairs of the file, not of the request.
    pub(super) file_mends: usize,
}

impl Diagnosis {
    pub(super) fn from_args(
        args: &DoctorArgs,
        name: &str,
        transcript: &Transcript,
    ) -> Result<Self, CommandError> {
        let (provider, target) = resolve_target(args, transcript)?;
        Self::new(transcript, provider, target, args.flavor.as_deref())
            .map_err(|error| untranslatable(name, &error))
    }

    pub(super) fn new(
        transcript: &Transcript,
        provider: &'static dyn Dialect,
        target: Target,
        flavor: Option<&str>,
    ) -> Result<Self, TranslateError> {
        let (body, dialect) = (|| transcript.body.clone(), transcript.dialect);
        let translated = transcode_request(body(), dialect, provider, &target)?;
        let repaired = if dialect.id() == provider.id() {
            repair_stored_request(body(), dialect, &target)?
        } else {
            translate_request(body(), dialect, provider, &target)?
        };
        let judge = interlingua_strict::find(provider.id().0);
        // An agent's file has neither settings nor tools: those of its request are placeholders. Its
        // model is that of an old reply; the agent, or a gateway, chooses that of the next one.
        let is_request = ["request", "session"].contains(&transcript.format.name());
        let is_model_checked = is_request || target.model.is_some();
        let judge_body = |body: &Bytes| {
            let judge = judge.map(|judge| judge_request(judge, body, flavor, &target));
            let mut violations = judge.unwrap_or_default();
            violations.retain(|violation| is_model_checked || violation.rule != UNKNOWN_MODEL_RULE);
            violations
        };
        let is_changed = translated.body != repaired.body;
        let (violations, mut beyond_repair) = if is_changed {
            // The judge takes most of the time: the two bodies are checked at once.
            thread::scope(|scope| {
                let after_repair = scope.spawn(|| judge_body(&repaired.body));
                let violations = judge_body(&translated.body);
                (violations, after_repair.join().unwrap_or_else(|panic| resume_unwind(panic)))
            })
        } else {
            let violations = judge_body(&translated.body);
            (violations.clone(), violations)
        };
        if violations.is_empty() {
            beyond_repair.clear();
        }
        let changes = translated.ledger.entries.iter().filter(|entry| !entry.is_loss);
        let is_content = |entry: &LedgerEntry| {
            is_request || matches!(entry.path.section, LedgerSection::System | LedgerSection::Turns)
        };
        let is_lost = |entry: &LedgerEntry| entry.is_loss && is_content(entry);
        let repairs = reported_entries(repaired.ledger, &translated.ledger, is_changed, is_lost);
        let conversation = decode_conversation(transcript);
        let index = conversation.as_deref().map(ConversationIndex::new);
        let issues =
            issue::collect_issues(transcript, index.as_ref(), provider, violations, repairs);
        Ok(Self {
            target_dialect: provider,
            original: translated.body,
            repaired: repaired.body,
            issues,
            unrepaired: beyond_repair.len(),
            unrepaired_rules: beyond_repair.iter().map(|violation| violation.rule).collect(),
            translation_changes: changes.count(),
            file_mends: transcript.notes.iter().filter(|note| note.is_fixed).count(),
            target,
        })
    }

    /// Nothing is rejected, nothing would be repaired, and nothing is lost.
    pub(super) fn is_healthy(&self) -> bool {
        !self.needs_repair() && self.issues.is_empty()
    }

    /// Otherwise content is at most lost on the way to a provider of another dialect.
    pub(super) fn needs_repair(&self) -> bool {
        self.file_mends > 0 || self.original != self.repaired || self.is_refused()
    }

    pub(super) fn is_refused(&self) -> bool {
        self.issues.iter().any(|issue| issue.violation.is_some())
    }

    /// How much is wrong, as a sentence.
    pub(super) fn summary(&self) -> String {
        let refused = self.issues.iter().filter(|issue| issue.violation.is_some()).count();
        let message = match refused {
            0 if self.needs_repair() => "the provider accepts this, but it needs repair".to_owned(),
            0 => "the provider accepts this, but not all of it reaches the provider".to_owned(),
            1 => "the provider rejects this for 1 reason".to_owned(),
            _ => format!("the provider rejects this for {refused} reasons"),
        };
        match self.unrepaired {
            0 => message,
            1 => format!("{message}; no repair is known for one of them"),
            open => format!("{message}; no repair is known for {open} of them"),
        }
    }

    /// Whether this rule is still violated after repair.
    pub(super) fn is_unrepaired(&self, rule: &str) -> bool {
        self.unrepaired_rules.contains(rule)
    }
}

/// The request as the agent would send it.
pub(super) fn extract_request(
    args: &DoctorArgs,
    name: &str,
    transcript: &Transcript,
) -> Result<Bytes, CommandError> {
    let (provider, target) = resolve_target(args, transcript)?;
    transcode_request(transcript.body.clone(), transcript.dialect, provider, &target)
        .map(|sent| sent.body)
        .map_err(|error| untranslatable(name, &error))
}

/// Dialect and target of the provider that receives the conversation.
fn resolve_target(
    args: &DoctorArgs,
    transcript: &Transcript,
) -> Result<(&'static dyn Dialect, Target), CommandError> {
    let provider = args.target_dialect.unwrap_or_else(|| default_dialect(transcript));
    let flavor = resolve_flavor(args, provider)?;
    let model = args.model.as_deref().map(JsonString::new);
    let betas = args.beta.iter().map(|beta| JsonString::new(beta)).collect();
    Ok((provider, Target { model, flavor, betas, ..Target::default() }))
}

fn untranslatable(name: &str, error: &TranslateError) -> CommandError {
    CommandError::failed(format!("{name}: {error}"), "No provider accepts such a request.")
}

/// The dialect of the provider that the file is for.
fn default_dialect(transcript: &Transcript) -> &'static dyn Dialect {
    if interlingua_strict::find(transcript.dialect.id().0).is_some() {
        return transcript.dialect;
    }
    // A stored session contains the dialect of its client.
    let source =
        JsonDoc::from_bytes(transcript.body.clone(), JsonLimits::default()).ok().and_then(|doc| {
            let name = doc.root().get("source")?.str_or_empty().into_owned();
            interlingua_strict::find(&name).and_then(|_| find_dialect(&name))
        });
    source.or_else(|| find_dialect("anthropic")).unwrap_or(transcript.dialect)
}

/// Validates the flavor against the dialect and its judge; `None` if only the judge knows it.
fn resolve_flavor(
    args: &DoctorArgs,
    provider: &dyn Dialect,
) -> Result<Option<&'static str>, CommandError> {
    let Some(name) = args.flavor.as_deref() else { return Ok(None) };
    let judge = interlingua_strict::find(provider.id().0);
    let judge_flavors = judge.map_or(&[][..], |judge| judge.flavors);
    if let Some(flavor) = provider.flavors().iter().find(|flavor| **flavor == name) {
        return Ok(Some(flavor));
    }
    if judge_flavors.contains(&name) {
        return Ok(None);
    }
    let flavors: Vec<_> = provider.flavors().iter().chain(judge_flavors).copied().collect();
    Err(suggest::unknown_flavor(name, provider.id().0, &flavors))
}

fn judge_request(
    judge: &'static Judge,
    body: &[u8],
    flavor: Option<&str>,
    target: &Target,
) -> Vec<Violation> {
    let body = match judge.parse(body) {
        Ok(body) => body,
        Err(violation) => return vec![violation],
    };
    let switches = Switches::default();
    let default_flavor = judge.flavors.first().copied().unwrap_or_default();
    let flavor = flavor.filter(|name| judge.flavors.contains(name)).unwrap_or(default_flavor);
    let model = target.model.as_ref().map(|model| model.unescape().into_owned());
    let betas: Vec<_> = target.betas.iter().map(JsonString::unescape).collect();
    let betas: Vec<&str> = betas.iter().map(|beta| &**beta).collect();
    let mut request = Request::new(&body, flavor, &switches);
    if let Some(model) = &model {
        request.model = model;
    }
    request.betas = &betas;
    judge.check(&request).violations
}

/// What is lost, and what repairs change that the translation alone does not.
fn reported_entries(
    repaired: Ledger,
    translated: &Ledger,
    is_changed: bool,
    is_lost: impl Fn(&LedgerEntry) -> bool,
) -> Vec<LedgerEntry> {
    let mut translated_counts: HashMap<(&str, &str), usize> = HashMap::new();
    for entry in &translated.entries {
        *translated_counts.entry((entry.rule, &entry.description)).or_default() += 1;
    }
    let entries = repaired.entries.iter();
    let is_repair: Vec<bool> = entries
        .map(|entry| match translated_counts.get_mut(&(entry.rule, &*entry.description)) {
            Some(count @ 1..) => {
                *count -= 1;
                false
            }
            _ => is_changed,
        })
        .collect();
    let entries = repaired.entries.into_iter().zip(is_repair);
    let reported = entries.filter(|(entry, is_repair)| *is_repair || is_lost(entry));
    reported.map(|(entry, _)| entry).collect()
}

fn decode_conversation(transcript: &Transcript) -> Option<Verbatim<Conversation>> {
    let doc = JsonDoc::from_bytes(transcript.body.clone(), JsonLimits::default()).ok()?;
    Some(transcript.dialect.decode_request(&doc, &mut Ledger::default()))
}

/// The judge's rule about the name of the model.
const UNKNOWN_MODEL_RULE: &str = "unknown-model";
