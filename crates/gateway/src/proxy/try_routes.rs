//! Tries the routes of a turn until one of them answers. The plan decides what follows each attempt.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Response;
use interlingua::{ApiError, JsonDoc};
use interlingua_model::{ApiErrorKind, RetryAdvice};
use interlingua_upstream::breaker::{CallPermit, CallSource};
use interlingua_upstream::retry::{Backoff, random_u64};
use interlingua_vault::stable_hash;
use tokio::time::sleep;

use crate::client_name::ModelName;
use crate::config::Route;
use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::{ErrorResponse, failure};
use crate::proxy::call_provider::provider_name;
use crate::proxy::foreign_fields::FirstPartyFields;
use crate::proxy::lesson_trial::LessonTrial;
use crate::proxy::parse::parse_body;
use crate::proxy::provider_error::{AttemptError, ErrorCause};
use crate::proxy::request::{ClientRequest, RoutedRequest};
use crate::proxy::request_log::RequestLog;
use crate::proxy::retry_plan::{
    AttemptFailure, AttemptOutcome, NextStep, RetryPlan, RetrySource, is_transient,
};
use crate::services::provider_state::ProviderState;

/// The attempts on one route.
struct RouteTrial<'r> {
    request: &'r RoutedRequest<'r>,
    route: &'r Route,
    model: &'r ModelName,
    body: Bytes,
    provider_state: Arc<ProviderState>,
    lessons: LessonTrial<'r>,
    /// The error of the last attempt.
    error: Option<AttemptError>,
}

impl ClientRequest<'_> {
    pub(crate) async fn try_routes(
        &self,
        request: &RoutedRequest<'_>,
        routes: &[Route],
        body: JsonDoc,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, ErrorResponse> {
        let first_party_fields = FirstPartyFields::find(&body, request.body_dialect);
        let mut parsed = Some(body);
        let mut plan = RetryPlan::new(routes.len(), self.config.limits.retries);
        let mut step = plan.first();
        let started = Instant::now();
        let mut last = None;
        while let NextStep::Route { index, force } = step {
            let Some(route) = routes.get(index) else { break };
            if let Some(error) = first_party_fields.reject_route(request, route) {
                last = Some(error);
                step = plan.next_route();
                continue;
            }
            let model = RoutedRequest::upstream_model(route);
            let route_body = self.body_for_route(route, request.chain, &mut parsed)?;
            let mut trial = RouteTrial::new(request, route, &model, route_body);
            step = loop {
                let outcome = match trial.attempt(&mut parsed, &plan, force, log).await {
                    Ok(response) => return Ok(response),
                    Err(outcome) => outcome,
                };
                match plan.next(outcome, started.elapsed(), &mut trial) {
                    NextStep::WithLesson | NextStep::Unchanged => {}
                    NextStep::AfterWait { at_least, retries } => {
                        let backoff = Backoff::default().delay(retries, random_u64());
                        sleep(at_least.max(backoff)).await;
                    }
                    next => break next,
                }
            };
            let earlier = last.take().filter(|_| !force);
            last = trial.error.take().map(|error| more_actionable(earlier, error.response));
        }
        Err(last.unwrap_or_else(|| no_provider_for_model(request.model)))
    }
}

impl<'r> RouteTrial<'r> {
    fn new(
        request: &'r RoutedRequest<'r>,
        route: &'r Route,
        model: &'r ModelName,
        body: Bytes,
    ) -> Self {
        let provider_state = request.gateway.provider_states.get(provider_name(route));
        let lessons = LessonTrial::new(request, route, model);
        Self { request, route, model, body, provider_state, lessons, error: None }
    }

