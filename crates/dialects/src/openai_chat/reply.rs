//! Decodes and encodes complete replies.

use interlingua_model::{
    ApiError, Block, BlockContent, Citation, Ledger, LedgerPath, MediaKind, Reasoning,
    ReasoningForm, Reply, ReplyContext, Seal, Stop, StopReason, ToolArgs, Verbatim,
};
use interlingua_providers::spelling::openai_chat::{Capability, Flavor};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonDoc, JsonNode, JsonString, JsonWriter, RawJson};

use super::decode::{self, turn};
use super::encode::context::note_dropped_extras;
use super::encode::{self, media};
use super::id::ID;
use super::read::args;
use super::{error, reasoning_details, stop, think_tags, usage};
use crate::common::freeform;
use crate::common::name_set::NameSet;
use crate::common::stop_notice::error_from_stop;
use crate::{note, openai_responses};

pub(super) fn decode(
    body: &JsonDoc,
    cx: &ReplyContext,
    ledger: &mut Ledger,
) -> Result<Verbatim<Reply>, ApiError> {
    let root = body.root();
    if let Some(error) = error::decode_embedded(root) {
        return Err(error);
    }
    let [choices, id, model, usage_node] = root.get_many(["choices", "id", "model", "usage"]);
    let first = choices.and_then(|choices| {
        let is_first = |choice: &JsonNode<'_>| choice.get("index").is_none_or(|at| at.raw() == "0");
        choices.items().find(is_first).or_else(|| choices.items().next())
    });
    let Some(choice) = first else {
        return Err(ApiError::empty_reply());
    };
    let mut reply = Reply::new();
    let text = |value: Option<JsonNode<'_>>| {
        value.and_then(JsonNode::json_string).filter(|text| !text.is_empty())
    };
    reply.id = text(id).or_else(|| cx.fallback_id.clone());
    reply.model = text(model).or_else(|| cx.client_model.clone());
    if let Some(message) = choice.get("message").or_else(|| choice.get("delta")) {
        reply.turn = turn::decode_reply_message(message, reply.id.as_ref(), ledger);
    }
    let stop = decode_choice_stop(choice).unwrap_or_default();
    if choices.is_some_and(|choices| choices.len() > 1) {
        let adopts_calls = stop.reason == StopReason::ToolUse && !reply.has_tool_calls();
        merge_other_choices(choices, choice, adopts_calls, &mut reply, ledger);
    }
    freeform::unwrap_calls(&mut reply.turn, &NameSet::new(&cx.freeform_tools));
    if Flavor::find(cx.flavor).has(Capability::ThinkTags) {
        split_think_tags(&mut reply.turn.blocks);
    }
    if let Some(node) = usage_node.filter(|usage| usage.is_object()) {
        reply.usage = usage::decode(node);
    }
    let stop = stop::correct_tool_use(stop, reply.has_tool_calls(), ledger);
    if let Some(error) = error::decode_in_choice(choice).or_else(|| error_from_stop(&stop)) {
        return Err(error);
    }
    reply.stop =
        stop::correct_truncated_call(stop, is_last_call_truncated(&reply.turn.blocks), ledger);
    keep_extras(root, choice, &mut reply);
    Ok(Verbatim::with_text(reply, ID, body.to_json()))
}

/// Handles the choices after the first. They are dropped, except their calls if the first choice
/// ended for calls and has none.
fn merge_other_choices(
    choices: Option<JsonNode<'_>>,
    first: JsonNode<'_>,
    adopts_calls: bool,
    reply: &mut Reply,
    ledger: &mut Ledger,
) {
    let (mut has_dropped, mut has_adopted) = (false, false);
    let others = choices.into_iter().flat_map(JsonNode::items);
    for choice in others.filter(|choice| choice.range() != first.range()) {
        let Some(message) = choice.get("message").or_else(|| choice.get("delta")) else { continue };
        let turn = turn::decode_reply_message(message, reply.id.as_ref(), &mut Ledger::default());
        for block in turn.blocks {
            if adopts_calls && matches!(block.content, BlockContent::ToolCall(_)) {
                reply.turn.blocks.push(block);
                has_adopted = true;
            } else {
                has_dropped = true;
            }
        }
    }
    if has_adopted {
        ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, ADOPTED_CALLS_NOTE);
    }
    if has_dropped {
        ledger.record_loss(
            note::NO_SUCH_BLOCK,
            LedgerPath::REPLY,
            "left out all choices except the first",
        );
    }
}

