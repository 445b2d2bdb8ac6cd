//! Sends a request to the provider of a route: picks dialect and model name, forwards headers,
//! rebuilds the body for a resend.

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName};
use interlingua::{
    ApiError, ConversationPatch, Dialect, JsonDoc, JsonString, SegmentedBytes, Target,
    decode_request,
};
use interlingua_repair::{TargetProfile, web_search};
use interlingua_upstream::{
    Operation, Provider, ResponseHeaders, UpstreamRequest, UpstreamResponse,
};
use interlingua_vault::ReplyOrigin;

use crate::builtin_models::BuiltinModels;
use crate::client_name::ModelName;
use crate::config::{BUILTIN_PROVIDER, Backend, Route};
use crate::proxy::parse::json_limits;
use crate::proxy::request::{Compaction, RoutedRequest};
use crate::services::reasoning;

impl RoutedRequest<'_> {
    /// Calls the provider or the built-in model of a route.
    pub(crate) async fn call(
        &self,
        route: &Route,
        operation: Operation,
        model: &str,
        body: SegmentedBytes,
    ) -> Result<UpstreamResponse, ApiError> {
        match &route.backend {
            Backend::Builtin => {
                let builtin_models = &self.gateway.builtin_models;
                let headers = self.forwarded_headers(builtin_models.dialect);
                builtin_models.call(operation, headers, body.into_bytes()).await
            }
            Backend::Provider(provider) => {
                let provider = self.provider_for_dialect(provider, model);
                let headers = self.forwarded_headers(provider.dialect);
                self.gateway
                    .upstream
                    .call(UpstreamRequest { provider, operation, model, headers, body })
                    .await
            }
        }
    }

    /// Calls for a turn without holding the body while the provider works: if a reused connection
    /// turns out stale, `rebuild` writes the body a second time.
    pub(crate) async fn call_turn(
        &self,
        route: &Route,
        model: &str,
        body: SegmentedBytes,
        rebuild: RebuildBody<'_>,
    ) -> Result<UpstreamResponse, ApiError> {
        let operation = match self.compaction {
            Some(Compaction::ByProvider) => Operation::Compact,
            _ => Operation::Turn { stream: self.stream },
        };
        let Backend::Provider(provider) = &route.backend else {
            return self.call(route, operation, model, body).await;
        };
        let provider = self.provider_for_dialect(provider, model);
        let request = |body| {
            let headers = self.forwarded_headers(provider.dialect);
            UpstreamRequest { provider, operation, model, headers, body }
        };
        self.gateway.upstream.send_with_retry(request(body), || rebuild().map(request)).await
    }

    /// Translates the client's body a second time, for a resend.
    pub(crate) fn rebuild_body(
        &self,
        client_body: Bytes,
        to: &'static dyn Dialect,
        target: &Target,
        conversation_patch: &ConversationPatch,
    ) -> Option<SegmentedBytes> {
        let body = JsonDoc::from_bytes(client_body, json_limits(&self.config.limits)).ok()?;
        Some(
            decode_request(body, self.body_dialect, to, target)
                .translate_segmented(conversation_patch)
                .body,
        )
    }

    /// The origin of the seals in replies of this route: provider, endpoint, account and model.
    pub(crate) fn origin(&self, route: &Route) -> ReplyOrigin {
        match &route.backend {
            Backend::Builtin => reasoning::builtin_origin(&route.model),
            Backend::Provider(provider) => {
                reasoning::origin(self.provider_for_dialect(provider, &route.model), &route.model)
            }
        }
    }

    pub(crate) fn dialect_and_flavor(
        &self,
        route: &Route,
    ) -> (&'static dyn Dialect, Option<&'static str>) {
        match &route.backend {
            Backend::Builtin => (self.gateway.builtin_models.dialect, None),
            Backend::Provider(provider) => {
                let provider = self.provider_for_dialect(provider, &route.model);
                (provider.dialect, provider.flavor)
            }
        }
    }

    /// Whether the route's server gets its instructions as one string.
    pub(crate) fn joins_instructions(&self, route: &Route) -> bool {
        match &route.backend {
            Backend::Builtin => false,
            Backend::Provider(provider) => {
                self.provider_for_dialect(provider, &route.model).joins_instructions()
            }
        }
    }

    /// The provider's variant in the client's dialect, if there is one. If the client requests
    /// provider-side web search, the first variant that supports it.
    pub(crate) fn provider_for_dialect<'p>(
        &self,
        provider: &'p Provider,
        model: &str,
    ) -> &'p Provider {
        if let Some(variant) = provider.variant(self.body_dialect.id()) {
            return variant;
        }
        let supports_search = |candidate: &&Provider| {
            let model = Some(JsonString::new(model));
            let target = Target { model, flavor: candidate.flavor, ..Target::default() };
            let profile = TargetProfile::resolve(candidate.dialect.id(), &target, None);
            profile.is_some_and(|profile| profile.tools.web_search.is_some())
        };
        let searching =
            self.wants_web_search.then(|| provider.variants().find(supports_search)).flatten();
        searching.unwrap_or(provider)
    }

    pub(crate) fn upstream_model(route: &Route) -> ModelName {
        match &route.backend {
            Backend::Builtin => BuiltinModels::simulator_model(&route.model),
            Backend::Provider(_) => route.model.clone(),
        }
    }

    /// The values of the `anthropic-beta` header, if the target dialect can carry them.
    pub(crate) fn betas(&self, to: &dyn Dialect) -> Vec<JsonString> {
        if to.id() != self.body_dialect.id() && !to.has_betas_field() {
            return Vec::new();
        }
        let values = self.headers.iter().filter(|(name, _)| *name == ANTHROPIC_BETA);
        let values = values.filter_map(|(_, value)| value.to_str().ok());
        let names = values.flat_map(|value| value.split(',')).map(str::trim);
        names.filter(|name| !name.is_empty()).map(JsonString::new).collect()
    }

    /// Client headers that are forwarded to a provider of the same dialect.
    fn forwarded_headers(&self, to: &dyn Dialect) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if to.id() == self.body_dialect.id() {
            for (name, value) in self.headers {
                if [&ANTHROPIC_BETA, &ANTHROPIC_VERSION].contains(&name) {
                    headers.append(name.clone(), value.clone());
                }
            }
        }
        headers
    }
}

