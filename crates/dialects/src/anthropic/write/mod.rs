//! Writes a stream of this dialect.

mod block;
pub(super) mod event;
mod foreign;

use interlingua_model::{
    Block, BlockContent, Citation, Delta, Ledger, LedgerPath, ReasoningForm, ReplyContext, Seal,
    Stop, StreamEvent, ToolArgs, Usage,
};
use interlingua_wire::frame::write_json;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Framing, JsonString, RawJson};

use self::block::OpenBlock;
use self::event::{CONTENT_BLOCK_DELTA, write_event};
use super::encode::{self, fields};
use super::id::{ID, ISSUER};
use super::{error, reply, stop, usage};
use crate::common::stop_notice::notice_text;
use crate::common::tool_args::ArgsForwarder;
use crate::dialect::StreamWriter;
use crate::note;

#[derive(Debug)]
pub(super) struct Writer {
    exchange: ReplyContext,
    /// The start event is delayed until the next event, which may have the first token counts.
    pending_start: Option<(Option<JsonString>, Option<JsonString>)>,
    usage: Usage,
    block_count: u32,
    open_block: OpenBlock,
    /// Fields of the end event that only this dialect has.
    end_fields: Vec<(JsonString, RawJson)>,
    has_refusal: bool,
    noted_foreign: bool,
}

