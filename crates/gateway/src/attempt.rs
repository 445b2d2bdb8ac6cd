//! One attempt: a request on one route, until its answer is sure to be one.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::{Buf as _, Bytes};
use http::Response;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use interlingua::guard::{Finding, Watch};
use interlingua::model::{FailureKind, Lessons, Reply};
use interlingua::repair::ladder;
use interlingua::{
    Dialect, Doc, Exchange, Failure, Ledger, ReadReply, Recalled, ReplyError, Stream, Target, Text,
    Translated, TranslatedReply, encode_reply, open_document, read_reply, stream_reply,
};
use interlingua_upstream::Body;
use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout};

use crate::affinity::Mark;
use crate::asking::{Again, is_events, is_stream, name_of};
use crate::captured::Stage;
use crate::config::{Config, Route};
use crate::heavy::Heavy;
use crate::out::{CLOSING, LINGERING, Out, Streaming};
use crate::refusal::{JSON, Refusal, failure};
use crate::responses::Thread;
use crate::state::Gateway;
use crate::tale::{Tale, tell_repairs};
use crate::vault::{Keeping, Remembered, Talk};
use crate::{excess, guarding};

/// A request of a client, read as far as is needed to send it anywhere.
pub(crate) struct Order<'o> {
    pub(crate) gateway: &'o Gateway,
    pub(crate) config: &'o Config,
    /// Whose conversation it is.
    pub(crate) owner: &'o str,
    /// How its client calls it.
    pub(crate) mark: &'o Mark,
    /// Where it stands among replies that can be named.
    pub(crate) thread: &'o Thread,
    /// The dialect of the body, and the one in which the client wants its answer.
    pub(crate) from: &'static dyn Dialect,
    pub(crate) client: &'static dyn Dialect,
    pub(crate) headers: &'o HeaderMap,
    /// As the client names it.
    pub(crate) model: &'o str,
    pub(crate) stream: bool,
    pub(crate) array: bool,
}

/// A request as it leaves, and what its answer is looked at with.
struct Written<'w> {
    translated: Translated,
    watch: Option<Watch>,
    held: Talk,
    again: Again<'w>,
}

/// What is known when a provider has said 200.
struct Heard<'o> {
    order: &'o Order<'o>,
    to: &'static dyn Dialect,
    exchange: Exchange,
    ledger: Ledger,
    body: Body,
    watch: Option<Watch>,
}

impl Order<'_> {
    /// Sends the request on a route. A failure is one that the client has seen nothing of.
    pub(crate) async fn attempt(
        &self,
        body: Doc,
        route: &Route,
        lessons: &Lessons,
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
        let (to, flavor) = self.speaks(route);
        let model = Self::model_at(route);
        let target = Target {
            model: Some(Text::new(&model)),
            flavor,
            betas: self.betas(to),
            stream: self.stream,
            trusting: true,
            remembers: true,
            conversation: self.mark.name(),
            lessons: lessons.clone(),
        };
        let came = body.text().as_bytes().clone();
        let opened = open_document(body, self.from, to, &target);
        let guard = &self.gateway.guard;
        let watch = guard.watch(self.config, opened.conversation());
        let told = guard.told(self.config, self.owner, opened.conversation()).await;
        let turn = tale.as_ref().map(|tale| tale.id).unwrap_or_default();
        let (said, origin) = (opened.conversation(), self.origin(route));
        let recall = self.gateway.vault.recall(said, self.owner, self.mark, origin, turn);
        let Remembered { restored, talk } = recall.await;
        if let Some(tale) = tale {
            tale.conversation = talk.identity;
        }
        let recalled = Recalled { told, restored };
        let (translated, recalled) = if Heavy::is_due(came.len()) {
            let opened = opened.apart();
            self.gateway.heavy.run(move || (opened.translate(&recalled), recalled)).await
        } else {
            (opened.translate(&recalled), recalled)
        };
        if let Some(tale) = tale {
            tale.repaired(&translated.ledger);
        }
        let again = || self.written_again(came.clone(), to, &target, &recalled);
        let written = Written { translated, watch, held: talk, again: &again };
        // Apart: a future that holds all of it would be copied from one room to the next.
        let answered = Box::pin(self.answered(route, &model, to, written, tale)).await;
        answered.map_err(|refusal| {
            let complains = ladder::read(to.id(), &refusal.failure).is_some();
            Refusal { sent: complains.then(again).flatten(), ..refusal }
        })
    }

    /// Asks with a request that is written, and waits until the answer is sure to be one.
    async fn answered(
        &self,
        route: &Route,
        model: &str,
        to: &'static dyn Dialect,
        written: Written<'_>,
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
        let Written { translated, watch, held, again } = written;
        let id = tale.as_mut().map(|tale| {
            let facts =
                || json!({"provider": name_of(route), "model": model, "dialect": to.id().0});
            tale.begins(Stage::ProviderRequest, facts, None);
            tale.passes(Stage::ProviderRequest, &translated.body);
            tale.asks(name_of(route), model)
        });
        let answer = self.ask_turn(route, model, translated.body, again).await?;
        if let Some(tale) = tale {
            let facts = || json!({"status": answer.status});
            let headers = tale.stages.is_some().then(|| &*answer.headers);
            tale.begins(Stage::ProviderReply, facts, headers);
        }
        if !(200..300).contains(&answer.status) {
            return Err(Box::pin(self.refused(route, answer, to, tale)).await);
        }
        let mut exchange = translated.exchange;
        exchange.model = Some(Text::new(self.model));
        exchange.asked = Some(Text::new(model));
        exchange.id = id.map(|id| Text::new(&id.simple().to_string()));
        exchange.created = now();
        if self.mark.goes_on && self.client.id() == self.from.id() {
            exchange.repeats = self.thread.repeats.clone();
            // Not every provider calls every reply by another name.
            let called = || Some(Text::new(&format!("resp_{}", exchange.id.as_ref()?.raw())));
            exchange.called = (to.id() != self.client.id()).then(called).flatten();
        }
        exchange.array = self.array;
        exchange.carries = true;
        let streamed = is_stream(&answer.headers);
        if let Some(tale) = tale.as_mut() {
            let capture = &self.config.capture;
            let captured = || (Arc::clone(&self.gateway.captured), !capture.redact);
            let desk = || self.gateway.guard.desk(self.owner, capture.enabled.then(captured));
            tale.desk = watch.is_some().then(desk);
            tale.keeping = Some(Keeping::new(&self.gateway.vault, held));
            if self.client.id() == self.from.id() {
                let responses = &self.gateway.responses;
                let by = (to.id() == self.client.id()).then(|| name_of(route));
                let (owner, client) = (self.owner, self.client);
                tale.holding = self.thread.holding(responses, owner, client, by, &exchange);
            }
        }
        let ledger = translated.ledger;
        let mut heard = Heard { order: self, to, exchange, ledger, body: answer.body, watch };
        let whole = if streamed { None } else { heard.read().await? };
        match (whole, self.stream) {
            (None, true) => heard.stream(tale).await,
            (None, false) => Box::pin(heard.gathered(tale)).await,
            (Some(body), true) => Box::pin(heard.unfolded(body, tale)).await,
            (Some(body), false) => heard.whole(body, tale).await,
        }
    }
}

