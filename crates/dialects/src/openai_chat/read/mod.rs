//! Reads a stream of this dialect and its variants; the emitted events always satisfy the laws.

pub(super) mod args;
mod blocks;
mod delta;
mod positions;
mod reasoning_details;
mod rewrite;
mod tool_call;

use interlingua_model::{
    ApiError, Block, Delta, Ledger, LedgerPath, OrderFault, ReplyContext, Stop, StopReason,
    StreamEvent, Usage,
};
use interlingua_providers::spelling::openai_chat::{Capability, Flavor};
use interlingua_wire::frame::is_sse_comment;
use interlingua_wire::json::Tape;
use interlingua_wire::{Frame, JsonDoc, JsonLimits, JsonNode, JsonString, RawJson};

use self::blocks::{BlockKey, ReplyBlocks};
use self::rewrite::{FrameRewriter, is_other_choice};
use super::id::ID;
use super::think_tags::{Segment, ThinkTagSplitter};
use super::{error, reply, stop, usage, write};
use crate::common::stop_notice::error_from_stop;
use crate::dialect::{MissingEnd, StreamReader};
use crate::note;

#[derive(Debug)]
pub(super) struct Reader {
    freeform_tools: Vec<JsonString>,
    id: Option<JsonString>,
    model: Option<JsonString>,
    tape: Tape,
    blocks: ReplyBlocks,
    think_tags: ThinkTagSplitter,
    usage: Option<Usage>,
    /// The stop, held back until the usage arrives.
    stop: Option<Stop>,
    missing_end: MissingEnd,
    is_terminated: bool,
    /// Tool calls of a further choice, used if the first choice ended for calls but has none.
    other_choice_calls: Vec<RawJson>,
    /// An error inside a choice.
    choice_error: Option<ApiError>,
    rewriter: FrameRewriter,
    once_notes: OnceNotes,
}

