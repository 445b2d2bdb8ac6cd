//! Writes a stream: each chunk is a reply with new parts. Calls are written complete, and the last
//! chunk has the finish reason and the token counts.

use interlingua_model::{
    Block, BlockContent, Delta, Ledger, LedgerPath, ReplyContext, Stop, StreamEvent, ToolArgs,
    Usage, Verbatim,
};
use interlingua_wire::frame::FrameWriter;
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{Framing, JsonString, JsonStringBuilder, RawJson};

use super::encode::{self, EncodeMode};
use super::{Gemini, ID, citation, error, field_name, outcome, reply};
use crate::{Dialect as _, StreamWriter, note};

pub(super) struct Writer {
    exchange: ReplyContext,
    chunks: ChunkWriter,
    open_block: Option<OpenBlock>,
    usage: Usage,
}

struct ChunkWriter {
    frames: FrameWriter,
    /// The fields that every chunk ends with.
    trailer_fields: RawJson,
    /// Kind of text that a client would append a following plain part to.
    mergeable_text: Option<TextKind>,
    has_parts: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextKind {
    Plain,
    Thought,
}

/// The open block and its deltas that are not written yet.
struct OpenBlock {
    index: u32,
    block: Block,
    /// The text so far, and its number of deltas.
    text: JsonStringBuilder,
    delta_count: usize,
    /// Deltas that are not written yet.
    pending_deltas: Vec<JsonString>,
    args: JsonStringBuilder,
}

impl Writer {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        let framing = if cx.wants_json_array { Framing::JsonArray } else { Framing::Sse };
        Self {
            exchange: cx.clone(),
            chunks: ChunkWriter {
                frames: FrameWriter::new(framing),
                trailer_fields: chunk_trailer(None, None, cx),
                mergeable_text: None,
                has_parts: false,
            },
            open_block: None,
            usage: Usage::default(),
        }
    }

    fn write_delta(&mut self, delta: &Delta, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let Some(open_block) = &mut self.open_block else { return };
        match delta {
            Delta::Text(text) => {
                open_block.text.push(text);
                open_block.delta_count += 1;
                if open_block.can_stream() {
                    self.chunks.write_pending(open_block, out);
                    self.chunks.write_text_delta(
                        text,
                        open_block.text_kind(),
                        open_block.delta_count == 1,
                        out,
                    );
                } else {
                    open_block.pending_deltas.push(text.clone());
                }
            }
            Delta::Args(text) => open_block.args.push(text),
            Delta::Seal(seal) => open_block.block.seal = Some(seal.clone()),
            Delta::Citation(citation) => {
                self.chunks.write_pending(open_block, out);
                self.chunks.write_citations(
                    open_block,
                    std::slice::from_ref(citation),
                    out,
                    ledger,
                );
            }
        }
    }

    fn write_close(&mut self, mut open_block: OpenBlock, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let path = LedgerPath::reply(open_block.index as usize);
        let kind = open_block.text_kind();
        if let (Some(kind), true) = (kind, open_block.has_written_deltas()) {
            self.chunks.write_pending(&mut open_block, out);
            encode::note_dropped_attributes(&open_block.block, path, ledger);
            if let Some(seal) =
                open_block.block.seal.as_deref().filter(|seal| encode::is_own_seal(seal))
            {
                self.chunks.write_parts(out, |list| {
                    list.object(|part| {
                        write_text_part(&JsonString::EMPTY, kind, part);
                        part.json_string("thoughtSignature", &seal.data);
                    });
                });
                self.chunks.mergeable_text = None;
            }
            return;
        }
        let block = Verbatim::new(open_block.into_block());
        if !encode::check_encodable(&block, EncodeMode::Reply, path, ledger) {
            return;
        }
        let own_seal = block.seal.as_deref().is_some_and(encode::is_own_seal);
        let mergeable_kind = kind.filter(|_| !own_seal && block.extras.fields_for(ID).is_empty());
        let boundary = mergeable_kind.filter(|kind| self.chunks.mergeable_text == Some(*kind));
        self.chunks.write_parts(out, |list| {
            if let Some(kind) = boundary {
                list.object(|part| write_text_part(&JsonString::EMPTY, kind, part));
            }
            encode::encode_part(&block, EncodeMode::Reply, 0, path, list, ledger);
        });
        self.chunks.mergeable_text = mergeable_kind;
        if let BlockContent::Text { citations, .. } = &block.content {
            self.chunks.write_citations(&OpenBlock::new(0, &block), citations, out, ledger);
        }
    }

