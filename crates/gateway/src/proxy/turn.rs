//! Handles a model turn: parses it, resolves its history and its routes, and returns the reply or the
//! error.

use bytes::Bytes;
use http::Response;
use interlingua::{Dialect, JsonDoc, JsonString};
use interlingua_model::ApiErrorKind;
use interlingua_wire::JsonNode;
use serde_json::json;

use crate::client_name::ModelName;
use crate::config::Route;
use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::{ErrorResponse, failure};
use crate::http_util::respond::set_turn_id_headers;
use crate::proxy::call_provider::{provider_name, wants_web_search};
use crate::proxy::foreign_fields::reject_thread_field;
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
            stream_start: self.stream_start,
            model: &model,
            stream: self.path_params.stream.or_else(stream_field).unwrap_or(false),
            stream_as_array: self.path_params.stream_as_array,
            wants_web_search: wants_web_search(&routes, from, &body),
            compaction: None,
        };
        if let Some(log) =
            log.as_ref().filter(|_| routed_request.stream && !routed_request.stream_as_array)
        {
            let _ = self.stream_start.turn_id.set(log.turn_id);
        }
        if self.requests_compaction(from, &chain) {
            // Boxed: an inline future of this rare case would make the future of every turn larger.
            return Box::pin(self.compact(routed_request, routes, body, log)).await;
        }
        self.try_routes(&routed_request, &routes, body, log).await
    }

    /// Inlines the history of a request with `previous_response_id`, and resolves its item
    /// references and the gateway's compaction items.
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
        let mut chain = responses
            .resolve_chain(self.owner, &body, (from, self.connection_reply), limits.body)
            .await?;
        let mut body = body;
        if let Some(expanded) = chain.expanded.take() {
            self.body = expanded;
            body = parse_body(&self.body, limits)?;
        }
        chain.references = responses.resolve_references(self.owner, &body, limits.body).await?;
        if chain.references.has_compaction {
            body = Box::pin(self.expand_compactions(body, &mut chain)).await?;
        }
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
}
