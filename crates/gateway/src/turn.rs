//! A turn: where the request goes, how often it is tried, and what the client gets.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Response;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use interlingua::model::{FailureKind, Retry};
use interlingua::repair::fit::provider_search;
use interlingua::wire::Node;
use interlingua::{Dialect, Doc, Failure, Text, find};
use interlingua_upstream::retry::{Backoff, chance};
use serde_json::json;
use tokio::time::sleep;

use crate::affinity::Mark;
use crate::asking::name_of;
use crate::attempt::Order;
use crate::awaited::Wanted;
use crate::billed::Bill;
use crate::captured::Stage;
use crate::config::{Config, Limits, Route};
use crate::endpoint::Asked;
use crate::excess;
use crate::out::Out;
use crate::refusal::{Refusal, failure};
use crate::responses::{self, Thread};
use crate::sessions::Recording;
use crate::state::Gateway;
use crate::tale::{Place, Tale};

/// A request of a client, as it came.
pub(crate) struct Came<'c> {
    pub(crate) gateway: &'c Gateway,
    pub(crate) config: &'c Config,
    /// The name of the client's key; empty where none is asked for.
    pub(crate) owner: &'c str,
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) asked: Asked,
    pub(crate) headers: &'c HeaderMap,
    pub(crate) wanted: &'c Wanted,
    pub(crate) body: Bytes,
}

