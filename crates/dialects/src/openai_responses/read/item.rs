//! Reads one item of a streamed reply: emits its deltas, and at its end whatever the deltas lacked.

use interlingua_model::{
    Block, BlockContent, Delta, Ledger, LedgerPath, Reasoning, ReasoningForm, Sequencer,
    SlotNumber, ToolArgs, WrittenForm,
};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::item_event::ItemEvent;
use crate::note;
use crate::openai_responses::decode::block::{self, Author};
use crate::openai_responses::decode::output_item::{self, ItemPosition};
use crate::openai_responses::decode::turn;
use crate::openai_responses::id::ID;

/// The blocks of the items. An item has one slot for all its blocks, and is found by its position.
pub(super) type ItemBlocks = Sequencer<(), ()>;

pub(super) struct ItemReader {
    slot: SlotNumber,
    id: Option<JsonString>,
    output_index: Option<u64>,
    kind: JsonString,
    is_done: bool,
    /// Continues an item that the provider had already marked as done.
    pub(super) is_continuation: bool,
    open_block: Option<OpenBlock>,
    /// Number of parts of a message that were emitted.
    part_count: u64,
    /// The message's own fields, until its first part carries them; for reasoning, the id.
    message_fields: Option<RawJson>,
    /// The end of a text that its deltas lacked, as of the last event.
    missing_text: Option<JsonString>,
}

/// The block that is being emitted.
struct OpenBlock {
    /// Index of the part of a message, or of a summary.
    part_index: u64,
    /// The text or arguments emitted so far, in raw JSON string form.
    emitted_text: String,
    citations: usize,
    /// Full reasoning or a refusal, as opposed to a summary or a text.
    is_other_kind: bool,
}

impl ItemReader {
    pub(super) fn new(
        slot: SlotNumber,
        id: Option<JsonString>,
        output_index: Option<u64>,
        kind: &str,
    ) -> Self {
        let kind = JsonString::new(if kind.is_empty() { "message" } else { kind });
        let (is_done, is_continuation) = (false, false);
        Self {
            slot,
            id,
            output_index,
            kind,
            is_done,
            is_continuation,
            open_block: None,
            part_count: 0,
            message_fields: None,
            missing_text: None,
        }
    }

    /// Index of the open text part of a message.
    pub(super) fn open_part_index(&self) -> Option<u64> {
        self.open_block
            .as_ref()
            .filter(|open| self.has_type("message") && !open.is_other_kind)
            .map(|open| open.part_index)
    }

    pub(super) fn kind(&self) -> &str {
        self.kind.raw()
    }

    /// The text of the open block so far; `true` marks full reasoning or a refusal.
    pub(super) fn emitted_text(&self) -> Option<(bool, &str)> {
        self.open_block.as_ref().map(|open| (open.is_other_kind, open.emitted_text.as_str()))
    }

    /// Takes the end of a text that its deltas lacked.
    pub(super) fn take_missing_text(&mut self) -> Option<JsonString> {
        self.missing_text.take()
    }

