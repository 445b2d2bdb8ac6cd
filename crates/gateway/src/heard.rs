//! A provider has said 200: what its client gets of that.

use std::time::Duration;

use bytes::{Buf as _, Bytes};
use http::Response;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use interlingua::guard::{Finding, Watch};
use interlingua::model::{FailureKind, Reply, Stop, StopReason};
use interlingua::{
    Dialect, Exchange, Failure, Ledger, ReadReply, ReplyError, Stream, TranslatedReply,
    encode_reply, read_reply, stream_reply,
};
use interlingua_upstream::Body;
use tokio::time::{Instant, sleep_until, timeout};

use crate::asking::is_events;
use crate::attempt::Order;
use crate::captured::Stage;
use crate::out::{CLOSING, LINGERING, Out, Streaming};
use crate::paused::Paused;
use crate::refusal::{JSON, Refusal, failure};
use crate::tale::{Tale, tell_repairs};
use crate::{excess, guarding};

/// What is known when a provider has said 200.
pub(crate) struct Heard<'o> {
    pub(crate) order: &'o Order<'o>,
    pub(crate) to: &'static dyn Dialect,
    pub(crate) exchange: Box<Exchange>,
    pub(crate) ledger: Ledger,
    pub(crate) body: Body,
    pub(crate) watch: Option<Watch>,
    /// Where the provider may pause the turn.
    pub(crate) paused: Option<Box<Paused>>,
    /// Nobody is asked again: the client hears whatever came.
    pub(crate) last: bool,
}

