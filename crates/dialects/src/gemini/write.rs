//! Writes a stream: each chunk is a reply with new parts; calls come whole; the last chunk says why
//! the reply ended and what it cost.

use interlingua_model::{
    Args, Block, Body, Delta, Event, Exchange, Ledger, Place, Stop, Usage, Verbatim,
};
use interlingua_wire::frame::FrameWriter;
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Framing, Json, Text};

use super::encode::{self, Way};
use super::{ID, citations, error, names, outcome, reply};
use crate::{StreamWriter, note};

pub(super) struct Writer {
    exchange: Exchange,
    frames: FrameWriter,
    /// What every chunk ends with.
    tail: Json,
    open: Option<Held>,
    /// What kind of text a reader would take a further plain part to go on with.
    goes_on: Option<Texts>,
    usage: Usage,
    /// Whether any part was written.
    spoken: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Texts {
    Plain,
    Thought,
}

/// The open block, as far as it is not written yet.
struct Held {
    index: u32,
    block: Block,
    /// Everything said so far, and how many pieces of it are written.
    pieces: Vec<Text>,
    written: usize,
    args: Vec<Text>,
}

impl Writer {
    pub(super) fn new(exchange: &Exchange) -> Self {
        let framing = if exchange.array { Framing::JsonArray } else { Framing::Sse };
        Self {
            exchange: exchange.clone(),
            frames: FrameWriter::new(framing),
            tail: tail(None, None, exchange),
            open: None,
            goes_on: None,
            usage: Usage::default(),
            spoken: false,
        }
    }

    fn delta(&mut self, delta: &Delta, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let Some(mut held) = self.open.take() else { return };
        match delta {
            Delta::Text(text) => {
                held.pieces.push(text.clone());
                if held.may_stream() {
                    self.flush(&mut held, out);
                }
            }
            Delta::Args(text) => held.args.push(text.clone()),
            Delta::Seal(seal) => held.block.seal = Some(seal.clone()),
            Delta::Citation(citation) => {
                self.flush(&mut held, out);
                self.cite(&held, std::slice::from_ref(citation), out, ledger);
            }
        }
        self.open = Some(held);
    }

    /// Writes the pieces of a text that wait.
    fn flush(&mut self, held: &mut Held, out: &mut Vec<u8>) {
        let Some(kind) = held.kind() else { return };
        for at in held.written..held.pieces.len() {
            let begins = at == 0;
            let piece = &held.pieces[at];
            let boundary = begins && self.goes_on == Some(kind);
            self.parts(out, |list| {
                if boundary {
                    list.object(|part| write_text(&Text::EMPTY, kind, part));
                }
                list.object(|part| write_text(piece, kind, part));
            });
            self.goes_on = Some(kind);
        }
        held.written = held.pieces.len();
    }

    fn close(&mut self, mut held: Held, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let place = Place::reply(held.index as usize);
        let kind = held.kind();
        let streamed = held.written > 0;
        if let (Some(kind), true) = (kind, streamed) {
            self.flush(&mut held, out);
            encode::note_sides(&held.block, place, ledger);
            if let Some(seal) = held.block.seal.as_deref().filter(|seal| encode::is_own(seal)) {
                self.parts(out, |list| {
                    list.object(|part| {
                        write_text(&Text::EMPTY, kind, part);
                        part.text("thoughtSignature", &seal.data);
                    });
                });
                self.goes_on = None;
            }
            return;
        }
        let block = Verbatim::new(held.whole());
        if !encode::is_carried(&block, Way::Reply, place, ledger) {
            return;
        }
        let own_seal = block.seal.as_deref().is_some_and(encode::is_own);
        let mergeable = kind.filter(|_| !own_seal && block.extras.of(ID).is_empty());
        let boundary = mergeable.filter(|kind| self.goes_on == Some(*kind));
        self.parts(out, |list| {
            if let Some(kind) = boundary {
                list.object(|part| write_text(&Text::EMPTY, kind, part));
            }
            encode::write(&block, Way::Reply, 0, place, list, ledger);
        });
        self.goes_on = mergeable;
        if let Body::Text { citations, .. } = &block.body {
            let held = Held {
                index: 0,
                block: (*block).clone(),
                pieces: Vec::new(),
                written: 0,
                args: Vec::new(),
            };
            self.cite(&held, citations, out, ledger);
        }
    }

    fn cite(
        &mut self,
        held: &Held,
        cited: &[interlingua_model::Citation],
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        let text = held
            .block
            .body
            .as_text()
            .map(|text| Text::concat(std::iter::once(text).chain(&held.pieces)));
        let place = Place::reply(held.index as usize);
        let list = Json::array(|list| {
            citations::write(&text.unwrap_or_default(), cited, list, place, ledger);
        });
        if list != Json::EMPTY_ARRAY {
            let filler = self.spoken;
            self.chunk(out, |chunk| {
                write_candidate(chunk, filler, |candidate| {
                    candidate.object("citationMetadata", |o| o.json("citationSources", &list));
                });
            });
        }
    }

    /// A chunk with these parts.
    fn parts(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut Array<'_>)) {
        self.spoken = true;
        self.chunk(out, |chunk| {
            chunk.array("candidates", |list| {
                list.object(|candidate| {
                    candidate.object("content", |content| {
                        content.array("parts", fill);
                        content.word("role", "model");
                    });
                    candidate.number("index", 0);
                });
            });
        });
    }

    fn chunk(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
        self.frames.write_json(None, out, |data| {
            data.object(|chunk| {
                fill(chunk);
                chunk.fields(&self.tail);
            });
        });
    }

