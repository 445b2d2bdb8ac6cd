//! A model of a provider, over the network.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use interlingua::guard::Watch;
use interlingua::model::{Event, Failure, FailureKind, Recalled, Retry};
use interlingua::native::Native;
use interlingua::wire::Framer;
use interlingua::{
    Dialect, Exchange, Framing, Ledger, Stream, Target, Text, Translated, open_document,
    read_object, read_reply, unfold,
};
use interlingua_upstream::retry::{Backoff, chance, retry_after};
use interlingua_upstream::{Answer, Ask, Body, Call, Provider, Upstream};

use crate::{Answered, Answering, Asked, Heard, Model};

/// A model behind a provider's API, whatever dialect that speaks.
#[derive(Clone, Debug)]
pub struct Remote {
    upstream: Arc<Upstream>,
    provider: Arc<Provider>,
    model: String,
    name: String,
    /// How often it is asked again when a provider fails, is overloaded or wants to be left alone.
    pub retries: u32,
}

impl Remote {
    /// The model that this provider calls so.
    pub fn new(upstream: Arc<Upstream>, provider: Arc<Provider>, model: &str) -> Self {
        let name = format!("{}/{model}", provider.name);
        Self { upstream, provider, model: model.to_owned(), name, retries: 3 }
    }

    /// As people call it, where they have a name of their own for it.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    async fn asked(&self, asked: Asked<'_>, hear: &mut Heard<'_>) -> Result<Answered, Failure> {
        let mut ledger = Ledger::default();
        let body = Native.encode_request(asked.conversation, &Target::default(), &mut ledger);
        let mut attempt = 0;
        loop {
            let mut heard = false;
            let listen = &mut |event: &Event| {
                heard |= matches!(event, Event::Open { .. });
                hear(event);
            };
            let failure = match self.once(body.clone(), asked.watch.clone(), listen).await {
                Ok(answered) => return Ok(answered),
                Err(failure) => failure,
            };
            let wait = match failure.retry {
                _ if heard || attempt >= self.retries => return Err(failure),
                Retry::No => return Err(failure),
                Retry::Yes => Backoff::default().wait(attempt, chance()),
                Retry::AfterMillis(millis) => Duration::from_millis(millis),
            };
            if wait > LONGEST_WAIT {
                return Err(failure);
            }
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn once(
        &self,
        body: Bytes,
        watch: Option<Watch>,
        hear: &mut Heard<'_>,
    ) -> Result<Answered, Failure> {
        let to = self.provider.dialect;
        let target = Target {
            model: Some(Text::new(&self.model)),
            flavor: self.provider.flavor,
            stream: true,
            trusting: true,
            remembers: true,
            ..Target::default()
        };
        let body = read_object(body).map_err(|error| unreadable(&error))?;
        let opened = open_document(body, &Native, to, &target);
        let Translated { body, ledger, exchange } = opened.written(&Recalled::default());
        let call = Call {
            provider: &self.provider,
            ask: Ask::Turn { stream: true },
            model: &self.model,
            headers: HeaderMap::new(),
            body,
        };
        let Answer { status, headers, body } = self.upstream.call(call).await?;
        if !(200..300).contains(&status) {
            let body = body.whole(LARGEST_ERROR).await.unwrap_or_default();
            let mut failure = to.decode_error(status, &body);
            if let Some(wait) = retry_after(&headers) {
                let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                failure.retry = Retry::AfterMillis(millis);
            }
            return Err(failure);
        }
        let mut answered = if is_json(&headers) {
            whole(body, to, &exchange, watch.as_ref(), hear).await?
        } else {
            streamed(body, to, &exchange, watch, hear).await?
        };
        answered.ledger.entries.splice(0..0, ledger.entries);
        Ok(answered)
    }
}

impl Model for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, asked: Asked<'a>, hear: &'a mut Heard<'a>) -> Answering<'a> {
        Box::pin(self.asked(asked, hear))
    }
}

async fn streamed(
    mut body: Body,
    from: &dyn Dialect,
    exchange: &Exchange,
    watch: Option<Watch>,
    hear: &mut Heard<'_>,
) -> Result<Answered, Failure> {
    let mut stream = Stream::new(from, &Native, exchange);
    if let Some(watch) = watch {
        stream = stream.watched(watch);
    }
    let mut listener = Listener::new();
    let mut out = Vec::new();
    while let Some(chunk) = body.chunk().await {
        stream.push(&chunk?, &mut out);
        listener.hears(&mut out, hear);
    }
    stream.finish(&mut out);
    listener.hears(&mut out, hear);
    let findings = stream.findings();
    let (reply, ledger) = stream.into_reply();
    Ok(Answered { reply: reply?, findings, ledger })
}

/// Reads the events of a stream back that was translated into our own dialect.
struct Listener {
    framer: Framer,
    reader: Box<dyn interlingua::StreamReader>,
    events: Vec<Event>,
}

impl Listener {
    fn new() -> Self {
        let reader = Native.reader(&Exchange::default());
        Self { framer: Framer::new(Framing::Sse, LARGEST_FRAME), reader, events: Vec::new() }
    }

    fn hears(&mut self, out: &mut Vec<u8>, hear: &mut Heard<'_>) {
        self.framer.push(&Bytes::from(std::mem::take(out)));
        while let Ok(Some(frame)) = self.framer.next() {
            self.reader.read(frame, &mut self.events, &mut Ledger::default());
        }
        self.events.drain(..).for_each(|event| hear(&event));
    }
}

/// A provider that does not stream says all at once.
async fn whole(
    body: Body,
    from: &dyn Dialect,
    exchange: &Exchange,
    watch: Option<&Watch>,
    hear: &mut Heard<'_>,
) -> Result<Answered, Failure> {
    let body = body.whole(LARGEST_REPLY).await?;
    let read = read_reply(body, from, exchange, watch).map_err(|error| match error {
        interlingua::ReplyError::Failed(failure) => *failure,
        interlingua::ReplyError::Unreadable(error) => unreadable(&error),
    })?;
    for event in unfold(&read.reply) {
        hear(&event);
    }
    Ok(Answered { reply: read.reply.into_value(), findings: read.findings, ledger: read.ledger })
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.starts_with("application/json")
}

fn unreadable(why: &dyn std::fmt::Display) -> Failure {
    Failure::new(FailureKind::Upstream, Text::new(&why.to_string()))
}

const LARGEST_ERROR: usize = 1024 * 1024;
const LARGEST_REPLY: usize = 64 * 1024 * 1024;
const LARGEST_FRAME: usize = 64 * 1024 * 1024;
/// Who has to wait longer wants to know why.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
