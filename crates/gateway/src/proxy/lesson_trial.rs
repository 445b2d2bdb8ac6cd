//! Applies a model's lessons to a request, finds further ones for a rejection, and stores those that
//! help.

use bytes::Bytes;
use interlingua::{Dialect, Ledger};
use interlingua_model::{ApiErrorKind, Lesson, Lessons};
use interlingua_repair::rejection::{self, RejectedRequest, Rejection, RejectionKind};
use metrics::counter;

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
    /// The candidates of this request.
    tried: Vec<Lesson>,
}

/// Lessons whose attempt is not over.
struct Candidate {
    lessons: Vec<Lesson>,
    rejection: Rejection,
    /// The body that was rejected without them.
    rejected_body: Bytes,
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
        Self { request, model_key, to, mode, known, applied, candidate: None, tried: Vec::new() }
    }

    /// The lessons of the next attempt.
    pub(crate) fn lessons(&self) -> &Lessons {
        &self.applied
    }

    /// The body that the provider has rejected: it is not sent again.
    pub(crate) fn rejected_body(&self) -> Option<&Bytes> {
        self.candidate.as_ref().map(|candidate| &candidate.rejected_body)
    }

    /// Finds lessons that may avoid this rejection, for the next attempt if they may be applied.
    pub(crate) fn find(&mut self, error: &AttemptError) -> bool {
        if self.mode == LessonMode::Off {
            return false;
        }
        self.candidate = self.find_candidate(error).map(Box::new);
        if self.mode == LessonMode::Suggest {
            if let Some(candidate) = self.candidate.take() {
                self.request.gateway.lessons.suggest(self.model_key, &candidate.lessons);
                record_lesson_outcome(self.model_key, &candidate.lessons, "suggested");
            }
            return false;
        }
        let Some(candidate) = &self.candidate else { return false };
        self.tried.extend(candidate.lessons.iter().cloned());
        self.applied = candidate
            .lessons
            .iter()
            .cloned()
            .fold(self.known.clone(), |all, lesson| all.with(lesson));
        true
    }

    fn find_candidate(&self, error: &AttemptError) -> Option<Candidate> {
        let rejection = rejection::parse(self.to.id(), &error.response.failure)?;
        let rejected_body = Bytes::clone(error.rejected_body.as_ref()?);
        let body = interlingua::parse_object(rejected_body.clone()).ok()?;
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
        Some(Candidate { lessons, rejection, rejected_body })
    }

    pub(crate) fn record_success(&mut self) {
        if let Some(candidate) = self.candidate.take() {
            self.learn(&candidate);
        }
    }

    /// An error that is no rejection does not tell whether the lessons help: the next attempt does.
    pub(crate) fn record_error(&mut self, error: &AttemptError) {
        let Some(candidate) = self.candidate.take() else { return };
        let rejection = rejection::parse(self.to.id(), &error.response.failure);
        if has_helped(&candidate.rejection, rejection.as_ref()) {
            self.learn(&candidate);
        } else if error.response.failure.kind == ApiErrorKind::InvalidRequest {
            self.reject(&candidate);
        } else {
            self.candidate = Some(candidate);
        }
    }

    /// With the lessons, the body is still the rejected one.
    pub(crate) fn record_same_body(&mut self) {
        if let Some(candidate) = self.candidate.take() {
            self.reject(&candidate);
        }
    }

    fn learn(&mut self, candidate: &Candidate) {
        self.known = self.applied.clone();
        self.request.gateway.lessons.record_success(self.model_key, &candidate.lessons);
        record_lesson_outcome(self.model_key, &candidate.lessons, "learned");
    }

    fn reject(&self, candidate: &Candidate) {
        self.request.gateway.lessons.record_failure(self.model_key, &candidate.lessons);
        record_lesson_outcome(self.model_key, &candidate.lessons, "in vain");
    }
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
