//! Builds the chunk that is being written, and the block in it.

use interlingua_model::{Block, BlockContent, Ledger, LedgerPath, ReplyContext, ToolArgs};
use interlingua_wire::frame::FrameWriter;
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, JsonStringBuilder, RawJson};

use crate::gemini::id::ID;
use crate::gemini::{citation, field_name, reply};

pub(super) struct ChunkWriter {
    pub(super) frames: FrameWriter,
    /// The fields that every chunk ends with.
    pub(super) trailer_fields: RawJson,
    /// Kind of text that a client would append a following plain part to.
    pub(super) mergeable_text: Option<TextKind>,
    pub(super) has_parts: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Plain,
    Thought,
}

/// The open block and its deltas that are not written yet.
pub(super) struct OpenBlock {
    pub(super) index: u32,
    pub(super) block: Block,
    /// The text so far, and its number of deltas.
    pub(super) text: JsonStringBuilder,
    pub(super) delta_count: usize,
    /// Deltas that are not written yet.
    pub(super) pending_deltas: Vec<JsonString>,
    pub(super) args: JsonStringBuilder,
}

impl ChunkWriter {
    /// Writes the buffered deltas of a text.
    pub(super) fn write_pending(&mut self, open_block: &mut OpenBlock, out: &mut Vec<u8>) {
        let kind = open_block.text_kind();
        let mut is_first = !open_block.has_written_deltas();
        for piece in open_block.pending_deltas.drain(..) {
            self.write_text_delta(&piece, kind, std::mem::take(&mut is_first), out);
        }
    }

    /// Writes a text delta. An empty part separates a new text from the previous one, which clients
    /// would otherwise merge.
    pub(super) fn write_text_delta(
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

    pub(super) fn write_citations(
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

    pub(super) fn write_parts(
        &mut self,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut ArrayWriter<'_>),
    ) {
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

    pub(super) fn write_chunk(
        &mut self,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) {
        self.frames.write_json(None, out, |data| {
            data.object(|chunk| {
                fill(chunk);
                chunk.extend(&self.trailer_fields);
            });
        });
    }

    pub(super) fn write_foreign(&mut self, kind: &JsonString, json: &RawJson, out: &mut Vec<u8>) {
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

    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        let framing = self.frames.framing();
        std::mem::replace(&mut self.frames, FrameWriter::new(framing)).finish(out);
    }
}

pub(super) fn chunk_trailer(
    id: Option<&JsonString>,
    model: Option<&JsonString>,
    cx: &ReplyContext,
) -> RawJson {
    RawJson::object(|chunk| reply::write_ids(id, model, cx, chunk))
}

/// Writes a candidate without new content. After the first part it has an empty text, like the
/// provider's own last chunk: clients treat a chunk without parts as a broken reply.
pub(super) fn write_empty_candidate(
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

pub(super) fn write_text_part(text: &JsonString, kind: TextKind, part: &mut ObjectWriter<'_>) {
    part.json_string("text", text);
    if kind == TextKind::Thought {
        part.boolean("thought", true);
    }
}

impl OpenBlock {
    pub(super) fn new(index: u32, block: &Block) -> Self {
        let (text, args) = <(JsonStringBuilder, JsonStringBuilder)>::default();
        Self { index, block: block.clone(), text, delta_count: 0, pending_deltas: Vec::new(), args }
    }

    pub(super) fn has_written_deltas(&self) -> bool {
        self.delta_count > self.pending_deltas.len()
    }

    pub(super) fn text_kind(&self) -> Option<TextKind> {
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
    pub(super) fn can_stream(&self) -> bool {
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
    pub(super) fn into_block(mut self) -> Block {
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
