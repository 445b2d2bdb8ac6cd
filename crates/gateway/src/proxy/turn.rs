//! Handles a model turn: resolves routes, retries, falls back, and returns the reply or the most
//! useful error.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Response;
use interlingua::{ApiError, Dialect, JsonDoc, JsonString};
use interlingua_model::{ApiErrorKind, RetryAdvice};
use interlingua_repair::fit::provider_search;
use interlingua_upstream::breaker::CallSource;
use interlingua_upstream::retry::{Backoff, random_u64};
use interlingua_vault::stable_hash;
use interlingua_wire::JsonNode;
use serde_json::json;
use tokio::time::sleep;

use crate::client_name::ModelName;
use crate::config::Route;
use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::{ErrorResponse, RouteOutcome, failure};
use crate::http_util::respond::set_turn_id_headers;
use crate::proxy::call_provider::provider_name;
use crate::proxy::foreign_fields::{FirstPartyFields, reject_thread_field};
use crate::proxy::limits;
use crate::proxy::parse::{detect_dialect, parse_body, parse_model_name};
use crate::proxy::request::{ClientRequest, RequestPermits, RoutedRequest};
use crate::proxy::request_log::RequestLog;
use crate::services::affinity::ConversationKey;
use crate::services::recording::SessionRecorder;
use crate::services::responses::ResponseChain;
use crate::services::usage::UsageRecord;
use crate::telemetry::capture::CaptureStage;

