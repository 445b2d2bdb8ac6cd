//! Converts the parts of stream chunks into blocks that open, grow and close.

use interlingua_model::{
    Block, BlockContent, Delta, Extras, Ledger, LedgerPath, StreamEvent, ToolArgs, ToolCall,
};
use interlingua_wire::{JsonNode, JsonString};

use super::partial_args::PartialArgs;
use crate::common::char_offsets::CharOffsets;
use crate::common::freeform;
use crate::common::name_set::NameSet;
use crate::gemini::decode::block;
use crate::gemini::decode::call_pairing::CallPairing;
use crate::gemini::field_name;
use crate::gemini::id::ID;

pub(super) struct PartReader {
    freeform_tools: NameSet,
    pairing: CallPairing,
    open_text: Option<OpenText>,
    partial_call: Option<PartialCall>,
    next_index: u32,
    has_calls: bool,
}

/// A text or thought that the next chunk may continue.
struct OpenText {
    is_thought: bool,
    text: String,
    offsets: CharOffsets,
}

/// A call with arguments that are streamed in pieces.
struct PartialCall {
    block: Block,
    args: PartialArgs,
}

/// Position of a part in its chunk.
#[derive(Clone, Copy)]
pub(super) struct PartPosition {
    pub(super) is_first: bool,
    /// The only part of the chunk that ends the reply.
    pub(super) is_final: bool,
}

impl PartReader {
    pub(super) fn new(freeform_tools: NameSet) -> Self {
        Self {
            freeform_tools,
            pairing: CallPairing::default(),
            open_text: None,
            partial_call: None,
            next_index: 0,
            has_calls: false,
        }
    }

    /// Sets the reply's id, which derived call ids depend on.
    pub(super) fn set_reply_id(&mut self, id: Option<JsonString>) {
        self.pairing = CallPairing::for_reply(id);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.next_index == 0
    }

    pub(super) fn has_calls(&self) -> bool {
        self.has_calls
    }

    /// Returns whether a partial call is still open.
    pub(super) fn has_partial_call(&self) -> bool {
        self.partial_call.is_some()
    }

    /// The index of the open text, and the text.
    pub(super) fn current_text(&mut self) -> Option<(u32, &str, &CharOffsets)> {
        let open = self.open_text.as_mut().filter(|open| !open.is_thought)?;
        open.offsets.extend_to(&open.text);
        Some((self.next_index - 1, &open.text, &open.offsets))
    }

