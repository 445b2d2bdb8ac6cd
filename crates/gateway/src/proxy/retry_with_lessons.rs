//! Applies a model's lessons to a request; if the provider still rejects its shape, retries once
//! with candidate lessons and stores those that help.

use std::time::Instant;

use bytes::Bytes;
use http::Response;
use interlingua::{Dialect, JsonDoc, Ledger};
use interlingua_model::{ApiErrorKind, Lesson, Lessons};
use interlingua_repair::rejection::{self, RejectedRequest, Rejection, RejectionKind};
use metrics::counter;

use crate::config::Route;
use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::ErrorResponse;
use crate::proxy::call_provider::provider_name;
use crate::proxy::request::RoutedRequest;
use crate::proxy::request_log::RequestLog;
use crate::services::lessons::ModelKey;

impl RoutedRequest<'_> {
    /// One attempt, or two if the rejection suggests lessons. `reparse` parses the body a second
    /// time; it is taken by the second attempt of the turn.
    pub(crate) async fn attempt_with_lessons(
        &self,
        body: JsonDoc,
        reparse: &mut Option<impl FnOnce() -> Result<JsonDoc, ErrorResponse>>,
        route: &Route,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, ErrorResponse> {
        let (to, model) = (self.dialect_and_flavor(route).0, Self::upstream_model(route));
        let (owner, provider) = (self.owner, provider_name(route));
        let model_key = ModelKey { owner, provider, dialect: to.id().0, model: &model };
        let store = &self.gateway.lessons;
        let known = store.get(model_key);
        let first_error = match self.attempt(body, route, (&known, reparse.is_none()), log).await {
            Ok(response) => return Ok(response),
            Err(error_response) => error_response,
        };
        if first_error.retry_unchanged
            && self
                .gateway
                .provider_states
                .get(model_key.provider)
                .retry_budget
                .withdraw(Instant::now())
            && let Some(reparse) = reparse.take()
        {
            if let Some(log) = log {
                log.attempt_failed(&first_error.failure);
            }
            return self.attempt(reparse()?, route, (&known, true), log).await;
        }
        let Some((rejection, candidates)) = self.candidate_lessons(&first_error, to, &known) else {
            return Err(first_error);
        };
        let Some(candidate) =
            reparse.is_some().then(|| store.next_untried(model_key, candidates)).flatten()
        else {
            return Err(first_error);
        };
        let Some(reparse) = reparse.take() else { return Err(first_error) };
        if let Some(log) = log {
            log.attempt_failed(&first_error.failure);
        }
        let lessons = candidate.iter().fold(known, |known, lesson| known.with(lesson.clone()));
        let second_error = match self.attempt(reparse()?, route, (&lessons, true), log).await {
            Ok(response) => {
                store.record_success(model_key, &candidate);
                record_lesson_outcome(model_key, &candidate, "learned");
                return Ok(response);
            }
            Err(error_response) => error_response,
        };
        if has_helped(&rejection, rejection::parse(to.id(), &second_error.failure).as_ref()) {
            store.record_success(model_key, &candidate);
            record_lesson_outcome(model_key, &candidate, "learned");
        } else if second_error.failure.kind == ApiErrorKind::InvalidRequest {
            store.record_failure(model_key, &candidate);
            record_lesson_outcome(model_key, &candidate, "in vain");
        }
        Err(second_error)
    }

    /// What the rejection complains about, and the candidate lessons.
    fn candidate_lessons(
        &self,
        error_response: &ErrorResponse,
        to: &dyn Dialect,
        known_lessons: &Lessons,
    ) -> Option<(Rejection, Vec<Vec<Lesson>>)> {
        let rejection = rejection::parse(to.id(), &error_response.failure)?;
        let body =
            interlingua::parse_object(Bytes::clone(error_response.rejected_body.as_ref()?)).ok()?;
        let conversation = to.decode_request(&body, &mut Ledger::default());
        let betas: Vec<String> =
            self.betas(to).iter().map(|beta| beta.unescape().into_owned()).collect();
        let rejected_request = RejectedRequest {
            conversation: &conversation,
            dialect: to.id(),
            betas: &betas,
            known_lessons,
        };
        let candidates = rejection::candidate_lessons(&rejection, rejected_request);
        (!candidates.is_empty()).then_some((rejection, candidates))
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
