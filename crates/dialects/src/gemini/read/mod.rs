//! Reads a stream: each chunk is a reply with new parts, and text continues from chunk to chunk.
//!
//! A complete reply is a stream of one chunk: the parts of one chunk are separate blocks, and only
//! the first may continue the last block of the previous chunk.

mod partial_args;
mod parts;

use std::collections::HashSet;

use interlingua_model::{
    ApiError, Ledger, LedgerPath, OrderFault, ReplyContext, Stop, StopReason, StreamEvent, Usage,
};
use interlingua_wire::frame::write_json;
use interlingua_wire::json::Tape;
use interlingua_wire::{Frame, Framing, JsonDoc, JsonLimits, JsonNode, JsonString, RawJson};

use self::parts::{PartPosition, PartReader};
use super::id::{HEARTBEAT, ID};
use super::{citation, error, field_name, reply, stop, usage};
use crate::common::name_set::NameSet;
use crate::common::stop_notice::error_from_stop;
use crate::dialect::{MissingEnd, StreamReader};
use crate::note;

pub(super) struct Reader {
    id: Option<JsonString>,
    tape: Tape,
    parts: PartReader,
    /// The last counts, and whether they were already emitted.
    last_usage: Option<(Usage, bool)>,
    /// Counts that were emitted before the first part.
    emitted_usage: Usage,
    finish_reason: Option<FinishReason>,
    /// The end marker of another dialect (`[DONE]`) was received.
    saw_done_marker: bool,
    missing_end: MissingEnd,
    /// The text of `finishMessage`.
    finish_message: Option<JsonString>,
    /// Unknown fields that were already emitted: they repeat in each chunk.
    emitted_fields: HashSet<String>,
    /// Chunks are forwarded as received, except one with a replacement.
    passthrough: bool,
    replacement: Option<Vec<u8>>,
}

/// Why the reply ended.
enum FinishReason {
    Reported(JsonString),
    /// The prompt was blocked: there is no reply.
    PromptBlocked,
}

