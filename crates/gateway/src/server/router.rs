//! Routes HTTP requests: checks access, quotas and limits, and calls the handler of the endpoint.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use http::header::{HeaderMap, HeaderValue, SERVER};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use interlingua::{ApiError, Dialect};
use interlingua_model::ApiErrorKind;

use crate::api::{lessons, models, responses, turns, ui, usage};
use crate::box_in_place::box_in_place;
use crate::config::Config;
use crate::http_util::body::ResponseBody;
use crate::http_util::endpoint::{
    Endpoint, EndpointMatch, LessonsAction, PathParams, match_endpoint,
};
use crate::http_util::error_response::{ErrorResponse, failure};
use crate::http_util::respond::text_response;
use crate::http_util::{access, cors, read_body, websocket_handshake};
use crate::proxy::heartbeat::{DispatchedResponse, PendingResponse};
use crate::proxy::request::{ClientRequest, RequestPermits, StreamStart};
use crate::services::authentication::Caller;
use crate::services::key_policy::KeyPolicy;
use crate::services::keyring::{IssuedKey, KeyRight};
use crate::services::quota::QuotaPermit;
use crate::services::responses::ConnectionReply;
use crate::services::{authentication, quota, store};
use crate::state::Gateway;

/// The addresses of both ends of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionAddrs {
    pub(crate) local: SocketAddr,
    pub(crate) peer: SocketAddr,
}

/// A turn that arrived as a message of a connection.
pub(crate) struct MessageTurn {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) headers: Arc<HeaderMap>,
    pub(crate) body: Bytes,
    /// The reply that it continues, if only the connection knows it.
    pub(crate) previous: Option<Arc<ConnectionReply>>,
}

/// Handles one request. Errors are responses in the client's dialect.
pub(crate) async fn handle(
    gateway: Arc<Gateway>,
    connection_addrs: ConnectionAddrs,
    request: Request<Incoming>,
) -> Response<ResponseBody> {
    let endpoint_match = match_endpoint(request.method(), request.uri(), request.headers());
    let (dialect, stream_start) = (endpoint_match.dialect, Arc::default());
    let drain_expired = Arc::clone(&gateway.drain_expired);
    let config = gateway.config.load();
    let heartbeat_interval = config.timeouts.heartbeat;
    let allowed_origin = cors::allowed_origin(&config, request.headers());
    drop(config);
    let turn_id_setter = Arc::clone(&stream_start);
    let response_future = box_in_place(|| {
        dispatch(gateway, connection_addrs, request, endpoint_match, turn_id_setter)
    });
    let peer = connection_addrs.peer.ip();
    let pending_response = PendingResponse {
        response: response_future,
        dialect,
        stream_start,
        drain_expired,
        heartbeat_interval,
        heartbeat_timer: None,
        peer,
    };
    let mut response = pending_response.respond().await;
    if let Some(origin) = allowed_origin {
        cors::add_cors_headers(response.headers_mut(), origin);
    }
    response
}

/// Handles a turn that arrived as a message, as a POST request with the same headers is handled.
pub(crate) async fn handle_message(
    gateway: Arc<Gateway>,
    connection_addrs: ConnectionAddrs,
    turn: MessageTurn,
) -> Response<ResponseBody> {
    let (dialect, stream_start) = (turn.dialect, Arc::<StreamStart>::default());
    let drain_expired = Arc::clone(&gateway.drain_expired);
    let heartbeat_interval = gateway.config.load().timeouts.heartbeat;
    let turn_id_setter = Arc::clone(&stream_start);
    let run = async move {
        let result = run_message_turn(gateway, connection_addrs, turn, &turn_id_setter).await;
        DispatchedResponse { result, is_body_read: true }
    };
    let peer = connection_addrs.peer.ip();
    let pending_response = PendingResponse {
        response: Box::pin(run),
        dialect,
        stream_start,
        drain_expired,
        heartbeat_interval,
        heartbeat_timer: None,
        peer,
    };
    pending_response.respond().await
}

async fn run_message_turn(
    gateway: Arc<Gateway>,
    connection_addrs: ConnectionAddrs,
    turn: MessageTurn,
    stream_start: &StreamStart,
) -> Result<Response<ResponseBody>, ApiError> {
    let config = gateway.config.load_full();
    let MessageTurn { dialect, headers, body, previous } = turn;
    // Keys may have changed since the handshake.
    let issued_keys = load_issued_keys(&gateway, &config, connection_addrs.local, &headers).await;
    let caller = authenticate(&gateway, &config, &issued_keys, connection_addrs, &headers)?;
    if let Some(key) = caller.key {
        quota::check_token_budget(key, &*gateway.store, SystemTime::now())?;
    }
    let permits = acquire_permits(&gateway, caller)?;
    let owner = caller.owner();
    let mut body_permit = gateway.body_budget.permit(owner, config.limits.in_flight);
    body_permit.reserve(body.len())?;
    let client_request = ClientRequest {
        gateway: &gateway,
        config: &config,
        owner,
        dialect,
        path_params: PathParams::default(),
        headers: &headers,
        stream_start,
        body,
        connection_reply: previous.as_deref(),
    };
    Ok(client_request.handle_turn(permits).await)
}

