//! Encodes assistant turns as one message: reasoning, then text, then calls.

use interlingua_model::{
    Block, BlockContent, Extras, LedgerPath, MediaKind, Reasoning, ReasoningForm, Turn, Verbatim,
};
use interlingua_providers::spelling::openai_chat::{
    Capability, ContentWithoutText, ReasoningHistory,
};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, RawJson};

use super::block::{self, ContentPart};
use super::context::{EncodeCx, blocks_with_paths};
use super::{media, tool_call};
use crate::note;
use crate::openai_chat::decode::message_fields::REASONING_DETAILS;
use crate::openai_chat::id::ID;
use crate::openai_chat::reasoning_details::{self, GOOGLE};

type BlockWithPath<'a> = (LedgerPath, &'a Verbatim<Block>);

/// The blocks of a message, grouped by message field.
#[derive(Default)]
struct AssistantMessage<'a> {
    thinking: Vec<BlockWithPath<'a>>,
    content_parts: Vec<ContentPart<'a>>,
    /// Ledger path of the last text.
    last_text_path: Option<LedgerPath>,
    refusals: Vec<&'a JsonString>,
    images: Vec<&'a Verbatim<Block>>,
    calls: Vec<BlockWithPath<'a>>,
    /// Annotations of this dialect, unchanged.
    annotations: Vec<&'a RawJson>,
    /// The seal on the last text, and that text's path.
    google_seal: Option<(LedgerPath, &'a interlingua_model::Seal)>,
    /// The highest stage of the message order so far: reasoning, text, calls.
    order_stage: u8,
    first_out_of_order: Option<LedgerPath>,
    /// One of the turns has no blocks: its message is kept, unlike one with blocks that were all
    /// dropped.
    has_empty_turn: bool,
    /// A role other than `assistant`.
    role_override: Option<JsonString>,
}

/// Encodes a run of assistant turns as one message.
pub(super) fn encode_assistant(
    first: usize,
    turns: &[Verbatim<Turn>],
    out: &mut ArrayWriter<'_>,
    cx: &mut EncodeCx<'_>,
) {
    let same_dialect = cx.conversation.dialect == ID;
    let unknown_role = turns
        .first()
        .filter(|_| same_dialect)
        .and_then(|turn| turn.extras.written_role(ID).cloned());
    let mut message =
        AssistantMessage { role_override: unknown_role, ..AssistantMessage::default() };
    for (at, turn) in (first..).zip(turns) {
        cx.note_dropped_extras(&turn.extras, LedgerPath::turn(at));
        message.has_empty_turn |= turn.blocks.is_empty();
        for (path, block) in blocks_with_paths(at, turn) {
            message.add_block(path, block, cx);
        }
    }
    if let Some(path) = message.first_out_of_order {
        cx.ledger.record_change(
            note::ORDER_CHANGED,
            path,
            "the blocks are reordered: reasoning, then text, then calls",
        );
    }
    let is_empty = message.content_parts.is_empty()
        && message.refusals.is_empty()
        && message.images.is_empty()
        && message.calls.is_empty()
        // In this form, reasoning is part of the content.
        && (cx.flavor.reasoning_history != ReasoningHistory::ThinkingParts || message.thinking.is_empty());
    // An empty message is rejected, and reasoning alone comes from an interrupted reply.
    if is_empty && !message.has_empty_turn && cx.conversation.dialect != ID {
        for (path, _) in &message.thinking {
            cx.note_dropped_reasoning(*path);
        }
        return;
    }
    let extras = turns.iter().map(|turn| &turn.extras);
    out.object(|o| message.write(extras, o, cx));
}

impl<'a> AssistantMessage<'a> {
    fn add_block(&mut self, path: LedgerPath, block: &'a Verbatim<Block>, cx: &mut EncodeCx<'_>) {
        match &block.content {
            BlockContent::Reasoning(_) => self.add_reasoning(path, block, cx),
            BlockContent::Text { text, citations } => {
                self.check_order(1, path);
                self.add_text(path, text, block, cx);
                self.add_citations(citations, path, cx);
                self.set_signature(path, block, cx);
            }
            BlockContent::Refusal(text) if cx.flavor.has(Capability::RefusalField) => {
                self.check_order(1, path);
                self.refusals.push(text);
            }
            BlockContent::Refusal(text) => {
                self.check_order(1, path);
                cx.ledger.record_change(note::NO_SUCH_BLOCK, path, "a refusal is encoded as text");
                self.content_parts.push(ContentPart::Text(text.clone(), Some(block)));
            }
            BlockContent::Json(json) => {
                self.check_order(1, path);
                self.content_parts
                    .push(ContentPart::Text(JsonString::new(json.as_str()), Some(block)));
            }
            BlockContent::Media(media)
                if cx.flavor.has(Capability::AssistantImages) && media.kind == MediaKind::Image =>
            {
                self.images.push(block);
            }
            BlockContent::Media(media) => {
                cx.note_dropped_block(path, media::media_noun(media.kind));
            }
            BlockContent::ToolCall(_) => {
                self.check_order(2, path);
                self.calls.push((path, block));
            }
            BlockContent::ToolResult(_) => {
                cx.note_dropped_block(path, "a result in an assistant message");
            }
            BlockContent::Foreign { dialect, kind, json } if *dialect == ID => {
                if reasoning_details::is_detail_kind(kind) {
                    self.add_reasoning(path, block, cx);
                } else {
                    self.content_parts.push(ContentPart::Original(json));
                }
            }
            BlockContent::Foreign { kind, .. } => cx.note_dropped_block(path, &kind.unescape()),
        }
    }

