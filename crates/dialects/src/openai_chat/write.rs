//! Streams, written so that accumulators which add strings to strings get each thing once.

use interlingua_model::{
    Args, Block, Body, Citation, Delta, Event, Exchange, Failure, Form, Ledger, MediaKind, Place,
    Seal, Stop, Usage, Verbatim,
};
use interlingua_wire::frame::write_json;
use interlingua_wire::json::Object;
use interlingua_wire::{Framing, Json, Pieces, Text};

use super::encode::note_extras;
use super::open::Open;
use super::{ID, calls, content, error, reasoning, reply, stop, usage};
use crate::{StreamWriter, note, openai_responses};

#[derive(Debug)]
pub(super) struct Writer {
    exchange: Exchange,
    /// What every chunk begins with.
    head: Json,
    open: Open,
    /// How many entries each list of the message has so far: lists are merged by index.
    calls: u64,
    details: u64,
    annotations: u64,
    images: u64,
    /// The texts before the one that is open, for the places of citations.
    before: Vec<Text>,
    /// What was said since.
    said: Pieces,
    /// What is said next does not run into what was said.
    apart: bool,
    usage: Usage,
    refuses: bool,
    /// The seal of the last text that has one.
    signature: Option<Box<Seal>>,
    unknown: Vec<Text>,
}

