//! Which item an event is about.

use interlingua_model::{Event, Ledger, Place};
use interlingua_wire::Node;

use super::Reader;
use super::pieces::Piece;
use crate::note;

impl Reader {
    /// The item that a piece belongs to: by its id, by its place, or else the last one.
    pub(super) fn find(&self, piece: &Piece<'_>) -> Option<usize> {
        let by_id = self.items.iter().rposition(|item| item.is_named_by(piece));
        let index = piece.output_index;
        let by_index = || self.items.iter().rposition(|item| item.has_index(index));
        let nameless = index.is_none() && piece.id().is_none();
        let last = || if nameless { self.items.len().checked_sub(1) } else { None };
        by_id.or_else(by_index).or_else(last)
    }

    /// Which item this one of the response's output is.
    pub(super) fn find_whole(
        &mut self,
        position: usize,
        node: Node<'_>,
        events: &mut Vec<Event>,
    ) -> usize {
        let id = node.get("id").and_then(Node::text);
        let kind = node.get("type").map(Node::word).unwrap_or_default();
        let by_id = self.items.iter().position(|item| item.has_id(id.as_ref()));
        let in_place = || {
            let same = self.items.get(position).is_some_and(|item| item.is_of(&kind));
            same.then_some(position)
        };
        let at = by_id.or_else(in_place);
        at.unwrap_or_else(|| self.begin(id, Some(position as u64), &kind, events))
    }

    /// Words for a message that is done belong to a new one, and so does what follows them: some relays say
    /// that a message is done when a call begins, or after its first word.
    pub(super) fn go_on(
        &mut self,
        at: usize,
        piece: &Piece<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) -> Option<usize> {
        if piece.kind != "response.output_text.delta" || !self.items[at].is_of("message") {
            let what = "a piece of an item that is done came late";
            ledger.loss(note::STREAM_ORDER, Place::REPLY, what);
            return None;
        }
        let what = "words for a message that is done are told as a new one";
        ledger.change(note::STREAM_ORDER, Place::REPLY, what);
        let at = self.begin(piece.id(), piece.output_index, "message", events);
        self.items[at].goes_on = true;
        Some(at)
    }
}
