//! Reads a stream.

use interlingua_model::{ApiError, Delta, Ledger, LedgerPath, Role, StreamEvent};
use interlingua_wire::json::Tape;
use interlingua_wire::{Frame, JsonDoc, JsonLimits, JsonNode, RawJson};

use super::decode::block;
use super::{enum_names, error, id, stop, usage};
use crate::dialect::StreamReader;
use crate::note;

/// Does not trust its input: events that violate the laws are dropped or completed.
#[derive(Default)]
pub(super) struct Reader {
    tape: Tape,
    started: bool,
    open_index: Option<u32>,
    next_index: u32,
    ended: bool,
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        let Some(data) = frame.data.filter(|_| !self.ended) else { return };
        match JsonDoc::parse_with_tape(data, JsonLimits::default(), &mut self.tape) {
            Ok(doc) => {
                let name = frame.event.as_deref().unwrap_or_default();
                self.read_event(name, doc.root(), events, ledger);
                doc.recycle(&mut self.tape);
            }
            Err(error) => {
                ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, error.to_string());
            }
        }
    }

    fn finish(&mut self, events: &mut Vec<StreamEvent>, _: &mut Ledger) {
        if !self.ended {
            self.ensure_started(events);
            self.close_block(events);
            events.push(StreamEvent::Error(Box::new(ApiError::truncated_stream())));
            self.ended = true;
        }
    }
}

impl Reader {
    fn read_event(
        &mut self,
        name: &str,
        node: JsonNode<'_>,
        events: &mut Vec<StreamEvent>,
        ledger: &mut Ledger,
    ) {
        if name == "start" && !self.started {
            self.started = true;
            let id = node.get("id").and_then(JsonNode::json_string);
            events.push(StreamEvent::Start {
                id,
                model: node.get("model").and_then(JsonNode::json_string),
            });
            return;
        }
        if name == "ping" {
            events.push(StreamEvent::Ping);
            return;
        }
        self.ensure_started(events);
        match name {
            "open" => {
                self.close_block(events);
                let block = node.get("block").unwrap_or(node);
                let block = block::decode_block(block, Role::Assistant, ledger).into_value();
                events.push(StreamEvent::BlockStart {
                    index: self.next_index,
                    block: Box::new(block),
                });
                self.open_index = Some(self.next_index);
            }
            "delta" => match (self.open_index, decode_delta(node)) {
                (Some(index), Some(delta)) => events.push(StreamEvent::Delta { index, delta }),
                _ => ledger.record_loss(
                    note::STREAM_ORDER,
                    LedgerPath::REPLY,
                    "a delta without an open block",
                ),
            },
            "close" => self.close_block(events),
            "usage" => events.push(StreamEvent::Usage(usage::decode_usage(node))),
            "stop" => {
                self.close_block(events);
                events.push(StreamEvent::Stop(stop::decode_stop(node)));
                self.ended = true;
            }
            "fail" => {
                self.close_block(events);
                events.push(StreamEvent::Error(Box::new(error::decode_error(node))));
                self.ended = true;
            }
            _ => events.push(decode_foreign_event(node)),
        }
    }

    fn ensure_started(&mut self, events: &mut Vec<StreamEvent>) {
        if !std::mem::replace(&mut self.started, true) {
            events.push(StreamEvent::Start { id: None, model: None });
        }
    }

    fn close_block(&mut self, events: &mut Vec<StreamEvent>) {
        if let Some(index) = self.open_index.take() {
            events.push(StreamEvent::BlockEnd { index });
            self.next_index += 1;
        }
    }
}

fn decode_delta(node: JsonNode<'_>) -> Option<Delta> {
    if let Some(text) = node.get("text").and_then(JsonNode::json_string) {
        return Some(Delta::Text(text));
    }
    if let Some(args) = node.get("args").and_then(JsonNode::json_string) {
        return Some(Delta::Args(args));
    }
    if let Some(seal) = node.get("seal") {
        return Some(Delta::Seal(Box::new(block::decode_seal(seal))));
    }
    let citation = node.get("citations")?.items().next()?;
    Some(Delta::Citation(Box::new(block::decode_citation(citation))))
}

fn decode_foreign_event(node: JsonNode<'_>) -> StreamEvent {
    let name = node.get("dialect").map(JsonNode::str_or_empty).unwrap_or_default();
    StreamEvent::Foreign {
        dialect: enum_names::find_dialect(&name).unwrap_or(id::ID),
        kind: block::text_or_raw(node.get("kind")),
        json: node.get("json").map_or(RawJson::NULL, JsonNode::json),
    }
}