/// Whether the request asks for a search by a provider, if that decides between variants of one.
pub(crate) fn wants_web_search(routes: &[Route], from: &dyn Dialect, body: &JsonDoc) -> bool {
    let is_decisive = |route: &Route| match &route.backend {
        Backend::Builtin => false,
        Backend::Provider(provider) => {
            provider.variants().nth(1).is_some() && provider.variant(from.id()).is_none()
        }
    };
    routes.iter().any(is_decisive) && web_search::requests_search(body)
}

pub(crate) type RebuildBody<'a> = &'a (dyn Fn() -> Option<SegmentedBytes> + Sync);

pub(crate) fn is_stream_content_type(headers: &ResponseHeaders) -> bool {
    let content_type = headers
        .content_type()
        .and_then(|content_type| content_type.to_str().ok())
        .unwrap_or_default();
    let is_prefix = |known: &&str| {
        content_type.get(..known.len()).is_some_and(|k| k.eq_ignore_ascii_case(known))
    };
    STREAM_CONTENT_TYPES.iter().any(is_prefix)
}

/// Detects server-sent events behind a wrong content type.
pub(crate) fn looks_like_sse(body: &[u8]) -> bool {
    SSE_LINE_STARTS.iter().any(|start| body.trim_ascii_start().starts_with(start))
}

pub(crate) fn provider_name(route: &Route) -> &str {
    match &route.backend {
        Backend::Builtin => BUILTIN_PROVIDER,
        Backend::Provider(provider) => &provider.name,
    }
}

const STREAM_CONTENT_TYPES: &[&str] = &["text/event-stream", "application/vnd.amazon.eventstream"];
const SSE_LINE_STARTS: &[&[u8]] = &[b"data:", b"event:", b"id:", b"retry:", b":"];
static ANTHROPIC_BETA: HeaderName = HeaderName::from_static("anthropic-beta");
static ANTHROPIC_VERSION: HeaderName = HeaderName::from_static("anthropic-version");