/// The ledger notes that are written once per stream.
#[derive(Debug, Default)]
struct OnceNotes(Vec<OnceNote>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnceNote {
    OtherChoices,
    Logprobs,
    CallsNotList,
    ReasoningOpaque,
}

impl OnceNotes {
    /// Returns whether the note is new, and remembers it.
    fn insert(&mut self, note: OnceNote) -> bool {
        let is_first = !self.0.contains(&note);
        self.0.extend(is_first.then_some(note));
        is_first
    }
}

impl Reader {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self {
            freeform_tools: cx.freeform_tools.clone(),
            id: cx.fallback_id.clone(),
            model: cx.client_model.clone(),
            tape: Tape::default(),
            blocks: ReplyBlocks::default(),
            think_tags: ThinkTagSplitter::new(Flavor::find(cx.flavor).has(Capability::ThinkTags)),
            usage: None,
            stop: None,
            missing_end: MissingEnd::Nothing,
            is_terminated: false,
            other_choice_calls: Vec::new(),
            choice_error: None,
            rewriter: FrameRewriter::default(),
            once_notes: OnceNotes::default(),
        }
    }

    fn read_chunk(&mut self, root: JsonNode<'_>, ledger: &mut Ledger) {
        let [choices, usage, error, groq, base] =
            root.get_many(["choices", "usage", "error", "x_groq", "base_resp"]);
        let is_reply = choices.is_some() && error.is_none() && groq.is_none() && base.is_none();
        if let Some(api_error) = (!is_reply).then(|| error::decode_embedded(root)).flatten() {
            // SDKs raise only an error that is under `error`.
            if error.is_none() && groq.is_none() {
                let mut frame = Vec::new();
                write::write_error_chunk(&api_error, &mut frame);
                self.rewriter.replace_frame(frame);
            }
            return self.emit_error(api_error, ledger);
        }
        let text = |key: &str| {
            root.get(key).and_then(JsonNode::json_string).filter(|text| !text.is_empty())
        };
        if !self.blocks.sequencer.has_started() {
            self.id = text("id").or(self.id.take());
            self.model = text("model").or(self.model.take());
        }
        let counts = usage.filter(|usage| usage.is_object());
        let counts = counts.or_else(|| groq?.get("usage"));
        let counts = counts.or_else(|| choices?.items().next()?.get("usage"));
        let counts = counts.filter(|usage| usage.is_object()).map(usage::decode);
        let has_counts = counts.is_some();
        self.usage = counts.or(self.usage.take());
        if choices.is_none() && !has_counts {
            return self.read_unknown_frame(root, ledger);
        }
        let mut has_choice = false;
        self.rewriter.begin_chunk();
        for choice in choices.into_iter().flat_map(JsonNode::items) {
            if is_other_choice(choice) {
                self.read_other_choice(choice, ledger);
                continue;
            }
            has_choice = true;
            self.ensure_started();
            self.read_choice(choice, ledger);
        }
        self.rewriter.finish_chunk(root);
        if has_counts && !has_choice && self.stop.is_some() {
            self.emit_stop(ledger);
        }
    }

    /// Reads a further choice. Its calls count only if the first choice ended for calls.
    fn read_other_choice(&mut self, choice: JsonNode<'_>, ledger: &mut Ledger) {
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        let mut has_content = false;
        for field in delta.into_iter().flat_map(JsonNode::fields) {
            if field.key_is("tool_calls") && !self.blocks.has_calls() {
                self.other_choice_calls
                    .extend(Some(field.value.json()).filter(|_| !field.value.is_empty()));
            } else {
                has_content |=
                    !field.key_is("role") && !matches!(field.value.raw(), "null" | "\"\"" | "[]");
            }
        }
        if has_content {
            self.note_other_choices(ledger);
        }
    }

    fn note_other_choices(&mut self, ledger: &mut Ledger) {
        if !self.rewriter.enabled && self.once_notes.insert(OnceNote::OtherChoices) {
            let message = "left out all choices except the first";
            ledger.record_loss(note::NO_SUCH_BLOCK, LedgerPath::REPLY, message);
        }
    }

    /// Uses the calls of a further choice if the first ended for calls and has none.
    fn adopt_other_calls(&mut self, ledger: &mut Ledger) {
        let call_lists = std::mem::take(&mut self.other_choice_calls);
        let ends_for_calls =
            self.stop.as_ref().is_some_and(|stop| stop.reason == StopReason::ToolUse);
        if call_lists.is_empty() || self.blocks.has_calls() || !ends_for_calls {
            if !call_lists.is_empty() {
                self.note_other_choices(ledger);
            }
            return;
        }
        // With passthrough, clients have received these calls already.
        let was_enabled = std::mem::replace(&mut self.rewriter.enabled, false);
        for list in call_lists {
            self.read_tool_calls(list.to_doc().root(), ledger);
        }
        self.rewriter.enabled = was_enabled;
        if !was_enabled {
            ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, reply::ADOPTED_CALLS_NOTE);
        }
    }

    /// Reads a frame that is not a chunk.
    fn read_unknown_frame(&mut self, root: JsonNode<'_>, ledger: &mut Ledger) {
        if !root.is_object() {
            self.rewriter.replace_frame(Vec::new());
            ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, "a frame is not an object");
        } else if self.blocks.sequencer.is_streaming() {
            let kind = root
                .get("object")
                .and_then(JsonNode::json_string)
                .unwrap_or(JsonString::from_static("chunk"));
            self.blocks.sequencer.push(StreamEvent::Foreign {
                dialect: ID,
                kind,
                json: root.json(),
            });
        }
    }

    fn read_choice(&mut self, choice: JsonNode<'_>, ledger: &mut Ledger) {
        // Servers that do not stream send a complete message instead of a delta.
        let [delta, message, logprobs] = choice.get_many(["delta", "message", "logprobs"]);
        let message = message.filter(|_| self.blocks.is_untouched());
        let delta = delta.filter(|delta| delta.is_object());
        self.rewriter.chunk.needs_rewrite |= delta.is_none();
        self.rewriter.chunk.message_as_delta |= delta.is_none() && message.is_some();
        if let Some(delta) = delta.or(message) {
            let role = delta.get("role").filter(|_| self.rewriter.enabled);
            self.rewriter.chunk.needs_rewrite |= role.is_some_and(rewrite::is_unexpected_role);
            self.read_delta(delta, ledger);
            self.blocks.flush(ledger);
        }
        if logprobs.is_some_and(|logprobs| !logprobs.is_null())
            && !self.rewriter.enabled
            && self.once_notes.insert(OnceNote::Logprobs)
        {
            ledger.record_loss(note::NO_SUCH_FIELD, LedgerPath::REPLY, "left out `logprobs`");
        }
        if let Some(stop) = reply::decode_choice_stop(choice) {
            if self.rewriter.enabled {
                self.rewriter.flush_deferred_args();
                let is_other_reason =
                    matches!(stop.reason, StopReason::EndTurn | StopReason::Other);
                self.rewriter.chunk.fix_finish_reason =
                    is_other_reason && self.rewriter.has_calls();
                self.rewriter.chunk.needs_rewrite |= self.rewriter.chunk.fix_finish_reason;
            }
            self.stop = Some(stop);
        }
        self.choice_error = error::decode_in_choice(choice).or(self.choice_error.take());
    }

    fn read_text(&mut self, text: &JsonString) {
        let queue = &mut self.blocks;
        self.think_tags.push(text, &mut |segment| push_segment(queue, segment));
    }

    fn ensure_started(&mut self) {
        if !self.blocks.sequencer.has_started() {
            self.blocks.reply_id.clone_from(&self.id);
            self.blocks.sequencer.start(self.id.clone(), self.model.clone());
        }
    }

    /// Closes the open blocks and emits the usage.
    fn flush_blocks(&mut self, ledger: &mut Ledger) {
        self.ensure_started();
        let queue = &mut self.blocks;
        self.think_tags.finish(&mut |segment| push_segment(queue, segment));
        self.adopt_other_calls(ledger);
        self.blocks.finish(ledger);
        if let Some(usage) = self.usage.take() {
            self.blocks.sequencer.push(StreamEvent::Usage(usage));
        }
    }

    fn emit_stop(&mut self, ledger: &mut Ledger) {
        self.flush_blocks(ledger);
        self.missing_end = MissingEnd::Marker(DONE_FRAME);
        let stop = self.stop.take().unwrap_or(Stop::new(StopReason::EndTurn));
        let stop = stop::correct_tool_use(stop, self.blocks.has_calls(), ledger);
        let is_truncated = self.blocks.calls.last().is_some_and(|call| call.args.is_truncated());
        let choice_error = self.choice_error.take();
        if let Some(error) = choice_error.or_else(|| error_from_stop(&stop)) {
            self.blocks.sequencer.fail(error);
        } else {
            let stop = stop::correct_truncated_call(stop, is_truncated, ledger);
            self.blocks.sequencer.stop(stop);
        }
    }

    fn emit_error(&mut self, error: ApiError, ledger: &mut Ledger) {
        self.flush_blocks(ledger);
        self.blocks.sequencer.fail(error);
    }

    fn read_frame(&mut self, frame: Frame, ledger: &mut Ledger) {
        let data = frame.data.filter(|data| data.starts_with('{') || !data.trim().is_empty());
        let Some(data) = data else {
            if self.blocks.sequencer.is_streaming() && !frame.raw.is_empty() {
                self.blocks.sequencer.push(StreamEvent::Ping);
            }
            if self.rewriter.enabled && !is_sse_comment(&frame.raw) {
                self.rewriter.replace_frame(Vec::new());
            }
            return;
        };
        if data.trim_start().starts_with(DONE_MARKER) {
            return self.read_end_marker(ledger);
        }
        if self.blocks.sequencer.record_late_event(ledger) {
            return;
        }
        match JsonDoc::parse_with_tape(data, JsonLimits::default(), &mut self.tape) {
            Ok(doc) => {
                self.read_chunk(doc.root(), ledger);
                doc.recycle(&mut self.tape);
            }
            Err(error) => {
                let message = format!("a frame is {error}");
                ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, message);
            }
        }
    }

    fn read_end_marker(&mut self, ledger: &mut Ledger) {
        if self.blocks.sequencer.has_ended() {
            self.missing_end = MissingEnd::Nothing;
            self.is_terminated = true;
        } else if self.blocks.sequencer.has_started() {
            let has_reason = self.stop.is_some();
            if self.rewriter.enabled && !has_reason {
                self.rewriter.write_deferred_args(self.id.as_ref(), self.model.as_ref());
            }
            self.emit_stop(ledger);
            self.is_terminated = true;
            self.missing_end =
                if has_reason { MissingEnd::Nothing } else { MissingEnd::StopReason };
            if !has_reason {
                OrderFault::MissingStopReason.record(ledger);
            }
        }
    }

    fn emit_end(&mut self, ledger: &mut Ledger) {
        if self.stop.is_some() {
            self.emit_stop(ledger);
        } else {
            let error = self.choice_error.take().unwrap_or_else(ApiError::truncated_stream);
            self.emit_error(error, ledger);
        }
    }
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        self.blocks.sequencer.swap_events(events);
        self.read_frame(frame, ledger);
        self.blocks.sequencer.swap_events(events);
    }

    fn finish(&mut self, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        if !self.blocks.sequencer.has_ended() {
            self.blocks.sequencer.swap_events(events);
            self.emit_end(ledger);
            self.blocks.sequencer.swap_events(events);
        }
    }

    fn enable_passthrough(&mut self) {
        self.rewriter.enabled = true;
    }

    fn rewrite_frame(&mut self) -> Option<Vec<u8>> {
        self.rewriter.take_replacement()
    }

    fn has_stop_reason(&self) -> bool {
        self.stop.is_some()
    }

    fn missing_end(&self) -> MissingEnd {
        self.missing_end
    }

    fn is_terminated(&self) -> bool {
        self.is_terminated
    }
}

fn push_segment(queue: &mut ReplyBlocks, segment: Segment) {
    match segment {
        Segment::Reasoning(text) => {
            queue.push_delta(BlockKey::Reasoning, Delta::Text(text), blocks::empty_thinking_block);
        }
        Segment::Text(text) => {
            queue.push_delta(BlockKey::Text, Delta::Text(text), || Block::text(JsonString::EMPTY));
        }
    }
}

const DONE_MARKER: &str = "[DONE]";
const DONE_FRAME: &[u8] = b"data: [DONE]\n\n";