    pub(super) fn read_part(
        &mut self,
        part: JsonNode<'_>,
        position: PartPosition,
        events: &mut Vec<StreamEvent>,
        ledger: &mut Ledger,
    ) {
        if self.read_partial_call(part, events, ledger) {
            return;
        }
        let path = LedgerPath::reply(self.next_index as usize);
        let mut block = block::decode_part_value(part, &mut self.pairing, path, ledger);
        if freeform::is_call_of(&block, &self.freeform_tools) {
            freeform::unwrap_call(&mut block);
        }
        match &block.content {
            BlockContent::Text { .. } | BlockContent::Reasoning(_) => {
                self.read_text(block, position, events);
            }
            BlockContent::ToolCall(_) => self.emit_call(block, events),
            BlockContent::Refusal(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => {
                self.close_open(events);
                self.emit_open(block, events);
                self.emit_close(events);
            }
        }
    }

    fn read_text(
        &mut self,
        mut block: Block,
        position: PartPosition,
        events: &mut Vec<StreamEvent>,
    ) {
        let (text, is_thought) = match &mut block.content {
            BlockContent::Text { text, .. } => (std::mem::take(text), false),
            BlockContent::Reasoning(thinking) => (std::mem::take(&mut thinking.text), true),
            _ => return,
        };
        let is_plain = block.seal.is_none() && block.extras.is_empty();
        // An empty part at the beginning or end of a chunk does not end the open text.
        let is_skippable = position.is_final && self.next_index > 0
            || position.is_first && self.open_text.is_some();
        if is_plain && text.is_empty() && is_skippable {
            return;
        }
        let continues_open =
            self.open_text.as_ref().is_some_and(|open| open.is_thought == is_thought);
        if !(is_plain && position.is_first && continues_open) {
            self.close_open(events);
            // A thought's signature is emitted at its end, as in other dialects.
            let seal = if is_thought { block.seal.take() } else { None };
            self.emit_open(block, events);
            self.emit_text(text.clone(), events);
            if let Some(seal) = seal {
                events.push(StreamEvent::Delta {
                    index: self.next_index - 1,
                    delta: Delta::Seal(seal),
                });
            }
            if is_plain {
                let text = text.unescape().into_owned();
                self.open_text =
                    Some(OpenText { is_thought, text, offsets: CharOffsets::default() });
            } else {
                self.emit_close(events);
            }
            return;
        }
        if let Some(open) = &mut self.open_text {
            open.text.push_str(&text.unescape());
        }
        self.emit_text(text, events);
    }

    fn emit_text(&self, text: JsonString, events: &mut Vec<StreamEvent>) {
        if !text.is_empty() {
            let delta = Delta::Text(text);
            events.push(StreamEvent::Delta { index: self.next_index - 1, delta });
        }
    }

    fn emit_call(&mut self, mut block: Block, events: &mut Vec<StreamEvent>) {
        self.close_open(events);
        self.has_calls = true;
        let BlockContent::ToolCall(call) = &mut block.content else { return };
        let args = call.args.to_json_string();
        call.args = match &call.args {
            ToolArgs::Freeform(_) => ToolArgs::Freeform(JsonString::EMPTY),
            ToolArgs::Json(_) | ToolArgs::Malformed(_) => ToolArgs::Malformed(JsonString::EMPTY),
        };
        self.emit_open(block, events);
        if !args.is_empty() {
            events
                .push(StreamEvent::Delta { index: self.next_index - 1, delta: Delta::Args(args) });
        }
        self.emit_close(events);
    }

    /// Applies a piece of a call's arguments. Returns whether the part was one.
    fn read_partial_call(
        &mut self,
        part: JsonNode<'_>,
        events: &mut Vec<StreamEvent>,
        ledger: &mut Ledger,
    ) -> bool {
        let call = field_name::get(part, "functionCall").filter(|call| call.is_object());
        let Some(call) = call else { return false };
        let pieces = field_name::get(call, "partialArgs");
        let has_name = field_name::get(call, "name").is_some();
        let will_continue =
            field_name::get(call, "willContinue").and_then(JsonNode::as_bool) == Some(true);
        if has_name && pieces.is_none() && !will_continue
            || !has_name && self.partial_call.is_none()
        {
            return false;
        }
        if has_name {
            self.close_open(events);
            let path = LedgerPath::reply(self.next_index as usize);
            let block = block::decode_part_value(part, &mut self.pairing, path, ledger);
            let mut extras = Extras::default();
            if let Some(written) = block.extras.written(ID) {
                extras.set_written(ID, written.clone());
            }
            let block = Block { extras, ..block };
            self.partial_call = Some(PartialCall { block, args: PartialArgs::default() });
        }
        if let Some(partial) = &mut self.partial_call {
            for piece in pieces.into_iter().flat_map(JsonNode::items) {
                partial.args.apply(piece);
            }
            if let Some(args) = field_name::get(call, "args").filter(|args| !args.is_empty()) {
                partial.args.set(args.json());
            }
        }
        if !will_continue {
            self.close_open(events);
        }
        true
    }

    fn emit_open(&mut self, block: Block, events: &mut Vec<StreamEvent>) {
        events.push(StreamEvent::BlockStart { index: self.next_index, block: Box::new(block) });
        self.next_index += 1;
    }

    fn emit_close(&self, events: &mut Vec<StreamEvent>) {
        events.push(StreamEvent::BlockEnd { index: self.next_index - 1 });
    }

    /// Closes the open text or partial call.
    pub(super) fn close_open(&mut self, events: &mut Vec<StreamEvent>) {
        if self.open_text.take().is_some() {
            self.emit_close(events);
        }
        if let Some(PartialCall { mut block, args }) = self.partial_call.take() {
            if let BlockContent::ToolCall(ToolCall { args: call_args, .. }) = &mut block.content {
                *call_args = ToolArgs::Json(args.to_json());
            }
            if freeform::is_call_of(&block, &self.freeform_tools) {
                freeform::unwrap_call(&mut block);
            }
            self.emit_call(block, events);
        }
    }
}
