//! Reads `reasoning_details` entries of a stream: text deltas and the seal, matched by index.

use interlingua_model::{
    Block, BlockContent, Delta, Reasoning, ReasoningForm as Shown, Seal, SlotNumber,
};
use interlingua_wire::{JsonNode, JsonString};

use super::Reader;
use super::blocks::BlockKey;
use super::positions::DetailKind;
use crate::openai_chat::reasoning_details::{self, GOOGLE};

impl Reader {
    pub(super) fn read_reasoning_details(&mut self, list: JsonNode<'_>) {
        for (position, node) in list.items().enumerate() {
            let index = node.get("index").and_then(JsonNode::as_u64).unwrap_or(position as u64);
            let block = reasoning_details::decode_detail(node).into_value();
            let BlockContent::Reasoning(thinking) = &block.content else {
                self.blocks.push_block(BlockKey::ReasoningDetail(DetailKind::Opaque, index), block);
                continue;
            };
            let seal = block.seal.as_deref().cloned();
            match (thinking.form, seal) {
                (Shown::Full, seal) => {
                    self.read_detail_text(DetailKind::Text, index, node, &block, seal);
                }
                (Shown::Summary, seal) => {
                    self.read_detail_text(DetailKind::Summary, index, node, &block, seal);
                }
                (Shown::Redacted, Some(seal)) => self.read_encrypted_detail(index, block, seal),
                (Shown::Redacted, None) => {}
            }
        }
    }

    /// Adds text to a detail, and its seal when it arrives.
    fn read_detail_text(
        &mut self,
        kind: DetailKind,
        index: u64,
        node: JsonNode<'_>,
        block: &Block,
        seal: Option<Seal>,
    ) {
        let BlockContent::Reasoning(thinking) = &block.content else {
            return;
        };
        let seal = seal.map(|seal| Delta::Seal(Box::new(seal)));
        let key = BlockKey::ReasoningDetail(kind, index);
        let id = node.get("id").and_then(JsonNode::json_string);
        // An entry that repeats the complete plain reasoning before it is the same reasoning.
        if kind == DetailKind::Text
            && let Some(last) = self.blocks.adopt_reasoning(kind, index, &thinking.text)
        {
            if let Some(state) = self.blocks.sequencer.state(last) {
                state.detail_id = id;
            }
            return seal.into_iter().for_each(|seal| self.blocks.push(last, seal));
        }
        let unsealed =
            self.blocks.sequencer.find(&key).filter(|slot| {
                self.blocks.sequencer.state(*slot).is_some_and(|state| !state.has_seal)
            });
        let slot = match unsealed {
            Some(slot) => slot,
            None if thinking.text.is_empty() && seal.is_none() && node.get("id").is_none() => {
                return;
            }
            None => {
                let text = JsonString::EMPTY;
                let body = BlockContent::Reasoning(Reasoning { text, form: thinking.form });
                self.blocks.push_block(key, Block { content: body, seal: None, ..block.clone() })
            }
        };
        if let (Some(state), Some(id)) = (self.blocks.sequencer.state(slot), id) {
            state.detail_id = Some(id);
        }
        self.blocks.push(slot, Delta::Text(thinking.text.clone()));
        if let Some(seal) = seal {
            self.blocks.push(slot, seal);
        }
    }

    /// Reads a seal without a text: of a call, of the visible detail before it, or of hidden
    /// reasoning.
    fn read_encrypted_detail(&mut self, index: u64, block: Block, seal: Seal) {
        if let Some(id) = seal.id.clone().filter(|_| seal.origin.issuer == GOOGLE) {
            return self.blocks.seal_call(&id, Seal { id: None, ..seal });
        }
        match self.last_visible_detail(&seal) {
            Some(visible) => self.blocks.push(visible, Delta::Seal(Box::new(seal))),
            None => {
                self.blocks.push_block(BlockKey::ReasoningDetail(DetailKind::Opaque, index), block);
            }
        }
    }

    /// The last block, if it is a visible detail that this seal belongs to.
    fn last_visible_detail(&mut self, seal: &Seal) -> Option<SlotNumber> {
        let last = self.blocks.sequencer.last_slot()?;
        let Some(BlockKey::ReasoningDetail(DetailKind::Text | DetailKind::Summary, _)) =
            self.blocks.sequencer.key(last)
        else {
            return None;
        };
        let state = self.blocks.sequencer.state(last)?;
        let is_match =
            !state.has_seal && reasoning_details::matches_detail(state.detail_id.as_ref(), seal);
        is_match.then_some(last)
    }
}
