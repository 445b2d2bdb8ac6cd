//! A stream, read.

mod held;

use bytestring::ByteString;
use interlingua_model::{Args, Body, Event, Exchange, Failure, Ledger, Place, Stop, StopReason};
use interlingua_wire::json::Tape;
use interlingua_wire::{Doc, Frame, Json, Limits, Node, Text};

use self::held::{Held, Open};
use super::{ID, decode, error, reply, stop, usage};
use crate::{Lack, StreamReader, note};

#[derive(Debug)]
pub(super) struct Reader {
    tape: Tape,
    /// Tools that take free text.
    freeform: Vec<Text>,
    stage: Stage,
    open: Option<Open>,
    /// How many blocks were opened.
    count: u32,
    /// Steps of blocks that must wait until the open one is closed, with the index on the wire.
    waiting: Vec<(u64, ByteString)>,
    /// The counts so far, as one object.
    usage: Option<Json>,
    stop: Option<Stop>,
    has_calls: bool,
    lacks: Lack,
    /// The end mark has come.
    over: bool,
    noted_late: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Before,
    Running,
    Ended,
}

impl Reader {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self {
            tape: Tape::default(),
            freeform: exchange.freeform.clone(),
            stage: Stage::Before,
            open: None,
            count: 0,
            waiting: Vec::new(),
            usage: None,
            stop: None,
            has_calls: false,
            lacks: Lack::Nothing,
            over: false,
            noted_late: false,
        }
    }

    fn step(&mut self, kind: &str, root: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        match kind {
            "content_block_delta" | "content_block_start" | "content_block_stop" => {
                self.block_step(kind, root, events, ledger);
                self.catch_up(events, ledger);
            }
            "message_start" => self.start(root.get("message"), events, ledger),
            "message_delta" => self.message_delta(root, events, ledger),
            "message_stop" => {
                self.begin(events, ledger);
                self.settle(events, ledger);
                if self.stop.is_none() {
                    misplaced(ledger, "the message does not say why it ended");
                    self.lacks = Lack::Reason;
                }
                self.end(events);
                self.over = true;
            }
            "ping" if self.stage == Stage::Running => events.push(Event::Ping),
            "ping" => {}
            _ => match error::in_body(root) {
                Some(failure) => self.fail(failure, events),
                None if self.stage == Stage::Running => events.push(Event::Foreign {
                    dialect: ID,
                    kind: Text::new(kind),
                    json: root.json(),
                }),
                None => misplaced(ledger, &format!("`{kind}` before the message began")),
            },
        }
    }

    fn start(&mut self, message: Option<Node<'_>>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if self.stage != Stage::Before {
            misplaced(ledger, "the message began twice");
            return;
        }
        self.stage = Stage::Running;
        let (id, model) = message.map(reply::id_and_model).unwrap_or_default();
        events.push(Event::Start { id, model });
        let Some(message) = message else { return };
        if let Some(counts) = message.get("usage").filter(|counts| counts.is_object()) {
            self.count_tokens(counts, events);
        }
        foreign_fields(message, MESSAGE_KEYS, events);
        for block in message.get("content").into_iter().flat_map(Node::items) {
            self.open_block(0, block, events, ledger);
            self.close_block(true, events);
        }
    }

    /// A stream that does not begin with its beginning gets one.
    fn begin(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if self.stage == Stage::Before {
            misplaced(ledger, "the message had no beginning");
            self.start(None, events, ledger);
        }
    }

    fn block_step(
        &mut self,
        kind: &str,
        root: Node<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        self.begin(events, ledger);
        let [index, delta, block] = root.pick(["index", "delta", "content_block"]);
        let wire = index
            .and_then(Node::count)
            .unwrap_or_else(|| self.open.as_ref().map_or(u64::from(self.count), |open| open.wire));
        let open_elsewhere = self.open.as_ref().is_some_and(|open| open.wire != wire);
        let reopened = kind == "content_block_start" && self.open.is_some();
        if open_elsewhere || reopened || self.waiting.iter().any(|(at, _)| *at == wire) {
            if self.waiting.is_empty() {
                misplaced(ledger, "a block began before the one before it ended");
            }
            let data = ByteString::from(root.raw());
            self.waiting.push((wire, data));
            return;
        }
        match kind {
            "content_block_start" => match block {
                Some(block) => self.open_block(wire, block, events, ledger),
                None => misplaced(ledger, "a block began without itself"),
            },
            "content_block_delta" => match delta {
                Some(delta) => self.delta(wire, delta, events, ledger),
                None => misplaced(ledger, "a piece came empty"),
            },
            _ if self.open.is_some() => self.close_block(true, events),
            _ => misplaced(ledger, "a block ended that had not begun"),
        }
    }

    /// Takes the steps that waited for the open block to be closed.
    fn catch_up(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        while self.open.is_none() && !self.waiting.is_empty() {
            for (_, data) in std::mem::take(&mut self.waiting) {
                if let Ok(doc) = Doc::parse(data, Limits::default()) {
                    let kind = doc.root().get("type").map(Node::word).unwrap_or_default();
                    self.block_step(&kind, doc.root(), events, ledger);
                }
            }
        }
    }

    /// Closes whatever is open or waits.
    fn settle(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        while self.open.is_some() || !self.waiting.is_empty() {
            if self.open.is_some() {
                misplaced(ledger, "a block had no end");
                self.close_block(true, events);
            }
            self.catch_up(events, ledger);
        }
    }

    fn open_block(
        &mut self,
        wire: u64,
        node: Node<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        let index = self.count;
        self.count += 1;
        let place = Place::reply(index as usize);
        let mut block = decode::block(node, place, ledger).into_value();
        let held = match &mut block.body {
            Body::Text { .. } => Held::Text,
            Body::Thinking(thinking) => Held::of_thinking(thinking),
            Body::ToolCall(call) => {
                self.has_calls = true;
                let takes_text = self.freeform.contains(&call.name);
                let empty = if takes_text {
                    Args::Freeform(Text::EMPTY)
                } else {
                    Args::Malformed(Text::EMPTY)
                };
                Held::of_call(std::mem::replace(&mut call.args, empty), takes_text)
            }
            Body::Foreign { .. } => Held::foreign(block.clone()),
            Body::Refusal(_) | Body::Media(_) | Body::Data(_) | Body::ToolResult(_) => Held::Whole,
        };
        if !matches!(held, Held::Foreign { .. }) {
            events.push(Event::Open { index, block: Box::new(block) });
        }
        self.open = Some(Open { wire, index, held });
    }

    fn delta(&mut self, wire: u64, delta: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let kind = delta.get("type").map(Node::word).unwrap_or_default();
        if self.open.is_none() {
            let start = match &*kind {
                "text_delta" => r#"{"type":"text","text":""}"#,
                "thinking_delta" | "signature_delta" => r#"{"type":"thinking","thinking":""}"#,
                _ => return misplaced(ledger, &format!("a `{kind}` before its block began")),
            };
            misplaced(ledger, &format!("a `{kind}` before its block began"));
            if let Ok(doc) = Doc::parse(ByteString::from_static(start), Limits::default()) {
                self.open_block(wire, doc.root(), events, ledger);
            }
        }
        if let Some(open) = &mut self.open {
            open.take(&kind, delta, events, ledger);
        }
    }

    fn close_block(&mut self, is_complete: bool, events: &mut Vec<Event>) {
        if let Some(open) = self.open.take() {
            open.close(is_complete, events);
        }
    }

    fn message_delta(&mut self, root: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        self.begin(events, ledger);
        self.settle(events, ledger);
        if let Some(delta) = root.get("delta") {
            self.stop = stop::of(delta).or(self.stop.take());
            foreign_fields(delta, &["stop_reason", "stop_sequence"], events);
        }
        foreign_fields(root, &["type", "delta", "usage"], events);
        if let Some(counts) = root.get("usage").filter(|counts| counts.is_object()) {
            self.count_tokens(counts, events);
        }
    }

    /// Later counts replace earlier ones, each by itself.
    fn count_tokens(&mut self, counts: Node<'_>, events: &mut Vec<Event>) {
        let all = match &self.usage {
            Some(earlier) => merged(earlier, counts),
            None => counts.json(),
        };
        events.push(Event::Usage(usage::decode(all.doc().root())));
        self.usage = Some(all);
    }

    fn end(&mut self, events: &mut Vec<Event>) {
        let stop = self.stop.take().unwrap_or(Stop::new(StopReason::End));
        events.push(Event::Stop(stop.with_calls(self.has_calls)));
        self.stage = Stage::Ended;
    }

    fn fail(&mut self, failure: Failure, events: &mut Vec<Event>) {
        if self.stage == Stage::Before {
            events.push(Event::Start { id: None, model: None });
        }
        self.close_block(false, events);
        events.push(Event::Fail(Box::new(failure)));
        self.stage = Stage::Ended;
    }
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let Some(data) = frame.data else { return };
        // The end mark of another dialect, which some hosts add.
        if !data.starts_with('{') && data.trim() == "[DONE]" {
            return;
        }
        if self.stage == Stage::Ended {
            if !std::mem::replace(&mut self.noted_late, true) {
                misplaced(ledger, "something came after the end");
            }
            return;
        }
        match Doc::parse_on(data, Limits::default(), &mut self.tape) {
            Ok(doc) => {
                let root = doc.root();
                let kind = root.get("type").map(Node::word).unwrap_or_default();
                let kind =
                    if kind.is_empty() { frame.event.as_deref().unwrap_or("") } else { &kind };
                self.step(kind, root, events, ledger);
                doc.recycle(&mut self.tape);
            }
            Err(why) => {
                ledger.loss(note::BAD_FRAME, Place::REPLY, format!("a frame is {why}"));
            }
        }
    }

    fn finish(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if self.stage == Stage::Ended {
            return;
        }
        if self.stop.is_some() {
            self.settle(events, ledger);
            self.end(events);
            self.lacks = Lack::Mark(END);
        } else {
            self.fail(Failure::cut_short(), events);
        }
    }

    fn has_stopped(&self) -> bool {
        self.stop.is_some()
    }

    fn lacks(&self) -> Lack {
        self.lacks
    }

    fn is_over(&self) -> bool {
        self.over
    }
}

