//! Writes a stream.

use interlingua_model::{Delta, Ledger, StreamEvent, Verbatim};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Framing, RawJson, frame};

use super::encode::block::{self, RawPolicy};
use super::{error, stop, usage};
use crate::dialect::StreamWriter;

pub(super) struct Writer;

impl StreamWriter for Writer {
    fn write(&mut self, event: &StreamEvent, out: &mut Vec<u8>, _: &mut Ledger) {
        let name = match event {
            StreamEvent::Start { .. } => "start",
            StreamEvent::BlockStart { .. } => "open",
            StreamEvent::Delta { .. } => "delta",
            StreamEvent::BlockEnd { .. } => "close",
            StreamEvent::Usage(_) => "usage",
            StreamEvent::Stop(_) => "stop",
            StreamEvent::Error(_) => "fail",
            StreamEvent::Ping => "ping",
            StreamEvent::Foreign { .. } => "foreign",
        };
        let data = RawJson::object(|o| write_event(event, o));
        frame::write(Framing::Sse, Some(name), data.as_str(), out);
    }
}

fn write_event(event: &StreamEvent, o: &mut ObjectWriter<'_>) {
    match event {
        StreamEvent::Start { id, model } => {
            o.json_string_opt("id", id.as_ref());
            o.json_string_opt("model", model.as_ref());
        }
        StreamEvent::BlockStart { index, block } => {
            o.number("index", u64::from(*index));
            let block = Verbatim::new((**block).clone());
            o.object("block", |o| block::encode_block(&block, RawPolicy::Include, o));
        }
        StreamEvent::Delta { index, delta } => {
            o.number("index", u64::from(*index));
            match delta {
                Delta::Text(text) => o.json_string("text", text),
                Delta::Args(text) => o.json_string("args", text),
                Delta::Seal(seal) => block::encode_seal(Some(seal), o),
                Delta::Citation(citation) => {
                    o.array("citations", |a| block::encode_citation(citation, a));
                }
            }
        }
        StreamEvent::BlockEnd { index } => o.number("index", u64::from(*index)),
        StreamEvent::Usage(usage) => usage::encode_usage(usage, o),
        StreamEvent::Stop(stop) => stop::encode_stop(stop, o),
        StreamEvent::Error(error) => error::encode_error(error, o),
        StreamEvent::Ping => {}
        StreamEvent::Foreign { dialect, kind, json } => {
            o.str("dialect", dialect.0);
            o.json_string("kind", kind);
            o.json("json", json);
        }
    }
}
