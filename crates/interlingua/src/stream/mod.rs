//! Translates a streamed reply that arrives in chunks of any size.

mod bad_frames;
mod continuation;
mod frame_recovery;
mod guard;
mod held_end;
mod name_restorer;
mod passthrough;
mod passthrough_state;
mod resume;

use std::fmt;

use bytes::{Bytes, BytesMut};
use interlingua_dialects::{Dialect, StreamReader, StreamWriter, note};
use interlingua_guard::{CallChecker, Finding};
use interlingua_model::{
    ApiError, ApiErrorKind, BlockContent, Delta, DialectId, Ledger, LedgerPath, Reply,
    ReplyAccumulator, ReplyContext, StreamEvent, TakenIds,
};
use interlingua_wire::{Frame, FrameError, FrameReader, Framing, JsonString};

use self::continuation::Continuation;
use self::frame_recovery::has_bad_frame;
use self::guard::{EventSink, StreamGuard};
use self::name_restorer::NameRestorer;
use self::passthrough_state::{Passthrough, PassthroughState};
use crate::echoed_fields::EchoedFields;
use crate::limits::{ReplyLimits, limit_error};
use crate::reply::stream_writer;
use crate::web_search::WebSearchCollector;

/// Translates one streamed reply. Bytes are pushed as they arrive, and events are written as soon
/// as they are complete.
///
/// Within one dialect, each frame is forwarded as the bytes that were received; frames that clients
/// would misread are rewritten, and a missing end is added. The events are decoded in both cases,
/// so that the complete reply is available when the stream ends.
///
/// ```
/// use interlingua::{ReplyContext, StreamTranslator, find_dialect};
///
/// let from = find_dialect("gemini").unwrap();
/// let to = find_dialect("openai-chat").unwrap();
/// let mut stream = StreamTranslator::new(from, to, &ReplyContext::default());
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
pub struct StreamTranslator {
    input: Input,
    reader: Box<dyn StreamReader>,
    /// The provider dialect's keys of lists that become blocks.
    list_keys: &'static [&'static str],
    writer: Box<dyn StreamWriter>,
    to: DialectId,
    passthrough: Passthrough,
    /// Set if tool names, call ids or argument keys of the reply must be restored.
    name_restorer: Option<Box<NameRestorer>>,
    override_id: Option<JsonString>,
    /// Until the reply's id is known.
    taken_ids: Option<TakenIds>,
    echoed_fields: EchoedFields,
    guard: Option<Box<StreamGuard>>,
    /// Set if the client gets web search results as blocks.
    web_search_collector: Option<Box<WebSearchCollector>>,
    /// Set if a paused reply may be continued.
    continuation: Option<Box<Continuation>>,
    /// The bytes that end the reply; `None` if they are not held back.
    held_end: Option<Vec<u8>>,
    /// Reused between frames to save allocations.
    events: Vec<StreamEvent>,
    accumulator: ReplyAccumulator,
    ledger: Ledger,
    /// A stop or an error was read; further events are ignored.
    ended: bool,
    /// Some content of the reply was read.
    has_content: bool,
    /// The dialect's name for heartbeat events, and the last such frame of a passed-through stream.
    heartbeat_event: Option<&'static str>,
    heartbeat_bytes: &'static [u8],
    last_heartbeat: Option<Bytes>,
    passthrough_state: PassthroughState,
    /// Text of a frame that could not be parsed, for the error message.
    unparsed_text: Option<String>,
    limits: ReplyLimits,
    /// Bytes of the arguments of the open call so far.
    argument_bytes: usize,
    /// Bytes received so far.
    received_bytes: usize,
    /// The last event was a ping: repeated ones are left to the caller's heartbeats.
    last_was_ping: bool,
}

/// The framing is determined by the dialect, or by the first byte if the dialect has two.
enum Input {
    Detecting {
        framing: Framing,
        leading_space: BytesMut,
    },
    Framed(FrameReader),
    /// The stream failed or was finished.
    Closed,
}

impl StreamTranslator {
    /// Creates a translator from dialect `from` to dialect `to`. A stream of server-sent events
    /// that turns out to be a JSON array, or one object, is read as JSON.
    pub fn new(from: &dyn Dialect, to: &dyn Dialect, cx: &ReplyContext) -> Self {
        let input = Input::Detecting { framing: from.framing(), leading_space: BytesMut::new() };
        Self::with_input(input, from, to, cx)
    }