    /// Neighbouring texts of a turn are joined if the server accepts only one text.
    fn add_text(
        &mut self,
        path: LedgerPath,
        text: &JsonString,
        block: &'a Verbatim<Block>,
        cx: &EncodeCx<'_>,
    ) {
        let previous_path = self.last_text_path.replace(path);
        if let Some(original) = block.text_for(ID) {
            return self.content_parts.push(ContentPart::Original(original));
        }
        let continues = previous_path.is_some_and(|previous_path| {
            previous_path.index == path.index
                && previous_path.block.map(|block| block + 1) == path.block
        });
        match self.content_parts.last_mut() {
            Some(ContentPart::Text(last_text, _))
                if continues
                    && block.cache_breakpoint.is_none()
                    && !cx.flavor.has(Capability::AssistantParts) =>
            {
                *last_text = JsonString::concat([&*last_text, text]);
            }
            _ => self.content_parts.push(ContentPart::Text(text.clone(), Some(block))),
        }
    }

    /// Adds reasoning if the flavor can carry it. Only blocks that are written count for the order.
    fn add_reasoning(
        &mut self,
        path: LedgerPath,
        block: &'a Verbatim<Block>,
        cx: &mut EncodeCx<'_>,
    ) {
        let text = visible_text(block);
        let is_written = match cx.flavor.reasoning_history {
            ReasoningHistory::None => false,
            // An empty field marks removed reasoning.
            ReasoningHistory::Field(_) => text.is_some(),
            ReasoningHistory::ThinkingParts => text.is_some_and(|text| !text.is_empty()),
            ReasoningHistory::ReasoningDetails => reasoning_details::has_details(block),
        };
        if is_written {
            self.check_order(0, path);
            self.thinking.push((path, block));
        } else {
            cx.note_dropped_reasoning(path);
        }
    }

    fn check_order(&mut self, stage: u8, path: LedgerPath) {
        if stage < self.order_stage && self.first_out_of_order.is_none() {
            self.first_out_of_order = Some(path);
        }
        self.order_stage = self.order_stage.max(stage);
    }