    fn stop(&mut self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let word = outcome::stop_word(stop, ledger);
        let usage = std::mem::take(&mut self.usage);
        let filler = self.spoken;
        self.chunk(out, |chunk| {
            write_candidate(chunk, filler, |candidate| candidate.text("finishReason", &word));
            outcome::write_usage(&usage, chunk.key("usageMetadata"));
        });
        self.end(out);
    }

    fn foreign(&mut self, kind: &Text, json: &Json, out: &mut Vec<u8>) {
        let filler = self.spoken;
        self.chunk(out, |chunk| {
            if kind == reply::FIRST {
                write_candidate(chunk, filler, |object| names::write_others(Some(json), object));
            } else if kind == reply::CANDIDATES {
                chunk.array("candidates", |list| list.item().json(json));
            } else {
                names::write_others(Some(json), chunk);
            }
        });
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        let framing = self.frames.framing();
        std::mem::replace(&mut self.frames, FrameWriter::new(framing)).end(out);
    }
}

/// The fields that are the same in every chunk.
fn tail(id: Option<&Text>, model: Option<&Text>, exchange: &Exchange) -> Json {
    Json::object(|chunk| reply::write_names(id, model, exchange, chunk))
}

/// A candidate that says nothing new. After the first words it holds an empty text, as the
/// provider's own last chunk does: its clients take a chunk without parts for a broken reply.
fn write_candidate(chunk: &mut Object<'_>, filler: bool, fill: impl FnOnce(&mut Object<'_>)) {
    chunk.array("candidates", |list| {
        list.object(|candidate| {
            candidate.object("content", |content| {
                if filler {
                    content.array("parts", |parts| {
                        parts.object(|part| write_text(&Text::EMPTY, Texts::Plain, part));
                    });
                }
                content.word("role", "model");
            });
            fill(candidate);
            candidate.number("index", 0);
        });
    });
}

fn write_text(text: &Text, kind: Texts, part: &mut Object<'_>) {
    part.text("text", text);
    if kind == Texts::Thought {
        part.boolean("thought", true);
    }
}

impl Held {
    fn new(index: u32, block: &Block) -> Self {
        Self { index, block: block.clone(), pieces: Vec::new(), written: 0, args: Vec::new() }
    }

    fn kind(&self) -> Option<Texts> {
        match &self.block.body {
            Body::Text { .. } | Body::Refusal(_) => Some(Texts::Plain),
            Body::Thinking(_) => Some(Texts::Thought),
            Body::Media(_)
            | Body::Data(_)
            | Body::ToolCall(_)
            | Body::ToolResult(_)
            | Body::Foreign { .. } => None,
        }
    }

    /// A signed text goes out in one part with its signature. That of a thought comes at its end, so
    /// the first piece waits whether it is the only one.
    fn may_stream(&self) -> bool {
        let begun = self.block.body.as_text().is_some_and(|text| !text.is_empty());
        let whole = begun || self.block.seal.is_some() || !self.block.extras.of(ID).is_empty();
        match &self.block.body {
            Body::Text { .. } => !whole,
            Body::Thinking(thinking) => !whole && thinking.text.is_empty() && self.pieces.len() > 1,
            Body::Refusal(_)
            | Body::Media(_)
            | Body::Data(_)
            | Body::ToolCall(_)
            | Body::ToolResult(_)
            | Body::Foreign { .. } => false,
        }
    }

    /// The block with all its pieces.
    fn whole(mut self) -> Block {
        let add = |text: &mut Text, pieces: &[Text]| {
            if !pieces.is_empty() {
                *text = Text::concat(std::iter::once(&*text).chain(pieces));
            }
        };
        match &mut self.block.body {
            Body::Text { text, .. } | Body::Refusal(text) => add(text, &self.pieces),
            Body::Thinking(thinking) => add(&mut thinking.text, &self.pieces),
            Body::ToolCall(call) => match &mut call.args {
                Args::Freeform(text) => add(text, &self.args),
                Args::Malformed(text) => {
                    add(text, &self.args);
                    call.args = Args::from_text(text);
                }
                Args::Json(_) => {}
            },
            Body::Media(_) | Body::Data(_) | Body::ToolResult(_) | Body::Foreign { .. } => {}
        }
        self.block
    }
}

impl StreamWriter for Writer {
    fn write(&mut self, event: &Event, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match event {
            Event::Start { id, model } => {
                self.tail = tail(id.as_ref(), model.as_ref(), &self.exchange);
            }
            Event::Open { index, block } => self.open = Some(Held::new(*index, block)),
            Event::Delta { delta, .. } => self.delta(delta, out, ledger),
            Event::Close { .. } => {
                if let Some(held) = self.open.take() {
                    self.close(held, out, ledger);
                }
            }
            Event::Usage(usage) => self.usage.update(usage),
            Event::Stop(stop) => self.stop(stop, out, ledger),
            Event::Fail(failure) => {
                let chunk = error::chunk(failure);
                self.frames.write(None, &String::from_utf8_lossy(&chunk), out);
                self.end(out);
            }
            Event::Ping if self.frames.framing() == Framing::Sse => {
                out.extend_from_slice(b": keepalive\n\n");
            }
            Event::Ping => {}
            Event::Foreign { dialect, kind, json } if *dialect == ID => {
                self.foreign(kind, json, out);
            }
            Event::Foreign { dialect, kind, .. } => {
                let what = format!("left out a step of {dialect} (`{kind}`)");
                ledger.loss(note::NO_SUCH_BLOCK, Place::REPLY, what);
            }
        }
    }
}
