//! A stream, written.

mod foreign;

use interlingua_model::{
    Args, Block, Body, Citation, Delta, Event, Exchange, Form, Ledger, Place, Seal, Stop, Usage,
};
use interlingua_wire::frame::write_json;
use interlingua_wire::json::Object;
use interlingua_wire::{Framing, Json, Text};

use super::frame::{PIECE, frame};
use super::open::Open;
use super::{ID, ISSUER, encode, error, reply, stop, usage};
use crate::arguments::Streamed;
use crate::notice::notice;
use crate::{StreamWriter, note};

#[derive(Debug)]
pub(super) struct Writer {
    exchange: Exchange,
    /// The beginning waits for the step after it, which may be the first counts.
    start: Option<(Option<Text>, Option<Text>)>,
    usage: Usage,
    /// How many blocks were written.
    count: u32,
    open: Open,
    /// Fields of the end that only this dialect knows.
    ending: Vec<(Text, Json)>,
    /// A block of the reply is a refusal.
    declines: bool,
    noted_foreign: bool,
}

impl Writer {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self {
            exchange: exchange.clone(),
            start: None,
            usage: Usage::default(),
            count: 0,
            open: Open::Nothing,
            ending: Vec::new(),
            declines: false,
            noted_foreign: false,
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        let Some((id, model)) = self.start.take() else { return };
        frame(out, "message_start", |o| {
            o.object("message", |o| {
                reply::head(id.as_ref(), model.as_ref(), &self.exchange, o);
                o.array("content", |_| {});
                o.null("stop_reason");
                o.null("stop_sequence");
                usage::write(&self.usage, o);
            });
        });
    }

    /// The index of the block that was written last.
    fn index(&self) -> u64 {
        u64::from(self.count.saturating_sub(1))
    }

    fn open(&mut self, place: Place, block: &Block, out: &mut Vec<u8>, ledger: &mut Ledger) {
        encode::note_extras(&block.extras, place, ledger);
        let seal = block.seal.as_deref();
        if !matches!(block.body, Body::Thinking(_)) {
            encode::note_seal(block, place, ledger);
        }
        self.open = match &block.body {
            Body::Text { text, citations } if text.is_empty() && citations.is_empty() => {
                Open::Unsaid { sealed: seal.is_some() }
            }
            Body::Text { text, .. } => {
                self.open_text(text, out);
                Open::Text
            }
            Body::Refusal(text) => {
                ledger.change(note::NO_SUCH_BLOCK, place, "the refusal is said as text");
                self.declines = true;
                self.open_text(text, out);
                Open::Text
            }
            Body::Data(json) => {
                self.open_text(&Text::new(json.as_str()), out);
                Open::Text
            }
            Body::Thinking(thinking) if thinking.form == Form::Redacted => match seal {
                Some(seal) if seal.origin.issuer == ISSUER => {
                    self.start_block(out, |o| {
                        o.known("type", "redacted_thinking");
                        o.text("data", &seal.data);
                    });
                    Open::Whole
                }
                _ => {
                    let what = "left out thinking that nobody here can open";
                    ledger.loss(note::FOREIGN_SEAL, place, what);
                    Open::LeftOut
                }
            },
            Body::Thinking(thinking) => {
                self.open = Open::Thinking { is_written: false, seal: None };
                if let Some(seal) = seal {
                    self.seal(seal, place, ledger);
                }
                self.text(&thinking.text, out);
                return;
            }
            Body::ToolCall(call) => {
                self.start_block(out, |o| {
                    o.known("type", "tool_use");
                    o.text("id", &call.id);
                    o.text("name", &call.name);
                    o.object("input", |_| {});
                    block.extras.write(ID, o);
                });
                self.open_args(&call.args, out)
            }
            Body::Foreign { dialect, kind, json } if *dialect == ID => {
                self.whole(kind, json, out);
                Open::Whole
            }
            Body::Media(_) | Body::ToolResult(_) | Body::Foreign { .. } => {
                let what = "left out a block that no reply of this dialect can hold";
                ledger.loss(note::NO_SUCH_BLOCK, place, what);
                Open::LeftOut
            }
        };
        if let Body::Text { citations, .. } = &block.body {
            for mark in citations {
                self.citation(mark, place, out, ledger);
            }
        }
    }

