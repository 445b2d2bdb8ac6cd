//! Reads a stream.

use interlingua_model::{
    ApiError, Delta, Ledger, LedgerPath, OrderFault, Role, Sequencer, StreamEvent,
};
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
    blocks: Sequencer<(), ()>,
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        let Some(data) = frame.data else { return };
        if self.blocks.record_late_event(ledger) {
            return;
        }
        self.blocks.swap_events(events);
        match JsonDoc::parse_with_tape(data, JsonLimits::default(), &mut self.tape) {
            Ok(doc) => {
                let name = frame.event.as_deref().unwrap_or_default();
                self.read_event(name, doc.root(), ledger);
                doc.recycle(&mut self.tape);
            }
            Err(error) => {
                ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, error.to_string());
            }
        }
        self.blocks.swap_events(events);
    }

    fn finish(&mut self, events: &mut Vec<StreamEvent>, _: &mut Ledger) {
        if !self.blocks.has_ended() {
            self.blocks.swap_events(events);
            self.blocks.fail(ApiError::truncated_stream());
            self.blocks.swap_events(events);
        }
    }
}

impl Reader {
    fn read_event(&mut self, name: &str, node: JsonNode<'_>, ledger: &mut Ledger) {
        let slot = self.blocks.first_slot();
        match name {
            "ping" => return self.blocks.push(StreamEvent::Ping),
            "start" if self.blocks.has_started() => OrderFault::SecondStart.record(ledger),
            "start" => {
                let text = |key| node.get(key).and_then(JsonNode::json_string);
                self.blocks.start(text("id"), text("model"));
            }
            _ if !self.blocks.has_started() => {
                OrderFault::MissingStart.record(ledger);
                self.blocks.start(None, None);
            }
            _ => {}
        }
        match (name, slot) {
            ("start", _) => {}
            ("open", unended) => {
                if let Some(unended) = unended {
                    OrderFault::MissingBlockEnd.record(ledger);
                    self.blocks.close(unended);
                }
                let block = node.get("block").unwrap_or(node);
                let block = block::decode_block(block, Role::Assistant, ledger).into_value();
                let slot = self.blocks.open((), ());
                self.blocks.begin_block(slot, block);
            }
            ("delta", slot) => match (slot, decode_delta(node)) {
                (Some(slot), Some(delta)) => {
                    self.blocks.push_delta(slot, delta);
                }
                _ => OrderFault::UnknownBlockDelta.record(ledger),
            },
            ("close", Some(slot)) => self.blocks.close(slot),
            ("close", None) => OrderFault::UnknownBlockEnd.record(ledger),
            ("usage", _) => self.blocks.push(StreamEvent::Usage(usage::decode_usage(node))),
            ("stop" | "fail", unended) => {
                if unended.is_some() && name == "stop" {
                    OrderFault::MissingBlockEnd.record(ledger);
                }
                if name == "stop" {
                    self.blocks.stop(stop::decode_stop(node));
                } else {
                    self.blocks.fail(error::decode_error(node));
                }
            }
            _ => self.blocks.push(decode_foreign_event(node)),
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
