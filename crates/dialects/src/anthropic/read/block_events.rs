//! Reads the block events of a stream, and orders them so that only one block is open at a time.

use bytestring::ByteString;
use interlingua_model::{
    Block, BlockContent, Delta, Ledger, LedgerPath, Reasoning, ReasoningForm, StreamEvent, ToolArgs,
};
use interlingua_wire::{JsonDoc, JsonLimits, JsonNode, JsonString};

use super::block::{BlockEvent, BlockState, OpenBlock};
use super::{Reader, note_stream_order};
use crate::anthropic::decode::block;

impl Reader {
    pub(super) fn read_block_event(
        &mut self,
        event: &BlockEvent<'_>,
        events: &mut Vec<StreamEvent>,
        ledger: &mut Ledger,
    ) {
        self.ensure_started(events, ledger);
        let open_index = self.open_block.as_ref().map(|open_index| open_index.wire_index);
        let wire_index =
            event.index.unwrap_or_else(|| open_index.unwrap_or(u64::from(self.block_count)));
        let is_start = event.event_type == "content_block_start";
        let has_pending = self.pending_events.contains(wire_index);
        if !has_pending && is_start && open_index == Some(wire_index) {
            note_stream_order(ledger, "a block had no end");
            self.close_block(true, events);
        }
        let open_elsewhere =
            self.open_block.as_ref().is_some_and(|open_index| open_index.wire_index != wire_index);
        if open_elsewhere || has_pending {
            if self.pending_events.is_empty() {
                note_stream_order(ledger, "a block began before the one before it ended");
            }
            self.pending_events.push(wire_index, ByteString::from(event.root.raw()));
            return;
        }
        match event.event_type {
            "content_block_start" => match event.block {
                Some(block) => self.begin_block(wire_index, block, events, ledger),
                None => note_stream_order(ledger, "a `content_block_start` has no block"),
            },
            "content_block_delta" => match event.delta {
                Some(delta) => {
                    self.read_delta(wire_index, &event.delta_type, delta, events, ledger);
                }
                None => note_stream_order(ledger, "a `content_block_delta` has no delta"),
            },
            _ if self.open_block.is_some() => self.close_block(true, events),
            _ => note_stream_order(ledger, "a block ended that had not begun"),
        }
    }

    /// Reads the events that waited for the open block to close.
    pub(super) fn read_pending_events(
        &mut self,
        events: &mut Vec<StreamEvent>,
        ledger: &mut Ledger,
    ) {
        while self.open_block.is_none()
            && let Some((_, pending)) = self.pending_events.pop_first()
        {
            for data in pending {
                if let Ok(doc) = JsonDoc::parse(data, JsonLimits::default()) {
                    let kind =
                        doc.root().get("type").map(JsonNode::str_or_empty).unwrap_or_default();
                    self.read_block_event(
                        &BlockEvent::from_node(&kind, doc.root()),
                        events,
                        ledger,
                    );
                }
            }
        }
    }

    /// Closes the open block and all blocks with pending events.
    pub(super) fn close_all_blocks(&mut self, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        while self.open_block.is_some() || !self.pending_events.is_empty() {
            if self.open_block.is_some() {
                note_stream_order(ledger, "a block had no end");
                self.close_block(true, events);
            }
            self.read_pending_events(events, ledger);
        }
    }