impl Reader {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self {
            id: cx.fallback_id.clone(),
            tape: Tape::default(),
            parts: PartReader::new(NameSet::new(&cx.freeform_tools)),
            last_usage: None,
            emitted_usage: Usage::default(),
            finish_reason: None,
            saw_done_marker: false,
            missing_end: MissingEnd::Nothing,
            finish_message: None,
            emitted_fields: HashSet::new(),
            passthrough: false,
            replacement: None,
        }
    }

    /// Replaces a frame that clients would misread.
    fn replace_frame(&mut self, replacement: &[u8]) {
        self.replacement = self.passthrough.then(|| replacement.to_vec());
    }

    fn read_chunk(&mut self, chunk: JsonNode<'_>, ledger: &mut Ledger) {
        if self.parts.blocks.record_late_event(ledger) {
            return;
        }
        if !chunk.is_object() {
            return ledger.record_loss(
                note::BAD_FRAME,
                LedgerPath::REPLY,
                "a chunk is not an object",
            );
        }
        // Fast path: most chunks have only known fields, so one pass is enough.
        let (mut known_values, has_others) = field_name::pick_with_rest(chunk, reply::KNOWN_FIELDS);
        let mut response = chunk;
        if has_others {
            response = reply::unwrap_response(chunk);
            known_values = field_name::pick_with_rest(response, reply::KNOWN_FIELDS).0;
        }
        self.ensure_started(response);
        if has_others && let Some(error) = error::find_error(chunk) {
            return self.emit_error(error::decode_object(error, None, chunk));
        }
        let [candidates, usage, ..] = known_values;
        if let Some(usage) = usage {
            let usage = usage::decode_usage(usage);
            let is_early = self.last_usage.is_none() && self.parts.is_empty();
            if is_early {
                self.emitted_usage = usage.clone();
                self.parts.blocks.push(StreamEvent::Usage(usage.clone()));
            }
            self.last_usage = Some((usage, is_early));
        }
        if has_others {
            self.emit_unknown_fields(
                field_name::unknown_fields(response, reply::KNOWN_FIELDS),
                "reply",
            );
            if self.finish_reason.is_none() && reply::is_prompt_blocked(response) {
                self.finish_reason = Some(FinishReason::PromptBlocked);
            }
        }
        for (at, candidate) in candidates.into_iter().flat_map(JsonNode::items).enumerate() {
            let (known_values, has_others) =
                field_name::pick_with_rest(candidate, reply::CANDIDATE_FIELDS);
            let [content, finish, index, citations] = known_values;
            if index.and_then(JsonNode::as_u64).unwrap_or(at as u64) == 0 {
                self.read_content(content, finish, ledger);
                if has_others {
                    self.finish_message =
                        stop::finish_message(candidate).or(self.finish_message.take());
                }
                if has_others || citations.is_some() {
                    let known_values = self.emit_citations(candidate);
                    self.emit_unknown_fields(
                        field_name::unknown_fields(candidate, known_values),
                        reply::FIRST_CANDIDATE_KEY,
                    );
                }
            } else {
                let json = candidate.json();
                self.parts.blocks.push(StreamEvent::Foreign {
                    dialect: ID,
                    kind: JsonString::from_static(reply::OTHER_CANDIDATES_KEY),
                    json,
                });
            }
        }
    }

    fn ensure_started(&mut self, response: JsonNode<'_>) {
        if self.parts.blocks.has_started() {
            return;
        }
        let id = field_name::get(response, "responseId").and_then(JsonNode::json_string);
        self.parts.set_reply_id(id.clone().or_else(|| self.id.take()));
        let model = field_name::get(response, "modelVersion").and_then(JsonNode::json_string);
        self.parts.blocks.start(id, model);
    }

    fn read_content(
        &mut self,
        content: Option<JsonNode<'_>>,
        finish: Option<JsonNode<'_>>,
        ledger: &mut Ledger,
    ) {
        let finish =
            finish.and_then(JsonNode::json_string).filter(|reason_name| !reason_name.is_empty());
        let parts = content.and_then(|content| field_name::get(content, "parts"));
        let is_single_part = parts.is_some_and(|parts| parts.len() == 1);
        let is_final = is_single_part && finish.is_some();
        let came_early =
            matches!(self.finish_reason, Some(FinishReason::Reported(_))) && self.parts.is_empty();
        for (at, part) in parts.into_iter().flat_map(JsonNode::items).enumerate() {
            self.parts.read_part(part, PartPosition { is_first: at == 0, is_final }, ledger);
        }
        if let Some(reason_name) = finish {
            self.finish_reason = Some(FinishReason::Reported(reason_name));
        } else if came_early && !self.parts.is_empty() {
            // Some relays send a finish reason with every chunk without text, even before the first
            // part.
            self.finish_reason = None;
        }
    }

    /// Emits the candidate's citations and returns the fields that need not be passed on as
    /// unknown. Without an open text the citations are kept in their original fields.
    fn emit_citations(&mut self, candidate: JsonNode<'_>) -> &'static [&'static str] {
        let citations = citation::decode_citations(candidate);
        if citations.is_empty() || self.parts.push_citations(citations) {
            reply::CANDIDATE_FIELDS
        } else {
            &["content", "finishReason", "index"]
        }
    }

    /// Emits fields that only this dialect has, each once.
    fn emit_unknown_fields(&mut self, unknown: Option<RawJson>, kind: &'static str) {
        let Some(unknown) = unknown else { return };
        let doc = unknown.to_doc();
        let mut new_fields = Vec::new();
        for field in doc.root().fields() {
            let entry = [&*field.key(), "\0", field.value.raw()].concat();
            if self.emitted_fields.insert(entry) {
                new_fields.push((field.key_json_string(), field.value.json()));
            }
        }
        if !new_fields.is_empty() {
            let json = RawJson::object(|object| {
                for (key, value) in &new_fields {
                    object.key_json_string(key).json(value);
                }
            });
            let kind = JsonString::from_static(kind);
            self.parts.blocks.push(StreamEvent::Foreign { dialect: ID, kind, json });
        }
    }

    fn emit_error(&mut self, error: ApiError) {
        self.parts.close_open();
        self.parts.blocks.fail(error);
    }

    /// Returns whether a reply without a finish reason is complete. Without the end marker it may
    /// have been truncated, even after a call, because another call could have followed.
    fn is_complete(&mut self) -> bool {
        self.saw_done_marker && !self.parts.is_empty() && !self.parts.has_partial_call()
    }

    fn read_frame(&mut self, frame: Frame, ledger: &mut Ledger) {
        let Some(data) = frame.data else {
            if frame.raw.starts_with(b":") {
                self.parts.blocks.push(StreamEvent::Ping);
            }
            // Some SDKs parse every line as part of a chunk.
            if has_extra_lines(&frame.raw, "") {
                self.replace_frame(HEARTBEAT);
            }
            return;
        };
        // Some relays end the stream with the marker of another dialect.
        if !data.starts_with('{') && data.trim() == "[DONE]" {
            self.saw_done_marker = true;
            return self.replace_frame(b"");
        }
        let has_extra = self.passthrough && has_extra_lines(&frame.raw, &data);
        let is_json = data.trim_start().starts_with(['{', '[']);
        let doc = match JsonDoc::parse_with_tape(data, JsonLimits::default(), &mut self.tape) {
            Ok(doc) => doc,
            Err(error) => {
                let message = format!("left out a frame: {error}");
                // A malformed JSON chunk is still forwarded: the client must see the error.
                if !is_json {
                    self.replace_frame(b"");
                }
                return ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, message);
            }
        };
        let root = doc.root();
        if root.is_array() {
            for chunk in root.items() {
                self.read_chunk(chunk, ledger);
            }
        } else {
            self.read_chunk(root, ledger);
        }
        if has_extra {
            let mut out = Vec::new();
            write_json(Framing::Sse, None, &mut out, |data| data.json(&root.json()));
            self.replacement = Some(out);
        }
        doc.recycle(&mut self.tape);
    }

    fn emit_end(&mut self, ledger: &mut Ledger) {
        let is_complete = self.is_complete();
        self.parts.close_open();
        let mut stop = match self.finish_reason.take() {
            Some(FinishReason::Reported(reason_name)) => stop::decode_stop(reason_name)
                .adjusted_for_tool_calls(self.parts.blocks.has_calls()),
            Some(FinishReason::PromptBlocked) => Stop::new(StopReason::Refusal),
            None if is_complete => {
                OrderFault::MissingStopReason.record(ledger);
                self.missing_end = MissingEnd::StopReason;
                let stop = Stop::new(StopReason::EndTurn);
                stop.adjusted_for_tool_calls(self.parts.blocks.has_calls())
            }
            None => return self.parts.blocks.fail(ApiError::truncated_stream()),
        };
        if let Some((mut usage, false)) = self.last_usage.take() {
            usage::supersede(&self.emitted_usage, &mut usage);
            self.parts.blocks.push(StreamEvent::Usage(usage));
        }
        stop.message = self.finish_message.take();
        match error_from_stop(&stop) {
            Some(error) => self.parts.blocks.fail(error),
            None => self.parts.blocks.stop(stop),
        }
    }
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        self.parts.blocks.swap_events(events);
        self.read_frame(frame, ledger);
        self.parts.blocks.swap_events(events);
    }

    fn finish(&mut self, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        if !self.parts.blocks.has_ended() {
            self.parts.blocks.swap_events(events);
            self.parts.blocks.start(None, None);
            self.emit_end(ledger);
            self.parts.blocks.swap_events(events);
        }
    }

    fn enable_passthrough(&mut self) {
        self.passthrough = true;
    }

    fn rewrite_frame(&mut self) -> Option<Vec<u8>> {
        self.replacement.take()
    }

    fn has_stop_reason(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn missing_end(&self) -> MissingEnd {
        self.missing_end
    }
}

/// Returns whether an event has lines other than its data. SDKs parse everything between two blank
/// lines as one data line, and skip the rest or fail.
fn has_extra_lines(raw: &[u8], data: &str) -> bool {
    match raw.first() {
        Some(b'd') => raw.len() > DATA_FRAME_OVERHEAD + data.len(),
        // An element of a JSON array begins with punctuation or white space.
        Some(first) => *first == b':' || first.is_ascii_alphabetic(),
        None => false,
    }
}

/// Maximum bytes around the data of a frame.
const DATA_FRAME_OVERHEAD: usize = b"data: \r\n\r\n".len();
