//! Counts the tokens of a request: by the provider if it has a counting endpoint, else by an
//! estimate.

use bytes::Bytes;
use http::Response;
use http::header::{HeaderName, HeaderValue};
use interlingua::{Dialect, JsonDoc, JsonString, Target, translate_parsed_request};
use interlingua_upstream::Operation;

use crate::config::{Backend, RepairMode, Route};
use crate::http_util::body::ResponseBody;
use crate::http_util::client_api::{CLIENT_APIS, ClientApi};
use crate::http_util::error_response::ErrorResponse;
use crate::http_util::respond::json_response;
use crate::proxy::call_provider::{provider_name, wants_web_search};
use crate::proxy::limits;
use crate::proxy::parse::parse_body;
use crate::proxy::request::{ClientRequest, RoutedRequest};
use crate::services::affinity::ConversationKey;
use crate::services::lessons::ModelKey;

impl ClientRequest<'_> {
    pub(crate) async fn handle_count_tokens(self) -> Response<ResponseBody> {
        let client = self.dialect;
        match self.count_tokens().await {
            Ok(response) => response,
            Err(error_response) => error_response.into_response(client),
        }
    }

    async fn count_tokens(mut self) -> Result<Response<ResponseBody>, ErrorResponse> {
        let body = parse_body(&self.body, &self.config.limits)?;
        let conversation_key = ConversationKey::from_request(self.headers, &body, self.dialect);
        let (body, chain) = self.resolve_chain(body, self.dialect, &conversation_key).await?;
        limits::check_request(&body, self.dialect, &self.config.limits)?;
        let (model, routes) = self.resolve_routes(&body, self.dialect, &conversation_key)?;
        let routed_request = RoutedRequest {
            gateway: self.gateway,
            config: self.config,
            owner: self.owner,
            conversation_key: &conversation_key,
            chain: &chain,
            body_dialect: self.dialect,
            client_dialect: self.dialect,
            headers: self.headers,
            stream_start: self.stream_start,
            model: &model,
            stream: false,
            stream_as_array: false,
            wants_web_search: wants_web_search(&routes, self.dialect, &body),
            compaction: None,
        };
        let body_len =
            chain.references.inline_for(None, &body).map_or(self.body.len(), |body| body.len());
        if let Some(route) = routes.iter().find(|route| can_count(&routed_request, route)) {
            let mut parsed = Some(body);
            let route_body = self.body_for_route(route, &chain, &mut parsed)?;
            let body = parsed.map_or_else(|| parse_body(&route_body, &self.config.limits), Ok)?;
            if let Some(count) = provider_count(&routed_request, body, route).await {
                return Ok(count_response(self.dialect, count, false));
            }
        }
        Ok(count_response(self.dialect, estimate_tokens(body_len), true))
    }
}

/// A provider counts only requests in its own dialect.
fn can_count(routed_request: &RoutedRequest<'_>, route: &Route) -> bool {
    match &route.backend {
        Backend::Builtin => true,
        Backend::Provider(provider) => routed_request
            .provider_for_dialect(provider, &route.model)
            .supports(Operation::CountTokens),
    }
}

async fn provider_count(
    routed_request: &RoutedRequest<'_>,
    body: JsonDoc,
    route: &Route,
) -> Option<u64> {
    let (to, flavor) = routed_request.dialect_and_flavor(route);
    let model = RoutedRequest::upstream_model(route);
    let (owner, provider) = (routed_request.owner, provider_name(route));
    let model_key = ModelKey { owner, provider, dialect: to.id().0, model: &model };
    let (repair_mode, disabled_rules) = routed_request.config.repair.resolve(provider, owner);
    let target = Target {
        model: Some(JsonString::new(&model)),
        flavor,
        joins_instructions: routed_request.joins_instructions(route),
        betas: routed_request.betas(to),
        lessons: routed_request.gateway.lessons.get(model_key, routed_request.config.lessons),
        is_verbatim: repair_mode == RepairMode::Verbatim,
        disabled_rules,
        max_schema_bytes: Some(routed_request.config.limits.schema),
        ..Target::default()
    };
    let translated = translate_parsed_request(body, routed_request.body_dialect, to, &target);
    let count_body = count_request(to, &model, &translated.body)?;
    let response =
        routed_request.call(route, Operation::CountTokens, &model, count_body.into()).await.ok()?;
    if response.status != 200 {
        return None;
    }
    let body =
        interlingua::parse_object(response.body.collect(MAX_COUNT_REPLY_BYTES).await.ok()?).ok()?;
    let fields = CLIENT_APIS.iter().filter_map(|api| api.count_field);
    fields.into_iter().find_map(|field| body.root().get(field)?.as_u64())
}

/// The body of the provider's counting endpoint.
fn count_request(to: &dyn Dialect, model: &str, body: &Bytes) -> Option<Bytes> {
    let shape = ClientApi::from_dialect(to).count_request.as_ref()?;
    let body = interlingua::parse_object(body.clone()).ok()?;
    let fields = body.root().fields().filter(|field| shape.fields.contains(&&*field.key()));
    let fields = fields.map(|field| format!("\"{}\":{}", field.raw_key(), field.value.raw()));
    let mut fields: Vec<String> = fields.collect();
    if shape.includes_model {
        let model = JsonString::new(&format!("models/{model}"));
        fields.push(format!("\"model\":\"{}\"", model.raw()));
    }
    let [before, after] = shape.wrapper;
    Some(format!("{before}{{{}}}{after}", fields.join(",")).into())
}

fn estimate_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

fn count_response(dialect: &dyn Dialect, count: u64, estimated: bool) -> Response<ResponseBody> {
    let field = ClientApi::from_dialect(dialect).count_field.unwrap_or("input_tokens");
    let mut response = json_response(format!("{{\"{field}\":{count}}}"));
    if estimated {
        response.headers_mut().insert(ESTIMATED_HEADER, HeaderValue::from_static("true"));
    }
    response
}

const MAX_COUNT_REPLY_BYTES: usize = 64 * 1024;
const ESTIMATED_HEADER: HeaderName = HeaderName::from_static("x-interlingua-estimated");
