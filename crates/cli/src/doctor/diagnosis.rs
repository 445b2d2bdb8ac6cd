//! What the provider says to a conversation, and what the road would change in it.

use bytes::Bytes;
use interlingua::model::{Entry, Ledger};
use interlingua::{
    Conversation, Dialect, Doc, Limits, Target, Text, TranslateError, Verbatim, find,
    transcribe_request, translate_request,
};
use interlingua_strict::{Judge, Request, Switches, Violation};
use interlingua_transcript::Transcript;

use super::Doctor;
use super::finding::{self, Finding};
use crate::near;
use crate::problem::Problem;

pub(crate) struct Diagnosis {
    pub(super) provider: &'static dyn Dialect,
    pub(super) target: Target,
    /// The request as the agent would send it.
    pub(super) sent: Bytes,
    /// The request as it leaves after repair.
    pub(super) repaired: Bytes,
    pub(super) findings: Vec<Finding>,
    /// What the provider refuses even after repair.
    pub(super) beyond_repair: Vec<Violation>,
    /// How many things the provider's dialect says differently, without any repair.
    pub(super) said_differently: usize,
    /// Mends that are about the file, not about the request.
    pub(super) links: usize,
}

impl Diagnosis {
    pub(super) fn make(
        order: &Doctor,
        name: &str,
        transcript: &Transcript,
    ) -> Result<Self, Problem> {
        let (provider, target) = aim(order, transcript)?;
        Self::of(transcript, provider, target, order.flavor.as_deref())
            .map_err(|error| unreadable(name, &error))
    }

    pub(super) fn of(
        transcript: &Transcript,
        provider: &'static dyn Dialect,
        target: Target,
        flavor: Option<&str>,
    ) -> Result<Self, TranslateError> {
        let body = || transcript.body.clone();
        let as_is = transcribe_request(body(), transcript.dialect, provider, &target)?;
        let repaired = translate_request(body(), transcript.dialect, provider, &target)?;
        let judge = interlingua_strict::find(provider.id().0);
        let judged = |body: &Bytes| {
            judge.map(|judge| judged(judge, body, flavor, &target)).unwrap_or_default()
        };
        let violations = judged(&as_is.body);
        let beyond_repair = if violations.is_empty() { Vec::new() } else { judged(&repaired.body) };
        let repairs = repairs(repaired.ledger, &as_is.ledger);
        let conversation = decoded(transcript);
        let findings =
            finding::find(transcript, conversation.as_ref(), provider, violations, repairs);
        Ok(Self {
            provider,
            sent: as_is.body,
            repaired: repaired.body,
            findings,
            beyond_repair,
            said_differently: as_is.ledger.entries.len(),
            links: transcript.notes.iter().filter(|note| note.mends).count(),
            target,
        })
    }

    /// Nothing is refused, and nothing would be changed.
    pub(super) fn is_healthy(&self) -> bool {
        self.links == 0 && self.sent == self.repaired && !self.is_refused()
    }

    pub(super) fn is_refused(&self) -> bool {
        self.findings.iter().any(|finding| finding.violation.is_some())
    }

    /// How much is wrong, in words.
    pub(super) fn count(&self) -> String {
        let refused = self.findings.iter().filter(|finding| finding.violation.is_some()).count();
        let what = match refused {
            0 => "the provider takes this, but it needs repair".to_owned(),
            1 => "the provider refuses this, for 1 reason".to_owned(),
            _ => format!("the provider refuses this, for {refused} reasons"),
        };
        match self.beyond_repair.len() {
            0 => what,
            1 => format!("{what}; for one of them no repair is known"),
            open => format!("{what}; for {open} of them no repair is known"),
        }
    }

    /// Whether the provider still refuses this after the repair.
    pub(super) fn is_beyond_repair(&self, rule: &str) -> bool {
        self.beyond_repair.iter().any(|violation| violation.rule == rule)
    }
}

