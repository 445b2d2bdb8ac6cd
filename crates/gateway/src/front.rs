//! The front desk: is it for us, may they ask, what do they want.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, SERVER};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use interlingua::model::FailureKind;
use interlingua::{Dialect, Failure};
use tokio::sync::OwnedSemaphorePermit;

use crate::awaited::{Awaited, Wanted};
use crate::config::Config;
use crate::endpoint::{Address, Asked, Endpoint, Lessons, address};
use crate::out::Out;
use crate::placed::placed;
use crate::quota::Guest;
use crate::recent::Events;
use crate::refusal::{JSON, Refusal, failure};
use crate::state::Gateway;
use crate::turn::Came;
use crate::{access, billed, models, pages, quota, reading, remembered, responses, ui};

/// The two ends of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Between {
    pub(crate) here: SocketAddr,
    pub(crate) peer: SocketAddr,
}

/// Answers one request. Whatever happens, the client gets an answer in its dialect.
pub(crate) async fn answer(
    gateway: Arc<Gateway>,
    between: Between,
    request: Request<Incoming>,
) -> Response<Out> {
    let address = address(request.method(), request.uri(), request.headers());
    let (dialect, wanted) = (address.dialect, Arc::default());
    let over = Arc::clone(&gateway.over);
    let config = gateway.config.load();
    let heartbeat = config.timeouts.heartbeat;
    let page = pages::named(&config, request.headers());
    drop(config);
    let asked = Arc::clone(&wanted);
    let answering = placed(|| admitted(gateway, between, request, address, asked));
    let peer = between.peer.ip();
    let awaited = Awaited { answering, dialect, wanted, over, heartbeat, quiet: None, peer };
    let mut response = awaited.answer().await;
    if let Some(origin) = page {
        pages::show(response.headers_mut(), origin);
    }
    response
}

async fn admitted(
    gateway: Arc<Gateway>,
    between: Between,
    request: Request<Incoming>,
    address: Address,
    wanted: Arc<Wanted>,
) -> Result<Response<Out>, Failure> {
    let config = gateway.config.load_full();
    let (head, body) = request.into_parts();
    reading::is_small(&head, config.limits.head)?;
    access::is_meant(&config, between.here, &head.uri, &head.headers)?;
    let Address { endpoint, dialect } = address;
    if let Some(response) = public(&gateway, &config, &head, &endpoint) {
        return Ok(response);
    }
    gateway.known().await;
    let made = gateway.keyring.keys();
    let shown = match access::admitted(&config, &made, between.here, &head.headers) {
        Ok(shown) => shown,
        Err(failure) => {
            gateway.quotas.guessed(between.peer.ip(), &config, Instant::now())?;
            return Err(failure);
        }
    };
    let (limits, timeouts) = (&config.limits, &config.timeouts);
    let owner = shown.owner();
    if let Some(key) = shown.key.filter(|_| endpoint.asks_a_model()) {
        quota::affords(key, &*gateway.store, SystemTime::now())?;
    }
    let (asked, counts, session) = match endpoint {
        Endpoint::Turn(asked) => (asked, false, None),
        Endpoint::Count(asked) => (asked, true, None),
        Endpoint::Sessions(ask) => (Asked::default(), false, Some(ask)),
        Endpoint::Models { model: None } => {
            return Ok(models::list(&gateway, &config, dialect).await);
        }
        Endpoint::Models { model: Some(name) } => {
            return Ok(models::one(&gateway, &config, dialect, &name).await);
        }
        Endpoint::Lessons(lessons) => return Ok(learned(&gateway, &lessons).await),
        Endpoint::Keys(ask) => {
            let body = reading::whole(body, &head.headers, limits.body, timeouts.body).await?;
            return gateway.keys(&config, shown, &ask, &body).await;
        }
        Endpoint::Usage(query) => {
            let used = billed::shown(&*gateway.store, shown, &query).await;
            return Ok(used.map_or_else(|refusal| refusal.response(dialect), |body| json(&body)));
        }
        Endpoint::Response(ask) => {
            let shown = responses::shown(&gateway.responses, owner, &ask).await;
            return Ok(shown.unwrap_or_else(|refusal| refusal.response(dialect)));
        }
        Endpoint::Turns { turn } => return turns(&gateway, owner, turn.as_deref()).await,
        Endpoint::Events => return Ok(events(gateway.recent.listen(owner, timeouts.heartbeat))),
        other => return Ok(small(&gateway, dialect, &other)),
    };
    let guest = match shown.key {
        Some(key) => gateway.quotas.enter(key, Instant::now())?,
        None => Guest::default(),
    };
    let room = room(&gateway)?;
    let body = reading::whole(body, &head.headers, limits.body, timeouts.body).await?;
    let came = Came {
        gateway: &gateway,
        config: &config,
        owner,
        dialect,
        asked,
        headers: &head.headers,
        wanted: &wanted,
        body,
    };
    let place = (room, guest);
    // Apart: what is seldom asked would take its room in every request.
    Ok(match session {
        Some(ask) => Box::pin(came.session(&ask, place)).await,
        None if counts => Box::pin(came.count()).await,
        None => came.turn(place).await,
    })
}

