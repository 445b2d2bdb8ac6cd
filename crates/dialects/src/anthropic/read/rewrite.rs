//! Rewrites passed-through frames that client SDKs would misread; all others are forwarded byte for
//! byte.
//!
//! SDKs dispatch on the event name, count blocks from 0, accept a delta only for an open block of
//! the same kind, read a call's arguments from its deltas, and read token counts unconditionally.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use interlingua_model::{ApiError, ReplyContext};
use interlingua_wire::frame::write_json;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Framing, JsonNode, JsonString, RawJson};

use super::block::BlockEvent;
use super::missing_fields::{
    has_counts, is_complete_message, write_complete_message, write_complete_usage,
    write_fields_except,
};
use crate::anthropic::error;
use crate::anthropic::write::event::write_event;

/// Tracks what the client received so far.
#[derive(Debug, Default)]
pub(super) struct FrameRewriter {
    /// Passthrough is on: frames are forwarded as received.
    pub(super) enabled: bool,
    message_started: bool,
    next_index: u64,
    open_blocks: ForwardedBlocks,
    replacement: Option<Vec<u8>>,
}

/// A block of which the client received the start.
#[derive(Debug)]
struct ForwardedBlock {
    /// The provider's index, and the index that the client received.
    wire_index: u64,
    client_index: u64,
    kind: BlockKind,
}

/// The blocks that are open at the client.
#[derive(Debug, Default)]
struct ForwardedBlocks {
    by_client_index: BTreeMap<u64, ForwardedBlock>,
    /// The client's indices of the blocks with each of the provider's indices: a call may have a text
    /// beside it.
    by_wire_index: HashMap<u64, Vec<u64>>,
}

impl ForwardedBlocks {
    fn push(&mut self, block: ForwardedBlock) {
        self.by_wire_index.entry(block.wire_index).or_default().push(block.client_index);
        self.by_client_index.insert(block.client_index, block);
    }

    /// The provider's index of the block that began last.
    fn last_wire_index(&self) -> Option<u64> {
        self.by_client_index.last_key_value().map(|(_, block)| block.wire_index)
    }

    fn contains(&self, wire_index: u64) -> bool {
        self.by_wire_index.contains_key(&wire_index)
    }

    /// The last block with this index of the provider that accepts such deltas.
    fn find_mut(&mut self, wire_index: u64, delta_type: &str) -> Option<&mut ForwardedBlock> {
        let indices = self.by_wire_index.get(&wire_index)?;
        let accepts = |at: &&u64| {
            self.by_client_index.get(at).is_some_and(|block| block.kind.accepts_delta(delta_type))
        };
        let at = indices.iter().rfind(accepts)?;
        self.by_client_index.get_mut(at)
    }

    /// Removes the blocks with this index of the provider that match, first to last.
    fn remove(
        &mut self,
        wire_index: u64,
        is_match: impl Fn(&ForwardedBlock) -> bool,
    ) -> Vec<ForwardedBlock> {
        let indices = self.by_wire_index.remove(&wire_index).unwrap_or_default();
        let blocks = indices.iter().filter_map(|at| self.by_client_index.remove(at));
        let (removed, remaining): (Vec<_>, Vec<_>) = blocks.partition(is_match);
        for block in remaining {
            self.push(block);
        }
        removed
    }

    fn take_all(&mut self) -> impl Iterator<Item = ForwardedBlock> {
        std::mem::take(self).by_client_index.into_values()
    }
}

#[derive(Debug)]
enum BlockKind {
    Text,
    Thinking,
    /// With arguments of the start event, which clients only read as a delta.
    ToolUse(Option<RawJson>),
    /// Accepts any delta.
    Other,
}

pub(super) struct RawFrame<'f> {
    pub(super) event: Option<&'f str>,
    pub(super) raw: &'f Bytes,
}

/// State of the reader when a message event is rewritten.
pub(super) struct MessageState<'r> {
    pub(super) usage: Option<&'r RawJson>,
    pub(super) has_stop_reason: bool,
    pub(super) exchange: &'r ReplyContext,
}

/// How a frame is forwarded.
enum FrameAction {
    Forward,
    /// With this index.
    Reindex(u64),
    /// A call start with this index and without arguments.
    StripInput(u64),
    /// With its missing fields.
    FillMissing,
    Drop,
}

impl FrameRewriter {
    pub(super) fn rewrite_block_event(
        &mut self,
        event: &BlockEvent<'_>,
        raw_frame: &RawFrame<'_>,
        cx: &ReplyContext,
    ) {
        if !self.enabled {
            return;
        }
        let mut prefix = Vec::new();
        self.ensure_message_start(cx, &mut prefix);
        let action = match event.event_type {
            "content_block_delta" => self.on_block_delta(event, &mut prefix),
            "content_block_start" => self.on_block_start(event, &mut prefix),
            _ => self.on_block_stop(event, &mut prefix),
        };
        self.emit(&action, prefix, event.event_type, event.root, raw_frame, |o| match &action {
            FrameAction::Reindex(index) => o.number("index", *index),
            FrameAction::StripInput(index) => {
                o.number("index", *index);
                o.object("content_block", |o| {
                    write_fields_except(event.block, &["input"], o);
                    o.object("input", |_| {});
                });
            }
            FrameAction::Forward | FrameAction::FillMissing | FrameAction::Drop => {}
        });
    }