    pub(super) fn begin_block(
        &mut self,
        wire_index: u64,
        node: JsonNode<'_>,
        events: &mut Vec<StreamEvent>,
        ledger: &mut Ledger,
    ) {
        let index = self.block_count;
        self.block_count += 1;
        let path = LedgerPath::reply(index as usize);
        let mut block = block::decode_block(node, path, ledger).into_value();
        let block_state = match &mut block.content {
            BlockContent::Text { .. } => BlockState::Text,
            BlockContent::Reasoning(thinking) => BlockState::for_thinking(thinking),
            BlockContent::ToolCall(call) => {
                self.has_calls = true;
                let takes_text = self.freeform_tools.contains(&call.name);
                let empty = if takes_text {
                    ToolArgs::Freeform(JsonString::EMPTY)
                } else {
                    ToolArgs::Malformed(JsonString::EMPTY)
                };
                BlockState::for_tool_use(std::mem::replace(&mut call.args, empty), takes_text)
            }
            BlockContent::Foreign { .. } => BlockState::for_foreign(block.clone()),
            BlockContent::Refusal(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolResult(_) => BlockState::Complete,
        };
        if !matches!(block_state, BlockState::Foreign { .. }) {
            events.push(StreamEvent::BlockStart { index, block: Box::new(block) });
        }
        self.open_block = Some(OpenBlock { wire_index, index, state: block_state });
    }

    fn read_delta(
        &mut self,
        wire_index: u64,
        kind: &str,
        delta: JsonNode<'_>,
        events: &mut Vec<StreamEvent>,
        ledger: &mut Ledger,
    ) {
        if self.open_block.as_ref().is_some_and(|open| open.state.is_misplaced_text(kind, delta)) {
            if self.interleaved_text.is_empty() {
                note_stream_order(ledger, &format!("a `{kind}` in a block of another kind"));
            }
            if self.open_block.as_ref().is_some_and(|open| open.state.is_tool_use()) {
                return self.buffer_interleaved_text(kind, delta);
            }
            self.close_block(true, events);
            self.open_implied_block(wire_index, kind, events, ledger);
        } else if self.open_block.is_none() {
            note_stream_order(ledger, &format!("a `{kind}` before its block began"));
            self.open_implied_block(wire_index, kind, events, ledger);
        }
        if let Some(open) = &mut self.open_block {
            open.apply_delta(kind, delta, events, ledger);
        }
    }

    /// Opens the block that the delta belongs to, if its type determines one.
    fn open_implied_block(
        &mut self,
        wire_index: u64,
        kind: &str,
        events: &mut Vec<StreamEvent>,
        ledger: &mut Ledger,
    ) {
        let start = match kind {
            "text_delta" => r#"{"type":"text","text":""}"#,
            "thinking_delta" | "signature_delta" => r#"{"type":"thinking","thinking":""}"#,
            _ => return,
        };
        if let Ok(doc) = JsonDoc::parse(ByteString::from_static(start), JsonLimits::default()) {
            self.begin_block(wire_index, doc.root(), events, ledger);
        }
    }

    /// Text between the arguments of a call is buffered until the call is closed.
    fn buffer_interleaved_text(&mut self, kind: &str, delta: JsonNode<'_>) {
        let is_reasoning = kind == "thinking_delta";
        let text = delta
            .get(if is_reasoning { "thinking" } else { "text" })
            .and_then(JsonNode::json_string);
        match self.interleaved_text.last_mut().filter(|(last, _)| *last == is_reasoning) {
            Some((_, pieces)) => pieces.extend(text),
            None => self.interleaved_text.push((is_reasoning, text.into_iter().collect())),
        }
    }

    pub(super) fn close_block(&mut self, is_complete: bool, events: &mut Vec<StreamEvent>) {
        if let Some(open) = self.open_block.take() {
            open.close(is_complete, events);
        }
        for (is_reasoning, deltas) in std::mem::take(&mut self.interleaved_text) {
            let (index, text) = (self.block_count, JsonString::EMPTY);
            self.block_count += 1;
            let block = if is_reasoning {
                Block::new(BlockContent::Reasoning(Reasoning { text, form: ReasoningForm::Full }))
            } else {
                Block::text(text)
            };
            events.push(StreamEvent::BlockStart { index, block: Box::new(block) });
            events.extend(
                deltas
                    .into_iter()
                    .map(Delta::Text)
                    .map(|delta| StreamEvent::Delta { index, delta }),
            );
            events.push(StreamEvent::BlockEnd { index });
        }
    }
}
