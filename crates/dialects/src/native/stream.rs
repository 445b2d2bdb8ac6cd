//! A stream, both ways: one server-sent event for each event of the model.

use interlingua_model::{Delta, Event, Failure, Ledger, Place, Role, Verbatim};
use interlingua_wire::json::{Object, Tape};
use interlingua_wire::{Doc, Frame, Framing, Json, Limits, Node, frame};

use super::blocks::{self, Raw};
use super::{error, names, read_blocks, reply};
use crate::{StreamReader, StreamWriter, note};

pub(super) struct Writer;

impl StreamWriter for Writer {
    fn write(&mut self, event: &Event, out: &mut Vec<u8>, _: &mut Ledger) {
        let name = match event {
            Event::Start { .. } => "start",
            Event::Open { .. } => "open",
            Event::Delta { .. } => "delta",
            Event::Close { .. } => "close",
            Event::Usage(_) => "usage",
            Event::Stop(_) => "stop",
            Event::Fail(_) => "fail",
            Event::Ping => "ping",
            Event::Foreign { .. } => "foreign",
        };
        let data = Json::object(|o| write_event(event, o));
        frame::write(Framing::Sse, Some(name), data.as_str(), out);
    }
}

fn write_event(event: &Event, o: &mut Object<'_>) {
    match event {
        Event::Start { id, model } => {
            o.text_if("id", id.as_ref());
            o.text_if("model", model.as_ref());
        }
        Event::Open { index, block } => {
            o.number("index", u64::from(*index));
            let block = Verbatim::new((**block).clone());
            o.object("block", |o| blocks::write_block(&block, Raw::Keep, o));
        }
        Event::Delta { index, delta } => {
            o.number("index", u64::from(*index));
            match delta {
                Delta::Text(text) => o.text("text", text),
                Delta::Args(text) => o.text("args", text),
                Delta::Seal(seal) => blocks::seal(Some(seal), o),
                Delta::Citation(one) => o.array("citations", |a| blocks::citation(one, a)),
            }
        }
        Event::Close { index } => o.number("index", u64::from(*index)),
        Event::Usage(usage) => reply::encode_usage(usage, o),
        Event::Stop(stop) => reply::encode_stop(stop, o),
        Event::Fail(failure) => error::encode_fields(failure, o),
        Event::Ping => {}
        Event::Foreign { dialect, kind, json } => {
            o.word("dialect", dialect.0);
            o.text("kind", kind);
            o.json("json", json);
        }
    }
}

/// Trusts nobody: what breaks the law of events is dropped or completed.
#[derive(Default)]
pub(super) struct Reader {
    tape: Tape,
    started: bool,
    open: Option<u32>,
    next: u32,
    ended: bool,
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let Some(data) = frame.data.filter(|_| !self.ended) else { return };
        match Doc::parse_on(data, Limits::default(), &mut self.tape) {
            Ok(doc) => {
                let name = frame.event.as_deref().unwrap_or_default();
                self.step(name, doc.root(), events, ledger);
                doc.recycle(&mut self.tape);
            }
            Err(malformed) => {
                ledger.loss(note::BAD_FRAME, Place::REPLY, malformed.to_string());
            }
        }
    }

    fn finish(&mut self, events: &mut Vec<Event>, _: &mut Ledger) {
        if !self.ended {
            self.start(events);
            self.close(events);
            events.push(Event::Fail(Box::new(Failure::cut_short())));
            self.ended = true;
        }
    }
}

impl Reader {
    fn step(&mut self, name: &str, node: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if name == "start" && !self.started {
            self.started = true;
            let id = node.get("id").and_then(Node::text);
            events.push(Event::Start { id, model: node.get("model").and_then(Node::text) });
            return;
        }
        if name == "ping" {
            events.push(Event::Ping);
            return;
        }
        self.start(events);
        match name {
            "open" => {
                self.close(events);
                let block = node.get("block").unwrap_or(node);
                let block = read_blocks::block(block, Role::Assistant, ledger).into_value();
                events.push(Event::Open { index: self.next, block: Box::new(block) });
                self.open = Some(self.next);
            }
            "delta" => match (self.open, delta(node)) {
                (Some(index), Some(delta)) => events.push(Event::Delta { index, delta }),
                _ => ledger.loss(note::STREAM_ORDER, Place::REPLY, "a delta without its block"),
            },
            "close" => self.close(events),
            "usage" => events.push(Event::Usage(reply::decode_usage(node))),
            "stop" => {
                self.close(events);
                events.push(Event::Stop(reply::decode_stop(node)));
                self.ended = true;
            }
            "fail" => {
                self.close(events);
                events.push(Event::Fail(Box::new(error::decode(node))));
                self.ended = true;
            }
            _ => events.push(foreign(node)),
        }
    }

    fn start(&mut self, events: &mut Vec<Event>) {
        if !std::mem::replace(&mut self.started, true) {
            events.push(Event::Start { id: None, model: None });
        }
    }

    fn close(&mut self, events: &mut Vec<Event>) {
        if let Some(index) = self.open.take() {
            events.push(Event::Close { index });
            self.next += 1;
        }
    }
}

fn delta(node: Node<'_>) -> Option<Delta> {
    if let Some(text) = node.get("text").and_then(Node::text) {
        return Some(Delta::Text(text));
    }
    if let Some(args) = node.get("args").and_then(Node::text) {
        return Some(Delta::Args(args));
    }
    if let Some(seal) = node.get("seal") {
        return Some(Delta::Seal(Box::new(read_blocks::seal(seal))));
    }
    let citation = node.get("citations")?.items().next()?;
    Some(Delta::Citation(Box::new(read_blocks::citation(citation))))
}

fn foreign(node: Node<'_>) -> Event {
    let name = node.get("dialect").map(Node::word).unwrap_or_default();
    Event::Foreign {
        dialect: names::dialect(&name).unwrap_or(super::ID),
        kind: read_blocks::text(node.get("kind")),
        json: node.get("json").map_or(Json::NULL, Node::json),
    }
}