    fn write_stop(&mut self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let reason_name = outcome::encode_stop_reason(stop, ledger);
        let usage = std::mem::take(&mut self.usage);
        let needs_filler = self.chunks.has_parts;
        self.chunks.write_chunk(out, |chunk| {
            write_empty_candidate(chunk, needs_filler, |candidate| {
                candidate.json_string("finishReason", &reason_name);
            });
            outcome::write_usage(&usage, chunk.key("usageMetadata"));
        });
        self.chunks.finish(out);
    }
}

impl ChunkWriter {
    /// Writes the buffered deltas of a text.
    fn write_pending(&mut self, open_block: &mut OpenBlock, out: &mut Vec<u8>) {
        let kind = open_block.text_kind();
        let mut is_first = !open_block.has_written_deltas();
        for piece in open_block.pending_deltas.drain(..) {
            self.write_text_delta(&piece, kind, std::mem::take(&mut is_first), out);
        }
    }

    /// Writes a text delta. An empty part separates a new text from the previous one, which clients
    /// would otherwise merge.
    fn write_text_delta(
        &mut self,
        piece: &JsonString,
        kind: Option<TextKind>,
        is_first: bool,
        out: &mut Vec<u8>,
    ) {
        let Some(kind) = kind else { return };
        let boundary = is_first && self.mergeable_text == Some(kind);
        self.write_parts(out, |list| {
            if boundary {
                list.object(|part| write_text_part(&JsonString::EMPTY, kind, part));
            }
            list.object(|part| write_text_part(piece, kind, part));
        });
        self.mergeable_text = Some(kind);
    }

    fn write_citations(
        &mut self,
        open_block: &OpenBlock,
        citations: &[interlingua_model::Citation],
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        let text = open_block
            .block
            .content
            .as_text()
            .map(|text| JsonString::concat([text, &open_block.text.to_json_string()]));
        let path = LedgerPath::reply(open_block.index as usize);
        let list = RawJson::array(|list| {
            citation::encode_citations(&text.unwrap_or_default(), citations, list, path, ledger);
        });
        if list != RawJson::EMPTY_ARRAY {
            let needs_filler = self.has_parts;
            self.write_chunk(out, |chunk| {
                write_empty_candidate(chunk, needs_filler, |candidate| {
                    candidate.object("citationMetadata", |o| o.json("citationSources", &list));
                });
            });
        }
    }

    fn write_parts(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut ArrayWriter<'_>)) {
        self.has_parts = true;
        self.write_chunk(out, |chunk| {
            chunk.array("candidates", |list| {
                list.object(|candidate| {
                    candidate.object("content", |content| {
                        content.array("parts", fill);
                        content.static_str("role", "model");
                    });
                    candidate.number("index", 0);
                });
            });
        });
    }

    fn write_chunk(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.frames.write_json(None, out, |data| {
            data.object(|chunk| {
                fill(chunk);
                chunk.extend(&self.trailer_fields);
            });
        });
    }

    fn write_foreign(&mut self, kind: &JsonString, json: &RawJson, out: &mut Vec<u8>) {
        let needs_filler = self.has_parts;
        self.write_chunk(out, |chunk| {
            if kind == reply::FIRST_CANDIDATE_KEY {
                write_empty_candidate(chunk, needs_filler, |object| {
                    field_name::write_unknown_fields(Some(json), object);
                });
            } else if kind == reply::OTHER_CANDIDATES_KEY {
                chunk.array("candidates", |list| list.item().json(json));
            } else {
                field_name::write_unknown_fields(Some(json), chunk);
            }
        });
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        let framing = self.frames.framing();
        std::mem::replace(&mut self.frames, FrameWriter::new(framing)).finish(out);
    }
}

fn chunk_trailer(
    id: Option<&JsonString>,
    model: Option<&JsonString>,
    cx: &ReplyContext,
) -> RawJson {
    RawJson::object(|chunk| reply::write_ids(id, model, cx, chunk))
}