    /// As [`StreamTranslator::new`], with a known framing, for example from a content type.
    pub fn with_framing(
        framing: Framing,
        from: &dyn Dialect,
        to: &dyn Dialect,
        cx: &ReplyContext,
    ) -> Self {
        let mut stream = Self::with_input(Input::Closed, from, to, cx);
        stream.start_framing(framing);
        stream
    }

    fn with_input(input: Input, from: &dyn Dialect, to: &dyn Dialect, cx: &ReplyContext) -> Self {
        let has_renames = cx.has_renames();
        let is_passthrough = from.id() == to.id() && !has_renames;
        Self {
            input,
            reader: from.reader(cx),
            list_keys: from.reply_list_keys(),
            writer: stream_writer(to, cx),
            to: to.id(),
            passthrough: if is_passthrough {
                Passthrough::IfFramingMatches { json_array: cx.wants_json_array }
            } else {
                Passthrough::Off
            },
            name_restorer: has_renames.then(|| Box::new(NameRestorer::new(cx))),
            override_id: cx.override_id.clone(),
            taken_ids: cx.taken_ids.clone(),
            echoed_fields: EchoedFields::from_exchange(cx, to.id()),
            guard: None,
            web_search_collector: WebSearchCollector::for_exchange(cx, to.id())
                .filter(|_| !is_passthrough)
                .map(Box::new),
            continuation: None,
            held_end: None,
            events: Vec::new(),
            accumulator: ReplyAccumulator::new(),
            ledger: Ledger::default(),
            ended: false,
            has_content: false,
            heartbeat_event: to.heartbeat_event(),
            heartbeat_bytes: to.heartbeat_bytes(),
            last_heartbeat: None,
            passthrough_state: PassthroughState {
                is_verbatim: cx.is_verbatim,
                ..PassthroughState::default()
            },
            unparsed_text: None,
            limits: ReplyLimits::default(),
            argument_bytes: 0,
            received_bytes: 0,
            last_was_ping: false,
        }
    }

    /// Sets the limits. Must be called before bytes are pushed.
    #[must_use]
    pub fn with_limits(mut self, limits: ReplyLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Checks each tool call of the reply with a guard when the call is complete. If the guard may
    /// mend calls, frames are always decoded and written again; otherwise passed-through frames
    /// stay as they are and the guard only reports.
    #[must_use]
    pub fn with_guard(mut self, call_checker: CallChecker) -> Self {
        if call_checker.can_mend() {
            self.passthrough = Passthrough::Off;
        }
        self.guard = Some(Box::new(StreamGuard::new(call_checker)));
        self
    }

    /// Returns the guard's findings since the last call of this method.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        self.guard.as_mut().map(|guard| std::mem::take(&mut guard.findings)).unwrap_or_default()
    }

    /// Processes the next bytes of the provider's stream, and appends the client's bytes to `out`.
    pub fn push(&mut self, chunk: &Bytes, out: &mut Vec<u8>) {
        self.received_bytes = self.received_bytes.saturating_add(chunk.len());
        if self.received_bytes > self.limits.max_bytes(self.has_content) {
            return self.fail_over_limit(out);
        }
        if let Input::Detecting { framing, leading_space } = &mut self.input {
            let Some(framing) = detect_framing(*framing, chunk) else {
                leading_space.extend_from_slice(chunk);
                return;
            };
            self.start_framing(framing);
        }
        if let Input::Framed(frame_reader) = &mut self.input {
            frame_reader.push(chunk);
            self.process_frames(FrameReader::next, out);
        }
    }