impl Heard<'_> {
    /// A stream for a stream. Nothing is sent until the reply has begun, so that a provider that
    /// fails at once can be replaced; but nobody waits for ever.
    pub(crate) async fn stream(
        &mut self,
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
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
        if !stream.has_begun() && stream.has_ended() {
            self.is_worth_it(stream.so_far())?;
        }
        let mut response = self.response(tale.as_ref(), None);
        let content_type = if self.exchange.array { JSON } else { EVENTS };
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        response.headers_mut().insert(http::header::CACHE_CONTROL, NO_CACHE);
        if let Some(tale) = tale.take() {
            let source = (!over).then(|| self.take_body());
            let (config, over) = (self.order.config, &self.order.gateway.over);
            let mut streaming = Streaming::new(source, stream, ready, config, over, tale);
            streaming.paused = self.paused.take();
            *response.body_mut() = Out::Stream(Box::new(streaming));
        }
        Ok(response)
    }

    fn translation(&mut self) -> Stream {
        let mut stream = Stream::new(self.to, self.order.client, &self.exchange)
            .within(excess::of_stream(&self.order.config.limits));
        if self.paused.is_some() {
            stream = stream.pausing();
        }
        match self.watch.take() {
            Some(watch) => stream.watched(watch),
            None => stream,
        }
    }

    pub(crate) async fn whole(
        &mut self,
        body: Bytes,
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
        let read = self.read_all(body, tale).await?;
        let TranslatedReply { body, ledger, reply, findings } =
            read.encode(self.order.client, &self.exchange);
        Ok(self.answer(tale, Some(body), &ledger, (&reply, &findings)).await)
    }

    /// A stream for a client that wants its reply whole.
    pub(crate) async fn gathered(
        &mut self,
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
        let mut stream = self.translation();
        let (mut aside, mut read) = (Vec::new(), 0);
        loop {
            let chunk = self.next(patience(&stream)).await.transpose()?;
            if let Some(chunk) = &chunk {
                heard(tale, chunk);
                read += chunk.len();
                if read > self.order.config.limits.reply {
                    return Err(failure(FailureKind::Upstream, "the reply is too long").into());
                }
                stream.push(chunk, &mut aside);
            } else {
                stream.finish(&mut aside);
            }
            aside.clear();
            if stream.is_paused() {
                self.goes_on(&mut stream, tale).await;
            } else if chunk.is_none() {
                break;
            }
        }
        let findings = stream.findings();
        let (reply, mut ledger) = stream.into_reply();
        let reply = reply?;
        self.is_worth_it(&reply)?;
        let body = encode_reply(&reply, self.order.client, &self.exchange, &mut ledger);
        Ok(self.answer(tale, Some(body.into()), &ledger, (&reply, &findings)).await)
    }

    /// Goes on with a stream that is paused, or leaves it there.
    async fn goes_on(&mut self, stream: &mut Stream, tale: &mut Option<Tale>) {
        let said = &stream.so_far().turn;
        let next = match &mut self.paused {
            Some(paused) => paused.next(said, tale).await,
            None => None,
        };
        match next {
            Some(answer) => {
                self.body = answer.body;
                stream.goes_on(self.to, &self.exchange);
            }
            None => stream.stays(&mut Vec::new()),
        }
    }

    /// The next piece of a stream, if one comes in time.
    async fn next(&mut self, patience: Option<Duration>) -> Option<Result<Bytes, Failure>> {
        match patience {
            Some(patience) => timeout(patience, self.body.chunk()).await.ok().flatten(),
            None => self.body.chunk().await,
        }
    }

    /// A whole reply for a client that wants a stream.
    pub(crate) async fn unfolded(
        &mut self,
        body: Bytes,
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
        let ReadReply { reply, mut ledger, findings, .. } = self.read_all(body, tale).await?;
        let out = stream_reply(&reply, self.order.client, &self.exchange, &mut ledger);
        let content_type = if self.exchange.array { JSON } else { EVENTS };
        let mut response = self.answer(tale, None, &ledger, (&reply, &findings)).await;
        *response.body_mut() = Out::Whole(out.into());
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        Ok(response)
    }

    /// The reply, with what follows where the provider pauses it.
    async fn read_all(
        &mut self,
        body: Bytes,
        tale: &mut Option<Tale>,
    ) -> Result<ReadReply, Refusal> {
        heard(tale, &body);
        let mut read = self.read_reply(body)?;
        if self.paused.is_some() && read.reply.is_paused() {
            // Apart: what is rare would take its room in every reply.
            Box::pin(self.read_on(&mut read, tale)).await;
        }
        Ok(read)
    }

    /// What follows on a reply that is paused, as far as the provider goes on.
    async fn read_on(&mut self, read: &mut ReadReply, tale: &mut Option<Tale>) {
        while read.reply.is_paused()
            && let Some(paused) = &mut self.paused
            && let Some(answer) = paused.next(&read.reply.turn, tale).await
            && let Ok(body) = answer.body.whole(self.order.config.limits.reply).await
        {
            heard(tale, &body);
            let Ok(next) = self.read_reply(body) else { return };
            read.goes_on(next);
        }
    }

    fn read_reply(&self, body: Bytes) -> Result<ReadReply, Refusal> {
        let read = read_reply(body, self.to, &self.exchange, self.watch.as_ref());
        let read = read.map_err(refusal)?;
        excess::of_reply(&read.reply.turn, &self.order.config.limits)?;
        self.is_worth_it(&read.reply)?;
        Ok(read)
    }

    /// Refuses a reply in which the model only tried to call something and its provider could not read that,
    /// where the client's dialect has no word for it.
    fn is_worth_it(&self, reply: &Reply) -> Result<(), Refusal> {
        let Stop { reason, message, .. } = &reply.stop;
        let is_known = self.to.id() == self.order.client.id();
        let garbled = *reason == StopReason::MalformedCall && reply.turn.is_silent();
        if self.last || is_known || !garbled {
            return Ok(());
        }
        let said = message.as_ref().map(|said| format!(": {said}")).unwrap_or_default();
        let message = format!("the provider could not read the model's call{said}");
        Err(Refusal { by_chance: true, ..failure(FailureKind::Upstream, &message).into() })
    }

    /// The whole body; none where it is a stream after all, which is read as one then.
    pub(crate) async fn read(&mut self) -> Result<Option<Bytes>, Failure> {
        let mut body = self.take_body().whole(self.order.config.limits.reply).await?;
        if body.starts_with(BYTE_ORDER) {
            body.advance(BYTE_ORDER.len());
        }
        if is_events(&body) {
            self.body = body.into();
            return Ok(None);
        }
        Ok(Some(body))
    }

    fn take_body(&mut self) -> Body {
        std::mem::replace(&mut self.body, Bytes::new().into())
    }

    /// The answer with this body, if the reply is one body; all that is to be kept of it is.
    async fn answer(
        &mut self,
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
        headers.reserve(HEADERS);
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

/// How long the first content is waited for before the client hears that it is coming.
const HOLD: Duration = Duration::from_secs(10);

/// More than an answer mostly has.
const HEADERS: usize = 9;
/// What some put before a text.
const BYTE_ORDER: &[u8] = b"\xef\xbb\xbf";
pub(crate) const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream; charset=utf-8");
pub(crate) const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
const GUARD: HeaderName = HeaderName::from_static("x-interlingua-guard");
