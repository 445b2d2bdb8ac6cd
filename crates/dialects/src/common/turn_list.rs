//! Iterates over lists of turns.

use interlingua_model::{Conversation, Ledger, LedgerPath, Role, Turn, Verbatim};
use interlingua_wire::JsonNode;

use crate::note;

/// Number of instruction turns at the beginning.
pub(crate) fn leading_instruction_count(conversation: &Conversation) -> usize {
    let is_instruction =
        |turn: &&Verbatim<Turn>| matches!(turn.role, Role::System | Role::Developer);
    conversation.turns.iter().take_while(is_instruction).count()
}

/// The messages of a list, with their count. Null messages are skipped and noted.
pub(crate) fn non_null_items<'d>(
    list: JsonNode<'d>,
    ledger: &mut Ledger,
) -> impl ExactSizeIterator<Item = JsonNode<'d>> + use<'d> {
    let mut count = 0;
    for (at, item) in list.items().enumerate() {
        if item.is_null() {
            let message = format!("message {at} is null: it is skipped");
            ledger.record_change(note::ODD_INPUT, LedgerPath::BODY, message);
        } else {
            count += 1;
        }
    }
    ExactSizeItems { items: list.items().filter(|item| !item.is_null()), remaining: count }
}

/// An iterator with a known length.
struct ExactSizeItems<I> {
    items: I,
    remaining: usize,
}

impl<I: Iterator> Iterator for ExactSizeItems<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.remaining = self.remaining.saturating_sub(1);
        self.items.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl<I: Iterator> ExactSizeIterator for ExactSizeItems<I> {}