/// Writes a candidate without new content. After the first part it has an empty text, like the
/// provider's own last chunk: clients treat a chunk without parts as a broken reply.
fn write_empty_candidate(
    chunk: &mut ObjectWriter<'_>,
    needs_filler: bool,
    fill: impl FnOnce(&mut ObjectWriter<'_>),
) {
    chunk.array("candidates", |list| {
        list.object(|candidate| {
            candidate.object("content", |content| {
                if needs_filler {
                    content.array("parts", |parts| {
                        parts.object(|part| {
                            write_text_part(&JsonString::EMPTY, TextKind::Plain, part);
                        });
                    });
                }
                content.static_str("role", "model");
            });
            fill(candidate);
            candidate.number("index", 0);
        });
    });
}

fn write_text_part(text: &JsonString, kind: TextKind, part: &mut ObjectWriter<'_>) {
    part.json_string("text", text);
    if kind == TextKind::Thought {
        part.boolean("thought", true);
    }
}

impl OpenBlock {
    fn new(index: u32, block: &Block) -> Self {
        let (text, args) = <(JsonStringBuilder, JsonStringBuilder)>::default();
        Self { index, block: block.clone(), text, delta_count: 0, pending_deltas: Vec::new(), args }
    }

    fn has_written_deltas(&self) -> bool {
        self.delta_count > self.pending_deltas.len()
    }

    fn text_kind(&self) -> Option<TextKind> {
        match &self.block.content {
            BlockContent::Text { .. } | BlockContent::Refusal(_) => Some(TextKind::Plain),
            BlockContent::Reasoning(_) => Some(TextKind::Thought),
            BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolCall(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => None,
        }
    }

    /// A signed text is written as one part with its signature. A thought's signature arrives at
    /// its end, so the first delta is buffered until a second one arrives.
    fn can_stream(&self) -> bool {
        let has_text = self.block.content.as_text().is_some_and(|text| !text.is_empty());
        let is_complete =
            has_text || self.block.seal.is_some() || !self.block.extras.fields_for(ID).is_empty();
        match &self.block.content {
            BlockContent::Text { .. } => !is_complete,
            BlockContent::Reasoning(thinking) => {
                !is_complete && thinking.text.is_empty() && self.delta_count > 1
            }
            BlockContent::Refusal(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolCall(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => false,
        }
    }

    /// The block with all its deltas.
    fn into_block(mut self) -> Block {
        match &mut self.block.content {
            BlockContent::Text { text, .. } | BlockContent::Refusal(text) => text.append(self.text),
            BlockContent::Reasoning(thinking) => thinking.text.append(self.text),
            BlockContent::ToolCall(call) => match &mut call.args {
                ToolArgs::Freeform(text) => text.append(self.args),
                ToolArgs::Malformed(text) => {
                    text.append(self.args);
                    call.args = ToolArgs::from_json_string(text);
                }
                ToolArgs::Json(_) => {}
            },
            BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => {}
        }
        self.block
    }
}

impl StreamWriter for Writer {
    fn write(&mut self, event: &StreamEvent, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match event {
            StreamEvent::Start { id, model } => {
                self.chunks.trailer_fields =
                    chunk_trailer(id.as_ref(), model.as_ref(), &self.exchange);
            }
            StreamEvent::BlockStart { index, block } => {
                self.open_block = Some(OpenBlock::new(*index, block));
            }
            StreamEvent::Delta { delta, .. } => self.write_delta(delta, out, ledger),
            StreamEvent::BlockEnd { .. } => {
                if let Some(open_block) = self.open_block.take() {
                    self.write_close(open_block, out, ledger);
                }
            }
            StreamEvent::Usage(usage) => self.usage.update(usage),
            StreamEvent::Stop(stop) => self.write_stop(stop, out, ledger),
            StreamEvent::Error(error) => {
                let chunk = error::encode_chunk(error);
                self.chunks.frames.write(None, &String::from_utf8_lossy(&chunk), out);
                self.chunks.finish(out);
            }
            StreamEvent::Ping if self.chunks.frames.framing() == Framing::Sse => {
                out.extend_from_slice(Gemini.heartbeat_bytes());
            }
            StreamEvent::Ping => {}
            StreamEvent::Foreign { dialect, kind, json } if *dialect == ID => {
                self.chunks.write_foreign(kind, json, out);
            }
            StreamEvent::Foreign { dialect, kind, .. } => {
                let message = format!("left out an event of {dialect} (`{kind}`)");
                ledger.record_loss(note::NO_SUCH_BLOCK, LedgerPath::REPLY, message);
            }
        }
    }
}