impl Came<'_> {
    /// Answers it, whatever it takes.
    pub(crate) async fn turn(self, place: Place) -> Response<Out> {
        self.turn_of(None, place).await
    }

    /// As [`Came::turn`]; the reply goes into a session.
    pub(crate) async fn turn_of(self, recording: Option<Recording>, place: Place) -> Response<Out> {
        let teller = self.gateway.line.as_ref().map(|line| &line.teller);
        let mut tale = Some(Tale::begin(self.dialect.id().0, place, teller, self.headers));
        let id = tale.as_ref().map(|tale| tale.id.to_string()).unwrap_or_default();
        if let Some(tale) = &mut tale {
            tale.recording = recording;
            tale.bill = Some(Bill::of(self.owner, &self.gateway.store));
            let (recent, listed) = (&self.gateway.recent, self.config.capture.enabled);
            tale.telling = Some(recent.begins(self.owner, listed, tale.id, self.dialect.id().0));
            tale.stages = self.gateway.captured.stages(self.owner, &self.config.capture);
            let facts = || json!({"dialect": self.dialect.id().0});
            tale.begins(Stage::ClientRequest, facts, Some(self.headers));
            tale.passes(Stage::ClientRequest, &self.body);
        }
        let client = self.dialect;
        let mut response = match self.answer(&mut tale).await {
            Ok(response) => response,
            Err(mut refusal) => {
                refusal.failure.request = Some(Text::new(&id).into());
                let failure = refusal.failure.clone();
                let mut response = refusal.response(client);
                if let Some(tale) = &mut tale {
                    tale.failed(&failure);
                    if !tale.provider.is_empty() {
                        tale.names(response.headers_mut());
                        tale.repairs(response.headers_mut());
                    }
                }
                response
            }
        };
        if let (Some(tale), Out::Whole(body)) = (&mut tale, response.body()) {
            let facts = || json!({"status": response.status().as_u16()});
            tale.begins(Stage::ClientReply, facts, Some(response.headers()));
            tale.passes(Stage::ClientReply, body);
        }
        name(response.headers_mut(), &id);
        response
    }

    async fn answer(mut self, tale: &mut Option<Tale>) -> Result<Response<Out>, Refusal> {
        let body = read(&self.body, &self.config.limits)?;
        let from = written_in(&body, self.dialect);
        if let Some(refusal) = threads(&body, from) {
            return Err(refusal);
        }
        let session = tale.as_ref().and_then(|tale| tale.recording.as_ref()).map(|into| into.id);
        let mark = Mark::of(self.headers, &body, from).within(session);
        let (body, thread) = self.thread(body, from, &mark).await?;
        excess::of_request(&body, from, &self.config.limits)?;
        let (model, routes) = self.routes(&body, from, &mark)?;
        let asks_stream = || body.root().get("stream").and_then(Node::boolean);
        let order = Order {
            gateway: self.gateway,
            config: self.config,
            owner: self.owner,
            mark: &mark,
            thread: &thread,
            from,
            client: self.dialect,
            headers: self.headers,
            model: &model,
            stream: self.asked.stream.or_else(asks_stream).unwrap_or(false),
            array: self.asked.array,
            searches: provider_search::is_asked(&body),
        };
        if let Some(tale) = tale.as_ref().filter(|_| order.stream && !order.array) {
            let _ = self.wanted.set(tale.id);
        }
        let safeguards = asks_safeguards(&body, from);
        let kept = responses::kept_elsewhere(&body, from);
        let mut again = Some(body);
        let mut last = None;
        for route in &routes {
            if safeguards && order.speaks(route).0.id() != from.id() {
                last = Some(no_safeguards());
                continue;
            }
            // A provider of the client's dialect may know what is not known here; nobody else does.
            if order.speaks(route).0.id() != from.id()
                && let Some(refusal) = thread.lacks()
            {
                last = Some(refusal);
                continue;
            }
            if let Some(key) = kept
                && order.speaks(route).0.id() != from.id()
            {
                last = Some(not_here(key));
                continue;
            }
            let told = self.told_to(route, &thread, &mut again)?;
            match self.on(&order, route, (&told, &mut again), tale).await {
                Ok(response) => return Ok(response),
                Err(refusal) => {
                    let final_word = is_the_clients(refusal.failure.kind);
                    last = Some(more_telling(last, refusal));
                    if final_word {
                        break;
                    }
                }
            }
        }
        Err(last.unwrap_or_else(|| nowhere(&model)))
    }

    /// The request with all that was said before it, where its client only names that.
    pub(crate) async fn thread(
        &mut self,
        body: Doc,
        from: &dyn Dialect,
        mark: &Mark,
    ) -> Result<(Doc, Thread), Refusal> {
        if !mark.goes_on {
            return Ok((body, Thread::default()));
        }
        let (limits, responses) = (&self.config.limits, &self.gateway.responses);
        let mut thread = responses.thread(self.owner, &body, from, limits.body).await?;
        let mut body = body;
        if let Some(whole) = thread.whole.take() {
            self.body = whole;
            body = read(&self.body, limits)?;
        }
        thread.named = responses.named(self.owner, &body, limits.body).await?;
        Ok((body, thread))
    }

    /// The request for a route: with what it only names, where that is not kept there.
    pub(crate) fn told_to(
        &self,
        route: &Route,
        thread: &Thread,
        again: &mut Option<Doc>,
    ) -> Result<Bytes, Refusal> {
        if thread.named.is_empty() {
            return Ok(self.body.clone());
        }
        let body = read(&self.body, &self.config.limits)?;
        let told = thread.named.told_to(Some(name_of(route)), &body);
        // What was read is of one route alone.
        *again = told.is_none().then_some(body);
        Ok(told.unwrap_or_else(|| self.body.clone()))
    }

    /// The model's name, and where requests for it go.
    pub(crate) fn routes(
        &self,
        body: &Doc,
        from: &dyn Dialect,
        mark: &Mark,
    ) -> Result<(String, Vec<Route>), Refusal> {
        let said = || body.root().get("model").map(|model| model.word().into_owned());
        let Some(model) = self.asked.model.clone().or_else(said).filter(|name| !name.is_empty())
        else {
            return Err(failure(FailureKind::Shape, "the request names no model").into());
        };
        match self.config.routes(&model, || mark.draw(body, from)) {
            Ok(routes) => Ok((model, routes)),
            Err(unrouted) => Err(failure(FailureKind::NotFound, &unrouted.to_string()).into()),
        }
    }

    /// Tries one route, and again where that may help.
    async fn on(
        &self,
        order: &Order<'_>,
        route: &Route,
        (told, again): (&Bytes, &mut Option<Doc>),
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
        let (name, model) = (name_of(route), Order::model_at(route));
        let way = self.gateway.ways.way(name);
        let mut now = Instant::now();
        if let Some(wait) = way.limited.wait(&model, now) {
            return Err(limited(name, &model, wait));
        }
        way.budget.earn();
        let mut last = None;
        // A request that is refused for its shape is sent once more at the most.
        let mut once_more = Some(|| read(told, &self.config.limits));
        for tries in 0.. {
            let pass = match way.breaker.admit(now) {
                Ok(pass) => pass,
                // What it said a moment ago tells more.
                Err(wait) => return Err(last.unwrap_or_else(|| resting(name, wait))),
            };
            let body = again.take().map_or_else(|| read(told, &self.config.limits), Ok)?;
            let refusal = match order.taught(body, &mut once_more, route, tale).await {
                Ok(response) => {
                    pass.succeeded(Instant::now());
                    return Ok(response);
                }
                Err(refusal) => refusal,
            };
            if let Some(tale) = tale {
                tale.stumbled(&refusal.failure);
            }
            match refusal.failure.kind {
                FailureKind::RateLimit => {
                    pass.limited();
                    if let Some(wait) = wait(&refusal.failure) {
                        way.limited.rests(&model, Instant::now(), wait);
                    }
                }
                kind if is_the_providers(kind) => pass.failed(Instant::now()),
                _ => pass.succeeded(Instant::now()),
            }
            let more = tries < self.config.limits.retries
                && is_the_providers(refusal.failure.kind)
                && refusal.failure.retry != Retry::No
                && way.budget.spend(Instant::now());
            if !more {
                return Err(refusal);
            }
            let asked = wait(&refusal.failure).unwrap_or_default();
            if asked > LONGEST_WAIT {
                return Err(refusal);
            }
            last = Some(refusal);
            sleep(asked.max(Backoff::default().wait(tries, chance()))).await;
            now = Instant::now();
        }
        Err(last.unwrap_or_else(|| resting(name, Duration::ZERO)))
    }
}