/// What nobody needs a key for.
fn public(
    gateway: &Gateway,
    config: &Config,
    head: &Parts,
    endpoint: &Endpoint,
) -> Option<Response<Out>> {
    match endpoint {
        Endpoint::Health => Some(alive()),
        Endpoint::Ready if gateway.draining.load(Ordering::Relaxed) => {
            Some(plain(StatusCode::SERVICE_UNAVAILABLE, "stopping\n"))
        }
        Endpoint::Ready => Some(plain(StatusCode::OK, remembered::ready(&*gateway.store))),
        Endpoint::Page if let Some(file) = ui::file(&head.uri) => Some(file),
        _ => pages::may_ask(config, head),
    }
}

fn room(gateway: &Gateway) -> Result<OwnedSemaphorePermit, Failure> {
    let full = |_| failure(FailureKind::Overloaded, "too many requests are being answered");
    Arc::clone(&gateway.room).try_acquire_owned().map_err(full)
}

/// The turns of late, or what is kept of one.
async fn turns(
    gateway: &Gateway,
    owner: &str,
    turn: Option<&str>,
) -> Result<Response<Out>, Failure> {
    let Some(turn) = turn else {
        let late = gateway.recent.turns(owner);
        return Ok(json(&gateway.captured.list(owner, late).await));
    };
    // Where its stages are kept they are there in a moment, and in short is not enough.
    let staged = gateway.config.load().capture.stages;
    let late = if staged { None } else { gateway.recent.turn(owner, turn) };
    let shown = gateway.captured.shown(owner, turn, late).await;
    shown.map(|shown| json(&shown)).ok_or_else(|| {
        let message = "nothing is kept of this turn; `stages = true` in [capture] keeps them all";
        failure(FailureKind::NotFound, message)
    })
}

fn events(events: Events) -> Response<Out> {
    let mut response = Response::new(Out::Events(Box::new(events)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// What was learned of models, for a person; or how many were forgotten.
async fn learned(gateway: &Gateway, asked: &Lessons) -> Response<Out> {
    let (provider, model) = (asked.provider.as_deref(), asked.model.as_deref());
    let body = if asked.forget {
        serde_json::json!({"forgotten": gateway.learned.forget(provider, model).await})
    } else {
        gateway.learned.shown().await
    };
    json(&body)
}

pub(crate) fn json(body: &serde_json::Value) -> Response<Out> {
    let mut response = plain(StatusCode::OK, body.to_string());
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// What needs no model.
fn small(gateway: &Gateway, dialect: &dyn Dialect, endpoint: &Endpoint) -> Response<Out> {
    match endpoint {
        Endpoint::Metrics => {
            remembered::measure(&*gateway.store);
            plain(StatusCode::OK, gateway.metrics.render())
        }
        Endpoint::Welcome => plain(StatusCode::OK, WELCOME),
        Endpoint::Upgrade => {
            let message = "this gateway speaks plain HTTP; post the request instead";
            let refused = Failure { status: 426, ..failure(FailureKind::Shape, message) };
            Refusal::from(refused).response(dialect)
        }
        Endpoint::Unknown { is_posted: true } => {
            let message = "requests are posted to this address";
            let refused = Failure { status: 405, ..failure(FailureKind::Shape, message) };
            Refusal::from(refused).response(dialect)
        }
        _ => {
            let message = "there is nothing at this address";
            Refusal::from(failure(FailureKind::NotFound, message)).response(dialect)
        }
    }
}

/// It lives, and says who it is: other servers answer at the same ports.
fn alive() -> Response<Out> {
    let mut response = plain(StatusCode::OK, "ok\n");
    response.headers_mut().insert(SERVER, HeaderValue::from_static("interlingua"));
    response
}

fn plain(status: StatusCode, text: impl Into<Bytes>) -> Response<Out> {
    let mut response = Response::new(Out::Whole(text.into()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

const WELCOME: &str = "\
Interlingua. Point an agent at this address:
  Anthropic clients   base URL as it is
  OpenAI clients      with /v1
  Gemini clients      as it is
Models: /v1/models. State: /healthz, /readyz, /metrics. What happens: /ui/.
";
