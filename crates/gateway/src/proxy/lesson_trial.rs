//! Applies a model's lessons to a request, finds further ones for a rejection, and stores those that
//! help.

use bytes::Bytes;
use interlingua::{Dialect, Ledger, SegmentedBytes};
use interlingua_model::{ApiErrorKind, Lesson, Lessons};
use interlingua_repair::rejection::{self, RejectedRequest, Rejection, RejectionKind};
use metrics::counter;
use sha2::{Digest as _, Sha256};

use crate::client_name::ModelName;
use crate::config::{LessonMode, RepairMode, Route};
use crate::proxy::call_provider::provider_name;
use crate::proxy::provider_error::AttemptError;
use crate::proxy::request::RoutedRequest;
use crate::services::lessons::ModelKey;

/// The lessons of one request on one route.
pub(crate) struct LessonTrial<'r> {
    request: &'r RoutedRequest<'r>,
    model_key: ModelKey<'r>,
    to: &'static dyn Dialect,
    mode: LessonMode,
    /// Those that are known to help.
    known: Lessons,
    /// Those of the current attempt.
    applied: Lessons,
    /// Boxed: most requests are not rejected.
    candidate: Option<Box<Candidate>>,
    /// The candidates of this request, and the lessons that it was sent without.
    tried: Vec<Lesson>,
    /// Digests of the bodies that the provider has rejected: none is sent again.
    rejected_bodies: Vec<[u8; 32]>,
}

/// A change of lessons whose attempt is not over.
enum Candidate {
    /// Lessons that are added because of this rejection.
    Learn { lessons: Vec<Lesson>, rejection: Rejection },
    /// A lesson that is left out, because the provider asks for what it leaves out.
    Unlearn(Lesson),
}

impl<'r> LessonTrial<'r> {
    pub(crate) fn new(
        request: &'r RoutedRequest<'r>,
        route: &'r Route,
        model: &'r ModelName,
    ) -> Self {
        let to = request.dialect_and_flavor(route).0;
        let (owner, provider) = (request.owner, provider_name(route));
        let model_key = ModelKey { owner, provider, dialect: to.id().0, model };
        let is_verbatim = request.config.repair.resolve(provider, owner).0 == RepairMode::Verbatim;
        let mode = if is_verbatim { LessonMode::Off } else { request.config.lessons };
        let known = request.gateway.lessons.get(model_key, mode);
        let applied = known.clone();
        Self {
            request,
            model_key,
            to,
            mode,
            known,
            applied,
            candidate: None,
            tried: Vec::new(),
            rejected_bodies: Vec::new(),
        }
    }

    /// The lessons of the next attempt.
    pub(crate) fn lessons(&self) -> &Lessons {
        &self.applied
    }

    /// Whether the provider has rejected this request in some form.
    pub(crate) fn was_rejected(&self) -> bool {
        !self.rejected_bodies.is_empty()
    }

    /// Whether the provider has rejected this body.
    pub(crate) fn has_rejected(&self, body: &SegmentedBytes) -> bool {
        self.was_rejected() && self.rejected_bodies.contains(&digest(body.parts()))
    }

    /// Finds lessons that may avoid this rejection, for the next attempt if they may be applied.
    pub(crate) fn find(&mut self, error: &AttemptError) -> bool {
        match self.mode {
            LessonMode::Off => return false,
            LessonMode::Suggest => {
                if let Some((lessons, _)) = self.find_candidate(error) {
                    self.request.gateway.lessons.suggest(self.model_key, &lessons);
                    record_lesson_outcome(self.model_key, &lessons, "suggested");
                }
                return false;
            }
            LessonMode::On => {}
        }
        if let Some(lesson) = self.find_contradicted(error) {
            self.tried.push(lesson.clone());
            self.applied = self.known.iter().filter(|known| **known != lesson).cloned().collect();
            self.candidate = Some(Box::new(Candidate::Unlearn(lesson)));
            return true;
        }
        let Some((lessons, rejection)) = self.find_candidate(error) else {
            self.candidate = None;
            return false;
        };
        self.tried.extend(lessons.iter().cloned());
        let known = self.known.clone();
        self.applied = lessons.iter().cloned().fold(known, |all, lesson| all.with(lesson));
        self.candidate = Some(Box::new(Candidate::Learn { lessons, rejection }));
        true
    }

    /// A lesson that leaves out or renames a field that the provider asks for: it has changed.
    pub(crate) fn find_contradicted(&self, error: &AttemptError) -> Option<Lesson> {
        let failure = &error.response.failure;
        let fields = self.known.iter().filter(|lesson| {
            matches!(lesson, Lesson::RejectedField(_)) && !self.tried.contains(lesson)
        });
        if self.mode != LessonMode::On || failure.kind != ApiErrorKind::InvalidRequest {
            return None;
        }
        let mut fields = fields.peekable();
        fields.peek()?;
        let message = failure.message.unescape();
        let rejection = rejection::parse(self.to.id(), failure);
        let is_field_rejection = rejection
            .is_some_and(|rejection| matches!(rejection.kind, RejectionKind::Field { .. }));
        let is_contradicted = |lesson: &&Lesson| {
            let Lesson::RejectedField(field) = lesson else { return false };
            match &field.rename_to {
                Some(new_name) => names_field(&message, new_name),
                None => !is_field_rejection && names_field(&message, &field.path),
            }
        };
        fields.find(is_contradicted).cloned()
    }

