//! Writes a stream such that clients that concatenate strings receive each text once.

mod block;

use std::cell::OnceCell;

use interlingua_model::{
    ApiError, Block, BlockContent, Citation, Delta, Ledger, LedgerPath, MediaKind, ReasoningForm,
    ReplyContext, Seal, Stop, StreamEvent, ToolArgs, Usage, Verbatim,
};
use interlingua_wire::frame::write_json;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Framing, JsonString, JsonStringBuilder, RawJson};

use self::block::OpenBlock;
use super::encode::context::note_dropped_extras;
use super::encode::{media, tool_call};
use super::id::ID;
use super::{error, reasoning_details, reply, stop, usage};
use crate::common::name_set::NameSet;
use crate::dialect::StreamWriter;
use crate::{note, openai_responses};

#[derive(Debug)]
pub(super) struct Writer {
    exchange: ReplyContext,
    /// The fields that every chunk begins with; written when the first chunk is, because most streams
    /// within the dialect pass through.
    chunk_header: OnceCell<RawJson>,
    open_block: OpenBlock,
    /// Number of entries in each list of the message: clients merge list entries by index.
    call_count: u64,
    detail_count: u64,
    annotation_count: u64,
    image_count: u64,
    text_length: TextLength,
    /// A separator must be written before the next text.
    needs_separator: bool,
    usage: Usage,
    has_refusal: bool,
    /// The seal of the last sealed text.
    google_seal: Option<Box<Seal>>,
    noted_kinds: NameSet,
}

/// The characters of the texts so far, for the offsets of citations. Each text is counted once.
#[derive(Debug, Default)]
struct TextLength {
    offset: u64,
    length: u64,
    uncounted: JsonStringBuilder,
    has_text: bool,
}