    pub(super) fn rewrite_message_event(
        &mut self,
        kind: &str,
        root: JsonNode<'_>,
        raw_frame: &RawFrame<'_>,
        state: &MessageState<'_>,
    ) {
        if !self.enabled {
            return;
        }
        let mut prefix = Vec::new();
        if let "message_delta" | "message_stop" = kind {
            self.ensure_message_start(state.exchange, &mut prefix);
            for block in self.open_blocks.take_all() {
                block.write_stop(&mut prefix);
            }
        }
        let action = match kind {
            "message_start" if std::mem::replace(&mut self.message_started, true) => {
                FrameAction::Drop
            }
            "message_start" if !is_complete_message(root.get("message")) => {
                FrameAction::FillMissing
            }
            "message_delta" if !has_counts(root.get("usage"), &["output_tokens"]) => {
                FrameAction::FillMissing
            }
            // The gateway writes the stop reason and `message_stop` itself.
            "message_stop" if !state.has_stop_reason => FrameAction::Drop,
            _ => FrameAction::Forward,
        };
        self.emit(&action, prefix, kind, root, raw_frame, |o| match kind {
            "message_start" => write_complete_message(root.get("message"), state.exchange, o),
            _ => write_complete_usage(root.get("usage"), state.usage, o),
        });
    }

    /// An event that holds an error under another type is forwarded as an `error` event.
    pub(super) fn rewrite_error(&mut self, kind: &str, error: &ApiError) {
        if self.enabled && kind != "error" {
            let mut out = Vec::new();
            write_json(Framing::Sse, Some("error"), &mut out, |data| {
                error::write_event(error, data);
            });
            self.replacement = Some(out);
        }
    }

    /// Drops a frame that clients could not parse.
    pub(super) fn drop_frame(&mut self) {
        self.replacement = self.enabled.then(Vec::new);
    }

    pub(super) fn take_replacement(&mut self) -> Option<Vec<u8>> {
        self.replacement.take()
    }

    /// Writes a message start if the stream has none.
    fn ensure_message_start(&mut self, cx: &ReplyContext, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.message_started, true) {
            write_event(out, "message_start", |o| write_complete_message(None, cx, o));
        }
    }

    fn on_block_start(&mut self, event: &BlockEvent<'_>, prefix: &mut Vec<u8>) -> FrameAction {
        let Some(block) = event.block else { return FrameAction::Drop };
        let index = self.next_index;
        let wire_index = event.index.unwrap_or(index);
        for open in self.open_blocks.remove(wire_index, |_| true).iter().rev() {
            open.write_stop(prefix);
        }
        let kind = BlockKind::from_node(block);
        let strips_input = matches!(kind, BlockKind::ToolUse(Some(_)));
        self.add_block(wire_index, kind);
        match event.index {
            _ if strips_input => FrameAction::StripInput(index),
            Some(index_sent) if index_sent == index => FrameAction::Forward,
            _ => FrameAction::Reindex(index),
        }
    }

    fn add_block(&mut self, wire_index: u64, kind: BlockKind) -> u64 {
        let index = self.next_index;
        self.next_index += 1;
        self.open_blocks.push(ForwardedBlock { wire_index, client_index: index, kind });
        index
    }

    fn on_block_delta(&mut self, event: &BlockEvent<'_>, prefix: &mut Vec<u8>) -> FrameAction {
        let Some(delta) = event.delta else { return FrameAction::Drop };
        let last = self.open_blocks.last_wire_index();
        let wire_index = event.index.or(last).unwrap_or(self.next_index);
        if let Some(block) = self.open_blocks.find_mut(wire_index, &event.delta_type) {
            if let BlockKind::ToolUse(deferred_args @ Some(_)) = &mut block.kind
                && has_text(delta, "partial_json")
            {
                *deferred_args = None;
            }
            let is_same = event.index == Some(block.client_index);
            return if is_same {
                FrameAction::Forward
            } else {
                FrameAction::Reindex(block.client_index)
            };
        }
        let has_started = self.open_blocks.contains(wire_index);
        let (kind, start) = match &*event.delta_type {
            "text_delta" if has_text(delta, "text") => (BlockKind::Text, EMPTY_TEXT_BLOCK),
            "thinking_delta" if has_text(delta, "thinking") => {
                (BlockKind::Thinking, EMPTY_THINKING_BLOCK)
            }
            "signature_delta" if !has_started => (BlockKind::Thinking, EMPTY_THINKING_BLOCK),
            _ => return FrameAction::Drop,
        };
        let is_replaced =
            |block: &ForwardedBlock| matches!(block.kind, BlockKind::Text | BlockKind::Thinking);
        for open in self.open_blocks.remove(wire_index, is_replaced).iter().rev() {
            open.write_stop(prefix);
        }
        let index = self.add_block(wire_index, kind);
        write_event(prefix, "content_block_start", |o| {
            o.number("index", index);
            o.object("content_block", |o| {
                for (key, word) in start {
                    o.static_str(key, word);
                }
            });
        });
        FrameAction::Reindex(index)
    }

    fn on_block_stop(&mut self, event: &BlockEvent<'_>, prefix: &mut Vec<u8>) -> FrameAction {
        let wire_index = event.index.or(self.open_blocks.last_wire_index());
        let Some(wire_index) = wire_index else { return FrameAction::Drop };
        let mut ended = self.open_blocks.remove(wire_index, |_| true);
        let Some(last) = ended.pop() else { return FrameAction::Drop };
        for open in &ended {
            open.write_stop(prefix);
        }
        last.write_deferred_args(prefix);
        if event.index == Some(last.client_index) {
            FrameAction::Forward
        } else {
            FrameAction::Reindex(last.client_index)
        }
    }

    /// Writes the frame again if it cannot be forwarded as received.
    fn emit(
        &mut self,
        action: &FrameAction,
        prefix: Vec<u8>,
        kind: &str,
        root: JsonNode<'_>,
        raw_frame: &RawFrame<'_>,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) {
        let has_event_name = raw_frame.event == Some(kind) || !EVENT_NAMES.contains(&kind);
        let rewritten_keys: &[&str] = match action {
            FrameAction::Forward if has_event_name && prefix.is_empty() => return,
            FrameAction::Forward | FrameAction::Drop => &[],
            FrameAction::Reindex(_) => &["index"],
            FrameAction::StripInput(_) => &["index", "content_block"],
            FrameAction::FillMissing if kind == "message_start" => &["message"],
            FrameAction::FillMissing => &["usage"],
        };
        let mut out = prefix;
        match action {
            FrameAction::Drop => {}
            FrameAction::Forward if has_event_name => {
                out.extend_from_slice(
                    raw_frame.raw.strip_prefix(UTF8_BOM).unwrap_or(raw_frame.raw),
                );
            }
            FrameAction::Forward => {
                write_json(Framing::Sse, Some(kind), &mut out, |data| data.json(&root.json()));
            }
            FrameAction::Reindex(_) | FrameAction::StripInput(_) | FrameAction::FillMissing => {
                write_json(Framing::Sse, Some(kind), &mut out, |data| {
                    data.object(|o| {
                        write_fields_except(Some(root), rewritten_keys, o);
                        fill(o);
                    });
                });
            }
        }
        self.replacement = Some(out);
    }
}

