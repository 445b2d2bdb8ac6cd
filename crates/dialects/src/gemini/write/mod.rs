//! Writes a stream: each chunk is a reply with new parts. Calls are written complete, and the last
//! chunk has the finish reason and the token counts.

mod chunk;

use interlingua_model::{
    BlockContent, Delta, Ledger, LedgerPath, ReplyContext, Stop, StreamEvent, Usage, Verbatim,
};
use interlingua_wire::frame::FrameWriter;
use interlingua_wire::{Framing, JsonString};

use self::chunk::{ChunkWriter, OpenBlock, chunk_trailer, write_empty_candidate, write_text_part};
use super::encode::context::EncodeCx;
use super::encode::{block, fields};
use super::id::{HEARTBEAT, ID};
use super::{error, stop, usage};
use crate::dialect::StreamWriter;
use crate::note;

pub(super) struct Writer {
    exchange: ReplyContext,
    chunks: ChunkWriter,
    open_block: Option<OpenBlock>,
    usage: Usage,
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
            fields::note_dropped_attributes(&open_block.block, path, ledger);
            if let Some(seal) =
                open_block.block.seal.as_deref().filter(|seal| fields::is_own_seal(seal))
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
        if !block::check_encodable(&block, EncodeCx::Reply, path, ledger) {
            return;
        }
        let own_seal = block.seal.as_deref().is_some_and(fields::is_own_seal);
        let mergeable_kind = kind.filter(|_| !own_seal && block.extras.fields_for(ID).is_empty());
        let boundary = mergeable_kind.filter(|kind| self.chunks.mergeable_text == Some(*kind));
        self.chunks.write_parts(out, |list| {
            if let Some(kind) = boundary {
                list.object(|part| write_text_part(&JsonString::EMPTY, kind, part));
            }
            block::encode_part(&block, EncodeCx::Reply, 0, path, list, ledger);
        });
        self.chunks.mergeable_text = mergeable_kind;
        if let BlockContent::Text { citations, .. } = &block.content {
            self.chunks.write_citations(&OpenBlock::new(0, &block), citations, out, ledger);
        }
    }

    fn write_stop(&mut self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let reason_name = stop::encode_stop_reason(stop, ledger);
        let usage = std::mem::take(&mut self.usage);
        let needs_filler = self.chunks.has_parts;
        self.chunks.write_chunk(out, |chunk| {
            write_empty_candidate(chunk, needs_filler, |candidate| {
                candidate.json_string("finishReason", &reason_name);
            });
            usage::write_usage(&usage, chunk.key("usageMetadata"));
        });
        self.chunks.finish(out);
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
                out.extend_from_slice(HEARTBEAT);
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
