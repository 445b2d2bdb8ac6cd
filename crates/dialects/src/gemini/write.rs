//! Writes a stream: each chunk is a reply with new parts; calls come whole; the last chunk says why
//! the reply ended and what it cost.

use interlingua_model::{
    Args, Block, Body, Delta, Event, Exchange, Ledger, Place, Stop, Usage, Verbatim,
};
use interlingua_wire::frame::FrameWriter;
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Framing, Json, Pieces, Text};

use super::encode::{self, Way};
use super::{Gemini, ID, citations, error, names, outcome, reply};
use crate::{Dialect as _, StreamWriter, note};

pub(super) struct Writer {
    exchange: Exchange,
    pen: Pen,
    open: Option<Held>,
    usage: Usage,
}

/// Writes chunks.
struct Pen {
    frames: FrameWriter,
    /// What every chunk ends with.
    tail: Json,
    /// What kind of text a reader would take a further plain part to go on with.
    goes_on: Option<Texts>,
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
    /// Everything said so far, and in how many pieces.
    said: Pieces,
    count: usize,
    /// The pieces that are not written yet.
    waiting: Vec<Text>,
    args: Pieces,
}

impl Writer {
    pub(super) fn new(exchange: &Exchange) -> Self {
        let framing = if exchange.array { Framing::JsonArray } else { Framing::Sse };
        Self {
            exchange: exchange.clone(),
            pen: Pen {
                frames: FrameWriter::new(framing),
                tail: tail(None, None, exchange),
                goes_on: None,
                spoken: false,
            },
            open: None,
            usage: Usage::default(),
        }
    }

    fn delta(&mut self, delta: &Delta, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let Some(held) = &mut self.open else { return };
        match delta {
            Delta::Text(text) => {
                held.said.push(text);
                held.count += 1;
                if held.may_stream() {
                    self.pen.flush(held, out);
                    self.pen.piece(text, held.kind(), held.count == 1, out);
                } else {
                    held.waiting.push(text.clone());
                }
            }
            Delta::Args(text) => held.args.push(text),
            Delta::Seal(seal) => held.block.seal = Some(seal.clone()),
            Delta::Citation(citation) => {
                self.pen.flush(held, out);
                self.pen.cite(held, std::slice::from_ref(citation), out, ledger);
            }
        }
    }

    fn close(&mut self, mut held: Held, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let place = Place::reply(held.index as usize);
        let kind = held.kind();
        if let (Some(kind), true) = (kind, held.is_streamed()) {
            self.pen.flush(&mut held, out);
            encode::note_sides(&held.block, place, ledger);
            if let Some(seal) = held.block.seal.as_deref().filter(|seal| encode::is_own(seal)) {
                self.pen.parts(out, |list| {
                    list.object(|part| {
                        write_text(&Text::EMPTY, kind, part);
                        part.text("thoughtSignature", &seal.data);
                    });
                });
                self.pen.goes_on = None;
            }
            return;
        }
        let block = Verbatim::new(held.whole());
        if !encode::is_carried(&block, Way::Reply, place, ledger) {
            return;
        }
        let own_seal = block.seal.as_deref().is_some_and(encode::is_own);
        let mergeable = kind.filter(|_| !own_seal && block.extras.of(ID).is_empty());
        let boundary = mergeable.filter(|kind| self.pen.goes_on == Some(*kind));
        self.pen.parts(out, |list| {
            if let Some(kind) = boundary {
                list.object(|part| write_text(&Text::EMPTY, kind, part));
            }
            encode::write(&block, Way::Reply, 0, place, list, ledger);
        });
        self.pen.goes_on = mergeable;
        if let Body::Text { citations, .. } = &block.body {
            self.pen.cite(&Held::new(0, &block), citations, out, ledger);
        }
    }

    fn stop(&mut self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let word = outcome::stop_word(stop, ledger);
        let usage = std::mem::take(&mut self.usage);
        let filler = self.pen.spoken;
        self.pen.chunk(out, |chunk| {
            write_candidate(chunk, filler, |candidate| candidate.text("finishReason", &word));
            outcome::write_usage(&usage, chunk.key("usageMetadata"));
        });
        self.pen.end(out);
    }
}

impl Pen {
    /// Writes the pieces of a text that wait.
    fn flush(&mut self, held: &mut Held, out: &mut Vec<u8>) {
        let kind = held.kind();
        let mut begins = !held.is_streamed();
        for piece in held.waiting.drain(..) {
            self.piece(&piece, kind, std::mem::take(&mut begins), out);
        }
    }

    /// Writes a piece of a text; one that begins must not read as more of the text before.
    fn piece(&mut self, piece: &Text, kind: Option<Texts>, begins: bool, out: &mut Vec<u8>) {
        let Some(kind) = kind else { return };
        let boundary = begins && self.goes_on == Some(kind);
        self.parts(out, |list| {
            if boundary {
                list.object(|part| write_text(&Text::EMPTY, kind, part));
            }
            list.object(|part| write_text(piece, kind, part));
        });
        self.goes_on = Some(kind);
    }

    fn cite(
        &mut self,
        held: &Held,
        cited: &[interlingua_model::Citation],
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        let text = held.block.body.as_text().map(|text| Text::concat([text, &held.said.text()]));
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
                        content.known("role", "model");
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
                content.known("role", "model");
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
        let (said, args) = <(Pieces, Pieces)>::default();
        Self { index, block: block.clone(), said, count: 0, waiting: Vec::new(), args }
    }

    /// Whether some of its pieces are written.
    fn is_streamed(&self) -> bool {
        self.count > self.waiting.len()
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
            Body::Thinking(thinking) => !whole && thinking.text.is_empty() && self.count > 1,
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
        match &mut self.block.body {
            Body::Text { text, .. } | Body::Refusal(text) => text.extend(self.said),
            Body::Thinking(thinking) => thinking.text.extend(self.said),
            Body::ToolCall(call) => match &mut call.args {
                Args::Freeform(text) => text.extend(self.args),
                Args::Malformed(text) => {
                    text.extend(self.args);
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
                self.pen.tail = tail(id.as_ref(), model.as_ref(), &self.exchange);
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
                self.pen.frames.write(None, &String::from_utf8_lossy(&chunk), out);
                self.pen.end(out);
            }
            Event::Ping if self.pen.frames.framing() == Framing::Sse => {
                out.extend_from_slice(Gemini.filler());
            }
            Event::Ping => {}
            Event::Foreign { dialect, kind, json } if *dialect == ID => {
                self.pen.foreign(kind, json, out);
            }
            Event::Foreign { dialect, kind, .. } => {
                let what = format!("left out a step of {dialect} (`{kind}`)");
                ledger.loss(note::NO_SUCH_BLOCK, Place::REPLY, what);
            }
        }
    }
}