impl ClientRequest<'_> {
    /// Handles a turn. Errors are responses in the client's dialect.
    pub(crate) async fn handle_turn(self, permits: RequestPermits) -> Response<ResponseBody> {
        self.run_turn(None, permits).await
    }

    /// As [`ClientRequest::handle_turn`], with the reply stored in a session.
    pub(crate) async fn run_turn(
        self,
        session_recorder: Option<SessionRecorder>,
        permits: RequestPermits,
    ) -> Response<ResponseBody> {
        let span_sender = self.gateway.span_channel.as_ref().map(|channel| &channel.sender);
        let mut log =
            Some(RequestLog::new(self.dialect.id().0, permits, span_sender, self.headers));
        let turn_id = log.as_ref().map(|log| log.turn_id.to_string()).unwrap_or_default();
        if let Some(log) = &mut log {
            log.session_recorder = session_recorder;
            log.usage_record = Some(UsageRecord::new(self.owner, &self.gateway.store));
            let (recent, is_listed) = (&self.gateway.recent_turns, self.config.capture.enabled);
            log.publisher =
                Some(recent.begin_turn(self.owner, is_listed, log.turn_id, self.dialect.id().0));
            log.capture = self.gateway.captures.begin_turn(self.owner, &self.config.capture);
            let metadata = || json!({"dialect": self.dialect.id().0});
            log.begin_stage(CaptureStage::ClientRequest, metadata, Some(self.headers));
            log.append_stage_body(CaptureStage::ClientRequest, &self.body);
        }
        let client_dialect = self.dialect;
        let mut response = match self.forward(&mut log).await {
            Ok(response) => response,
            Err(mut error_response) => {
                error_response.failure.request_id = Some(JsonString::new(&turn_id).into());
                let error = error_response.failure.clone();
                let mut response = error_response.into_response(client_dialect);
                if let Some(log) = &mut log {
                    log.finish_failed(&error);
                    if !log.provider.is_empty() {
                        log.set_route_headers(response.headers_mut());
                        log.set_repairs_header(response.headers_mut());
                    }
                }
                response
            }
        };
        if let (Some(log), ResponseBody::Full(body)) = (&mut log, response.body()) {
            let metadata = || json!({"status": response.status().as_u16()});
            log.begin_stage(CaptureStage::ClientReply, metadata, Some(response.headers()));
            log.append_stage_body(CaptureStage::ClientReply, body);
        }
        set_turn_id_headers(response.headers_mut(), &turn_id);
        response
    }

    async fn forward(
        mut self,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, ErrorResponse> {
        let body = parse_body(&self.body, &self.config.limits)?;
        let from = detect_dialect(&body, self.dialect);
        if let Some(error_response) = reject_thread_field(&body, from) {
            return Err(error_response);
        }
        let session =
            log.as_ref().and_then(|log| log.session_recorder.as_ref()).map(|into| into.id);
        let conversation_key =
            ConversationKey::from_request(self.headers, &body, from).or_session(session);
        let (body, chain) = self.resolve_chain(body, from, &conversation_key).await?;
        limits::check_request(&body, from, &self.config.limits)?;
        let (model, routes) = self.resolve_routes(&body, from, &conversation_key)?;
        let stream_field = || body.root().get("stream").and_then(JsonNode::as_bool);
        let routed_request = RoutedRequest {
            gateway: self.gateway,
            config: self.config,
            owner: self.owner,
            conversation_key: &conversation_key,
            chain: &chain,
            body_dialect: from,
            client_dialect: self.dialect,
            headers: self.headers,
            model: &model,
            stream: self.path_params.stream.or_else(stream_field).unwrap_or(false),
            stream_as_array: self.path_params.stream_as_array,
            wants_web_search: provider_search::requests_search(&body),
        };
        if let Some(log) =
            log.as_ref().filter(|_| routed_request.stream && !routed_request.stream_as_array)
        {
            let _ = self.stream_turn_id.set(log.turn_id);
        }
        self.try_routes(&routed_request, &routes, body, log).await
    }

    /// Tries one route after the other. If none was called because circuits are open, the first of
    /// these is called nevertheless: no other target is left, and the provider may work again.
    async fn try_routes(
        &self,
        routed_request: &RoutedRequest<'_>,
        routes: &[Route],
        body: JsonDoc,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, ErrorResponse> {
        let chain = routed_request.chain;
        let first_party_fields = FirstPartyFields::find(&body, routed_request.body_dialect);
        let mut parsed = Some(body);
        let (mut last, mut open_route, mut was_called) = (None, None, false);
        for route in routes {
            if let Some(error_response) = first_party_fields.reject_route(routed_request, route) {
                last = Some(error_response);
                continue;
            }
            let route_body = self.body_for_route(route, chain, &mut parsed)?;
            let bodies = (&route_body, &mut parsed);
            match self.try_route(routed_request, route, bodies, false, log).await {
                Ok(response) => return Ok(response),
                Err(error_response) => {
                    let (outcome, kind) =
                        (error_response.route_outcome, error_response.failure.kind);
                    was_called |= outcome != RouteOutcome::NotCalled;
                    if outcome == RouteOutcome::NotCalled && kind == ApiErrorKind::Overloaded {
                        open_route = open_route.or(Some(route));
                    }
                    last = Some(more_actionable(last, error_response));
                    if is_client_error(kind) && outcome != RouteOutcome::RejectedAsServerError {
                        break;
                    }
                }
            }
        }
        if let Some(route) = open_route.filter(|_| !was_called) {
            let route_body = self.body_for_route(route, chain, &mut parsed)?;
            let bodies = (&route_body, &mut parsed);
            // Boxed: an inline future of this rare case would make that of every request larger.
            return Box::pin(self.try_route(routed_request, route, bodies, true, log)).await;
        }
        Err(last.unwrap_or_else(|| no_provider_for_model(routed_request.model)))
    }

    /// Inlines the history of a request with `previous_response_id`, and resolves its item
    /// references.
    pub(crate) async fn resolve_chain(
        &mut self,
        body: JsonDoc,
        from: &dyn Dialect,
        conversation_key: &ConversationKey,
    ) -> Result<(JsonDoc, ResponseChain), ErrorResponse> {
        if !conversation_key.supports_chaining {
            return Ok((body, ResponseChain::default()));
        }
        let (limits, responses) = (&self.config.limits, &self.gateway.responses);
        let mut chain = responses.resolve_chain(self.owner, &body, from, limits.body).await?;
        let mut body = body;
        if let Some(expanded) = chain.expanded.take() {
            self.body = expanded;
            body = parse_body(&self.body, limits)?;
        }
        chain.references = responses.resolve_references(self.owner, &body, limits.body).await?;
        Ok((body, chain))
    }

    /// The body for a route: item references that its provider does not have are inlined.
    pub(crate) fn body_for_route(
        &self,
        route: &Route,
        chain: &ResponseChain,
        parsed: &mut Option<JsonDoc>,
    ) -> Result<Bytes, ErrorResponse> {
        if chain.references.is_empty() {
            return Ok(self.body.clone());
        }
        let body = parse_body(&self.body, &self.config.limits)?;
        let inlined = chain.references.inline_for(Some(provider_name(route)), &body);
        // The parsed body is reused only if it is unchanged.
        *parsed = inlined.is_none().then_some(body);
        Ok(inlined.unwrap_or_else(|| self.body.clone()))
    }

    /// The requested model, and its routes.
    pub(crate) fn resolve_routes(
        &self,
        body: &JsonDoc,
        from: &dyn Dialect,
        conversation_key: &ConversationKey,
    ) -> Result<(ModelName, Vec<Route>), ErrorResponse> {
        let body_model = || body.root().get("model").map(|model| model.str_or_empty().into_owned());
        let Some(model) =
            self.path_params.model.clone().or_else(body_model).filter(|name| !name.is_empty())
        else {
            return Err(failure(ApiErrorKind::InvalidRequest, "the request names no model").into());
        };
        let model = parse_model_name(&model)?;
        match self.config.resolve_with(&model, || conversation_key.route_hash(body, from)) {
            Ok(routes) => Ok((model, routes)),
            Err(no_route) => Err(failure(ApiErrorKind::NotFound, &no_route.to_string()).into()),
        }
    }

    /// Tries one route, with retries; `force` calls it once although its circuit is open.
    async fn try_route(
        &self,
        routed_request: &RoutedRequest<'_>,
        route: &Route,
        (route_body, parsed): (&Bytes, &mut Option<JsonDoc>),
        force: bool,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, ErrorResponse> {
        let (name, model) = (provider_name(route), RoutedRequest::upstream_model(route));
        let provider_state = self.gateway.provider_states.get(name);
        let mut now = Instant::now();
        if let Some(wait) = provider_state.rate_limited.remaining(&model, now) {
            return Err(rate_limited(name, &model, wait));
        }
        provider_state.retry_budget.deposit();
        let mut last = None;
        // The one retry with lessons or after a malformed call.
        let mut reparse = Some(|| parse_body(route_body, &self.config.limits));
        for tries in 0.. {
            let call_permit = match provider_state.breaker.admit(now) {
                Ok(call_permit) => call_permit,
                Err(_) if force && last.is_none() => provider_state.breaker.admit_always(now),
                // The last provider error is more informative.
                Err(wait) => return Err(last.unwrap_or_else(|| circuit_open(name, wait))),
            };
            let body =
                parsed.take().map_or_else(|| parse_body(route_body, &self.config.limits), Ok)?;
            let error_response =
                match routed_request.attempt_with_lessons(body, &mut reparse, route, log).await {
                    Ok(response) => {
                        call_permit.record_success(Instant::now());
                        return Ok(response);
                    }
                    Err(error_response) => error_response,
                };
            if let Some(log) = log {
                log.attempt_failed(&error_response.failure);
            }
            match error_response.failure.kind {
                ApiErrorKind::RateLimit => {
                    call_permit.record_rate_limited();
                    if let Some(wait) = retry_delay(&error_response.failure) {
                        provider_state.rate_limited.mark(&model, Instant::now(), wait);
                    }
                }
                kind if !is_transient(kind) => call_permit.record_success(Instant::now()),
                _ if error_response.route_outcome == RouteOutcome::NoResponse => {
                    call_permit.record_failure(Instant::now());
                }
                _ => {
                    let source = self.call_source(routed_request, route_body);
                    call_permit.record_error_response(Instant::now(), source);
                }
            }
            let should_retry = tries < self.config.limits.retries
                && is_transient(error_response.failure.kind)
                && error_response.failure.retry != RetryAdvice::No
                && provider_state.retry_budget.withdraw(Instant::now());
            if !should_retry {
                return Err(error_response);
            }
            let requested_wait = retry_delay(&error_response.failure).unwrap_or_default();
            if requested_wait > MAX_RETRY_WAIT {
                return Err(error_response);
            }
            last = Some(error_response);
            sleep(requested_wait.max(Backoff::default().delay(tries, random_u64()))).await;
            now = Instant::now();
        }
        Err(last.unwrap_or_else(|| circuit_open(name, Duration::ZERO)))
    }

    /// Key and conversation of the request. Needed for failed calls only, so the body is parsed
    /// again.
    fn call_source(&self, routed_request: &RoutedRequest<'_>, route_body: &Bytes) -> CallSource {
        let from = routed_request.body_dialect;
        let hash = |body: JsonDoc| routed_request.conversation_key.conversation_hash(&body, from);
        let conversation = parse_body(route_body, &self.config.limits).map_or(0, hash);
        let key = (!self.owner.is_empty()).then(|| stable_hash([self.owner.as_bytes()]));
        CallSource { key, conversation }
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

fn retry_delay(error: &ApiError) -> Option<Duration> {
    match error.retry {
        RetryAdvice::AfterMillis(millis) => Some(Duration::from_millis(millis)),
        RetryAdvice::No | RetryAdvice::Yes => None,
    }
}

/// Other providers would reject the request too.
fn is_client_error(kind: ApiErrorKind) -> bool {
    matches!(
        kind,
        ApiErrorKind::InvalidRequest
            | ApiErrorKind::RequestTooLarge
            | ApiErrorKind::ContentFiltered
    )
}

/// Errors that may be over soon. Rate limits are excluded: the client itself waits.
fn is_transient(kind: ApiErrorKind) -> bool {
    matches!(kind, ApiErrorKind::ServerError | ApiErrorKind::Overloaded | ApiErrorKind::Timeout)
}

fn circuit_open(name: &str, wait: Duration) -> ErrorResponse {
    let message = format!("{name} has failed repeatedly and is not called for a moment");
    let error =
        ApiError { retry: retry_after(wait), ..failure(ApiErrorKind::Overloaded, &message) };
    ErrorResponse { route_outcome: RouteOutcome::NotCalled, ..error.into() }
}

fn rate_limited(name: &str, model: &str, wait: Duration) -> ErrorResponse {
    let message = format!("{name} accepts no requests for {model} at the moment");
    let error = ApiError { retry: retry_after(wait), ..failure(ApiErrorKind::RateLimit, &message) };
    ErrorResponse { route_outcome: RouteOutcome::NotCalled, ..error.into() }
}

fn retry_after(wait: Duration) -> RetryAdvice {
    RetryAdvice::AfterMillis(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
}

fn no_provider_for_model(model: &str) -> ErrorResponse {
    let message = format!("there is no provider for the model `{model}`");
    failure(ApiErrorKind::NotFound, &message).into()
}

/// Longer waits are left to the client.
const MAX_RETRY_WAIT: Duration = Duration::from_secs(3);
