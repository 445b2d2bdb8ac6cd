//! Writes a stream. Usage and metrics follow the stop, and text blocks have no start event.

mod block;

use interlingua_model::{Block, Ledger, LedgerPath, Stop, StreamEvent, Usage};
use interlingua_wire::{Framing, JsonString, RawJson, frame};

use self::block::{OpenBlock, unstreamable_reason, write_event};
use super::encode::block::unsupported_body_reason;
use super::encode::context::EncodeCx;
use super::encode::fields::note_dropped_extras;
use super::id::ID;
use super::{error, reply, stop, usage};
use crate::dialect::StreamWriter;
use crate::note;

#[derive(Debug, Default)]
pub(super) struct Writer {
    next_index: u64,
    open_block: Option<OpenBlock>,
    usage: Usage,
    /// The original `metadata` event of this dialect, for its fields other than the usage.
    metadata_event: Option<RawJson>,
    message_stop_event: Option<RawJson>,
    noted_foreign: bool,
}

impl Writer {
    fn write_open(&mut self, index: u32, block: &Block, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let path = LedgerPath::reply(index as usize);
        note_dropped_extras(&block.extras, path, ledger);
        let unsupported =
            unsupported_body_reason(block, EncodeCx::Reply).or_else(|| unstreamable_reason(block));
        if let Some((rule, message)) = unsupported {
            ledger.record_loss(rule, path, message);
            self.open_block = Some(OpenBlock::dropped(self.next_index, path));
            return;
        }
        let mut open_block = OpenBlock::new(self.next_index, path, block);
        open_block.write_initial_content(block, out, ledger);
        self.open_block = Some(open_block);
    }

    fn write_stop(&self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        stop::note_stop(stop, ledger);
        let original = self.message_stop_event.as_ref().map(RawJson::to_doc);
        write_event(out, "messageStop", |o| {
            o.json_string("stopReason", &stop::stop_reason_name(stop));
            for field in original.iter().flat_map(|doc| doc.root().fields()) {
                if !field.key_is("stopReason") && !field.key_is("p") {
                    o.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
            }
        });
        let original = self.metadata_event.as_ref().map(RawJson::to_doc);
        write_event(out, "metadata", |o| {
            usage::write_usage(&self.usage, o.key("usage"));
            let root = original.as_ref().map(interlingua_wire::JsonDoc::root);
            if root.and_then(|root| root.get("metrics")).is_none() {
                o.json("metrics", &reply::empty_metrics());
            }
            for field in original.iter().flat_map(|doc| doc.root().fields()) {
                if !field.key_is("usage") && !field.key_is("p") {
                    o.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
            }
        });
    }

    fn write_foreign(&mut self, kind: &JsonString, json: &RawJson, out: &mut Vec<u8>) {
        match &*kind.unescape() {
            "metadata" => self.metadata_event = Some(json.clone()),
            "messageStop" => self.message_stop_event = Some(json.clone()),
            kind => frame::write(Framing::AwsEventStream, Some(kind), json.as_str(), out),
        }
    }
}

impl StreamWriter for Writer {
    fn write(&mut self, event: &StreamEvent, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match event {
            StreamEvent::Start { .. } => {
                write_event(out, "messageStart", |o| o.static_str("role", "assistant"));
            }
            StreamEvent::BlockStart { index, block } => self.write_open(*index, block, out, ledger),
            StreamEvent::Delta { delta, .. } => {
                if let Some(open) = &mut self.open_block {
                    open.write_delta(delta, out, ledger);
                }
            }
            StreamEvent::BlockEnd { .. } => {
                if let Some(open) = self.open_block.take() {
                    self.next_index += u64::from(open.write_close(out, ledger));
                }
            }
            StreamEvent::Usage(usage) => self.usage.update(usage),
            StreamEvent::Stop(stop) => self.write_stop(stop, out, ledger),
            StreamEvent::Error(error) => {
                let (name, body) = error::encode_exception(error);
                frame::write(Framing::AwsEventStream, Some(name), body.as_str(), out);
            }
            // The event stream framing has no heartbeat event.
            StreamEvent::Ping => {}
            StreamEvent::Foreign { dialect, kind, json } if *dialect == ID => {
                self.write_foreign(kind, json, out);
            }
            StreamEvent::Foreign { dialect, kind, .. } => {
                if !std::mem::replace(&mut self.noted_foreign, true) {
                    let message = format!("left out `{kind}` events of {dialect}");
                    ledger.record_loss(note::NO_SUCH_BLOCK, LedgerPath::REPLY, message);
                }
            }
        }
    }
}