/// Tells the client what the turn is called.
pub(crate) fn name(headers: &mut HeaderMap, id: &str) {
    if let Ok(id) = HeaderValue::from_str(id) {
        for name in TURN {
            headers.insert(name, id.clone());
        }
    }
}

pub(crate) fn read(body: &Bytes, limits: &Limits) -> Result<Doc, Refusal> {
    interlingua::read_object_within(body.clone(), excess::of_json(limits)).map_err(|error| {
        let (line, column) = error.line_and_column(body);
        let message = format!("the body cannot be read: {error} (line {line}, column {column})");
        failure(FailureKind::Shape, &message).into()
    })
}

/// Some clients send the body of one API to the path of another.
fn written_in(body: &Doc, dialect: &'static dyn Dialect) -> &'static dyn Dialect {
    let root = body.root();
    let stray = STRAY.iter().find(|(path, key, _)| {
        *path == dialect.id().0
            && root.get(key).is_some()
            && root.get(dialect.turns_key()).is_none()
    });
    stray.and_then(|(_, _, found)| find(found)).unwrap_or(dialect)
}

/// Histories that are kept by the provider cannot go on at another one. The words make the client
/// send its whole history instead.
fn threads(body: &Doc, from: &dyn Dialect) -> Option<Refusal> {
    let keeps = from.id().0 == "anthropic" && body.root().get("thread").is_some();
    keeps.then(|| {
        let message = "threads are not kept here: send the whole history";
        let body = format!(
            "{{\"type\":\"error\",\"error\":{{\"type\":\"invalid_request_error\",\"message\":\"{message}\",\
             \"details\":{{\"error_code\":\"thread_unsupported_request\"}}}}}}"
        );
        let as_it_came = Some(Box::new((body.into(), None)));
        Refusal { as_it_came, ..failure(FailureKind::Shape, message).into() }
    })
}

/// Only who invented them has them. Their client asks again without them when it is told so.
fn asks_safeguards(body: &Doc, from: &dyn Dialect) -> bool {
    from.id().0 == "anthropic"
        && body.root().get("safeguards").is_some_and(|value| value.raw() != "null")
}

fn no_safeguards() -> Refusal {
    failure(FailureKind::Shape, "safeguards: the provider of this model has none").into()
}

fn not_here(key: &str) -> Refusal {
    let message =
        format!("{key}: the provider of this model does not have it; send the whole history");
    failure(FailureKind::Shape, &message).into()
}

/// Of two that did not answer, the one that tells the client what to do. A fallback that is away does not hide
/// that the history is too long, or for how long to wait.
fn more_telling(before: Option<Refusal>, refusal: Refusal) -> Refusal {
    let rank = |refusal: &Refusal| match refusal.failure.kind {
        FailureKind::ContextOverflow => 0,
        FailureKind::RateLimit => 1,
        FailureKind::Auth | FailureKind::Permission | FailureKind::Billing => 2,
        _ => 3,
    };
    before.filter(|before| rank(before) < rank(&refusal)).unwrap_or(refusal)
}

fn wait(failure: &Failure) -> Option<Duration> {
    match failure.retry {
        Retry::AfterMillis(millis) => Some(Duration::from_millis(millis)),
        Retry::No | Retry::Yes => None,
    }
}

/// Nobody else would answer otherwise.
fn is_the_clients(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Shape | FailureKind::TooLarge | FailureKind::Filtered)
}

/// Failures that may be over in a moment. Being limited is not one: the client itself waits then.
fn is_the_providers(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Upstream | FailureKind::Overloaded | FailureKind::Timeout)
}

fn resting(name: &str, wait: Duration) -> Refusal {
    let message = format!("{name} has failed again and again, and is left alone for a moment");
    Failure { retry: after(wait), ..failure(FailureKind::Overloaded, &message) }.into()
}

fn limited(name: &str, model: &str, wait: Duration) -> Refusal {
    let message = format!("{name} takes no more requests for {model} at the moment");
    Failure { retry: after(wait), ..failure(FailureKind::RateLimit, &message) }.into()
}

fn after(wait: Duration) -> Retry {
    Retry::AfterMillis(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
}

fn nowhere(model: &str) -> Refusal {
    let message = format!("there is no provider for the model `{model}`");
    failure(FailureKind::NotFound, &message).into()
}

/// The path's dialect, the key that gives a stray body away, and the dialect it is written in.
const STRAY: &[(&str, &str, &str)] = &[
    ("openai-chat", "input", "openai-responses"),
    ("openai-responses", "messages", "openai-chat"),
];
/// A client that has to wait longer than this decides itself.
const LONGEST_WAIT: Duration = Duration::from_secs(3);
const TURN: [HeaderName; 3] = [
    HeaderName::from_static("x-interlingua-turn"),
    HeaderName::from_static("request-id"),
    HeaderName::from_static("x-request-id"),
];
