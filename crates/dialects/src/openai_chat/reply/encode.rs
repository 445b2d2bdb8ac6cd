//! Whole replies, encoded.

use interlingua_model::{
    Block, Body, Citation, Exchange, Form, Ledger, MediaKind, Place, Reply, Seal, Verbatim,
};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Json, Text, Writer};

use crate::openai_chat::encode::note_extras;
use crate::openai_chat::{ID, calls, content, reasoning, stop, usage};
use crate::{note, openai_responses};

/// The blocks of a reply by where they go.
#[derive(Default)]
struct Parts<'r> {
    /// Each with the number of texts before it.
    thinking: Vec<(u64, &'r Verbatim<Block>)>,
    texts: Vec<Text>,
    spoken: u64,
    /// The next text does not run into what was said.
    apart: bool,
    refusals: Vec<&'r Text>,
    /// Each with the number of characters before its text and within it.
    citations: Vec<(u64, u64, &'r Citation)>,
    images: Vec<&'r Verbatim<Block>>,
    calls: Vec<&'r Verbatim<Block>>,
    signature: Option<&'r Seal>,
}

pub(in crate::openai_chat) fn encode(
    reply: &Reply,
    exchange: &Exchange,
    ledger: &mut Ledger,
) -> Vec<u8> {
    let mut parts = Parts::of(&reply.turn.blocks, ledger);
    if let Some(notice) = stop::notice(&reply.stop) {
        parts.separate(false, &notice);
        parts.texts.push(notice);
    }
    if reply.stop.sequence.is_some() && reply.stop.word_for(ID).is_none() {
        ledger.loss(note::NO_SUCH_FIELD, Place::REPLY, "which stop sequence was met is left out");
    }
    note_extras(&reply.extras, Place::REPLY, ledger);
    note_extras(&reply.turn.extras, Place::REPLY, ledger);
    let finish = stop::encode(&reply.stop, !parts.refusals.is_empty(), ledger);
    let mut out = Writer::with_capacity(512);
    out.object(|o| {
        o.text("id", &id(reply.id.as_ref(), exchange));
        o.known("object", "chat.completion");
        o.number("created", exchange.created);
        o.text("model", &model(reply.model.as_ref(), exchange));
        o.array("choices", |a| {
            a.object(|o| {
                o.number("index", 0);
                o.object("message", |o| {
                    parts.write(o);
                    reply.turn.extras.write(ID, o);
                });
                let logprobs = reply.extras.find(ID, "logprobs");
                o.json("logprobs", logprobs.unwrap_or(&Json::NULL));
                o.text("finish_reason", &finish);
            });
        });
        usage::encode(&reply.usage, o);
        for (key, value) in reply.extras.of(ID).iter().filter(|(key, _)| key != "logprobs") {
            o.key_text(key).json(value);
        }
    });
    out.into_bytes()
}

/// The id of a reply: its own, or the one it is given.
pub(in crate::openai_chat) fn id(own: Option<&Text>, exchange: &Exchange) -> Text {
    let own = own.filter(|id| !id.is_empty()).or(exchange.id.as_ref());
    own.cloned().unwrap_or(Text::word("chatcmpl-interlingua"))
}

pub(in crate::openai_chat) fn model(own: Option<&Text>, exchange: &Exchange) -> Text {
    own.or(exchange.model.as_ref()).cloned().unwrap_or_default()
}

impl<'r> Parts<'r> {
    fn of(blocks: &'r [Verbatim<Block>], ledger: &mut Ledger) -> Self {
        let mut parts = Self::default();
        let mut disordered = None;
        for (at, block) in blocks.iter().enumerate() {
            let place = Place::reply(at);
            let late = match &block.body {
                Body::Thinking(_) => !parts.texts.is_empty() || !parts.calls.is_empty(),
                Body::Text { .. } | Body::Refusal(_) | Body::Data(_) => !parts.calls.is_empty(),
                Body::Media(_) | Body::ToolCall(_) | Body::ToolResult(_) | Body::Foreign { .. } => {
                    false
                }
            };
            disordered = disordered.or(late.then_some(place));
            let before = at.checked_sub(1).and_then(|before| blocks.get(before));
            let follows = before.is_some_and(|before| before.body.as_text().is_some())
                && !openai_responses::begins_message(block);
            parts.take(block, follows, place, ledger);
            note_extras(&block.extras, place, ledger);
        }
        if let Some(place) = disordered {
            ledger.change(
                note::ORDER_CHANGED,
                place,
                "reasoning comes first, then text, then calls",
            );
        }
        parts
    }

    fn take(
        &mut self,
        block: &'r Verbatim<Block>,
        follows: bool,
        place: Place,
        ledger: &mut Ledger,
    ) {
        match &block.body {
            Body::Thinking(_) => self.thinking.push((self.spoken, block)),
            Body::Text { text, citations } => {
                self.separate(follows, text);
                self.spoken += 1;
                let before: usize =
                    self.texts.iter().map(|text| text.contents().chars().count()).sum();
                for citation in citations {
                    if citation.url.is_some() {
                        let length = text.contents().chars().count();
                        self.citations.push((before as u64, length as u64, citation));
                    } else {
                        ledger.loss(
                            note::CITATION_REDUCED,
                            place,
                            "a citation without a URL has no place",
                        );
                    }
                }
                self.texts.push(text.clone());
                let seal = block.seal.as_deref().filter(|seal| reasoning::is_of_google(seal));
                self.signature = seal.or(self.signature);
            }
            Body::Refusal(text) => self.refusals.push(text),
            Body::Data(json) => {
                let text = Text::new(json.as_str());
                self.separate(false, &text);
                self.texts.push(text);
            }
            Body::Media(media) if media.kind == MediaKind::Image => self.images.push(block),
            Body::Media(media) => leave(content::name(media.kind), place, ledger),
            Body::ToolCall(call) => {
                if calls::is_bare(call) && block.text_for(ID).is_none() {
                    let what = "missing arguments are written as {}";
                    ledger.change(note::ARGS_WRAPPED, place, what);
                }
                self.calls.push(block);
            }
            Body::ToolResult(_) => leave("a result", place, ledger),
            Body::Foreign { dialect, kind, .. } if *dialect == ID && reasoning::is_entry(kind) => {
                self.thinking.push((self.spoken, block));
            }
            Body::Foreign { kind, .. } => leave(&kind.contents(), place, ledger),
        }
    }

    /// Texts that something stood between do not run into each other.
    fn separate(&mut self, follows: bool, text: &Text) {
        self.apart |= !follows && self.texts.iter().any(|said| !said.is_empty());
        if !text.is_empty() && std::mem::take(&mut self.apart) {
            self.texts.push(Text::word("\\n\\n"));
        }
    }

    fn write(&self, o: &mut Object<'_>) {
        o.known("role", "assistant");
        if self.texts.is_empty() {
            o.null("content");
        } else {
            o.key("content").joined(&self.texts, "");
        }
        if !self.refusals.is_empty() {
            o.key("refusal").joined(self.refusals.iter().copied(), "\n\n");
        }
        self.write_thinking(o);
        if !self.citations.is_empty() {
            o.array("annotations", |a| {
                for (before, length, citation) in &self.citations {
                    a.object(|o| annotate(citation, *before, *length, o));
                }
            });
        }
        if !self.images.is_empty() {
            o.array("images", |a| self.images.iter().for_each(|block| write_image(block, a)));
        }
        if !self.calls.is_empty() {
            o.array("tool_calls", |a| self.calls.iter().for_each(|block| write_call(block, a)));
        }
        if let Some(seal) = self.signature {
            calls::write_signature(seal, o);
        }
    }

    /// The text of all reasoning, and beside it the entries that carry seals.
    fn write_thinking(&self, o: &mut Object<'_>) {
        let texts = self.thinking.iter().filter_map(|(_, block)| match &block.body {
            Body::Thinking(thinking) if thinking.form != Form::Redacted => Some(&thinking.text),
            _ => None,
        });
        let texts: Vec<&Text> = texts.filter(|text| !text.is_empty()).collect();
        if !texts.is_empty() {
            o.key("reasoning_content").joined(texts, "");
        }
        let is_entry = |(_, block): &(u64, &Verbatim<Block>)| {
            block.seal.is_some()
                || matches!(&block.body, Body::Thinking(thinking) if thinking.form == Form::Summary)
                || matches!(block.body, Body::Foreign { .. })
        };
        if self.thinking.iter().any(is_entry) {
            o.array("reasoning_details", |a| {
                // Entries count the words that stand between them.
                let mut count = 0;
                for (spoken, block) in &self.thinking {
                    count = reasoning::write(block, count + spoken, a) - spoken;
                }
            });
        }
    }
}

fn write_image(block: &Verbatim<Block>, out: &mut Array<'_>) {
    if let Body::Media(media) = &block.body {
        out.object(|o| content::write_media(media, o));
    }
}

fn write_call(block: &Verbatim<Block>, out: &mut Array<'_>) {
    if let Some(text) = block.text_for(ID) {
        return out.item().json(text);
    }
    if let Body::ToolCall(call) = &block.body {
        out.object(|o| {
            let empty = calls::is_bare(call).then_some(Text::word("{}"));
            calls::write(call, empty.as_ref(), o);
            if let Some(seal) = block.seal.as_deref() {
                calls::write_signature(seal, o);
            }
            block.extras.write(ID, o);
        });
    }
}

/// A citation as an annotation; `before` characters stand before its text, which has `length`. Packages
/// refuse one that lacks a place or a title.
pub(in crate::openai_chat) fn annotate(
    citation: &Citation,
    before: u64,
    length: u64,
    o: &mut Object<'_>,
) {
    o.known("type", "url_citation");
    o.object("url_citation", |o| {
        let (from, to) = citation.span.unwrap_or((0, length));
        o.number("start_index", from.saturating_add(before));
        o.number("end_index", to.saturating_add(before));
        o.text_if("url", citation.url.as_ref());
        o.text("title", citation.title.as_ref().unwrap_or(&Text::EMPTY));
        o.text_if("content", citation.quote.as_ref());
    });
}

fn leave(kind: &str, place: Place, ledger: &mut Ledger) {
    let what = format!("left out {kind}: a reply has no such part here");
    ledger.loss(note::NO_SUCH_BLOCK, place, what);
}
