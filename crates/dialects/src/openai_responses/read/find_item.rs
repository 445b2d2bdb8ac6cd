//! Finds the item that an event refers to.

use interlingua_model::{Ledger, LedgerPath, OrderFault};
use interlingua_wire::JsonNode;

use super::Reader;
use super::item_event::ItemEvent;
use crate::note;

impl Reader {
    /// The item of an event: by its id, by its output index, or else the last one.
    pub(super) fn find_item(&self, event: &ItemEvent<'_>) -> Option<usize> {
        // Nearly all events are of the last item.
        let last = self.items.len().checked_sub(1)?;
        if self.items[last].is_named_by(event) {
            return Some(last);
        }
        let (id, index) = (event.item_id(), event.output_index);
        let by_id = self.item_index.with_id(id.as_ref()).last().copied();
        let by_index = || self.item_index.with_output_index(index).last().copied();
        let has_no_reference = index.is_none() && id.is_none();
        by_id.or_else(by_index).or(has_no_reference.then_some(last))
    }

    /// Finds the item that corresponds to an element of the response's `output`.
    pub(super) fn find_output_item(&mut self, position: usize, node: JsonNode<'_>) -> usize {
        let id = node.get("id").and_then(JsonNode::json_string);
        let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
        let by_id = self.item_index.with_id(id.as_ref()).first().copied();
        let by_position = || {
            let is_same_type = self.items.get(position).is_some_and(|item| item.has_type(&kind));
            is_same_type.then_some(position)
        };
        let at = by_id.or_else(by_position);
        at.unwrap_or_else(|| self.begin_item(id, Some(position as u64), &kind))
    }

    /// Opens a new message for text of a message that is already done: some relays send the end of
    /// a message when a call begins, or after its first delta.
    pub(super) fn continue_done_message(
        &mut self,
        at: usize,
        event: &ItemEvent<'_>,
        ledger: &mut Ledger,
    ) -> Option<usize> {
        if event.kind != "response.output_text.delta" || !self.items[at].has_type("message") {
            OrderFault::UnknownBlockDelta.record(ledger);
            return None;
        }
        let message = "text for a message that is already done opens a new message";
        ledger.record_change(note::STREAM_ORDER, LedgerPath::REPLY, message);
        let at = self.begin_item(event.item_id(), event.output_index, "message");
        self.items[at].is_continuation = true;
        Some(at)
    }
}