/// The stop reason of a choice, if it has one.
pub(super) fn decode_choice_stop(choice: JsonNode<'_>) -> Option<Stop> {
    let reason_name =
        choice.get("finish_reason")?.json_string().filter(|reason_name| !reason_name.is_empty())?;
    let mut stop = stop::decode(reason_name);
    let sequence = choice.get("stop_reason").and_then(JsonNode::json_string);
    if let Some(sequence) = sequence.filter(|_| stop.reason == StopReason::EndTurn) {
        stop.reason = StopReason::StopSequence;
        stop.sequence = Some(sequence);
    }
    Some(stop)
}

/// Returns whether the arguments of the last call are truncated.
fn is_last_call_truncated(blocks: &[Verbatim<Block>]) -> bool {
    let args = blocks.iter().rev().find_map(|block| match &block.content {
        BlockContent::ToolCall(call) => Some(&call.args),
        _ => None,
    });
    matches!(args, Some(ToolArgs::Malformed(text)) if args::is_truncated(text))
}

/// Converts reasoning in tags at the beginning of the text to a reasoning block.
fn split_think_tags(blocks: &mut Vec<Verbatim<Block>>) {
    let Some(BlockContent::Text { text, .. }) = blocks.first().map(|block| &block.content) else {
        return;
    };
    let Some((reasoning, rest)) = think_tags::split_reasoning(text) else { return };
    if let Some(first) = blocks.first_mut()
        && let BlockContent::Text { text, .. } = &mut first.edit().content
    {
        *text = rest;
    }
    let is_empty =
        |block: &Verbatim<Block>| block.content.as_text().is_some_and(JsonString::is_empty);
    if blocks.first().is_some_and(is_empty) {
        blocks.remove(0);
    }
    let thinking = Reasoning { text: reasoning, form: ReasoningForm::Full };
    blocks.insert(0, Block::new(BlockContent::Reasoning(thinking)).into());
}

fn keep_extras(root: JsonNode<'_>, choice: JsonNode<'_>, reply: &mut Reply) {
    for field in root.fields().filter(|field| !field.value.is_null()) {
        let name = field.key();
        if !matches!(&*name, "id" | "object" | "created" | "model" | "choices" | "usage") {
            reply.extras.push_field(ID, field);
        }
    }
    if let Some(logprobs) = choice.get("logprobs").filter(|logprobs| !logprobs.is_null()) {
        reply.extras.push(ID, JsonString::from_static("logprobs"), logprobs.json());
    }
}