    pub(super) fn slot(&self) -> SlotNumber {
        self.slot
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Returns whether an event has this item's id.
    pub(super) fn is_named_by(&self, event: &ItemEvent<'_>) -> bool {
        event.names_item(self.id.as_ref())
    }

    pub(super) fn has_output_index(&self, index: Option<u64>) -> bool {
        index.is_some() && self.output_index == index
    }

    pub(super) fn has_type(&self, kind: &str) -> bool {
        self.kind == *kind
    }

    /// Returns whether the ids are equal, or the output indices if one has no id.
    pub(super) fn matches(&self, id: Option<&JsonString>, index: Option<u64>) -> bool {
        match (id, &self.id) {
            (Some(id), Some(own_id)) => id == own_id,
            _ => self.has_output_index(index),
        }
    }

    /// Reads the start of an item: a call is complete except for its arguments.
    pub(super) fn read_added(
        &mut self,
        node: JsonNode<'_>,
        position: ItemPosition<'_>,
        blocks: &mut ItemBlocks,
    ) {
        match self.kind.raw() {
            "message" => self.message_fields = output_item::decode_message_fields(node, position),
            "reasoning" => {
                let block = Block::new(BlockContent::Reasoning(empty_summary()));
                let id = output_item::attach_item_id(block, node, position)
                    .extras
                    .get(ID, "id")
                    .cloned();
                self.message_fields = id;
            }
            "function_call" | "custom_tool_call" => {
                let has_name_and_id = node.get("name").is_some() && node.get("call_id").is_some();
                if has_name_and_id {
                    let mut discarded_ledger = Ledger::default();
                    let block = turn::decode_item(node, position.index, &mut discarded_ledger);
                    self.open_tool_call(output_item::attach_item_id(block, node, position), blocks);
                }
            }
            _ => {}
        }
    }

    /// Opens a call without arguments: those of the start event are repeated by deltas or at the
    /// end.
    fn open_tool_call(&mut self, mut block: Block, blocks: &mut ItemBlocks) {
        if let BlockContent::ToolCall(call) = &mut block.content {
            call.args = match call.args {
                ToolArgs::Freeform(_) => ToolArgs::Freeform(JsonString::EMPTY),
                ToolArgs::Json(_) | ToolArgs::Malformed(_) => {
                    ToolArgs::Malformed(JsonString::EMPTY)
                }
            };
        }
        self.begin_block(block, 0, false, blocks);
    }

    fn begin_block(
        &mut self,
        block: Block,
        part_index: u64,
        is_other_kind: bool,
        blocks: &mut ItemBlocks,
    ) {
        self.close_block(blocks);
        blocks.begin_block(self.slot, block);
        self.open_block = Some(OpenBlock {
            part_index,
            emitted_text: String::new(),
            citations: 0,
            is_other_kind,
        });
    }

    fn close_block(&mut self, blocks: &mut ItemBlocks) {
        if self.open_block.take().is_some() {
            blocks.end_block(self.slot);
        }
    }

    fn push_delta(&mut self, delta: Delta, blocks: &mut ItemBlocks) {
        let Some(open) = &mut self.open_block else { return };
        match &delta {
            Delta::Text(text) | Delta::Args(text) if text.is_empty() => return,
            Delta::Text(text) | Delta::Args(text) => open.emitted_text.push_str(text.raw()),
            Delta::Citation(_) => open.citations += 1,
            Delta::Seal(_) => {}
        }
        blocks.push_delta(self.slot, delta);
    }

    /// Reads one event of the item.
    pub(super) fn read_event(
        &mut self,
        event: &ItemEvent<'_>,
        blocks: &mut ItemBlocks,
        ledger: &mut Ledger,
    ) {
        let text = || event.text();
        self.missing_text = None;
        match &*event.kind {
            "response.output_text.delta" => {
                self.open_part(event.part_index, false, blocks, ledger);
                self.push_delta(Delta::Text(text()), blocks);
            }
            "response.refusal.delta" => {
                self.open_part(event.part_index, true, blocks, ledger);
                self.push_delta(Delta::Text(text()), blocks);
            }
            "response.output_text.done" => {
                self.open_part(event.part_index, false, blocks, ledger);
                self.push_missing_text(&text(), Delta::Text, blocks, ledger);
            }
            "response.refusal.done" => {
                self.open_part(event.part_index, true, blocks, ledger);
                self.push_missing_text(&text(), Delta::Text, blocks, ledger);
            }
            "response.output_text.annotation.added" => {
                self.open_part(event.part_index, false, blocks, ledger);
                if let Some(annotation) = event.object {
                    self.push_delta(
                        Delta::Citation(Box::new(block::decode_citation(annotation))),
                        blocks,
                    );
                }
            }
            "response.content_part.done" => {
                if let (Some(node), "message") = (event.object, self.kind.raw()) {
                    self.finish_part(
                        event.part_index.unwrap_or(self.part_count),
                        node,
                        blocks,
                        ledger,
                    );
                }
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let is_full = event.kind == "response.reasoning_text.delta";
                if self.open_reasoning(is_full, event.part_index.unwrap_or(0), blocks, ledger) {
                    self.push_delta(Delta::Text(text()), blocks);
                }
            }
            "response.reasoning_summary_text.done" | "response.reasoning_text.done" => {
                let is_full = event.kind == "response.reasoning_text.done";
                let at = event.part_index.unwrap_or(0);
                let is_new_part = self.open_block.as_ref().is_none_or(|open| open.part_index < at);
                if is_new_part && self.open_reasoning(is_full, at, blocks, ledger) {
                    self.push_delta(Delta::Text(text()), blocks);
                }
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                // A call without a known name cannot be opened yet: the finished item has
                // everything.
                self.push_delta(Delta::Args(text()), blocks);
            }
            "response.function_call_arguments.done" | "response.custom_tool_call_input.done" => {
                self.push_missing_text(&text(), Delta::Args, blocks, ledger);
            }
            // The start and end of parts and summaries follow from their deltas.
            _ => {}
        }
    }

    /// Opens this part of a message if it is not open.
    fn open_part(
        &mut self,
        part: Option<u64>,
        is_refusal: bool,
        blocks: &mut ItemBlocks,
        ledger: &mut Ledger,
    ) {
        let current = self
            .open_block
            .as_ref()
            .map(|open_index| (open_index.part_index, open_index.is_other_kind));
        let part = part.unwrap_or_else(|| current.map_or(self.part_count, |(part, _)| part));
        match current {
            Some((open_index, is_other_kind))
                if open_index == part && is_other_kind == is_refusal => {}
            Some((open_index, _)) if part < open_index => {
                let message = "a delta of an earlier part is added to the open one";
                ledger.record_change(note::STREAM_ORDER, LedgerPath::REPLY, message);
            }
            _ => {
                let text = JsonString::EMPTY;
                let body = if is_refusal {
                    BlockContent::Refusal(text)
                } else {
                    BlockContent::Text { text, citations: Vec::new() }
                };
                let block = self.with_message_fields(Block::new(body));
                self.begin_block(block, part, is_refusal, blocks);
                self.part_count = part + 1;
            }
        }
    }

    /// The first part of a message carries the message's own fields.
    fn with_message_fields(&mut self, mut block: Block) -> Block {
        if let Some(message_fields) = self.message_fields.take() {
            block.extras.set_written(ID, WrittenForm::Message(message_fields));
        }
        block
    }

    /// Opens reasoning of this kind. Returns false if the other kind is open.
    fn open_reasoning(
        &mut self,
        is_full: bool,
        part: u64,
        blocks: &mut ItemBlocks,
        ledger: &mut Ledger,
    ) -> bool {
        if let Some(open) = &mut self.open_block {
            if open.is_other_kind != is_full {
                let message =
                    "reasoning arrives both in full and as a summary: the first one is kept";
                ledger.record_loss(note::STREAM_ORDER, LedgerPath::REPLY, message);
                return false;
            }
            let is_next_part = part > open.part_index && !open.emitted_text.is_empty();
            open.part_index = part;
            if is_next_part {
                self.push_delta(Delta::Text(JsonString::new("\n\n")), blocks);
            }
            return true;
        }
        let form = if is_full { ReasoningForm::Full } else { ReasoningForm::Summary };
        let mut block = Block::new(BlockContent::Reasoning(Reasoning { form, ..empty_summary() }));
        if let Some(id) = self.message_fields.take() {
            block.extras.push(ID, JsonString::from_static("id"), id);
        }
        self.begin_block(block, part, is_full, blocks);
        true
    }

    /// Emits the end of a text that its deltas lacked.
    fn push_missing_text(
        &mut self,
        full_text: &JsonString,
        delta: fn(JsonString) -> Delta,
        blocks: &mut ItemBlocks,
        ledger: &mut Ledger,
    ) {
        let Some(open) = &self.open_block else { return };
        if let Some(rest) = missing_suffix(full_text, &open.emitted_text) {
            self.missing_text = Some(rest.clone()).filter(|rest| !rest.is_empty());
            self.push_delta(delta(rest), blocks);
        } else {
            let message = "a text differs from its deltas: the deltas are kept";
            ledger.record_change(note::STREAM_ORDER, LedgerPath::REPLY, message);
        }
    }

    /// Reads a finished part of a message.
    fn finish_part(
        &mut self,
        part: u64,
        node: JsonNode<'_>,
        blocks: &mut ItemBlocks,
        ledger: &mut Ledger,
    ) {
        let mut discarded_ledger = Ledger::default();
        let block =
            block::decode_part(node, LedgerPath::REPLY, Author::Unknown, &mut discarded_ledger);
        let is_open = self.open_block.as_ref().is_some_and(|open| open.part_index == part);
        if part < self.part_count && !is_open {
            return;
        }
        match &block.content {
            BlockContent::Text { text, citations } if is_open => {
                self.push_missing_text(text, Delta::Text, blocks, ledger);
                let emitted_count = self.open_block.as_ref().map_or(0, |open| open.citations);
                for citation in citations.iter().skip(emitted_count) {
                    self.push_delta(Delta::Citation(Box::new(citation.clone())), blocks);
                }
            }
            BlockContent::Refusal(text) if is_open => {
                self.push_missing_text(text, Delta::Text, blocks, ledger);
            }
            _ if is_open => {
                let message = "a part changed its kind between start and end";
                ledger.record_change(note::STREAM_ORDER, LedgerPath::REPLY, message);
            }
            BlockContent::Text { .. }
            | BlockContent::Refusal(_)
            | BlockContent::Reasoning(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolCall(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => {
                self.close_block(blocks);
                let block = self.with_message_fields(block);
                blocks.push_block(self.slot, block);
                self.part_count = part + 1;
            }
        }
        self.close_block(blocks);
    }

    /// Finishes the item. `item` is the finished item that the provider sent.
    pub(super) fn finish(
        &mut self,
        item: Option<JsonNode<'_>>,
        position: ItemPosition<'_>,
        blocks: &mut ItemBlocks,
        ledger: &mut Ledger,
    ) {
        self.is_done = true;
        self.missing_text = None;
        let Some(node) = item else {
            self.close_block(blocks);
            return;
        };
        if turn::is_message(node) {
            if self.part_count == 0 {
                self.message_fields = output_item::decode_message_fields(node, position);
            }
            let content = node.get("content").into_iter().flat_map(JsonNode::items);
            for (part, node) in content.enumerate().filter(|(_, node)| node.is_object()) {
                self.finish_part(part as u64, node, blocks, ledger);
            }
            self.close_block(blocks);
            return;
        }
        let block = output_item::attach_item_id(
            turn::decode_item(node, position.index, ledger),
            node,
            position,
        );
        if self.open_block.is_none() {
            return blocks.push_block(self.slot, block);
        }
        match &block.content {
            BlockContent::Reasoning(thinking) => {
                let is_full = self.open_block.as_ref().is_some_and(|open| open.is_other_kind);
                let summary = || node.get("summary").map(turn::join_texts).unwrap_or_default();
                let text = if is_full { thinking.text.clone() } else { summary() };
                self.push_missing_text(&text, Delta::Text, blocks, ledger);
                if let Some(seal) = block.seal {
                    self.push_delta(Delta::Seal(seal), blocks);
                }
            }
            BlockContent::ToolCall(call) => {
                let args_node = node.get("arguments").or_else(|| node.get("input"));
                let text = args_node
                    .and_then(JsonNode::json_string)
                    .unwrap_or_else(|| call.args.to_json_string());
                self.push_missing_text(&text, Delta::Args, blocks, ledger);
            }
            BlockContent::Text { .. }
            | BlockContent::Refusal(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => {}
        }
        self.close_block(blocks);
    }
}

/// The text after `emitted`; `None` if the text does not begin with it. The two may use different
/// JSON escapes.
fn missing_suffix(full_text: &JsonString, emitted: &str) -> Option<JsonString> {
    if let Some(rest) = full_text.strip_prefix(emitted) {
        return Some(rest);
    }
    let emitted = RawJson::parse(format!("\"{emitted}\"")).ok()?.json_string()?;
    full_text.unescape().strip_prefix(&*emitted.unescape()).map(JsonString::new)
}

fn empty_summary() -> Reasoning {
    Reasoning { text: JsonString::EMPTY, form: ReasoningForm::Summary }
}