impl Writer {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self {
            chunk_header: OnceCell::new(),
            exchange: cx.clone(),
            open_block: OpenBlock::Nothing,
            call_count: 0,
            detail_count: 0,
            annotation_count: 0,
            image_count: 0,
            text_length: TextLength::default(),
            needs_separator: false,
            usage: Usage::default(),
            has_refusal: false,
            google_seal: None,
            noted_kinds: NameSet::default(),
        }
    }

    fn write_open(&mut self, block: &Block, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let continues_text = matches!(self.open_block, OpenBlock::Closed { was_text: true })
            && !openai_responses::begins_message(block);
        note_dropped_extras(&block.extras, LedgerPath::REPLY, ledger);
        self.open_block = OpenBlock::Nothing;
        match &block.content {
            BlockContent::Text { text, citations } => {
                self.require_separator(continues_text);
                self.text_length.begin_text();
                self.open_block = OpenBlock::Text { seal: block.seal.clone() };
                // A text between reasoning details increments their index.
                self.detail_count += 1;
                self.write_text(text, out);
                for citation in citations {
                    self.write_citation(citation, out, ledger);
                }
            }
            BlockContent::Refusal(text) => {
                self.open_block = OpenBlock::Refusal;
                self.has_refusal = true;
                self.write_delta_text("refusal", text, out);
            }
            BlockContent::Reasoning(thinking) => {
                self.open_block = match thinking.form {
                    ReasoningForm::Summary => OpenBlock::ThinkingSummary(Box::new(block.clone())),
                    ReasoningForm::Full | ReasoningForm::Redacted => {
                        let mut finished_text = JsonStringBuilder::default();
                        finished_text.push(&thinking.text);
                        OpenBlock::Thinking(Box::new(block.clone()), finished_text)
                    }
                };
                self.write_reasoning(&thinking.text, out);
            }
            BlockContent::Json(json) => {
                self.write_text(&JsonString::new(json.as_str()), out);
            }
            BlockContent::ToolCall(call) => {
                let freeform = matches!(call.args, ToolArgs::Freeform(_));
                let has_no_args = call.args.to_json_string().is_blank() && !freeform;
                self.open_block = OpenBlock::ToolCall { freeform, has_no_args };
                let index = self.call_count;
                self.call_count += 1;
                self.write_list_entry("tool_calls", index, out, |o| {
                    tool_call::write_tool_call(call, None, o);
                    if let Some(seal) = &block.seal {
                        tool_call::write_google_signature(seal, o);
                    }
                });
            }
            BlockContent::Media(media) if media.kind == MediaKind::Image => {
                let index = self.image_count;
                self.image_count += 1;
                self.write_list_entry("images", index, out, |o| media::encode_media(media, o));
            }
            BlockContent::Media(media) => {
                note_dropped_block(media::media_noun(media.kind), ledger);
            }
            BlockContent::ToolResult(_) => note_dropped_block("a result", ledger),
            BlockContent::Foreign { dialect, kind, json } => {
                if *dialect == ID && reasoning_details::is_detail_kind(kind) {
                    let block = Verbatim::with_text(block.clone(), ID, json.clone());
                    self.write_reasoning_details(&block, out);
                } else {
                    note_dropped_block(&kind.unescape(), ledger);
                }
            }
        }
    }

    fn write_delta(&mut self, delta: &Delta, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match (delta, &mut self.open_block) {
            (Delta::Text(text), OpenBlock::Text { .. }) => self.write_text(text, out),
            (Delta::Text(text), OpenBlock::Refusal) => self.write_delta_text("refusal", text, out),
            (Delta::Text(text), OpenBlock::Thinking(_, pieces)) => {
                pieces.push(text);
                self.write_reasoning(text, out);
            }
            (Delta::Text(text), OpenBlock::ThinkingSummary(_)) => self.write_reasoning(text, out),
            (Delta::Args(piece), OpenBlock::ToolCall { freeform, has_no_args }) => {
                *has_no_args &= piece.is_blank();
                let (inner, key) =
                    if *freeform { ("custom", "input") } else { ("function", "arguments") };
                let index = self.call_count - 1;
                self.write_list_entry("tool_calls", index, out, |o| {
                    o.object(inner, |o| o.json_string(key, piece));
                });
            }
            (
                Delta::Seal(seal),
                OpenBlock::Thinking(block, _) | OpenBlock::ThinkingSummary(block),
            ) => {
                block.seal = Some(seal.clone());
            }
            (Delta::Seal(new), OpenBlock::Text { seal }) => *seal = Some(new.clone()),
            (Delta::Seal(seal), OpenBlock::ToolCall { .. }) => {
                let index = self.call_count - 1;
                self.write_list_entry("tool_calls", index, out, |o| {
                    tool_call::write_google_signature(seal, o);
                });
            }
            (Delta::Citation(citation), _) => self.write_citation(citation, out, ledger),
            (Delta::Text(_) | Delta::Args(_) | Delta::Seal(_), _) => {}
        }
    }

    fn write_close(&mut self, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let was_text = matches!(self.open_block, OpenBlock::Text { .. });
        match std::mem::replace(&mut self.open_block, OpenBlock::Closed { was_text }) {
            OpenBlock::Thinking(mut block, pieces) if block.seal.is_some() => {
                if let BlockContent::Reasoning(thinking) = &mut block.content {
                    thinking.text = pieces.into_json_string();
                }
                self.write_reasoning_details(&Verbatim::new(*block), out);
            }
            OpenBlock::ThinkingSummary(block) => {
                if let Some(seal) = &block.seal {
                    self.write_summary_seal(&block, seal, out);
                }
                self.detail_count += 1;
            }
            // Clients would concatenate several signatures; the message has one field for them.
            OpenBlock::Text { seal: Some(seal) } if reasoning_details::is_google_seal(&seal) => {
                self.google_seal = Some(seal);
            }
            // Clients parse the arguments as JSON.
            OpenBlock::ToolCall { has_no_args: true, .. } => {
                let message = "missing arguments are written as {}";
                ledger.record_change(note::ARGS_WRAPPED, LedgerPath::REPLY, message);
                let index = self.call_count - 1;
                self.write_list_entry("tool_calls", index, out, |o| {
                    o.object("function", |o| o.str("arguments", "{}"));
                });
            }
            OpenBlock::Nothing
            | OpenBlock::Text { .. }
            | OpenBlock::Refusal
            | OpenBlock::Thinking(..)
            | OpenBlock::ToolCall { .. }
            | OpenBlock::Closed { .. } => {}
        }
    }

    /// Writes reasoning text; a summary is also written as a reasoning detail.
    fn write_reasoning(&self, text: &JsonString, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.write_chunk(out, None, |o| {
            o.json_string("reasoning_content", text);
            if matches!(self.open_block, OpenBlock::ThinkingSummary(_)) {
                o.array("reasoning_details", |a| {
                    a.object(|o| {
                        reasoning_details::write_detail_header(
                            "reasoning.summary",
                            self.detail_count,
                            o,
                        );
                        o.json_string("summary", text);
                    });
                });
            }
        });
    }

    /// Writes the id and format of a summary, and the sealed reasoning that it summarizes.
    fn write_summary_seal(&mut self, block: &Block, seal: &Seal, out: &mut Vec<u8>) {
        self.write_chunk(out, None, |o| {
            o.array("reasoning_details", |a| {
                a.object(|o| {
                    reasoning_details::write_detail_header(
                        "reasoning.summary",
                        self.detail_count,
                        o,
                    );
                    reasoning_details::write_detail_trailer(block, o);
                });
                a.object(|o| {
                    reasoning_details::write_detail_header(
                        "reasoning.encrypted",
                        self.detail_count + 1,
                        o,
                    );
                    o.json_string("data", &seal.data);
                    reasoning_details::write_detail_trailer(block, o);
                });
            });
        });
        self.detail_count += 1;
    }

    fn write_reasoning_details(&mut self, block: &Verbatim<Block>, out: &mut Vec<u8>) {
        let mut next_index = self.detail_count;
        self.write_chunk(out, None, |o| {
            o.array("reasoning_details", |a| {
                next_index = reasoning_details::write_details(block, next_index, a);
            });
        });
        self.detail_count = next_index;
    }

    /// Requires a separator between texts that had another block between them.
    fn require_separator(&mut self, continues_text: bool) {
        self.needs_separator |= self.text_length.has_text && !continues_text;
    }

    fn write_text(&mut self, text: &JsonString, out: &mut Vec<u8>) {
        if !text.is_empty() {
            if std::mem::take(&mut self.needs_separator) {
                let separator = JsonString::from_static("\\n\\n");
                self.write_delta_text("content", &separator, out);
                self.text_length.begin_text();
                self.text_length.push(&separator);
                self.text_length.begin_text();
            }
            self.text_length.push(text);
            self.write_delta_text("content", text, out);
        }
    }

    fn write_citation(&mut self, citation: &Citation, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if citation.url.is_none() {
            let message = "left out a citation without a URL";
            return ledger.record_loss(note::CITATION_REDUCED, LedgerPath::REPLY, message);
        }
        let index = self.annotation_count;
        self.annotation_count += 1;
        let (offset, length) = self.text_length.offset_and_length();
        self.write_list_entry("annotations", index, out, |o| {
            reply::write_annotation(citation, offset, length, o);
        });
    }

    fn write_delta_text(&self, key: &'static str, text: &JsonString, out: &mut Vec<u8>) {
        if !text.is_empty() {
            self.write_chunk(out, None, |o| o.json_string(key, text));
        }
    }

    /// Writes one entry of a list of the message.
    fn write_list_entry(
        &self,
        list: &'static str,
        index: u64,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) {
        self.write_chunk(out, None, |o| {
            o.array(list, |a| {
                a.object(|o| {
                    o.number("index", index);
                    fill(o);
                });
            });
        });
    }

    fn write_chunk(
        &self,
        out: &mut Vec<u8>,
        finish_reason: Option<&JsonString>,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) {
        self.write_frame(out, |o| {
            o.array("choices", |a| {
                a.object(|o| {
                    o.number("index", 0);
                    o.object("delta", fill);
                    match finish_reason {
                        Some(reason_name) => o.json_string("finish_reason", reason_name),
                        None => o.null("finish_reason"),
                    }
                });
            });
        });
    }

    fn write_frame(&self, out: &mut Vec<u8>, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        write_json(Framing::Sse, None, out, |data| {
            data.object(|o| {
                o.extend(
                    self.chunk_header.get_or_init(|| chunk_header(None, None, &self.exchange)),
                );
                fill(o);
            });
        });
    }

    /// Writes the stop, then the usage, then the end marker: a chunk after the usage would reset it
    /// in some clients.
    fn write_stop(&mut self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if stop.sequence.is_some() && stop.original_reason_for(ID).is_none() {
            ledger.record_loss(
                note::NO_SUCH_FIELD,
                LedgerPath::REPLY,
                "left out the matched stop sequence",
            );
        }
        if let Some(notice) = stop::notice_text(stop) {
            self.require_separator(false);
            self.write_text(&notice, out);
        }
        let finish_reason = stop::encode(stop, self.has_refusal, ledger);
        let signature = self.google_seal.take();
        self.write_chunk(out, Some(&finish_reason), |o| {
            if let Some(seal) = &signature {
                tool_call::write_google_signature(seal, o);
            }
        });
        if self.exchange.stream_usage != Some(false) {
            self.write_frame(out, |o| {
                o.array("choices", |_| {});
                usage::encode(&self.usage, o);
            });
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    fn note_foreign_event(&mut self, kind: &JsonString, ledger: &mut Ledger) {
        if self.noted_kinds.insert(kind) {
            note_dropped_block(&kind.unescape(), ledger);
        }
    }
}

impl TextLength {
    /// Ends the current text.
    fn begin_text(&mut self) {
        let (offset, length) = self.offset_and_length();
        (self.offset, self.length) = (offset + length, 0);
    }

    fn push(&mut self, text: &JsonString) {
        self.uncounted.push(text);
        self.has_text |= !text.is_empty();
    }

    /// The characters before the current text, and in it.
    fn offset_and_length(&mut self) -> (u64, u64) {
        let uncounted = std::mem::take(&mut self.uncounted).into_json_string();
        self.length += uncounted.unescape().chars().count() as u64;
        (self.offset, self.length)
    }
}

impl StreamWriter for Writer {
    fn write(&mut self, event: &StreamEvent, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match event {
            StreamEvent::Start { id, model } => {
                let chunk_header = chunk_header(id.as_ref(), model.as_ref(), &self.exchange);
                self.chunk_header = chunk_header.into();
                self.write_chunk(out, None, |o| {
                    o.static_str("role", "assistant");
                    o.static_str("content", "");
                });
            }
            StreamEvent::BlockStart { block, .. } => self.write_open(block, out, ledger),
            StreamEvent::Delta { delta, .. } => self.write_delta(delta, out, ledger),
            StreamEvent::BlockEnd { .. } => self.write_close(out, ledger),
            StreamEvent::Usage(usage) => self.usage.update(usage),
            StreamEvent::Stop(stop) => self.write_stop(stop, out, ledger),
            StreamEvent::Error(error) => write_error_chunk(error, out),
            StreamEvent::Ping => out.extend_from_slice(b": ping\n\n"),
            StreamEvent::Foreign { kind, .. } => self.note_foreign_event(kind, ledger),
        }
    }
}

fn chunk_header(id: Option<&JsonString>, model: Option<&JsonString>, cx: &ReplyContext) -> RawJson {
    RawJson::object(|o| {
        o.json_string("id", &reply::reply_id(id, cx));
        o.static_str("object", "chat.completion.chunk");
        o.number("created", cx.created_unix_secs);
        o.json_string("model", &reply::reply_model(model, cx));
    })
}

/// Writes an error as a chunk: SDKs raise it when they find `error`.
pub(super) fn write_error_chunk(api_error: &ApiError, out: &mut Vec<u8>) {
    let body = error::encode(api_error);
    let has_error = body.to_doc().root().get("error").is_some_and(|error| !error.is_null());
    let body = if has_error {
        body
    } else {
        error::encode(&ApiError { original: None, ..api_error.clone() })
    };
    write_json(Framing::Sse, None, out, |data| data.json(&body));
}

fn note_dropped_block(kind: &str, ledger: &mut Ledger) {
    let message = format!("left out {kind}: streams of this dialect do not have it");
    ledger.record_loss(note::NO_SUCH_BLOCK, LedgerPath::REPLY, message);
}