    fn add_citations(
        &mut self,
        citations: &'a [interlingua_model::Citation],
        path: LedgerPath,
        cx: &mut EncodeCx<'_>,
    ) {
        let original_json = |citation: &'a interlingua_model::Citation| {
            citation.original.as_ref().filter(|(dialect, _)| *dialect == ID).map(|(_, json)| json)
        };
        self.annotations.extend(citations.iter().filter_map(original_json));
        if citations.iter().any(|citation| original_json(citation).is_none()) {
            let message = "left out the citations of a text";
            cx.ledger.record_loss(note::CITATION_REDUCED, path, message);
        }
    }

    fn set_signature(
        &mut self,
        path: LedgerPath,
        block: &'a Verbatim<Block>,
        cx: &mut EncodeCx<'_>,
    ) {
        // The message has one field for a seal, so only the last text's seal is written.
        if let Some((earlier_path, _)) = self.google_seal.take() {
            cx.note_dropped_seal(earlier_path);
        }
        let seal = block.seal.as_deref();
        let accepted = cx.flavor.has(Capability::GoogleSignature);
        let accepted = seal.filter(|seal| accepted && seal.origin.issuer == GOOGLE);
        self.google_seal = accepted.map(|seal| (path, seal));
        if block.cache_breakpoint.is_some() && !cx.writes_cache_breakpoints() {
            cx.note_dropped_cache(path);
        }
        if seal.is_some() && self.google_seal.is_none() {
            cx.note_dropped_seal(path);
        }
        cx.note_dropped_extras(&block.extras, path);
    }

    fn write<'e>(
        &self,
        extras: impl Iterator<Item = &'e Extras>,
        o: &mut ObjectWriter<'_>,
        cx: &mut EncodeCx<'_>,
    ) {
        o.json_string(
            "role",
            self.role_override.as_ref().unwrap_or(&JsonString::from_static("assistant")),
        );
        self.write_content(o, cx);
        if !self.refusals.is_empty() {
            o.key("refusal").join(self.refusals.iter().copied(), "\n\n");
        }
        self.write_thinking(o, cx);
        if !self.annotations.is_empty() {
            o.array("annotations", |a| {
                self.annotations.iter().for_each(|annotation| a.item().json(annotation));
            });
        }
        if !self.images.is_empty() {
            o.array("images", |a| {
                for block in &self.images {
                    match (block.text_for(ID), &block.content) {
                        (Some(text), _) => a.item().json(text),
                        (None, BlockContent::Media(media)) => {
                            a.object(|o| media::encode_media(media, o));
                        }
                        (None, _) => {}
                    }
                }
            });
        }
        tool_call::encode_tool_calls(&self.calls, o, cx);
        if let Some((_, seal)) = self.google_seal {
            tool_call::write_google_signature(seal, o);
        }
        let is_written = |key: &JsonString| match cx.flavor.reasoning_history {
            ReasoningHistory::Field(field) => key == field && !self.thinking.is_empty(),
            ReasoningHistory::ReasoningDetails => {
                key == REASONING_DETAILS && self.has_reasoning_details()
            }
            ReasoningHistory::None | ReasoningHistory::ThinkingParts => false,
        };
        for (key, value) in
            extras.flat_map(|extras| extras.fields_for(ID)).filter(|(key, _)| !is_written(key))
        {
            o.key_json_string(key).json(value);
        }
    }

    /// Returns whether `reasoning_details` will be written.
    fn has_reasoning_details(&self) -> bool {
        !self.thinking.is_empty() || self.calls.iter().any(|(_, block)| has_unwritten_seal(block))
    }

    fn write_content(&self, o: &mut ObjectWriter<'_>, cx: &mut EncodeCx<'_>) {
        if cx.flavor.reasoning_history == ReasoningHistory::ThinkingParts
            && !self.thinking.is_empty()
        {
            return o.array("content", |a| {
                for (path, block) in &self.thinking {
                    write_thinking_part(*path, block, a, cx);
                }
                self.content_parts.iter().for_each(|part| block::encode_part(part, a, cx));
            });
        }
        if !self.content_parts.is_empty() {
            let allows_parts = cx.flavor.has(Capability::AssistantParts);
            return block::encode_content(&self.content_parts, allows_parts, "\n\n", o, cx);
        }
        match cx.flavor.content_without_text {
            // Content may only be missing next to an assistant's calls.
            _ if self.calls.is_empty() || self.role_override.is_some() => {
                o.static_str("content", "");
            }
            ContentWithoutText::Null => o.null("content"),
            ContentWithoutText::Empty => o.static_str("content", ""),
            ContentWithoutText::Omitted => {}
        }
    }

    fn write_thinking(&self, o: &mut ObjectWriter<'_>, cx: &mut EncodeCx<'_>) {
        match cx.flavor.reasoning_history {
            ReasoningHistory::None | ReasoningHistory::ThinkingParts => {}
            ReasoningHistory::Field(key) => {
                let texts = self.thinking.iter().filter_map(|(_, block)| visible_text(block));
                let texts: Vec<&JsonString> = texts.filter(|text| !text.is_empty()).collect();
                if !self.thinking.is_empty() {
                    o.key(key).join(texts, "\n\n");
                }
                for (path, _) in self.thinking.iter().filter(|(_, block)| block.seal.is_some()) {
                    cx.note_dropped_seal(*path);
                }
            }
            ReasoningHistory::ReasoningDetails => {
                let sealed_calls: Vec<_> =
                    self.calls.iter().filter(|(_, block)| has_unwritten_seal(block)).collect();
                if self.thinking.is_empty() && sealed_calls.is_empty() {
                    return;
                }
                o.array("reasoning_details", |a| {
                    let mut index = 0;
                    for (path, block) in &self.thinking {
                        index = reasoning_details::write_details(block, index, a);
                        cx.note_dropped_extras(&block.extras, *path);
                    }
                    for (_, block) in sealed_calls {
                        if let (BlockContent::ToolCall(call), Some(seal)) =
                            (&block.content, &block.seal)
                        {
                            reasoning_details::write_call_seal(&call.id, seal, index, a);
                            index += 1;
                        }
                    }
                });
            }
        }
    }
}

/// Returns whether a call's seal is not part of its original text.
fn has_unwritten_seal(block: &Verbatim<Block>) -> bool {
    block.seal.is_some() && block.text_for(ID).is_none()
}

/// The text of a thinking block, unless it is redacted.
fn visible_text(block: &Block) -> Option<&JsonString> {
    match &block.content {
        BlockContent::Reasoning(Reasoning {
            form: ReasoningForm::Full | ReasoningForm::Summary,
            text,
        }) => Some(text),
        _ => None,
    }
}

/// Encodes reasoning as a `thinking` part of the content.
fn write_thinking_part(
    path: LedgerPath,
    block: &Verbatim<Block>,
    out: &mut ArrayWriter<'_>,
    cx: &mut EncodeCx<'_>,
) {
    let is_thinking_part = |text: &&RawJson| {
        text.to_doc().root().get("type").is_some_and(|kind| kind.str_or_empty() == "thinking")
    };
    if let Some(text) = block.text_for(ID).filter(is_thinking_part) {
        return out.item().json(text);
    }
    let Some(text) = visible_text(block) else { return };
    out.object(|o| {
        o.static_str("type", "thinking");
        o.array("thinking", |a| {
            a.object(|o| {
                o.static_str("type", "text");
                o.json_string("text", text);
            });
        });
    });
    if block.seal.is_some() {
        cx.note_dropped_seal(path);
    }
}