    fn find_candidate(&self, error: &AttemptError) -> Option<(Vec<Lesson>, Rejection)> {
        let rejection = rejection::parse(self.to.id(), &error.response.failure)?;
        let rejected_body = Bytes::clone(error.rejected_body.as_ref()?);
        let body = interlingua::parse_object(rejected_body).ok()?;
        let conversation = self.to.decode_request(&body, &mut Ledger::default());
        let betas = self.request.betas(self.to);
        let betas: Vec<String> = betas.iter().map(|beta| beta.unescape().into_owned()).collect();
        let rejected_request = RejectedRequest {
            conversation: &conversation,
            dialect: self.to.id(),
            betas: &betas,
            known_lessons: &self.applied,
        };
        let mut candidates = rejection::candidate_lessons(&rejection, rejected_request);
        candidates.retain(|lessons| lessons.iter().any(|lesson| !self.tried.contains(lesson)));
        if candidates.is_empty() {
            return None;
        }
        let lessons = self.request.gateway.lessons.next_untried(self.model_key, candidates)?;
        Some((lessons, rejection))
    }

    pub(crate) fn record_success(&mut self) {
        if let Some(candidate) = self.candidate.take() {
            self.confirm(&candidate);
        }
    }

    /// An error that is no rejection does not tell whether the lessons help: the next attempt does.
    pub(crate) fn record_error(&mut self, error: &AttemptError) {
        if let Some(body) = &error.rejected_body {
            self.rejected_bodies.push(digest(std::iter::once(body)));
        }
        let Some(candidate) = self.candidate.take() else { return };
        let second = rejection::parse(self.to.id(), &error.response.failure);
        let has_helped = match &*candidate {
            Candidate::Learn { rejection, .. } => has_helped(rejection, second.as_ref()),
            Candidate::Unlearn(_) => false,
        };
        if has_helped {
            self.confirm(&candidate);
        } else if error.response.failure.kind == ApiErrorKind::InvalidRequest {
            self.refute(&candidate);
        } else {
            self.candidate = Some(candidate);
        }
    }

    /// With the lessons, the body is one that was rejected.
    pub(crate) fn record_same_body(&mut self) {
        if let Some(candidate) = self.candidate.take() {
            self.refute(&candidate);
        }
    }

    fn confirm(&mut self, candidate: &Candidate) {
        self.known = self.applied.clone();
        let lessons = &self.request.gateway.lessons;
        match candidate {
            Candidate::Learn { lessons: learned, .. } => {
                lessons.record_success(self.model_key, learned);
                record_lesson_outcome(self.model_key, learned, "learned");
            }
            Candidate::Unlearn(lesson) => {
                lessons.unlearn(self.model_key, lesson);
                record_lesson_outcome(self.model_key, std::slice::from_ref(lesson), "unlearned");
            }
        }
    }

    fn refute(&mut self, candidate: &Candidate) {
        match candidate {
            Candidate::Learn { lessons, .. } => {
                self.request.gateway.lessons.record_failure(self.model_key, lessons);
                record_lesson_outcome(self.model_key, lessons, "in vain");
            }
            Candidate::Unlearn(_) => self.applied = self.known.clone(),
        }
    }
}

/// Whether a message names the field of this name, or the last one of this path.
fn names_field(message: &str, path: &str) -> bool {
    let name = path.rsplit('.').find(|segment| *segment != "*").unwrap_or_default();
    let is_part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty() && message.split(|c| !is_part_of_name(c)).any(|word| word == name)
}

fn digest<'b>(parts: impl IntoIterator<Item = &'b Bytes>) -> [u8; 32] {
    let mut digest = Sha256::new();
    parts.into_iter().for_each(|part| digest.update(part));
    digest.finalize().into()
}

/// Most providers report one error at a time: a complaint about another field means that the first
/// one is fixed.
fn has_helped(first: &Rejection, second: Option<&Rejection>) -> bool {
    let names_field = |rejection: &Rejection| {
        matches!(
            rejection.kind,
            RejectionKind::Field { .. } | RejectionKind::Image(_) | RejectionKind::Media(_)
        )
    };
    second.is_some_and(|second| {
        let same = first.kind == second.kind && first.path == second.path;
        names_field(first) && names_field(second) && !same
    })
}

fn record_lesson_outcome(model_key: ModelKey<'_>, candidate: &[Lesson], outcome: &'static str) {
    let Some(lesson) = candidate.first().map(ToString::to_string) else { return };
    let kind = lesson.split('=').next().unwrap_or_default().to_owned();
    let ModelKey { provider, model, .. } = model_key;
    counter!(
        "interlingua_lessons_total",
        "provider" => provider.to_owned(), "lesson" => kind, "outcome" => outcome,
    )
    .increment(1);
    let more_lessons = candidate.len() - 1;
    tracing::warn!(
        provider,
        model = &**model,
        lesson,
        more = more_lessons,
        outcome,
        "the provider rejected the request"
    );
}