/// Fields that say something only to this dialect.
fn foreign_fields(node: Node<'_>, known: &[&str], events: &mut Vec<Event>) {
    for field in node.fields() {
        if !field.value.is_null() && !known.contains(&&*field.name()) {
            let (kind, json) = (field.key(), field.value.json());
            events.push(Event::Foreign { dialect: ID, kind, json });
        }
    }
}

/// One object with the fields of both; of a field in both, the later, unless it says nothing.
fn merged(earlier: &Json, later: Node<'_>) -> Json {
    let doc = earlier.doc();
    let said = |key: &str| later.get(key).filter(|value| !value.is_null());
    if doc.root().fields().all(|field| said(&field.name()).is_some()) {
        return later.json();
    }
    Json::object(|o| {
        for field in doc.root().fields() {
            let value = said(&field.name()).unwrap_or(field.value);
            o.key_text(&field.key()).json(&value.json());
        }
        for field in later.fields() {
            if doc.root().get(&field.name()).is_none() {
                o.key_text(&field.key()).json(&field.value.json());
            }
        }
    })
}

fn misplaced(ledger: &mut Ledger, what: &str) {
    ledger.change(note::STREAM_ORDER, Place::REPLY, what.to_owned());
}

const MESSAGE_KEYS: &[&str] =
    &["id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"];

const END: &[u8] = b"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