    fn start_block(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
        self.count += 1;
        let index = self.index();
        frame(out, "content_block_start", |o| {
            o.number("index", index);
            o.object("content_block", fill);
        });
    }

    fn open_text(&mut self, text: &Text, out: &mut Vec<u8>) {
        self.start_block(out, |o| {
            o.known("type", "text");
            o.known("text", "");
        });
        if !text.is_empty() {
            self.piece(out, "text_delta", |o| o.text("text", text));
        }
    }

    fn open_args(&mut self, args: &Args, out: &mut Vec<u8>) -> Open {
        if let Args::Freeform(text) = args {
            let head = format!("{{\"input\":\"{}", text.raw());
            self.piece(out, "input_json_delta", |o| o.word("partial_json", &head));
            return Open::Freeform;
        }
        let (mut streamed, text) = (Streamed::default(), args.to_text());
        if streamed.takes(&text) && !text.is_blank() {
            self.piece(out, "input_json_delta", |o| o.text("partial_json", &text));
        }
        Open::Call(streamed)
    }

    fn piece(&self, out: &mut Vec<u8>, kind: &'static str, fill: impl FnOnce(&mut Object<'_>)) {
        let index = self.index();
        frame(out, PIECE, |o| {
            o.number("index", index);
            o.object("delta", |o| {
                o.text("type", &Text::word(kind));
                fill(o);
            });
        });
    }

    /// More text of what is open.
    fn text(&mut self, text: &Text, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        match &self.open {
            Open::Text => self.piece(out, "text_delta", |o| o.text("text", text)),
            Open::Unsaid { .. } => {
                self.open_text(text, out);
                self.open = Open::Text;
            }
            Open::Thinking { .. } => {
                self.start_thinking(out);
                self.piece(out, "thinking_delta", |o| o.text("thinking", text));
            }
            Open::Nothing | Open::LeftOut | Open::Call(_) | Open::Freeform | Open::Whole => {}
        }
    }

    fn start_text(&mut self, out: &mut Vec<u8>) {
        if matches!(self.open, Open::Unsaid { .. }) {
            self.open_text(&Text::EMPTY, out);
            self.open = Open::Text;
        }
    }

    fn start_thinking(&mut self, out: &mut Vec<u8>) {
        if let Open::Thinking { is_written, .. } = &mut self.open
            && !std::mem::replace(is_written, true)
        {
            self.start_block(out, |o| {
                o.known("type", "thinking");
                o.known("thinking", "");
                o.known("signature", "");
            });
        }
    }

    /// Clients keep the last signature of a block only: it is held back until the end.
    fn seal(&mut self, new: &Seal, place: Place, ledger: &mut Ledger) {
        match &mut self.open {
            Open::Thinking { seal, .. } if new.origin.issuer == ISSUER => {
                *seal = Some(new.data.clone());
            }
            other => {
                if let Open::Unsaid { sealed } = other {
                    *sealed = true;
                }
                let what = format!("left out the seal of {}", new.origin.issuer);
                ledger.loss(note::FOREIGN_SEAL, place, what);
            }
        }
    }

    fn citation(&mut self, mark: &Citation, place: Place, out: &mut Vec<u8>, ledger: &mut Ledger) {
        self.start_text(out);
        if let (Open::Text, Some((ID, json))) = (&self.open, &mark.written) {
            self.piece(out, "citations_delta", |o| o.json("citation", json));
        } else {
            let what = "left out a citation: its form is another dialect's";
            ledger.loss(note::CITATION_REDUCED, place, what);
        }
    }

    fn delta(&mut self, place: Place, delta: &Delta, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match delta {
            Delta::Text(text) => self.text(text, out),
            Delta::Args(text) if text.is_empty() => {}
            Delta::Args(text) => match &mut self.open {
                Open::Call(streamed) => {
                    if streamed.takes(text) {
                        self.piece(out, "input_json_delta", |o| o.text("partial_json", text));
                    }
                }
                Open::Freeform => {
                    self.piece(out, "input_json_delta", |o| o.word("partial_json", text.raw()));
                }
                Open::Nothing
                | Open::LeftOut
                | Open::Text
                | Open::Unsaid { .. }
                | Open::Thinking { .. }
                | Open::Whole => {}
            },
            Delta::Seal(seal) => self.seal(seal, place, ledger),
            Delta::Citation(mark) => self.citation(mark, place, out, ledger),
        }
    }

    fn close(&mut self, place: Place, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match &self.open {
            // Nothing to see and nothing to sign: perhaps a seal for somebody else.
            Open::Nothing
            | Open::LeftOut
            | Open::Unsaid { sealed: true }
            | Open::Thinking { is_written: false, seal: None } => {
                self.open = Open::Nothing;
                return;
            }
            Open::Unsaid { sealed: false } => self.open_text(&Text::EMPTY, out),
            Open::Thinking { seal, .. } => {
                let seal = seal.clone();
                self.start_thinking(out);
                if let Some(seal) = seal {
                    self.piece(out, "signature_delta", |o| o.text("signature", &seal));
                }
            }
            Open::Freeform => {
                self.piece(out, "input_json_delta", |o| o.word("partial_json", "\"}"));
            }
            // Clients read the arguments from the deltas.
            Open::Call(streamed) => {
                if let Some((rest, wrapped)) = streamed.rest() {
                    if let Some(what) = wrapped {
                        ledger.change(note::ARGS_WRAPPED, place, what);
                    }
                    self.piece(out, "input_json_delta", |o| o.word("partial_json", rest.as_str()));
                }
            }
            Open::Text | Open::Whole => {}
        }
        self.open = Open::Nothing;
        let index = self.index();
        frame(out, "content_block_stop", |o| o.number("index", index));
    }

    fn stop(&mut self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if let Some(notice) = notice(stop) {
            self.open_text(&notice, out);
            self.open = Open::Text;
            self.close(Place::REPLY, out, ledger);
        }
        let word = stop::word(stop, self.declines, ledger);
        let in_delta = |key: &Text| *key == "stop_details" || *key == "container";
        frame(out, "message_delta", |o| {
            o.object("delta", |o| {
                o.text("stop_reason", &word);
                match &stop.sequence {
                    Some(sequence) => o.text("stop_sequence", sequence),
                    None => o.null("stop_sequence"),
                }
                for (key, json) in self.ending.iter().filter(|(key, _)| in_delta(key)) {
                    o.key_text(key).json(json);
                }
            });
            usage::write(&self.usage, o);
            for (key, json) in self.ending.iter().filter(|(key, _)| !in_delta(key)) {
                o.key_text(key).json(json);
            }
        });
        frame(out, "message_stop", |_| {});
    }
}

