//! A streamed reply on the road, in whatever pieces it arrives.

mod apart;
mod forward;
mod paused;
mod said_back;

use std::fmt;

use bytes::Bytes;
use interlingua_dialects::{Dialect, StreamReader, StreamWriter, note};
use interlingua_guard::{Finding, Watch};
use interlingua_model::{
    Body, Delta, DialectId, Event, Exchange, Failure, FailureKind, Fold, Ledger, Place, Reply,
};
use interlingua_wire::{Frame, FrameError, Framer, Framing, Text};

use self::forward::{Forward, Passed};
use self::paused::Paused;
use self::said_back::SaidBack;
use crate::StreamLimits;
use crate::found::Found;
use crate::repeated::Repeated;
use crate::reply::writer;
use crate::watching::{Watching, Writing};

/// Translates one streamed reply. Bytes go in as they come and leave as soon as they mean something.
///
/// Within one dialect each frame leaves as the bytes it came in; what clients would misread is said anew, and what
/// the end lacks is added. The events are read all the same, so the reply is known when the stream ends.
///
/// ```
/// use interlingua::{Exchange, Stream, find};
///
/// let from = find("gemini").unwrap();
/// let to = find("openai-chat").unwrap();
/// let mut stream = Stream::new(from, to, &Exchange::default());
/// let mut out = Vec::new();
/// for chunk in [
///     "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Bon\"}]}}]}\n",
///     "\ndata: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"jour\"}]},",
///     "\"finishReason\":\"STOP\"}]}\n\n",
/// ] {
///     stream.push(&chunk.into(), &mut out);
/// }
/// stream.finish(&mut out);
///
/// let out = String::from_utf8(out).unwrap();
/// assert!(out.contains(r#""content":"Bon""#) && out.contains(r#""content":"jour""#));
/// assert!(out.ends_with("data: [DONE]\n\n"));
///
/// let (reply, ledger) = stream.into_reply();
/// assert_eq!(reply.unwrap().turn.blocks.len(), 1);
/// assert!(ledger.is_empty());
/// ```
pub struct Stream {
    input: Input,
    reader: Box<dyn StreamReader>,
    writer: Box<dyn StreamWriter>,
    to: DialectId,
    forward: Forward,
    /// Kept if calls may have to be said in the client's terms.
    said_back: Option<Box<SaidBack>>,
    called: Option<Text>,
    repeated: Repeated,
    watching: Option<Box<Watching>>,
    /// Kept if the client is to hear what a search has found.
    found: Option<Box<Found>>,
    /// Kept if a reply that its provider pauses is to go on.
    paused: Option<Box<Paused>>,
    /// Kept between frames for its memory.
    events: Vec<Event>,
    fold: Fold,
    ledger: Ledger,
    /// A stop or a failure was read; nothing comes after it.
    ended: bool,
    /// Something was said.
    begun: bool,
    /// The name of events that only say that the provider is there, and the last one of them in a
    /// stream that is forwarded.
    idle: Option<&'static str>,
    filler: &'static [u8],
    ping: Option<Bytes>,
    passed: Passed,
    /// What a frame said that is no event.
    words: Option<String>,
    limits: StreamLimits,
    /// Bytes of arguments that came for the call that is open.
    arguments: usize,
}

/// The framing is known from the dialect, or from the first byte where the dialect has two.
enum Input {
    Waiting {
        framing: Framing,
        space: Vec<Bytes>,
    },
    Framed(Framer),
    /// The stream broke, or was finished.
    Closed,
}

impl Stream {
    /// A stream of a provider that speaks `from`, for a client that speaks `to`. A stream of
    /// server-sent events that turns out to be one JSON array, or an object, is read as that.
    pub fn new(from: &dyn Dialect, to: &dyn Dialect, exchange: &Exchange) -> Self {
        let input = Input::Waiting { framing: from.framing(), space: Vec::new() };
        Self::over(input, from, to, exchange)
    }

    /// As [`Stream::new`], where the framing is known, from a content type for instance.
    pub fn with_framing(
        framing: Framing,
        from: &dyn Dialect,
        to: &dyn Dialect,
        exchange: &Exchange,
    ) -> Self {
        let mut stream = Self::over(Input::Closed, from, to, exchange);
        stream.begin(framing);
        stream
    }