/// Responds to a request, and drains what is left of its body.
async fn dispatch(
    gateway: Arc<Gateway>,
    connection_addrs: ConnectionAddrs,
    request: Request<Incoming>,
    endpoint_match: EndpointMatch,
    stream_start: Arc<StreamStart>,
) -> DispatchedResponse {
    let (head, mut body) = request.into_parts();
    let result =
        route(gateway, connection_addrs, &head, &mut body, endpoint_match, stream_start).await;
    let has_timed_out = result.as_ref().is_err_and(|error| error.status == REQUEST_TIMEOUT);
    let is_body_read = !has_timed_out && read_body::drain(&mut body, &head.headers).await;
    DispatchedResponse { result, is_body_read }
}

async fn route(
    gateway: Arc<Gateway>,
    connection_addrs: ConnectionAddrs,
    head: &Parts,
    body: &mut Incoming,
    endpoint_match: EndpointMatch,
    stream_start: Arc<StreamStart>,
) -> Result<Response<ResponseBody>, ApiError> {
    let config = gateway.config.load_full();
    let listen = connection_addrs.local;
    check_head(&config, listen, head)?;
    let EndpointMatch { endpoint, dialect } = endpoint_match;
    if let Some(response) = handle_public(&gateway, &config, listen, head, &endpoint) {
        return Ok(response);
    }
    let issued_keys = load_issued_keys(&gateway, &config, listen, &head.headers).await;
    let caller = authenticate(&gateway, &config, &issued_keys, connection_addrs, &head.headers)?;
    let owner = caller.owner();
    if let Some(key) = caller.key.filter(|_| endpoint.calls_model()) {
        quota::check_token_budget(key, &*gateway.store, SystemTime::now())?;
    }
    let (path_params, counts_tokens, session) = match endpoint {
        Endpoint::Turn(path_params) => (path_params, false, None),
        Endpoint::CountTokens(path_params) => (path_params, true, None),
        Endpoint::Sessions(request) => (PathParams::default(), false, Some(request)),
        Endpoint::WebSocket => return Ok(websocket_handshake::accept(head, owner, dialect)),
        // Boxed: an inline future of a rare endpoint would make the future of every request larger.
        other => {
            let request = (head, body);
            return Box::pin(handle_api(&gateway, &config, caller, dialect, other, request)).await;
        }
    };
    let permits = acquire_permits(&gateway, caller)?;
    // Until the provider's response has begun: the body may be sent again until then.
    let mut body_permit = gateway.body_budget.permit(owner, config.limits.in_flight);
    let body = read_body::read_body(body, &head.headers, &config, &mut body_permit).await?;
    let client_request = ClientRequest {
        gateway: &gateway,
        config: &config,
        owner,
        dialect,
        path_params,
        headers: &head.headers,
        stream_start: &stream_start,
        body,
        connection_reply: None,
    };
    Ok(match session {
        Some(request) => Box::pin(client_request.handle_session(&request, permits)).await,
        None if counts_tokens => Box::pin(client_request.handle_count_tokens()).await,
        None => client_request.handle_turn(permits).await,
    })
}

/// The keys issued at run time. The first request that may have one waits until they are loaded.
async fn load_issued_keys(
    gateway: &Gateway,
    config: &Config,
    listen: SocketAddr,
    headers: &HeaderMap,
) -> Arc<Vec<IssuedKey>> {
    if authentication::needs_stored_keys(gateway.key_policy(config, listen), config, headers) {
        gateway.keyring.stored_keys.wait_loaded().await;
    }
    gateway.keyring.keys()
}

fn acquire_permits(gateway: &Gateway, caller: Caller<'_>) -> Result<RequestPermits, ApiError> {
    let quota_permit = match caller.key {
        Some(key) => gateway.quotas.acquire(key, Instant::now())?,
        None => QuotaPermit::default(),
    };
    let full = |_| failure(ApiErrorKind::Overloaded, "too many requests are in progress");
    let request_slot = Arc::clone(&gateway.request_slots).try_acquire_owned().map_err(full)?;
    Ok((request_slot, quota_permit))
}

/// Endpoints that call no provider for a turn.
async fn handle_api(
    gateway: &Gateway,
    config: &Config,
    caller: Caller<'_>,
    dialect: &dyn Dialect,
    endpoint: Endpoint,
    (head, body): (&Parts, &mut Incoming),
) -> Result<Response<ResponseBody>, ApiError> {
    let owner = caller.owner();
    let result = match endpoint {
        Endpoint::Models { model: None } => Ok(models::list(gateway, config, dialect).await),
        Endpoint::Models { model: Some(name) } => {
            Ok(models::get(gateway, config, dialect, &name).await)
        }
        Endpoint::Lessons(request) => {
            let permit = &mut gateway.body_budget.permit(owner, config.limits.in_flight);
            let body = match request.action {
                LessonsAction::Import => {
                    read_body::read_body(body, &head.headers, config, permit).await?
                }
                _ => Bytes::new(),
            };
            return lessons::handle(gateway, caller, &request, &body).await;
        }
        Endpoint::Keys(request) => {
            let permit = &mut gateway.body_budget.permit(owner, config.limits.in_flight);
            let body = read_body::read_body(body, &head.headers, config, permit).await?;
            return gateway.handle_keys(config, caller, &request, &body).await;
        }
        Endpoint::Usage(query) => usage::handle(&*gateway.store, caller, &query).await,
        Endpoint::StoredResponse(request) => {
            responses::handle(&gateway.responses, owner, &request).await
        }
        Endpoint::Turns { turn } => return turns::show(gateway, owner, turn.as_deref()).await,
        Endpoint::TurnEvents => Ok(turns::events(gateway, owner, config.timeouts.heartbeat)),
        Endpoint::Metrics => return show_metrics(gateway, caller),
        other => Ok(handle_other(dialect, &other)),
    };
    Ok(result.unwrap_or_else(|error| error.into_response(dialect)))
}

