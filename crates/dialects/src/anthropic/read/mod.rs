//! A stream, read.

mod anew;
mod blocks;
mod fill;
mod held;

use bytestring::ByteString;
use interlingua_model::{Event, Exchange, Failure, Ledger, Place, Stop, StopReason};
use interlingua_wire::frame::is_comment;
use interlingua_wire::json::Tape;
use interlingua_wire::{Doc, Frame, Json, Limits, Node, Text};

use self::anew::{Came, Passed, SoFar};
use self::blocks::Step;
use self::held::Open;
use super::frame::{PIECE, is_event};
use super::{ID, error, reply, stop, usage};
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
    /// Words that came among the arguments of a call, told after it; the first says whether they are thoughts.
    beside: Vec<(bool, Vec<Text>)>,
    /// The counts so far, as one object.
    usage: Option<Json>,
    stop: Option<Stop>,
    has_calls: bool,
    lacks: Lack,
    /// The end mark has come.
    over: bool,
    noted_late: bool,
    passed: Passed,
    /// Who a message without a beginning is from.
    exchange: Exchange,
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
            beside: Vec::new(),
            usage: None,
            stop: None,
            has_calls: false,
            lacks: Lack::Nothing,
            over: false,
            noted_late: false,
            passed: Passed::default(),
            exchange: Exchange {
                id: exchange.id.clone(),
                model: exchange.model.clone(),
                ..Exchange::default()
            },
        }
    }

    fn step(
        &mut self,
        kind: &str,
        root: Node<'_>,
        came: &Came<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        if let "content_block_delta" | "content_block_start" | "content_block_stop" = kind {
            let step = Step::of(kind, root);
            self.passed.block(&step, came, &self.exchange);
            self.block_step(&step, events, ledger);
            return self.catch_up(events, ledger);
        }
        let so_far = SoFar {
            counts: self.usage.as_ref(),
            has_reason: self.stop.is_some(),
            exchange: &self.exchange,
        };
        self.passed.message(kind, root, came, &so_far);
        match kind {
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
                Some(failure) => {
                    self.passed.fail(kind, &failure);
                    self.fail(failure, events);
                }
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
        let event = frame.event.as_deref();
        let data = frame.data.filter(|data| data.starts_with('{') || !data.trim().is_empty());
        let Some(data) = data else {
            // Packages take a name without data for an event that cannot be read, and what is no field
            // at all could be taken for another kind of stream, where it stands first.
            if event != Some("ping") && !is_comment(&frame.raw) {
                self.passed.leave_out();
            }
            return;
        };
        // The end mark of another dialect, which some hosts add.
        if !data.starts_with('{') && data.trim() == "[DONE]" {
            return self.passed.leave_out();
        }
        if self.stage == Stage::Ended {
            if !std::mem::replace(&mut self.noted_late, true) {
                misplaced(ledger, "something came after the end");
            }
            return;
        }
        let is_object = data.trim_start().starts_with('{');
        match Doc::parse_on(data, Limits::default(), &mut self.tape) {
            Ok(doc) => {
                let root = doc.root();
                let kind = root.get("type").map(Node::word).unwrap_or_default();
                let kind = if kind.is_empty() { event.unwrap_or("") } else { &kind };
                let came = Came { event, raw: &frame.raw };
                self.step(kind, root, &came, events, ledger);
                doc.recycle(&mut self.tape);
            }
            Err(why) => {
                ledger.loss(note::BAD_FRAME, Place::REPLY, format!("a frame is {why}"));
                // Of an event that is broken the client is to know.
                if !is_object {
                    self.passed.leave_out();
                }
            }
        }
    }

    fn finish(&mut self, events: &mut Vec<Event>, _: &mut Ledger) {
        if self.stage == Stage::Ended {
            return;
        }
        // The reason ends all blocks: one that began after it and has no end was cut.
        if self.stop.is_some() && self.open.is_none() && self.waiting.is_empty() {
            self.end(events);
            self.lacks = Lack::Mark(END);
        } else {
            self.fail(Failure::cut_short(), events);
        }
    }

    fn passes_on(&mut self) {
        self.passed.on = true;
    }

    fn anew(&mut self) -> Option<Vec<u8>> {
        self.passed.take()
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

/// Fields that say something only to this dialect; none that could be taken for an event.
fn foreign_fields(node: Node<'_>, known: &[&str], events: &mut Vec<Event>) {
    for field in node.fields() {
        let is_event = || field.is(PIECE) || is_event(&field.key(), &field.value.json());
        if !field.value.is_null() && !known.contains(&&*field.name()) && !is_event() {
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