impl StreamWriter for Writer {
    fn write(&mut self, event: &Event, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if !matches!(event, Event::Start { .. } | Event::Usage(_) | Event::Fail(_)) {
            self.begin(out);
        }
        match event {
            Event::Start { id, model } => self.start = Some((id.clone(), model.clone())),
            Event::Usage(usage) => {
                self.usage.update(usage);
                self.begin(out);
            }
            Event::Open { index, block } => {
                self.open(Place::reply(*index as usize), block, out, ledger);
            }
            Event::Delta { index, delta } => {
                self.delta(Place::reply(*index as usize), delta, out, ledger);
            }
            Event::Close { index } => self.close(Place::reply(*index as usize), out, ledger),
            Event::Stop(stop) => self.stop(stop, out, ledger),
            Event::Fail(failure) => {
                write_json(Framing::Sse, Some("error"), out, |data| {
                    error::write_event(failure, data);
                });
            }
            Event::Ping => frame(out, "ping", |_| {}),
            Event::Foreign { dialect, kind, json } if *dialect == ID => {
                self.foreign(kind, json, out);
            }
            Event::Foreign { dialect, kind, .. } => {
                if !std::mem::replace(&mut self.noted_foreign, true) {
                    let what =
                        format!("left out `{kind}` of {dialect} and what else it knows alone");
                    ledger.loss(note::NO_SUCH_FIELD, Place::REPLY, what);
                }
            }
        }
    }
}