/// The blocks of a reply, grouped by message field.
#[derive(Default)]
struct ReplyParts<'r> {
    /// Each with the number of texts before it.
    thinking: Vec<(u64, &'r Verbatim<Block>)>,
    texts: Vec<JsonString>,
    /// Whether any of `texts` is not empty.
    has_text: bool,
    counted_texts: usize,
    counted_chars: usize,
    text_count: u64,
    /// A separator must be written before the next text.
    needs_separator: bool,
    refusals: Vec<&'r JsonString>,
    /// Each with the number of characters before its text and in it.
    citations: Vec<(u64, u64, &'r Citation)>,
    images: Vec<&'r Verbatim<Block>>,
    calls: Vec<&'r Verbatim<Block>>,
    google_seal: Option<&'r Seal>,
}

pub(super) fn encode(reply: &Reply, cx: &ReplyContext, ledger: &mut Ledger) -> Vec<u8> {
    let mut parts = ReplyParts::collect(&reply.turn.blocks, ledger);
    if let Some(notice) = stop::notice_text(&reply.stop) {
        parts.separate_text(false, &notice);
        parts.texts.push(notice);
    }
    if reply.stop.sequence.is_some() && reply.stop.original_reason_for(ID).is_none() {
        ledger.record_loss(
            note::NO_SUCH_FIELD,
            LedgerPath::REPLY,
            "left out the matched stop sequence",
        );
    }
    note_dropped_extras(&reply.extras, LedgerPath::REPLY, ledger);
    note_dropped_extras(&reply.turn.extras, LedgerPath::REPLY, ledger);
    let finish_reason = stop::encode(&reply.stop, !parts.refusals.is_empty(), ledger);
    let mut out = JsonWriter::with_capacity(512);
    out.object(|o| {
        o.json_string("id", &reply_id(reply.id.as_ref(), cx));
        o.static_str("object", "chat.completion");
        o.number("created", cx.created_unix_secs);
        o.json_string("model", &reply_model(reply.model.as_ref(), cx));
        o.array("choices", |a| {
            a.object(|o| {
                o.number("index", 0);
                o.object("message", |o| {
                    parts.write(o);
                    reply.turn.extras.write(ID, o);
                });
                let logprobs = reply.extras.get(ID, "logprobs");
                o.json("logprobs", logprobs.unwrap_or(&RawJson::NULL));
                o.json_string("finish_reason", &finish_reason);
            });
        });
        usage::encode(&reply.usage, o);
        for (key, value) in reply.extras.fields_for(ID).iter().filter(|(key, _)| key != "logprobs")
        {
            o.key_json_string(key).json(value);
        }
    });
    out.into_bytes()
}

/// The reply's own id, or the fallback id.
pub(super) fn reply_id(own_id: Option<&JsonString>, cx: &ReplyContext) -> JsonString {
    let own_id = own_id.filter(|id| !id.is_empty()).or(cx.fallback_id.as_ref());
    own_id.cloned().unwrap_or(JsonString::from_static("chatcmpl-interlingua"))
}

pub(super) fn reply_model(model: Option<&JsonString>, cx: &ReplyContext) -> JsonString {
    model.or(cx.client_model.as_ref()).cloned().unwrap_or_default()
}

impl<'r> ReplyParts<'r> {
    fn collect(blocks: &'r [Verbatim<Block>], ledger: &mut Ledger) -> Self {
        let mut parts = Self::default();
        let mut first_out_of_order = None;
        for (at, block) in blocks.iter().enumerate() {
            let path = LedgerPath::reply(at);
            let is_out_of_order = match &block.content {
                BlockContent::Reasoning(_) => !parts.texts.is_empty() || !parts.calls.is_empty(),
                BlockContent::Text { .. } | BlockContent::Refusal(_) | BlockContent::Json(_) => {
                    !parts.calls.is_empty()
                }
                BlockContent::Media(_)
                | BlockContent::ToolCall(_)
                | BlockContent::ToolResult(_)
                | BlockContent::Foreign { .. } => false,
            };
            first_out_of_order = first_out_of_order.or(is_out_of_order.then_some(path));
            let previous = at.checked_sub(1).and_then(|previous| blocks.get(previous));
            let continues_text = previous
                .is_some_and(|previous| previous.content.as_text().is_some())
                && !openai_responses::begins_message(block);
            parts.add_block(block, continues_text, path, ledger);
            note_dropped_extras(&block.extras, path, ledger);
        }
        if let Some(path) = first_out_of_order {
            ledger.record_change(
                note::ORDER_CHANGED,
                path,
                "the blocks are reordered: reasoning, then text, then calls",
            );
        }
        parts
    }

    fn add_block(
        &mut self,
        block: &'r Verbatim<Block>,
        continues_text: bool,
        path: LedgerPath,
        ledger: &mut Ledger,
    ) {
        match &block.content {
            BlockContent::Reasoning(_) => self.thinking.push((self.text_count, block)),
            BlockContent::Text { text, citations } => {
                self.separate_text(continues_text, text);
                self.text_count += 1;
                let (offset, length) = if citations.is_empty() {
                    (0, 0)
                } else {
                    (self.count_chars(), text.unescape().chars().count())
                };
                for citation in citations {
                    if citation.url.is_some() {
                        self.citations.push((offset as u64, length as u64, citation));
                    } else {
                        ledger.record_loss(
                            note::CITATION_REDUCED,
                            path,
                            "left out a citation without a URL",
                        );
                    }
                }
                self.texts.push(text.clone());
                let seal =
                    block.seal.as_deref().filter(|seal| reasoning_details::is_google_seal(seal));
                self.google_seal = seal.or(self.google_seal);
            }
            BlockContent::Refusal(text) => self.refusals.push(text),
            BlockContent::Json(json) => {
                let text = JsonString::new(json.as_str());
                self.separate_text(false, &text);
                self.texts.push(text);
            }
            BlockContent::Media(media) if media.kind == MediaKind::Image => self.images.push(block),
            BlockContent::Media(media) => {
                note_dropped_block(media::media_noun(media.kind), path, ledger);
            }
            BlockContent::ToolCall(call) => {
                if decode::tool_call::has_blank_args(call) && block.text_for(ID).is_none() {
                    let message = "missing arguments are written as {}";
                    ledger.record_change(note::ARGS_WRAPPED, path, message);
                }
                self.calls.push(block);
            }
            BlockContent::ToolResult(_) => note_dropped_block("a result", path, ledger),
            BlockContent::Foreign { dialect, kind, .. }
                if *dialect == ID && reasoning_details::is_detail_kind(kind) =>
            {
                self.thinking.push((self.text_count, block));
            }
            BlockContent::Foreign { kind, .. } => {
                note_dropped_block(&kind.unescape(), path, ledger);
            }
        }
    }

    /// The number of characters in the texts. Each text is counted once.
    fn count_chars(&mut self) -> usize {
        let uncounted = &self.texts[self.counted_texts..];
        self.counted_chars +=
            uncounted.iter().map(|text| text.unescape().chars().count()).sum::<usize>();
        self.counted_texts = self.texts.len();
        self.counted_chars
    }

    /// Requires a separator between texts that had another block between them.
    fn separate_text(&mut self, continues_text: bool, text: &JsonString) {
        self.needs_separator |= !continues_text && self.has_text;
        if !text.is_empty() && std::mem::take(&mut self.needs_separator) {
            self.texts.push(JsonString::from_static("\\n\\n"));
        }
        self.has_text |= !text.is_empty();
    }

    fn write(&self, o: &mut ObjectWriter<'_>) {
        o.static_str("role", "assistant");
        if self.texts.is_empty() {
            o.null("content");
        } else {
            o.key("content").join(&self.texts, "");
        }
        if !self.refusals.is_empty() {
            o.key("refusal").join(self.refusals.iter().copied(), "\n\n");
        }
        self.write_thinking(o);
        if !self.citations.is_empty() {
            o.array("annotations", |a| {
                for (offset, length, citation) in &self.citations {
                    a.object(|o| write_annotation(citation, *offset, *length, o));
                }
            });
        }
        if !self.images.is_empty() {
            o.array("images", |a| self.images.iter().for_each(|block| write_image(block, a)));
        }
        if !self.calls.is_empty() {
            o.array("tool_calls", |a| self.calls.iter().for_each(|block| write_call(block, a)));
        }
        if let Some(seal) = self.google_seal {
            encode::tool_call::write_google_signature(seal, o);
        }
    }

    /// Writes the text of all reasoning, and the entries that carry seals.
    fn write_thinking(&self, o: &mut ObjectWriter<'_>) {
        let texts = self.thinking.iter().filter_map(|(_, block)| match &block.content {
            BlockContent::Reasoning(thinking) if thinking.form != ReasoningForm::Redacted => {
                Some(&thinking.text)
            }
            _ => None,
        });
        let texts: Vec<&JsonString> = texts.filter(|text| !text.is_empty()).collect();
        if !texts.is_empty() {
            o.key("reasoning_content").join(texts, "");
        }
        let needs_details = |(_, block): &(u64, &Verbatim<Block>)| {
            block.seal.is_some()
                || matches!(&block.content, BlockContent::Reasoning(thinking) if thinking.form == ReasoningForm::Summary)
                || matches!(block.content, BlockContent::Foreign { .. })
        };
        if self.thinking.iter().any(needs_details) {
            o.array("reasoning_details", |a| {
                // The texts between reasoning details count in their index.
                let mut count = 0;
                for (texts_before, block) in &self.thinking {
                    count = reasoning_details::write_details(block, count + texts_before, a)
                        - texts_before;
                }
            });
        }
    }
}

fn write_image(block: &Verbatim<Block>, out: &mut ArrayWriter<'_>) {
    if let BlockContent::Media(media) = &block.content {
        out.object(|o| media::encode_media(media, o));
    }
}

fn write_call(block: &Verbatim<Block>, out: &mut ArrayWriter<'_>) {
    if let Some(text) = block.text_for(ID) {
        return out.item().json(text);
    }
    if let BlockContent::ToolCall(call) = &block.content {
        out.object(|o| {
            let empty_args =
                decode::tool_call::has_blank_args(call).then_some(JsonString::from_static("{}"));
            encode::tool_call::write_tool_call(call, empty_args.as_ref(), o);
            if let Some(seal) = block.seal.as_deref() {
                encode::tool_call::write_google_signature(seal, o);
            }
            block.extras.write(ID, o);
        });
    }
}

/// Encodes a citation as an annotation. `offset` is the number of characters before its text,
/// `length` the text's own. SDKs reject an annotation without a span or a title.
pub(super) fn write_annotation(
    citation: &Citation,
    offset: u64,
    length: u64,
    o: &mut ObjectWriter<'_>,
) {
    o.static_str("type", "url_citation");
    o.object("url_citation", |o| {
        let (from, to) = citation.span.unwrap_or((0, length));
        o.number("start_index", from.saturating_add(offset));
        o.number("end_index", to.saturating_add(offset));
        o.json_string_opt("url", citation.url.as_ref());
        o.json_string("title", citation.title.as_ref().unwrap_or(&JsonString::EMPTY));
        o.json_string_opt("content", citation.quote.as_ref());
    });
}

fn note_dropped_block(kind: &str, path: LedgerPath, ledger: &mut Ledger) {
    let message = format!("left out {kind}: replies of this dialect do not have it");
    ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
}

pub(super) const ADOPTED_CALLS_NOTE: &str =
    "the calls of a further choice are used: the first one ended for calls and has none";