impl Writer {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self {
            exchange: cx.clone(),
            pending_start: None,
            usage: Usage::default(),
            block_count: 0,
            open_block: OpenBlock::Nothing,
            end_fields: Vec::new(),
            has_refusal: false,
            noted_foreign: false,
        }
    }

    fn write_message_start(&mut self, out: &mut Vec<u8>) {
        let Some((id, model)) = self.pending_start.take() else { return };
        write_event(out, "message_start", |o| {
            o.object("message", |o| {
                reply::write_message_header(id.as_ref(), model.as_ref(), &self.exchange, o);
                o.array("content", |_| {});
                o.null("stop_reason");
                o.null("stop_sequence");
                usage::encode(&self.usage, o);
            });
        });
    }

    /// Index of the block that was started last.
    fn block_index(&self) -> u64 {
        u64::from(self.block_count.saturating_sub(1))
    }

    fn write_open(
        &mut self,
        path: LedgerPath,
        block: &Block,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        fields::note_dropped_extras(&block.extras, path, ledger);
        let seal = block.seal.as_deref();
        if !matches!(block.content, BlockContent::Reasoning(_)) {
            encode::block::note_dropped_seal(block, path, ledger);
        }
        self.open_block = match &block.content {
            BlockContent::Text { text, citations } if text.is_empty() && citations.is_empty() => {
                OpenBlock::EmptyText { has_seal: seal.is_some() }
            }
            BlockContent::Text { text, .. } => {
                self.start_text_block(text, out);
                OpenBlock::Text
            }
            BlockContent::Refusal(text) => {
                ledger.record_change(note::NO_SUCH_BLOCK, path, "the refusal is encoded as text");
                self.has_refusal = true;
                self.start_text_block(text, out);
                OpenBlock::Text
            }
            BlockContent::Json(json) => {
                self.start_text_block(&JsonString::new(json.as_str()), out);
                OpenBlock::Text
            }
            BlockContent::Reasoning(thinking) if thinking.form == ReasoningForm::Redacted => {
                match seal {
                    Some(seal) if seal.origin.issuer == ISSUER => {
                        self.write_block_start(out, |o| {
                            o.static_str("type", "redacted_thinking");
                            o.json_string("data", &seal.data);
                        });
                        OpenBlock::Complete
                    }
                    _ => {
                        let message = "left out redacted thinking of another provider";
                        ledger.record_loss(note::FOREIGN_SEAL, path, message);
                        OpenBlock::Dropped
                    }
                }
            }
            BlockContent::Reasoning(thinking) => {
                self.open_block = OpenBlock::Thinking { is_written: false, seal: None };
                if let Some(seal) = seal {
                    self.buffer_seal(seal, path, ledger);
                }
                self.write_text(&thinking.text, out);
                return;
            }
            BlockContent::ToolCall(call) => {
                self.write_block_start(out, |o| {
                    o.static_str("type", "tool_use");
                    o.json_string("id", &call.id);
                    o.json_string("name", &call.name);
                    o.object("input", |_| {});
                    block.extras.write(ID, o);
                });
                self.start_args(&call.args, out)
            }
            BlockContent::Foreign { dialect, kind, json } if *dialect == ID => {
                self.write_complete_block(kind, json, out);
                OpenBlock::Complete
            }
            BlockContent::Media(_) | BlockContent::ToolResult(_) | BlockContent::Foreign { .. } => {
                let message = "left out a block that replies of this dialect do not have";
                ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
                OpenBlock::Dropped
            }
        };
        if let BlockContent::Text { citations, .. } = &block.content {
            for citation in citations {
                self.write_citation(citation, path, out, ledger);
            }
        }
    }

    fn write_block_start(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.block_count += 1;
        let index = self.block_index();
        write_event(out, "content_block_start", |o| {
            o.number("index", index);
            o.object("content_block", fill);
        });
    }

    fn start_text_block(&mut self, text: &JsonString, out: &mut Vec<u8>) {
        self.write_block_start(out, |o| {
            o.static_str("type", "text");
            o.static_str("text", "");
        });
        if !text.is_empty() {
            self.write_block_delta(out, "text_delta", |o| o.json_string("text", text));
        }
    }

    fn start_args(&mut self, args: &ToolArgs, out: &mut Vec<u8>) -> OpenBlock {
        if let ToolArgs::Freeform(text) = args {
            let head = format!("{{\"input\":\"{}", text.raw());
            self.write_block_delta(out, "input_json_delta", |o| o.str("partial_json", &head));
            return OpenBlock::FreeformToolUse;
        }
        let (mut forwarder, text) = (ArgsForwarder::default(), args.to_json_string());
        if forwarder.push(&text) && !text.is_blank() {
            self.write_block_delta(out, "input_json_delta", |o| {
                o.json_string("partial_json", &text);
            });
        }
        OpenBlock::ToolUse(forwarder)
    }

    fn write_block_delta(
        &self,
        out: &mut Vec<u8>,
        kind: &'static str,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) {
        let index = self.block_index();
        write_event(out, CONTENT_BLOCK_DELTA, |o| {
            o.number("index", index);
            o.object("delta", |o| {
                o.json_string("type", &JsonString::from_static(kind));
                fill(o);
            });
        });
    }

    fn write_text(&mut self, text: &JsonString, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        match &self.open_block {
            OpenBlock::Text => {
                self.write_block_delta(out, "text_delta", |o| o.json_string("text", text));
            }
            OpenBlock::EmptyText { .. } => {
                self.start_text_block(text, out);
                self.open_block = OpenBlock::Text;
            }
            OpenBlock::Thinking { .. } => {
                self.ensure_thinking_started(out);
                self.write_block_delta(out, "thinking_delta", |o| o.json_string("thinking", text));
            }
            OpenBlock::Nothing
            | OpenBlock::Dropped
            | OpenBlock::ToolUse(_)
            | OpenBlock::FreeformToolUse
            | OpenBlock::Complete => {}
        }
    }

    fn ensure_text_started(&mut self, out: &mut Vec<u8>) {
        if matches!(self.open_block, OpenBlock::EmptyText { .. }) {
            self.start_text_block(&JsonString::EMPTY, out);
            self.open_block = OpenBlock::Text;
        }
    }

    fn ensure_thinking_started(&mut self, out: &mut Vec<u8>) {
        if let OpenBlock::Thinking { is_written, .. } = &mut self.open_block
            && !std::mem::replace(is_written, true)
        {
            self.write_block_start(out, |o| {
                o.static_str("type", "thinking");
                o.static_str("thinking", "");
                o.static_str("signature", "");
            });
        }
    }

    /// Clients keep only the last signature of a block, so it is written at the block's end.
    fn buffer_seal(&mut self, new: &Seal, path: LedgerPath, ledger: &mut Ledger) {
        match &mut self.open_block {
            OpenBlock::Thinking { seal, .. } if new.origin.issuer == ISSUER => {
                *seal = Some(new.data.clone());
            }
            other => {
                if let OpenBlock::EmptyText { has_seal: is_sealed } = other {
                    *is_sealed = true;
                }
                let message = format!("left out the seal of {}", new.origin.issuer);
                ledger.record_loss(note::FOREIGN_SEAL, path, message);
            }
        }
    }

    fn write_citation(
        &mut self,
        citation: &Citation,
        path: LedgerPath,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        self.ensure_text_started(out);
        if let (OpenBlock::Text, Some((ID, json))) = (&self.open_block, &citation.original) {
            self.write_block_delta(out, "citations_delta", |o| o.json("citation", json));
        } else {
            let message = "left out a citation: its form is another dialect's";
            ledger.record_loss(note::CITATION_REDUCED, path, message);
        }
    }

    fn write_delta(
        &mut self,
        path: LedgerPath,
        delta: &Delta,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        match delta {
            Delta::Text(text) => self.write_text(text, out),
            Delta::Args(text) if text.is_empty() => {}
            Delta::Args(text) => match &mut self.open_block {
                OpenBlock::ToolUse(forwarder) => {
                    if forwarder.push(text) {
                        self.write_block_delta(out, "input_json_delta", |o| {
                            o.json_string("partial_json", text);
                        });
                    }
                }
                OpenBlock::FreeformToolUse => {
                    self.write_block_delta(out, "input_json_delta", |o| {
                        o.str("partial_json", text.raw());
                    });
                }
                OpenBlock::Nothing
                | OpenBlock::Dropped
                | OpenBlock::Text
                | OpenBlock::EmptyText { .. }
                | OpenBlock::Thinking { .. }
                | OpenBlock::Complete => {}
            },
            Delta::Seal(seal) => self.buffer_seal(seal, path, ledger),
            Delta::Citation(citation) => self.write_citation(citation, path, out, ledger),
        }
    }

    fn write_close(&mut self, path: LedgerPath, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match &self.open_block {
            // The block has neither text nor a signature; it may have carried a foreign seal.
            OpenBlock::Nothing
            | OpenBlock::Dropped
            | OpenBlock::EmptyText { has_seal: true }
            | OpenBlock::Thinking { is_written: false, seal: None } => {
                self.open_block = OpenBlock::Nothing;
                return;
            }
            OpenBlock::EmptyText { has_seal: false } => {
                self.start_text_block(&JsonString::EMPTY, out);
            }
            OpenBlock::Thinking { seal, .. } => {
                let seal = seal.clone();
                self.ensure_thinking_started(out);
                if let Some(seal) = seal {
                    self.write_block_delta(out, "signature_delta", |o| {
                        o.json_string("signature", &seal);
                    });
                }
            }
            OpenBlock::FreeformToolUse => {
                self.write_block_delta(out, "input_json_delta", |o| o.str("partial_json", "\"}"));
            }
            // Clients read the arguments only from deltas.
            OpenBlock::ToolUse(forwarder) => {
                if let Some((rest, wrap_note)) = forwarder.finish() {
                    if let Some(message) = wrap_note {
                        ledger.record_change(note::ARGS_WRAPPED, path, message);
                    }
                    self.write_block_delta(out, "input_json_delta", |o| {
                        o.str("partial_json", rest.as_str());
                    });
                }
            }
            OpenBlock::Text | OpenBlock::Complete => {}
        }
        self.open_block = OpenBlock::Nothing;
        let index = self.block_index();
        write_event(out, "content_block_stop", |o| o.number("index", index));
    }

    fn write_stop(&mut self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if let Some(notice) = notice_text(stop) {
            self.start_text_block(&notice, out);
            self.open_block = OpenBlock::Text;
            self.write_close(LedgerPath::REPLY, out, ledger);
        }
        let stop_reason = stop::encode(stop, self.has_refusal, ledger);
        let is_delta_field = |key: &JsonString| *key == "stop_details" || *key == "container";
        write_event(out, "message_delta", |o| {
            o.object("delta", |o| {
                o.json_string("stop_reason", &stop_reason);
                match &stop.sequence {
                    Some(sequence) => o.json_string("stop_sequence", sequence),
                    None => o.null("stop_sequence"),
                }
                for (key, json) in self.end_fields.iter().filter(|(key, _)| is_delta_field(key)) {
                    o.key_json_string(key).json(json);
                }
            });
            usage::encode(&self.usage, o);
            for (key, json) in self.end_fields.iter().filter(|(key, _)| !is_delta_field(key)) {
                o.key_json_string(key).json(json);
            }
        });
        write_event(out, "message_stop", |_| {});
    }
}

