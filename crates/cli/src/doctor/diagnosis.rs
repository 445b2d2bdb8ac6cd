//! Judges a conversation with and without repair.

use bytes::Bytes;
use interlingua::model::{Ledger, LedgerEntry};
use interlingua::{
    Conversation, Dialect, JsonDoc, JsonLimits, JsonString, Target, TranslateError, Verbatim,
    find_dialect, transcode_request, translate_request,
};
use interlingua_strict::{Judge, Request, Switches, Violation};
use interlingua_transcript::Transcript;

use super::DoctorArgs;
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
    /// Violations that remain after repair.
    pub(super) unrepaired: Vec<Violation>,
    /// Number of changes and losses by the translation alone.
    pub(super) translation_notes: usize,
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
        let body = || transcript.body.clone();
        let translated = transcode_request(body(), transcript.dialect, provider, &target)?;
        let repaired = translate_request(body(), transcript.dialect, provider, &target)?;
        let judge = interlingua_strict::find(provider.id().0);
        let judge_body = |body: &Bytes| {
            judge.map(|judge| judge_request(judge, body, flavor, &target)).unwrap_or_default()
        };
        let violations = judge_body(&translated.body);
        let beyond_repair =
            if violations.is_empty() { Vec::new() } else { judge_body(&repaired.body) };
        let repairs = new_entries(repaired.ledger, &translated.ledger);
        let conversation = decode_conversation(transcript);
        let issues =
            issue::collect_issues(transcript, conversation.as_ref(), provider, violations, repairs);
        Ok(Self {
            target_dialect: provider,
            original: translated.body,
            repaired: repaired.body,
            issues,
            unrepaired: beyond_repair,
            translation_notes: translated.ledger.entries.len(),
            file_mends: transcript.notes.iter().filter(|note| note.is_fixed).count(),
            target,
        })
    }

    /// Nothing is rejected, and nothing would be changed.
    pub(super) fn is_healthy(&self) -> bool {
        self.file_mends == 0 && self.original == self.repaired && !self.is_refused()
    }

    pub(super) fn is_refused(&self) -> bool {
        self.issues.iter().any(|issue| issue.violation.is_some())
    }

    /// How much is wrong, as a sentence.
    pub(super) fn summary(&self) -> String {
        let refused = self.issues.iter().filter(|issue| issue.violation.is_some()).count();
        let message = match refused {
            0 => "the provider accepts this, but it needs repair".to_owned(),
            1 => "the provider rejects this for 1 reason".to_owned(),
            _ => format!("the provider rejects this for {refused} reasons"),
        };
        match self.unrepaired.len() {
            0 => message,
            1 => format!("{message}; no repair is known for one of them"),
            open => format!("{message}; no repair is known for {open} of them"),
        }
    }

    /// Whether this rule is still violated after repair.
    pub(super) fn is_unrepaired(&self, rule: &str) -> bool {
        self.unrepaired.iter().any(|violation| violation.rule == rule)
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
    if flavors.is_empty() {
        let message = format!("--flavor {name}: {} has no flavors", provider.id());
        return Err(CommandError::usage(message, "Leave it out."));
    }
    let message = suggest::unknown_name("flavor", name, flavors.iter().copied());
    let hint = format!("The flavors of {} are {}.", provider.id(), flavors.join(", "));
    Err(CommandError::usage(format!("--flavor: {message}"), hint))
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

/// Ledger entries of the repair that the translation alone did not make.
fn new_entries(repaired: Ledger, translated: &Ledger) -> Vec<LedgerEntry> {
    let mut known_entries = translated.entries.clone();
    let is_new = |entry: &LedgerEntry| {
        let is_same =
            |one: &LedgerEntry| one.rule == entry.rule && one.description == entry.description;
        match known_entries.iter().position(is_same) {
            Some(at) => {
                known_entries.swap_remove(at);
                false
            }
            None => true,
        }
    };
    repaired
        .entries
        .into_iter()
        .filter({
            let mut is_new = is_new;
            move |entry| is_new(entry)
        })
        .collect()
}

fn decode_conversation(transcript: &Transcript) -> Option<Verbatim<Conversation>> {
    let doc = JsonDoc::from_bytes(transcript.body.clone(), JsonLimits::default()).ok()?;
    Some(transcript.dialect.decode_request(&doc, &mut Ledger::default()))
}
