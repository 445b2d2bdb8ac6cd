//! Calls that wait for their results, in the order they were made.

use interlingua_model::{Place, derive_id};
use interlingua_wire::Text;

/// The calls that no result has answered yet, by id and name: a result without an id answers one.
#[derive(Debug, Default)]
pub(super) struct Unanswered(pub(super) Vec<(Text, Text)>);

impl Unanswered {
    pub(super) fn answer(&mut self, id: Text) -> Text {
        self.0.retain(|(open, _)| *open != id);
        id
    }

    /// The call a result without an id most likely answers: the first open one of that name, or the
    /// first open one at all.
    pub(super) fn guess(&mut self, name: Option<&Text>, place: Place) -> Text {
        let of_name = self.0.iter().position(|(_, open)| Some(open) == name);
        if let Some(at) = of_name.or((!self.0.is_empty()).then_some(0)) {
            self.0.remove(at).0
        } else {
            let number = place.index.unwrap_or_default() as usize * CALLS_PER_TURN;
            derive_id("call_", name.unwrap_or(&Text::EMPTY), number)
        }
    }
}

/// Keeps derived ids of different turns apart.
pub(super) const CALLS_PER_TURN: usize = 128;