impl Heard<'_> {
    /// A stream for a stream. Nothing is sent until the reply has begun, so that a provider that
    /// fails at once can be replaced; but nobody waits for ever.
    async fn stream(mut self, tale: &mut Option<Tale>) -> Result<Response<Out>, Refusal> {
        let mut stream = self.translation();
        let mut ready = Vec::new();
        let patience = sleep_until(Instant::now() + HOLD.min(self.order.config.timeouts.heartbeat));
        tokio::pin!(patience);
        let mut over = false;
        while !stream.has_begun() && !stream.has_ended() && !over {
            tokio::select! {
                chunk = self.body.chunk() => match chunk {
                    Some(Ok(chunk)) => {
                        heard(tale, &chunk);
                        stream.push(&chunk, &mut ready);
                    }
                    Some(Err(failure)) => stream.fail(failure, &mut ready),
                    None => {
                        stream.finish(&mut ready);
                        over = true;
                    }
                },
                () = &mut patience => break,
            }
        }
        if !stream.has_begun()
            && let Some(failure) = stream.failure()
        {
            return Err(failure.clone().into());
        }
        let mut response = self.response(tale.as_ref(), None);
        let content_type = if self.exchange.array { JSON } else { EVENTS };
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        response.headers_mut().insert(http::header::CACHE_CONTROL, NO_CACHE);
        if let Some(tale) = tale.take() {
            let source = (!over).then_some(self.body);
            let (config, over) = (self.order.config, &self.order.gateway.over);
            let streaming = Streaming::new(source, stream, ready, config, over, tale);
            *response.body_mut() = Out::Stream(Box::new(streaming));
        }
        Ok(response)
    }

    fn translation(&mut self) -> Stream {
        let stream = Stream::new(self.to, self.order.client, &self.exchange)
            .within(excess::of_stream(&self.order.config.limits));
        match self.watch.take() {
            Some(watch) => stream.watched(watch),
            None => stream,
        }
    }

    async fn whole(self, body: Bytes, tale: &mut Option<Tale>) -> Result<Response<Out>, Refusal> {
        heard(tale, &body);
        let read = self.read_reply(body)?;
        let TranslatedReply { body, ledger, reply, findings } =
            read.encode(self.order.client, &self.exchange);
        Ok(self.answer(tale, Some(body), &ledger, (&reply, &findings)).await)
    }

    /// A stream for a client that wants its reply whole.
    async fn gathered(mut self, tale: &mut Option<Tale>) -> Result<Response<Out>, Refusal> {
        let mut stream = self.translation();
        let (mut aside, mut read) = (Vec::new(), 0);
        while let Some(chunk) = self.next(patience(&stream)).await {
            let chunk = chunk?;
            heard(tale, &chunk);
            read += chunk.len();
            if read > self.order.config.limits.reply {
                return Err(failure(FailureKind::Upstream, "the reply is too long").into());
            }
            stream.push(&chunk, &mut aside);
            aside.clear();
        }
        stream.finish(&mut aside);
        let findings = stream.findings();
        let (reply, mut ledger) = stream.into_reply();
        let reply = reply?;
        let body = encode_reply(&reply, self.order.client, &self.exchange, &mut ledger);
        Ok(self.answer(tale, Some(body.into()), &ledger, (&reply, &findings)).await)
    }

    /// The next piece of a stream, if one comes in time.
    async fn next(&mut self, patience: Option<Duration>) -> Option<Result<Bytes, Failure>> {
        match patience {
            Some(patience) => timeout(patience, self.body.chunk()).await.ok().flatten(),
            None => self.body.chunk().await,
        }
    }

    /// A whole reply for a client that wants a stream.
    async fn unfolded(
        self,
        body: Bytes,
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
        heard(tale, &body);
        let ReadReply { reply, mut ledger, findings, .. } = self.read_reply(body)?;
        let out = stream_reply(&reply, self.order.client, &self.exchange, &mut ledger);
        let content_type = if self.exchange.array { JSON } else { EVENTS };
        let mut response = self.answer(tale, None, &ledger, (&reply, &findings)).await;
        *response.body_mut() = Out::Whole(out.into());
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        Ok(response)
    }

    fn read_reply(&self, body: Bytes) -> Result<ReadReply, Refusal> {
        let read = read_reply(body, self.to, &self.exchange, self.watch.as_ref());
        let read = read.map_err(refusal)?;
        excess::of_reply(&read.reply.turn, &self.order.config.limits)?;
        Ok(read)
    }

    /// The whole body; none where it is a stream after all, which is read as one then.
    async fn read(&mut self) -> Result<Option<Bytes>, Failure> {
        let body = std::mem::replace(&mut self.body, Bytes::new().into());
        let mut body = body.whole(self.order.config.limits.reply).await?;
        if body.starts_with(BYTE_ORDER) {
            body.advance(BYTE_ORDER.len());
        }
        if is_events(&body) {
            self.body = body.into();
            return Ok(None);
        }
        Ok(Some(body))
    }

    /// The answer with this body, if the reply is one body; all that is to be kept of it is.
    async fn answer(
        self,
        tale: &mut Option<Tale>,
        body: Option<Bytes>,
        ledger: &Ledger,
        (reply, findings): (&Reply, &[Finding]),
    ) -> Response<Out> {
        let mut response = self.response(tale.as_ref(), Some(ledger));
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        if let Some(value) = guarding::header(findings) {
            response.headers_mut().insert(GUARD, value);
        }
        if let Some(tale) = tale {
            tale.repaired(ledger);
            tale.found(findings);
            if let Some(settling) = tale.keeps(reply, body.as_ref()) {
                settling.await;
            }
            tale.answered(reply);
        }
        *response.body_mut() = Out::Whole(body.unwrap_or_default());
        response
    }

    /// A response with the headers that every answer has.
    fn response(&self, tale: Option<&Tale>, more: Option<&Ledger>) -> Response<Out> {
        let mut response = Response::new(Out::Whole(Bytes::new()));
        let headers = response.headers_mut();
        let entries = self.ledger.entries.iter().chain(more.iter().flat_map(|more| &more.entries));
        let mut rules: Vec<&str> = entries.map(|entry| entry.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        tell_repairs(&rules, headers);
        if let Some(tale) = tale {
            tale.names(headers);
        }
        response
    }
}

/// How long more of a stream is waited for; nobody waits long for what nobody needs.
fn patience(stream: &Stream) -> Option<Duration> {
    match (stream.has_ended(), stream.has_stopped()) {
        (true, _) => Some(CLOSING),
        (_, stopped) => stopped.then_some(LINGERING),
    }
}

/// The provider said more.
pub(crate) fn heard(tale: &mut Option<Tale>, bytes: &Bytes) {
    if let Some(tale) = tale {
        tale.passes(Stage::ProviderReply, bytes);
    }
}

fn refusal(error: ReplyError) -> Refusal {
    match error {
        ReplyError::Failed(failure) => (*failure).into(),
        ReplyError::Unreadable(error) => {
            let message = format!("the provider's reply cannot be read: {error}");
            Failure { status: 502, ..failure(FailureKind::Upstream, &message) }.into()
        }
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// How long the first content is waited for before the client hears that it is coming.
const HOLD: Duration = Duration::from_secs(10);

/// What some put before a text.
const BYTE_ORDER: &[u8] = b"\xef\xbb\xbf";
pub(crate) const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream; charset=utf-8");
pub(crate) const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
const GUARD: HeaderName = HeaderName::from_static("x-interlingua-guard");