fn check_head(config: &Config, listen: SocketAddr, head: &Parts) -> Result<(), ApiError> {
    read_body::check_head_size(head, config.limits.head)?;
    access::check_host_and_origin(config, listen, head)
}

/// Finds who calls. Requests without a valid key are counted for each peer, which is refused after
/// too many.
fn authenticate<'c>(
    gateway: &Gateway,
    config: &'c Config,
    issued_keys: &'c [IssuedKey],
    addrs: ConnectionAddrs,
    headers: &HeaderMap,
) -> Result<Caller<'c>, ApiError> {
    let policy = gateway.key_policy(config, addrs.local);
    authentication::authenticate(config, issued_keys, policy, headers).or_else(|error| {
        if error.kind != ApiErrorKind::Authentication {
            return Err(error);
        }
        gateway.quotas.record_wrong_key(addrs.peer.ip(), config, Instant::now()).and(Err(error))
    })
}

/// Endpoints that need no key.
fn handle_public(
    gateway: &Gateway,
    config: &Config,
    listen: SocketAddr,
    head: &Parts,
    endpoint: &Endpoint,
) -> Option<Response<ResponseBody>> {
    match endpoint {
        Endpoint::Health => Some(health_response()),
        Endpoint::Ready if gateway.draining.load(Ordering::Relaxed) => {
            Some(text_response(StatusCode::SERVICE_UNAVAILABLE, "stopping\n"))
        }
        Endpoint::Ready if !can_authenticate(gateway, config, listen) => {
            let text = "not ready: the keys in the store are not loaded yet\n";
            Some(text_response(StatusCode::SERVICE_UNAVAILABLE, text))
        }
        Endpoint::Ready => {
            let text = store::readiness(&config.store, &*gateway.store);
            Some(text_response(StatusCode::OK, text))
        }
        Endpoint::Ui if let Some(file) = ui::static_file(&head.uri) => Some(file),
        _ => cors::preflight_response(config, head),
    }
}

/// Whether requests with good keys are answered. A node of a shared store must have read the issued
/// keys once.
fn can_authenticate(gateway: &Gateway, config: &Config, listen: SocketAddr) -> bool {
    let has_usable_keys = !config.access.keys.is_empty() && !gateway.store.is_shared();
    has_usable_keys || gateway.key_policy(config, listen) != KeyPolicy::Unknown
}

fn show_metrics(gateway: &Gateway, caller: Caller<'_>) -> Result<Response<ResponseBody>, ApiError> {
    caller.check_right(KeyRight::Metrics)?;
    store::update_gauges(&*gateway.store);
    Ok(text_response(StatusCode::OK, gateway.metrics.render()))
}

/// Endpoints that call no model.
fn handle_other(dialect: &dyn Dialect, endpoint: &Endpoint) -> Response<ResponseBody> {
    match endpoint {
        Endpoint::Welcome => text_response(StatusCode::OK, WELCOME_TEXT),
        Endpoint::Upgrade => {
            let message =
                "this address does not support protocol upgrades; send a POST request instead";
            let error = ApiError { status: 426, ..failure(ApiErrorKind::InvalidRequest, message) };
            ErrorResponse::from(error).into_response(dialect)
        }
        Endpoint::Unknown { requires_post: true } => {
            let message = "this address accepts only POST requests";
            let error = ApiError { status: 405, ..failure(ApiErrorKind::InvalidRequest, message) };
            ErrorResponse::from(error).into_response(dialect)
        }
        _ => {
            let message = "there is nothing at this address";
            ErrorResponse::from(failure(ApiErrorKind::NotFound, message)).into_response(dialect)
        }
    }
}

/// The `server` header identifies the gateway: other servers answer at the same ports.
fn health_response() -> Response<ResponseBody> {
    let mut response = text_response(StatusCode::OK, "ok\n");
    response.headers_mut().insert(SERVER, HeaderValue::from_static("interlingua"));
    response
}

const REQUEST_TIMEOUT: u16 = 408;
const WELCOME_TEXT: &str = "\
Interlingua. Point an agent at this address:
  Anthropic clients   base URL as it is
  OpenAI clients      with /v1
  Gemini clients      as it is
Models: /v1/models. State: /healthz, /readyz, /metrics. Debug UI: /ui/.
";