impl BlockKind {
    fn from_node(block: JsonNode<'_>) -> Self {
        let [kind, input] = block.get_many(["type", "input"]);
        match &*kind.map(JsonNode::str_or_empty).unwrap_or_default() {
            "text" => Self::Text,
            "thinking" => Self::Thinking,
            "tool_use" => {
                let filled = |input: &JsonNode<'_>| input.is_object() && !input.is_empty();
                Self::ToolUse(input.filter(filled).map(JsonNode::json))
            }
            _ => Self::Other,
        }
    }

    fn accepts_delta(&self, delta_type: &str) -> bool {
        match self {
            Self::Text => {
                !matches!(delta_type, "thinking_delta" | "signature_delta" | "input_json_delta")
            }
            Self::Thinking => {
                !matches!(delta_type, "text_delta" | "citations_delta" | "input_json_delta")
            }
            Self::ToolUse(_) => !matches!(
                delta_type,
                "text_delta" | "citations_delta" | "thinking_delta" | "signature_delta"
            ),
            Self::Other => true,
        }
    }
}

impl ForwardedBlock {
    /// Writes the arguments of the start event as a delta, if no delta had them.
    fn write_deferred_args(&self, out: &mut Vec<u8>) {
        let BlockKind::ToolUse(Some(input)) = &self.kind else { return };
        write_event(out, "content_block_delta", |o| {
            o.number("index", self.client_index);
            o.object("delta", |o| {
                o.static_str("type", "input_json_delta");
                o.json_string("partial_json", &JsonString::new(input.as_str()));
            });
        });
    }

    fn write_stop(&self, out: &mut Vec<u8>) {
        self.write_deferred_args(out);
        write_event(out, "content_block_stop", |o| o.number("index", self.client_index));
    }
}

fn has_text(delta: JsonNode<'_>, key: &str) -> bool {
    delta.get(key).is_some_and(|text| text.is_string() && text.raw() != "\"\"")
}

/// The event names that SDKs dispatch on.
const EVENT_NAMES: &[&str] = &[
    "content_block_delta",
    "content_block_start",
    "content_block_stop",
    "message_start",
    "message_delta",
    "message_stop",
    "ping",
    "error",
];

const EMPTY_TEXT_BLOCK: &[(&str, &str)] = &[("type", "text"), ("text", "")];
const EMPTY_THINKING_BLOCK: &[(&str, &str)] =
    &[("type", "thinking"), ("thinking", ""), ("signature", "")];
const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";