    fn over(input: Input, from: &dyn Dialect, to: &dyn Dialect, exchange: &Exchange) -> Self {
        let renamed = exchange.has_renamed();
        let same = from.id() == to.id() && !renamed;
        Self {
            input,
            reader: from.reader(exchange),
            writer: writer(to, exchange),
            to: to.id(),
            forward: if same { Forward::If { array: exchange.array } } else { Forward::No },
            said_back: renamed.then(|| Box::new(SaidBack::new(exchange))),
            called: exchange.called.clone(),
            repeated: Repeated::of(exchange, to.id()),
            watching: None,
            found: Found::within(exchange, to.id()).filter(|_| !same).map(Box::new),
            paused: None,
            events: Vec::new(),
            fold: Fold::new(),
            ledger: Ledger::default(),
            ended: false,
            begun: false,
            idle: to.idle_event(),
            filler: to.filler(),
            ping: None,
            passed: Passed::default(),
            words: None,
            limits: StreamLimits::default(),
            arguments: 0,
        }
    }

    /// With limits of one's own, to be given before anything else.
    #[must_use]
    pub fn within(mut self, limits: StreamLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Has a guard look at each call of the reply when it is finished. Where frames leave as they come,
    /// it looks only; if it may change calls, frames are written anew in the same dialect, too.
    #[must_use]
    pub fn watched(mut self, watch: Watch) -> Self {
        if watch.mends() {
            self.forward = Forward::No;
        }
        self.watching = Some(Box::new(Watching::new(watch)));
        self
    }

    /// What the guard has found since it was last asked.
    pub fn findings(&mut self) -> Vec<Finding> {
        self.watching.as_mut().map(|on| std::mem::take(&mut on.findings)).unwrap_or_default()
    }

    /// Takes the next bytes of the provider's stream, and adds to `out` what the client gets of them.
    pub fn push(&mut self, chunk: &Bytes, out: &mut Vec<u8>) {
        if let Input::Waiting { framing, space } = &mut self.input {
            let Some(framing) = framing_of(*framing, chunk) else {
                space.push(chunk.clone());
                return;
            };
            self.begin(framing);
        }
        if let Input::Framed(framer) = &mut self.input {
            framer.push(chunk);
            self.drain(Framer::next, out);
        }
    }

    /// The provider's stream has ended. A reply that is not complete ends in an error for the client.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if let Input::Waiting { framing, .. } = self.input {
            self.begin(framing);
        }
        self.drain(Framer::finish, out);
        if matches!(self.input, Input::Framed(_)) {
            self.end(None, out);
        }
    }

    /// The provider's stream has broken, or is given up: the client is told why, in its own dialect.
    pub fn fail(&mut self, failure: Failure, out: &mut Vec<u8>) {
        self.input = Input::Closed;
        self.paused = None;
        if !self.ended {
            self.events.push(Event::Fail(Box::new(failure)));
        }
        if self.forward == Forward::Yes {
            self.end_forwarded(out);
        } else {
            self.take_events(Some(out));
        }
    }

    /// Whether anything of the reply itself was read.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// What broke the reply, if anything did.
    pub fn failure(&self) -> Option<&Failure> {
        self.fold.failure()
    }

    /// What was changed or left out so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The blocks of the reply that are complete so far.
    pub fn so_far(&self) -> &Reply {
        self.fold.so_far()
    }

    /// Whether the reply has come to its end, good or bad.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The whole reply, or what broke it; and everything that was changed.
    pub fn into_reply(self) -> (Result<Reply, Failure>, Ledger) {
        (self.fold.finish(), self.ledger)
    }

    fn begin(&mut self, framing: Framing) {
        let mut framer = Framer::new(framing, self.limits.event).with_lines(self.limits.lines);
        if let Input::Waiting { space, .. } = &self.input {
            for chunk in space {
                framer.push(chunk);
            }
        }
        self.input = Input::Framed(framer);
        self.passed.is_sse = framing == Framing::Sse;
        self.forward = self.forward.over(framing);
    }

    /// Reads all frames that are there.
    fn drain(
        &mut self,
        next: fn(&mut Framer) -> Result<Option<Frame>, FrameError>,
        out: &mut Vec<u8>,
    ) {
        while let Input::Framed(framer) = &mut self.input {
            match next(framer) {
                Ok(Some(frame)) => self.frame(frame, out),
                Ok(None) => return,
                Err(error) => self.end(Some(&error), out),
            }
        }
    }

    fn frame(&mut self, frame: Frame, out: &mut Vec<u8>) {
        if self.forward == Forward::Yes {
            self.pass_on(frame, out);
        } else {
            let (raw, noted) = (frame.raw.clone(), self.ledger.entries.len());
            self.reader.read(frame, &mut self.events, &mut self.ledger);
            if self.is_unread(noted) && !self.read_apart(&raw, noted, out) {
                self.remember(&raw);
            }
            self.take_events(Some(out));
        }
        self.give_up(out);
    }

    /// Ends the stream if a call has more arguments than are taken.
    fn give_up(&mut self, out: &mut Vec<u8>) {
        if self.arguments <= self.limits.arguments {
            return;
        }
        let most = std::mem::replace(&mut self.limits.arguments, usize::MAX);
        let message = format!("the arguments of a call have more than {most} bytes");
        self.fail(Failure::new(FailureKind::Upstream, Text::new(&message)), out);
    }

    /// No more frames: the reader says how the reply ends.
    fn end(&mut self, broken: Option<&FrameError>, out: &mut Vec<u8>) {
        self.input = Input::Closed;
        if let Some(error) = broken {
            self.ledger.loss(note::BAD_FRAME, Place::REPLY, error.to_string());
        }
        self.reader.finish(&mut self.events, &mut self.ledger);
        self.say_words();
        for event in &mut self.events {
            if let (Event::Fail(failure), Some(error)) = (event, broken) {
                let message = Text::new(&format!("the stream cannot be read: {error}"));
                **failure = Failure::new(FailureKind::Upstream, message);
            }
        }
        if self.forward == Forward::Yes {
            self.end_forwarded(out);
        } else {
            self.take_events(Some(out));
        }
        self.give_up(out);
    }

    /// Writes the events that were read, if they go to a writer, and folds them.
    fn take_events(&mut self, mut out: Option<&mut Vec<u8>>) {
        if let Some(paused) = &mut self.paused {
            paused.take(&mut self.events);
        }
        if let Some(said_back) = &mut self.said_back {
            said_back.take(&mut self.events);
        }
        if let (Some(watching), true) = (&mut self.watching, self.events.len() > 1) {
            watching.hears(&self.events);
        }
        for mut event in self.events.drain(..) {
            if self.ended || self.arguments > self.limits.arguments {
                continue;
            }
            match &event {
                Event::Open { block, .. } => self.arguments = block.arguments(),
                Event::Delta { delta: Delta::Args(text), .. } => {
                    self.arguments += text.raw().len();
                }
                _ => {}
            }
            if let (Some(called), Event::Start { id, .. }) = (&self.called, &mut event) {
                *id = Some(called.clone());
            }
            self.ended = matches!(event, Event::Stop(_) | Event::Fail(_));
            self.begun = self.begun || says(&event);
            let mut to = Writing {
                writer: &mut *self.writer,
                out: out.as_deref_mut(),
                ledger: &mut self.ledger,
                to: self.to,
            };
            if let Some(found) = &mut self.found {
                if found.hears(&event) {
                    self.fold.take(event);
                    continue;
                }
                if matches!(event, Event::Stop(_)) {
                    to.add(found.told(), self.fold.so_far().turn.blocks.len());
                }
            }
            if let Some(watching) = self.watching.as_mut().filter(|on| on.is_about(&event)) {
                watching.take(event, &mut self.fold, to);
            } else {
                to.write(&event);
                self.fold.take(event);
            }
        }
    }
}

/// `None` while only space has come. No server-sent event begins with a bracket; an object alone is an error, or
/// the whole reply of a server that does not stream.
fn framing_of(framing: Framing, chunk: &Bytes) -> Option<Framing> {
    if framing != Framing::Sse {
        return Some(framing);
    }
    let first = chunk.iter().find(|byte| !byte.is_ascii_whitespace())?;
    Some(if matches!(first, b'[' | b'{') { Framing::JsonArray } else { framing })
}

/// Whether the client has heard something of the reply once it has this. A text that is opened is nothing yet.
fn says(event: &Event) -> bool {
    let is_nothing = |body: &Body| matches!(body, Body::Text { text, .. } if text.is_empty());
    matches!(event, Event::Delta { .. })
        || matches!(event, Event::Open { block, .. } if !is_nothing(&block.body))
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { forward, fold, ledger, ended, .. } = self;
        f.debug_struct("Stream")
            .field("forward", forward)
            .field("fold", fold)
            .field("ledger", ledger)
            .field("ended", ended)
            .finish_non_exhaustive()
    }
}