/// The request as the agent would send it, and nothing else.
pub(super) fn extract(
    order: &Doctor,
    name: &str,
    transcript: &Transcript,
) -> Result<Bytes, Problem> {
    let (provider, target) = aim(order, transcript)?;
    transcribe_request(transcript.body.clone(), transcript.dialect, provider, &target)
        .map(|sent| sent.body)
        .map_err(|error| unreadable(name, &error))
}

/// Who is to take the conversation.
fn aim(order: &Doctor, transcript: &Transcript) -> Result<(&'static dyn Dialect, Target), Problem> {
    let provider = order.provider.unwrap_or_else(|| spoken(transcript));
    let flavor = flavor(order, provider)?;
    let model = order.model.as_deref().map(Text::new);
    let betas = order.beta.iter().map(|beta| Text::new(beta)).collect();
    Ok((provider, Target { model, flavor, betas, ..Target::default() }))
}

fn unreadable(name: &str, error: &TranslateError) -> Problem {
    Problem::bad(format!("{name}: {error}"), "No provider takes a request like this.")
}

/// The dialect of the provider that the file is for.
fn spoken(transcript: &Transcript) -> &'static dyn Dialect {
    if interlingua_strict::find(transcript.dialect.id().0).is_some() {
        return transcript.dialect;
    }
    // A stored session says which dialect its client spoke.
    let source = Doc::from_bytes(transcript.body.clone(), Limits::default()).ok().and_then(|doc| {
        let name = doc.root().get("source")?.word().into_owned();
        interlingua_strict::find(&name).and_then(|_| find(&name))
    });
    source.or_else(|| find("anthropic")).unwrap_or(transcript.dialect)
}

/// Known to the road, or to the judge, or to nobody.
fn flavor(order: &Doctor, provider: &dyn Dialect) -> Result<Option<&'static str>, Problem> {
    let Some(name) = order.flavor.as_deref() else { return Ok(None) };
    let judge = interlingua_strict::find(provider.id().0);
    let judged = judge.map_or(&[][..], |judge| judge.flavors);
    if let Some(flavor) = provider.flavors().iter().find(|flavor| **flavor == name) {
        return Ok(Some(flavor));
    }
    if judged.contains(&name) {
        return Ok(None);
    }
    let known: Vec<_> = provider.flavors().iter().chain(judged).copied().collect();
    if known.is_empty() {
        let what = format!("--flavor {name}: {} has no flavors", provider.id());
        return Err(Problem::usage(what, "Leave it out."));
    }
    let what = near::unknown("flavor", name, known.iter().copied());
    let advice = format!("The flavors of {} are {}.", provider.id(), known.join(", "));
    Err(Problem::usage(format!("--flavor: {what}"), advice))
}

fn judged(
    judge: &'static Judge,
    body: &[u8],
    flavor: Option<&str>,
    target: &Target,
) -> Vec<Violation> {
    let body = match judge.parse(body) {
        Ok(body) => body,
        Err(unread) => return vec![unread],
    };
    let switches = Switches::default();
    let known = judge.flavors.first().copied().unwrap_or_default();
    let flavor = flavor.filter(|name| judge.flavors.contains(name)).unwrap_or(known);
    let model = target.model.as_ref().map(|model| model.contents().into_owned());
    let betas: Vec<_> = target.betas.iter().map(Text::contents).collect();
    let betas: Vec<&str> = betas.iter().map(|beta| &**beta).collect();
    let mut request = Request::new(&body, flavor, &switches);
    if let Some(model) = &model {
        request.model = model;
    }
    request.betas = &betas;
    judge.check(&request).violations
}

/// What is in the ledger of the repair and was not noted without it.
fn repairs(repaired: Ledger, as_is: &Ledger) -> Vec<Entry> {
    let mut noted = as_is.entries.clone();
    let is_new = |entry: &Entry| {
        let same = |one: &Entry| one.rule == entry.rule && one.what == entry.what;
        match noted.iter().position(same) {
            Some(at) => {
                noted.swap_remove(at);
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

fn decoded(transcript: &Transcript) -> Option<Verbatim<Conversation>> {
    let doc = Doc::from_bytes(transcript.body.clone(), Limits::default()).ok()?;
    Some(transcript.dialect.decode_request(&doc, &mut Ledger::default()))
}