    /// Ends the stream. An incomplete reply ends with an error for the client.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if let Input::Detecting { framing, .. } = self.input {
            self.start_framing(framing);
        }
        self.process_frames(FrameReader::finish, out);
        if matches!(self.input, Input::Framed(_)) {
            self.end_input(None, out);
        }
    }

    /// Ends the stream with an error, which is written in the client's dialect.
    pub fn fail(&mut self, error: ApiError, out: &mut Vec<u8>) {
        self.input = Input::Closed;
        self.continuation = None;
        if !self.ended {
            self.events.push(StreamEvent::Error(Box::new(error)));
        }
        if self.passthrough == Passthrough::On {
            self.finish_passthrough(out);
        } else {
            self.emit_events(Some(out));
        }
    }

    /// Ends the stream with an error because its provider sent too much.
    fn fail_over_limit(&mut self, out: &mut Vec<u8>) {
        if matches!(self.input, Input::Closed) {
            return;
        }
        let limit = self.limits.max_bytes(self.has_content);
        let message = if self.has_content {
            format!("the reply is larger than the limit of {limit} bytes")
        } else {
            format!("the provider sent more than {limit} bytes before its reply")
        };
        self.fail(limit_error(&message), out);
    }

    /// Whether further bytes are ignored: the stream failed or was finished.
    pub fn is_closed(&self) -> bool {
        matches!(self.input, Input::Closed)
    }

    /// Whether any content of the reply was read.
    pub fn has_content(&self) -> bool {
        self.has_content
    }

    /// The error that ended the reply, if there was one.
    pub fn error(&self) -> Option<&ApiError> {
        self.accumulator.error()
    }

    /// The changes and losses so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The reply so far, with the blocks that are complete.
    pub fn partial_reply(&self) -> &Reply {
        self.accumulator.partial_reply()
    }

    /// Whether a stop or an error was read.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns the complete reply or the error that ended it, and the ledger.
    pub fn into_reply(self) -> (Result<Reply, ApiError>, Ledger) {
        (self.accumulator.finish(), self.ledger)
    }

    fn start_framing(&mut self, framing: Framing) {
        let mut frame_reader = FrameReader::new(framing, self.limits.max_event_bytes)
            .with_max_lines(self.limits.max_event_lines);
        if let Input::Detecting { leading_space, .. } = &mut self.input
            && !leading_space.is_empty()
        {
            frame_reader.push(&std::mem::take(leading_space).freeze());
        }
        self.input = Input::Framed(frame_reader);
        self.passthrough_state.is_sse = framing == Framing::Sse;
        self.passthrough = self.passthrough.resolve(framing);
    }

    /// Processes all complete frames.
    fn process_frames(
        &mut self,
        next: fn(&mut FrameReader) -> Result<Option<Frame>, FrameError>,
        out: &mut Vec<u8>,
    ) {
        while let Input::Framed(frame_reader) = &mut self.input {
            match next(frame_reader) {
                Ok(Some(frame)) => self.process_frame(frame, out),
                Ok(None) => return,
                Err(error) => self.end_input(Some(&error), out),
            }
        }
    }

    fn process_frame(&mut self, frame: Frame, out: &mut Vec<u8>) {
        if let Err(error) = self.limits.check_frame(&frame, self.list_keys) {
            return self.fail(error, out);
        }
        if self.passthrough == Passthrough::On {
            self.forward_frame(frame, out);
        } else {
            let raw = frame.raw.clone();
            let frame_ledger = self.read_frame(frame);
            let is_bad = has_bad_frame(&frame_ledger);
            if !is_bad || !self.recover_frame(&raw, out) {
                self.ledger.append(frame_ledger);
                if is_bad {
                    self.keep_unparsed_text(&raw);
                }
            }
            self.replaces_reply_id();
            self.emit_events(Some(out));
        }
        self.enforce_limits(out);
    }

    /// The limit that the blocks so far exceed, as an error.
    fn exceeded_limit(&self) -> Option<ApiError> {
        if self.argument_bytes > self.limits.max_argument_bytes {
            Some(self.limits.arguments_error())
        } else if self.partial_reply().turn.blocks.len() > self.limits.max_blocks {
            Some(self.limits.blocks_error())
        } else {
            None
        }
    }

    /// Ends the stream with an error if its blocks exceed a limit.
    fn enforce_limits(&mut self, out: &mut Vec<u8>) {
        let Some(error) = self.exceeded_limit() else { return };
        // The error itself must be emitted.
        (self.limits.max_argument_bytes, self.limits.max_blocks) = (usize::MAX, usize::MAX);
        self.fail(error, out);
    }

    /// Handles the end of the input: the reader decides how the reply ends.
    fn end_input(&mut self, frame_error: Option<&FrameError>, out: &mut Vec<u8>) {
        self.input = Input::Closed;
        if let Some(error) = frame_error {
            self.ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, error.to_string());
        }
        self.reader.finish(&mut self.events, &mut self.ledger);
        self.add_unparsed_text();
        for event in &mut self.events {
            if let (StreamEvent::Error(error), Some(frame_error)) = (event, frame_error) {
                let message = JsonString::new(&format!("the stream cannot be read: {frame_error}"));
                **error = ApiError::new(ApiErrorKind::ServerError, message);
            }
        }
        if self.passthrough == Passthrough::On {
            self.finish_passthrough(out);
        } else {
            self.emit_events(Some(out));
        }
        self.enforce_limits(out);
    }

    /// Whether the reply starts with an id that another reply has, so that it gets a new one.
    fn replaces_reply_id(&mut self) -> bool {
        if self.taken_ids.is_none() {
            return false;
        }
        let id = self.events.iter().find_map(|event| match event {
            StreamEvent::Start { id, .. } => Some(id.as_ref()),
            _ => None,
        });
        let Some(id) = id else { return false };
        let taken_ids = self.taken_ids.take();
        let replacement = id.and_then(|id| taken_ids?.replacement_of(id));
        let is_replaced = replacement.is_some();
        if is_replaced {
            self.override_id = replacement;
        }
        is_replaced
    }

    /// Runs the events through all stages, the writer (if `out` is given) and the accumulator.
    fn emit_events(&mut self, mut out: Option<&mut Vec<u8>>) {
        if let Some(continuation) = &mut self.continuation {
            continuation.apply(&mut self.events);
        }
        if let Some(name_restorer) = &mut self.name_restorer {
            name_restorer.apply(&mut self.events);
        }
        if let (Some(stream_guard), true) = (&mut self.guard, self.events.len() > 1) {
            stream_guard.observe_batch(&self.events);
        }
        for mut event in self.events.drain(..) {
            if self.ended
                || self.argument_bytes > self.limits.max_argument_bytes
                || self.accumulator.partial_reply().turn.blocks.len() > self.limits.max_blocks
            {
                continue;
            }
            let is_ping = matches!(event, StreamEvent::Ping);
            if is_ping && self.last_was_ping {
                continue;
            }
            self.last_was_ping = is_ping;
            match &event {
                StreamEvent::BlockStart { block, .. } => self.argument_bytes = block.args_len(),
                StreamEvent::Delta { delta: Delta::Args(text), .. } => {
                    self.argument_bytes += text.raw().len();
                }
                _ => {}
            }
            if let (Some(override_id), StreamEvent::Start { id, .. }) =
                (&self.override_id, &mut event)
            {
                *id = Some(override_id.clone());
            }
            self.ended = matches!(event, StreamEvent::Stop(_) | StreamEvent::Error(_));
            self.has_content = self.has_content || carries_content(&event);
            let is_stop = matches!(event, StreamEvent::Stop(_));
            let mut sink = EventSink {
                writer: &mut *self.writer,
                out: self.held_end.as_mut().filter(|_| is_stop).or(out.as_deref_mut()),
                ledger: &mut self.ledger,
                to: self.to,
            };
            if let Some(web_search_collector) = &mut self.web_search_collector {
                if web_search_collector.observe(&event) {
                    self.accumulator.push_owned(event);
                    continue;
                }
                if is_stop {
                    sink.write_blocks(
                        web_search_collector.result_blocks(),
                        self.accumulator.partial_reply().turn.blocks.len(),
                    );
                }
            }
            if let Some(stream_guard) = self.guard.as_mut().filter(|guard| guard.concerns(&event)) {
                stream_guard.process(event, &mut self.accumulator, sink);
            } else {
                sink.write(&event);
                self.accumulator.push_owned(event);
            }
        }
    }
}

/// Detects the framing from the first byte; `None` while there is only white space. A server-sent
/// event does not begin with a bracket. A single object is an error, or the complete reply of a
/// server that does not stream.
fn detect_framing(framing: Framing, chunk: &Bytes) -> Option<Framing> {
    if framing != Framing::Sse {
        return Some(framing);
    }
    let first = chunk.iter().find(|byte| !byte.is_ascii_whitespace())?;
    Some(if matches!(first, b'[' | b'{') { Framing::JsonArray } else { framing })
}

/// Whether an event carries content of the reply. The start of an empty text block does not.
fn carries_content(event: &StreamEvent) -> bool {
    let is_empty_text =
        |body: &BlockContent| matches!(body, BlockContent::Text { text, .. } if text.is_empty());
    matches!(event, StreamEvent::Delta { .. })
        || matches!(event, StreamEvent::BlockStart { block, .. } if !is_empty_text(&block.content))
}

impl fmt::Debug for StreamTranslator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passthrough, accumulator, ledger, ended, .. } = self;
        f.debug_struct("StreamTranslator")
            .field("passthrough", passthrough)
            .field("accumulator", accumulator)
            .field("ledger", ledger)
            .field("ended", ended)
            .finish_non_exhaustive()
    }
}