impl Writer {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self {
            head: head(None, None, exchange),
            exchange: exchange.clone(),
            open: Open::Nothing,
            calls: 0,
            details: 0,
            annotations: 0,
            images: 0,
            before: Vec::new(),
            said: Pieces::default(),
            apart: false,
            usage: Usage::default(),
            refuses: false,
            signature: None,
            unknown: Vec::new(),
        }
    }

    fn open(&mut self, block: &Block, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let followed = matches!(self.open, Open::Closed { was_text: true })
            && !openai_responses::begins_message(block);
        note_extras(&block.extras, Place::REPLY, ledger);
        self.open = Open::Nothing;
        match &block.body {
            Body::Text { text, citations } => {
                self.separate(followed);
                let said = std::mem::take(&mut self.said);
                self.before.extend(Some(said.into_text()).filter(|said| !said.is_empty()));
                self.open = Open::Text { seal: block.seal.clone() };
                // Entries of reasoning count the words that stand between them.
                self.details += 1;
                self.say(text, out);
                for citation in citations {
                    self.cite(citation, out, ledger);
                }
            }
            Body::Refusal(text) => {
                self.open = Open::Refusal;
                self.refuses = true;
                self.delta_text("refusal", text, out);
            }
            Body::Thinking(thinking) => {
                self.open = match thinking.form {
                    Form::Summary => Open::Summary(Box::new(block.clone())),
                    Form::Full | Form::Redacted => {
                        let mut said = Pieces::default();
                        said.push(&thinking.text);
                        Open::Thinking(Box::new(block.clone()), said)
                    }
                };
                self.think(&thinking.text, out);
            }
            Body::Data(json) => {
                self.say(&Text::new(json.as_str()), out);
            }
            Body::ToolCall(call) => {
                let freeform = matches!(call.args, Args::Freeform(_));
                let bare = call.args.to_text().is_blank() && !freeform;
                self.open = Open::Call { freeform, bare };
                let index = self.calls;
                self.calls += 1;
                self.entry("tool_calls", index, out, |o| {
                    calls::write(call, None, o);
                    if let Some(seal) = &block.seal {
                        calls::write_signature(seal, o);
                    }
                });
            }
            Body::Media(media) if media.kind == MediaKind::Image => {
                let index = self.images;
                self.images += 1;
                self.entry("images", index, out, |o| content::write_media(media, o));
            }
            Body::Media(media) => leave(content::name(media.kind), ledger),
            Body::ToolResult(_) => leave("a result", ledger),
            Body::Foreign { dialect, kind, json } => {
                if *dialect == ID && reasoning::is_entry(kind) {
                    let block = Verbatim::read(block.clone(), ID, json.clone());
                    self.write_details(&block, out);
                } else {
                    leave(&kind.contents(), ledger);
                }
            }
        }
    }

    fn delta(&mut self, delta: &Delta, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match (delta, &mut self.open) {
            (Delta::Text(text), Open::Text { .. }) => self.say(text, out),
            (Delta::Text(text), Open::Refusal) => self.delta_text("refusal", text, out),
            (Delta::Text(text), Open::Thinking(_, pieces)) => {
                pieces.push(text);
                self.think(text, out);
            }
            (Delta::Text(text), Open::Summary(_)) => self.think(text, out),
            (Delta::Args(piece), Open::Call { freeform, bare }) => {
                *bare &= piece.is_blank();
                let (inner, key) =
                    if *freeform { ("custom", "input") } else { ("function", "arguments") };
                let index = self.calls - 1;
                self.entry("tool_calls", index, out, |o| o.object(inner, |o| o.text(key, piece)));
            }
            (Delta::Seal(seal), Open::Thinking(block, _) | Open::Summary(block)) => {
                block.seal = Some(seal.clone());
            }
            (Delta::Seal(new), Open::Text { seal }) => *seal = Some(new.clone()),
            (Delta::Seal(seal), Open::Call { .. }) => {
                let index = self.calls - 1;
                self.entry("tool_calls", index, out, |o| calls::write_signature(seal, o));
            }
            (Delta::Citation(citation), _) => self.cite(citation, out, ledger),
            (Delta::Text(_) | Delta::Args(_) | Delta::Seal(_), _) => {}
        }
    }

    fn close(&mut self, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let was_text = matches!(self.open, Open::Text { .. });
        match std::mem::replace(&mut self.open, Open::Closed { was_text }) {
            Open::Thinking(mut block, pieces) if block.seal.is_some() => {
                if let Body::Thinking(thinking) = &mut block.body {
                    thinking.text = pieces.into_text();
                }
                self.write_details(&Verbatim::new(*block), out);
            }
            Open::Summary(block) => {
                if let Some(seal) = &block.seal {
                    self.seal_summary(&block, seal, out);
                }
                self.details += 1;
            }
            // Accumulators would add one to another: the message has place for one.
            Open::Text { seal: Some(seal) } if reasoning::is_of_google(&seal) => {
                self.signature = Some(seal);
            }
            // Clients read the arguments as JSON.
            Open::Call { bare: true, .. } => {
                let what = "missing arguments are written as {}";
                ledger.change(note::ARGS_WRAPPED, Place::REPLY, what);
                let index = self.calls - 1;
                self.entry("tool_calls", index, out, |o| {
                    o.object("function", |o| o.word("arguments", "{}"));
                });
            }
            Open::Nothing
            | Open::Text { .. }
            | Open::Refusal
            | Open::Thinking(..)
            | Open::Call { .. }
            | Open::Closed { .. } => {}
        }
    }

    /// The text of reasoning; of a summary, also as its entry.
    fn think(&self, text: &Text, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.chunk(out, None, |o| {
            o.text("reasoning_content", text);
            if matches!(self.open, Open::Summary(_)) {
                o.array("reasoning_details", |a| {
                    a.object(|o| {
                        reasoning::head("reasoning.summary", self.details, o);
                        o.text("summary", text);
                    });
                });
            }
        });
    }

    /// Id and format of a summary, and what it sums up.
    fn seal_summary(&mut self, block: &Block, seal: &Seal, out: &mut Vec<u8>) {
        self.chunk(out, None, |o| {
            o.array("reasoning_details", |a| {
                a.object(|o| {
                    reasoning::head("reasoning.summary", self.details, o);
                    reasoning::tail(block, o);
                });
                a.object(|o| {
                    reasoning::head("reasoning.encrypted", self.details + 1, o);
                    o.text("data", &seal.data);
                    reasoning::tail(block, o);
                });
            });
        });
        self.details += 1;
    }

    fn write_details(&mut self, block: &Verbatim<Block>, out: &mut Vec<u8>) {
        let mut next = self.details;
        self.chunk(out, None, |o| {
            o.array("reasoning_details", |a| next = reasoning::write(block, next, a));
        });
        self.details = next;
    }

    /// Texts that something stood between do not run into each other.
    fn separate(&mut self, followed: bool) {
        let spoken = !self.before.is_empty() || !self.said.is_empty();
        self.apart |= spoken && !followed;
    }

    fn say(&mut self, text: &Text, out: &mut Vec<u8>) {
        if !text.is_empty() {
            if std::mem::take(&mut self.apart) {
                let gap = Text::word("\\n\\n");
                self.delta_text("content", &gap, out);
                self.before.extend([std::mem::take(&mut self.said).into_text(), gap]);
            }
            self.said.push(text);
            self.delta_text("content", text, out);
        }
    }

    fn cite(&mut self, citation: &Citation, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if citation.url.is_none() {
            let what = "a citation without a URL has no place";
            return ledger.loss(note::CITATION_REDUCED, Place::REPLY, what);
        }
        let index = self.annotations;
        self.annotations += 1;
        let before = self.before.iter();
        let before: usize = before.map(|text| text.contents().chars().count()).sum();
        let (before, length) = (before as u64, self.said.text().contents().chars().count() as u64);
        self.entry("annotations", index, out, |o| reply::annotate(citation, before, length, o));
    }

    fn delta_text(&self, key: &'static str, text: &Text, out: &mut Vec<u8>) {
        if !text.is_empty() {
            self.chunk(out, None, |o| o.text(key, text));
        }
    }

    /// One entry of a list of the message.
    fn entry(
        &self,
        list: &'static str,
        index: u64,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut Object<'_>),
    ) {
        self.chunk(out, None, |o| {
            o.array(list, |a| {
                a.object(|o| {
                    o.number("index", index);
                    fill(o);
                });
            });
        });
    }

    fn chunk(&self, out: &mut Vec<u8>, finish: Option<&Text>, fill: impl FnOnce(&mut Object<'_>)) {
        self.frame(out, |o| {
            o.array("choices", |a| {
                a.object(|o| {
                    o.number("index", 0);
                    o.object("delta", fill);
                    match finish {
                        Some(word) => o.text("finish_reason", word),
                        None => o.null("finish_reason"),
                    }
                });
            });
        });
    }

    fn frame(&self, out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
        write_json(Framing::Sse, None, out, |data| {
            data.object(|o| {
                o.fields(&self.head);
                fill(o);
            });
        });
    }

    /// The end, then the usage, then the mark: whatever came after the usage would erase it.
    fn stop(&mut self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if stop.sequence.is_some() && stop.word_for(ID).is_none() {
            ledger.loss(
                note::NO_SUCH_FIELD,
                Place::REPLY,
                "which stop sequence was met is left out",
            );
        }
        if let Some(notice) = stop::notice(stop) {
            self.separate(false);
            self.say(&notice, out);
        }
        let finish = stop::encode(stop, self.refuses, ledger);
        let signature = self.signature.take();
        self.chunk(out, Some(&finish), |o| {
            if let Some(seal) = &signature {
                calls::write_signature(seal, o);
            }
        });
        if self.exchange.usage != Some(false) {
            self.frame(out, |o| {
                o.array("choices", |_| {});
                usage::encode(&self.usage, o);
            });
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    fn foreign(&mut self, kind: &Text, ledger: &mut Ledger) {
        if !self.unknown.contains(kind) {
            self.unknown.push(kind.clone());
            leave(&kind.contents(), ledger);
        }
    }
}

impl StreamWriter for Writer {
    fn write(&mut self, event: &Event, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match event {
            Event::Start { id, model } => {
                self.head = head(id.as_ref(), model.as_ref(), &self.exchange);
                self.chunk(out, None, |o| {
                    o.known("role", "assistant");
                    o.known("content", "");
                });
            }
            Event::Open { block, .. } => self.open(block, out, ledger),
            Event::Delta { delta, .. } => self.delta(delta, out, ledger),
            Event::Close { .. } => self.close(out, ledger),
            Event::Usage(usage) => self.usage.update(usage),
            Event::Stop(stop) => self.stop(stop, out, ledger),
            Event::Fail(failure) => write_failure(failure, out),
            Event::Ping => out.extend_from_slice(b": ping\n\n"),
            Event::Foreign { kind, .. } => self.foreign(kind, ledger),
        }
    }
}

/// The fields that are the same in every chunk.
fn head(id: Option<&Text>, model: Option<&Text>, exchange: &Exchange) -> Json {
    Json::object(|o| {
        o.text("id", &reply::id(id, exchange));
        o.known("object", "chat.completion.chunk");
        o.number("created", exchange.created);
        o.text("model", &reply::model(model, exchange));
    })
}

/// An error as a chunk: the packages raise it when they meet `error`.
pub(super) fn write_failure(failure: &Failure, out: &mut Vec<u8>) {
    let body = error::encode(failure);
    let has_error = body.doc().root().get("error").is_some_and(|error| !error.is_null());
    let body =
        if has_error { body } else { error::encode(&Failure { written: None, ..failure.clone() }) };
    write_json(Framing::Sse, None, out, |data| data.json(&body));
}

fn leave(kind: &str, ledger: &mut Ledger) {
    let what = format!("left out {kind}: a stream has no such part here");
    ledger.loss(note::NO_SUCH_BLOCK, Place::REPLY, what);
}
