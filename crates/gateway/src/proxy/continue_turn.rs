//! Continues a turn that the provider has paused (`pause_turn`), so that clients of dialects without
//! this stop reason get one reply.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use interlingua::{ApiError, Dialect, ReplyContext, SegmentedBytes, Target, continuation_request};
use interlingua_model::{ApiErrorKind, Turn};
use interlingua_upstream::{
    Operation, Provider, UpstreamClient, UpstreamRequest, UpstreamResponse,
};
use serde_json::json;

use crate::config::{Backend, Route};
use crate::http_util::error_response::failure;
use crate::proxy::request::RoutedRequest;
use crate::proxy::request_log::RequestLog;
use crate::telemetry::capture::CaptureStage;

/// What is needed to request the continuation of a turn.
pub(crate) struct TurnContinuation {
    upstream: Arc<UpstreamClient>,
    provider: Provider,
    target: Target,
    /// The body of the first request.
    request: Bytes,
    pub(crate) provider_dialect: &'static dyn Dialect,
    pub(crate) exchange: ReplyContext,
    /// Continuations left.
    remaining: u8,
    call: Option<CallFuture>,
}

type CallFuture = Pin<Box<dyn Future<Output = Result<UpstreamResponse, ApiError>> + Send>>;

impl RoutedRequest<'_> {
    /// Only for turns with the provider's web search (other turns are too short to be paused) of
    /// clients with another dialect.
    pub(crate) fn continuation(
        &self,
        route: &Route,
        target: &Target,
        request: &SegmentedBytes,
        cx: &ReplyContext,
    ) -> Option<Box<TurnContinuation>> {
        let Backend::Provider(provider) = &route.backend else { return None };
        let provider = self.provider_for_dialect(provider, &route.model);
        let to = provider.dialect;
        let can_pause = cx.uses_web_search && to.id() != self.client_dialect.id();
        can_pause.then(|| {
            Box::new(TurnContinuation {
                upstream: Arc::clone(&self.gateway.upstream),
                provider: provider.clone(),
                target: target.clone(),
                request: request.clone().into_bytes(),
                provider_dialect: to,
                exchange: cx.clone(),
                remaining: MAX_CONTINUATIONS,
                call: None,
            })
        })
    }
}

impl TurnContinuation {
    /// The provider's next response, if it continues.
    pub(crate) async fn next_reply(
        &mut self,
        partial: &Turn,
        log: &mut Option<RequestLog>,
    ) -> Option<UpstreamResponse> {
        std::future::poll_fn(|cx| self.poll_next_reply(partial, log.as_mut(), cx)).await
    }

    pub(crate) fn poll_next_reply(
        &mut self,
        partial: &Turn,
        mut log: Option<&mut RequestLog>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<UpstreamResponse>> {
        if self.call.is_none() {
            self.call = self.start_call(partial, log.as_deref_mut());
        }
        let Some(call) = &mut self.call else { return Poll::Ready(None) };
        let result = ready!(call.as_mut().poll(cx));
        self.call = None;
        let result = result.and_then(|response| match response.status {
            200..300 => Ok(response),
            status => {
                let error =
                    failure(ApiErrorKind::ServerError, "the provider did not continue the turn");
                Err(ApiError { status, ..error })
            }
        });
        if let Some(log) = log {
            match &result {
                Ok(response) => {
                    let headers = log.capture.is_some().then(|| &*response.headers);
                    log.begin_stage(
                        CaptureStage::ProviderReply,
                        || json!({"status": response.status}),
                        headers,
                    );
                }
                Err(error) => log.attempt_failed(error),
            }
        }
        Poll::Ready(result.ok())
    }

    fn start_call(&mut self, partial: &Turn, log: Option<&mut RequestLog>) -> Option<CallFuture> {
        self.remaining = self.remaining.checked_sub(1)?;
        let body = continuation_request(
            self.request.clone(),
            partial,
            self.provider_dialect,
            &self.target,
        )?;
        if let Some(log) = log {
            let facts =
                || json!({"provider": self.provider.name, "dialect": self.provider_dialect.id().0});
            log.begin_stage(CaptureStage::ProviderRequest, facts, None);
            log.append_stage_body(CaptureStage::ProviderRequest, &body);
        }
        let (upstream, provider) = (Arc::clone(&self.upstream), self.provider.clone());
        let operation = Operation::Turn { stream: self.target.stream };
        let model = self.target.model.as_ref().map(|model| model.unescape().into_owned());
        Some(Box::pin(async move {
            let model = model.as_deref().unwrap_or_default();
            let call = UpstreamRequest {
                provider: &provider,
                operation,
                model,
                headers: HeaderMap::new(),
                body: body.into(),
            };
            upstream.call(call).await
        }))
    }
}

/// A provider pauses only after more searches than most turns have in all.
const MAX_CONTINUATIONS: u8 = 5;
