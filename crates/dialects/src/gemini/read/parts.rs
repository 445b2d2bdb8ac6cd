//! Converts the parts of stream chunks into blocks that open, grow and close.

use interlingua_model::{
    Block, BlockContent, Delta, Extras, Ledger, LedgerPath, Sequencer, SlotNumber, ToolArgs,
    ToolCall,
};
use interlingua_wire::{JsonNode, JsonString};

use super::partial_args::PartialArgs;
use crate::common::char_offsets::CharOffsets;
use crate::common::freeform;
use crate::common::name_set::NameSet;
use crate::gemini::citation::RawCitation;
use crate::gemini::decode::block;
use crate::gemini::decode::call_pairing::CallPairing;
use crate::gemini::field_name;
use crate::gemini::id::ID;

pub(super) struct PartReader {
    freeform_tools: NameSet,
    pairing: CallPairing,
    /// Parts have no key: a part continues the open one, or ends it.
    pub(super) blocks: Sequencer<(), OpenPart>,
}

/// A part that the next chunk may continue.
pub(super) enum OpenPart {
    Text(OpenText),
    Call(PartialCall),
    Complete,
}

/// A text or thought.
pub(super) struct OpenText {
    is_thought: bool,
    text: String,
    offsets: CharOffsets,
}

/// A call with arguments that are streamed in pieces.
pub(super) struct PartialCall {
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
        Self { freeform_tools, pairing: CallPairing::default(), blocks: Sequencer::default() }
    }

    /// Sets the reply's id, which derived call ids depend on.
    pub(super) fn set_reply_id(&mut self, id: Option<JsonString>) {
        self.pairing = CallPairing::for_reply(id);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.block_count() == 0
    }

    fn open_part(&mut self) -> Option<(SlotNumber, &mut OpenPart)> {
        let slot = self.blocks.first_slot()?;
        Some((slot, self.blocks.state(slot)?))
    }

    fn partial_call(&mut self) -> Option<&mut PartialCall> {
        match self.open_part()?.1 {
            OpenPart::Call(partial) => Some(partial),
            OpenPart::Text(_) | OpenPart::Complete => None,
        }
    }

    /// Returns whether a partial call is still open.
    pub(super) fn has_partial_call(&mut self) -> bool {
        self.partial_call().is_some()
    }

    /// Adds citations to the open text. Returns false if there is none.
    pub(super) fn push_citations(&mut self, citations: Vec<RawCitation>) -> bool {
        let Some((slot, OpenPart::Text(OpenText { is_thought: false, text, offsets }))) =
            self.open_part()
        else {
            return false;
        };
        offsets.extend_to(text);
        let citations =
            citations.into_iter().map(|citation| citation.with_char_span(text, offsets));
        for citation in citations.collect::<Vec<_>>() {
            self.blocks.push_delta(slot, Delta::Citation(Box::new(citation)));
        }
        true
    }

    pub(super) fn read_part(
        &mut self,
        part: JsonNode<'_>,
        position: PartPosition,
        ledger: &mut Ledger,
    ) {
        if self.read_partial_call(part, ledger) {
            return;
        }
        let path = LedgerPath::reply(self.blocks.block_count() as usize);
        let mut block = block::decode_part_value(part, &mut self.pairing, path, ledger);
        if freeform::is_call_of(&block, &self.freeform_tools) {
            freeform::unwrap_call(&mut block);
        }
        match &block.content {
            BlockContent::Text { .. } | BlockContent::Reasoning(_) => {
                self.read_text(block, position);
            }
            BlockContent::ToolCall(_)
            | BlockContent::Refusal(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => {
                let slot = self.open(OpenPart::Complete);
                self.blocks.push_block(slot, block);
                self.blocks.close(slot);
            }
        }
    }

    /// Closes the open part and opens another.
    fn open(&mut self, part: OpenPart) -> SlotNumber {
        self.close_open();
        self.blocks.open((), part)
    }

    fn read_text(&mut self, mut block: Block, position: PartPosition) {
        let (text, is_thought) = match &mut block.content {
            BlockContent::Text { text, .. } => (std::mem::take(text), false),
            BlockContent::Reasoning(thinking) => (std::mem::take(&mut thinking.text), true),
            _ => return,
        };
        let is_plain = block.seal.is_none() && block.extras.is_empty();
        let has_blocks = !self.is_empty();
        let open = match self.open_part() {
            Some((slot, OpenPart::Text(open))) => Some((slot, open)),
            _ => None,
        };
        // An empty part at the beginning or end of a chunk does not end the open text.
        let is_skippable = position.is_final && has_blocks || position.is_first && open.is_some();
        if is_plain && text.is_empty() && is_skippable {
            return;
        }
        if let Some((slot, open)) = open
            && is_plain
            && position.is_first
            && open.is_thought == is_thought
        {
            open.text.push_str(&text.unescape());
            return self.push_text(slot, text);
        }
        // A thought's signature is emitted at its end, as in other dialects.
        let seal = if is_thought { block.seal.take() } else { None };
        let slot = self.open(OpenPart::Complete);
        self.blocks.begin_block(slot, block);
        self.push_text(slot, text.clone());
        if let Some(seal) = seal {
            self.blocks.push_delta(slot, Delta::Seal(seal));
        }
        if is_plain {
            let (text, offsets) = (text.unescape().into_owned(), CharOffsets::default());
            let open = OpenText { is_thought, text, offsets };
            self.blocks.set_state(slot, OpenPart::Text(open));
        } else {
            self.blocks.close(slot);
        }
    }

    fn push_text(&mut self, slot: SlotNumber, text: JsonString) {
        if !text.is_empty() {
            self.blocks.push_delta(slot, Delta::Text(text));
        }
    }

    /// Applies a piece of a call's arguments. Returns whether the part was one.
    fn read_partial_call(&mut self, part: JsonNode<'_>, ledger: &mut Ledger) -> bool {
        let call = field_name::get(part, "functionCall").filter(|call| call.is_object());
        let Some(call) = call else { return false };
        let pieces = field_name::get(call, "partialArgs");
        let has_name = field_name::get(call, "name").is_some();
        let will_continue =
            field_name::get(call, "willContinue").and_then(JsonNode::as_bool) == Some(true);
        if has_name && pieces.is_none() && !will_continue || !has_name && !self.has_partial_call() {
            return false;
        }
        if has_name {
            self.close_open();
            let path = LedgerPath::reply(self.blocks.block_count() as usize);
            let block = block::decode_part_value(part, &mut self.pairing, path, ledger);
            let mut extras = Extras::default();
            if let Some(written) = block.extras.written(ID) {
                extras.set_written(ID, written.clone());
            }
            let (block, args) = (Block { extras, ..block }, PartialArgs::default());
            self.blocks.open((), OpenPart::Call(PartialCall { block, args }));
        }
        if let Some(partial) = self.partial_call() {
            for piece in pieces.into_iter().flat_map(JsonNode::items) {
                partial.args.apply(piece);
            }
            if let Some(args) = field_name::get(call, "args").filter(|args| !args.is_empty()) {
                partial.args.set(args.json());
            }
        }
        if !will_continue {
            self.close_open();
        }
        true
    }

    /// Closes the open text or partial call.
    pub(super) fn close_open(&mut self) {
        let Some(slot) = self.blocks.first_slot() else { return };
        if let Some(OpenPart::Call(PartialCall { mut block, args })) =
            self.blocks.set_state(slot, OpenPart::Complete)
        {
            if let BlockContent::ToolCall(ToolCall { args: call_args, .. }) = &mut block.content {
                *call_args = ToolArgs::Json(args.to_json());
            }
            if freeform::is_call_of(&block, &self.freeform_tools) {
                freeform::unwrap_call(&mut block);
            }
            self.blocks.push_block(slot, block);
        }
        self.blocks.close(slot);
    }
}