    /// One attempt. Its error is in `self.error`.
    async fn attempt(
        &mut self,
        parsed: &mut Option<JsonDoc>,
        plan: &RetryPlan,
        force: bool,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, AttemptOutcome> {
        let now = Instant::now();
        let permit = self.admit(now, force)?;
        let body =
            parsed.take().map_or_else(|| parse_body(&self.body, &self.request.config.limits), Ok);
        let body = body.map_err(|error| self.fail(error.into()))?;
        let target = (self.route, self.model);
        let is_last = plan.accepts_malformed_call();
        match self.request.attempt(body, target, &self.lessons, is_last, log).await {
            Ok(response) => {
                permit.record_success(Instant::now());
                self.lessons.record_success();
                Ok(response)
            }
            Err(error) if error.cause == ErrorCause::SameBody => {
                self.lessons.record_same_body();
                // The provider's own error is more informative.
                let error = self.error.take().unwrap_or(error);
                Err(self.fail(error))
            }
            Err(error) => {
                if let Some(log) = log {
                    log.attempt_failed(&error.response.failure);
                }
                self.record_in_provider_state(permit, &error);
                self.lessons.record_error(&error);
                Err(self.fail(error))
            }
        }
    }

    /// Before the first attempt, a rate limit counts, too.
    fn admit(&mut self, now: Instant, force: bool) -> Result<CallPermit, AttemptOutcome> {
        let name = provider_name(self.route);
        let is_first = self.error.is_none();
        if is_first {
            if let Some(wait) = self.provider_state.rate_limited.remaining(self.model, now) {
                self.error = Some(rate_limited(name, self.model, wait).into());
                return Err(AttemptOutcome::NotCalled);
            }
            self.provider_state.retry_budget.deposit();
        }
        let breaker = &self.provider_state.breaker;
        match breaker.admit(now) {
            Ok(permit) => Ok(permit),
            Err(_) if force && is_first => Ok(breaker.admit_always(now)),
            Err(wait) => {
                // The provider's own error is more informative.
                self.error.get_or_insert_with(|| circuit_open(name, wait).into());
                Err(AttemptOutcome::CircuitOpen)
            }
        }
    }

    fn fail(&mut self, error: AttemptError) -> AttemptOutcome {
        let failure = AttemptFailure {
            kind: error.response.failure.kind,
            advice: error.response.failure.retry,
            is_rejection: error.rejected_body.is_some(),
            is_server_error: error.cause == ErrorCause::RejectedAsServerError,
            retry_unchanged: error.cause == ErrorCause::MalformedCall,
        };
        self.error = Some(error);
        AttemptOutcome::Failed(failure)
    }

    fn record_in_provider_state(&self, permit: CallPermit, error: &AttemptError) {
        let now = Instant::now();
        match error.response.failure.kind {
            ApiErrorKind::RateLimit => {
                permit.record_rate_limited();
                if let RetryAdvice::AfterMillis(millis) = error.response.failure.retry {
                    let wait = Duration::from_millis(millis);
                    self.provider_state.rate_limited.mark(self.model, now, wait);
                }
            }
            // The provider works: it has answered, even if the model's call was malformed.
            kind if !is_transient(kind) => permit.record_success(now),
            _ if error.cause == ErrorCause::MalformedCall => permit.record_success(now),
            _ if error.cause == ErrorCause::NoResponse => permit.record_failure(now),
            _ => permit.record_error_response(now, self.call_source()),
        }
    }

    /// Key and conversation of the request. Needed for failed calls only, so the body is parsed
    /// again.
    fn call_source(&self) -> CallSource {
        let RoutedRequest { body_dialect, conversation_key, config, owner, .. } = *self.request;
        let hash = |body: JsonDoc| conversation_key.conversation_hash(&body, body_dialect);
        let conversation = parse_body(&self.body, &config.limits).map_or(0, hash);
        let key = (!owner.is_empty()).then(|| stable_hash([owner.as_bytes()]));
        CallSource { key, conversation }
    }
}

impl RetrySource for RouteTrial<'_> {
    fn withdraw_retry(&mut self) -> bool {
        self.provider_state.retry_budget.withdraw(Instant::now())
    }

    fn find_lesson(&mut self) -> bool {
        self.error.as_ref().is_some_and(|error| self.lessons.find(error))
    }
}

/// The more actionable of two errors: a fallback that is down must not hide that the history is too
/// long, or how long to wait.
fn more_actionable(earlier: Option<ErrorResponse>, later: ErrorResponse) -> ErrorResponse {
    let rank = |error: &ErrorResponse| match error.failure.kind {
        ApiErrorKind::ContextOverflow => 0,
        ApiErrorKind::RateLimit => 1,
        ApiErrorKind::Authentication | ApiErrorKind::Permission | ApiErrorKind::Billing => 2,
        _ => 3,
    };
    earlier.filter(|earlier| rank(earlier) < rank(&later)).unwrap_or(later)
}

fn circuit_open(name: &str, wait: Duration) -> ApiError {
    let message = format!("{name} has failed repeatedly and is not called for a moment");
    ApiError { retry: retry_after(wait), ..failure(ApiErrorKind::Overloaded, &message) }
}

fn rate_limited(name: &str, model: &str, wait: Duration) -> ApiError {
    let message = format!("{name} accepts no requests for {model} at the moment");
    ApiError { retry: retry_after(wait), ..failure(ApiErrorKind::RateLimit, &message) }
}

fn retry_after(wait: Duration) -> RetryAdvice {
    RetryAdvice::AfterMillis(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
}

fn no_provider_for_model(model: &str) -> ErrorResponse {
    let message = format!("there is no provider for the model `{model}`");
    failure(ApiErrorKind::NotFound, &message).into()
}