impl StreamWriter for Writer {
    fn write(&mut self, event: &StreamEvent, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if !matches!(
            event,
            StreamEvent::Start { .. } | StreamEvent::Usage(_) | StreamEvent::Error(_)
        ) {
            self.write_message_start(out);
        }
        match event {
            StreamEvent::Start { id, model } => {
                self.pending_start = Some((id.clone(), model.clone()));
            }
            StreamEvent::Usage(usage) => {
                self.usage.update(usage);
                self.write_message_start(out);
            }
            StreamEvent::BlockStart { index, block } => {
                self.write_open(LedgerPath::reply(*index as usize), block, out, ledger);
            }
            StreamEvent::Delta { index, delta } => {
                self.write_delta(LedgerPath::reply(*index as usize), delta, out, ledger);
            }
            StreamEvent::BlockEnd { index } => {
                self.write_close(LedgerPath::reply(*index as usize), out, ledger);
            }
            StreamEvent::Stop(stop) => self.write_stop(stop, out, ledger),
            StreamEvent::Error(error) => {
                write_json(Framing::Sse, Some("error"), out, |data| {
                    error::write_event(error, data);
                });
            }
            StreamEvent::Ping => write_event(out, "ping", |_| {}),
            StreamEvent::Foreign { dialect, kind, json } if *dialect == ID => {
                self.write_foreign(kind, json, out);
            }
            StreamEvent::Foreign { dialect, kind, .. } => {
                if !std::mem::replace(&mut self.noted_foreign, true) {
                    let message =
                        format!("left out `{kind}` of {dialect} and its other foreign events");
                    ledger.record_loss(note::NO_SUCH_FIELD, LedgerPath::REPLY, message);
                }
            }
        }
    }
}
