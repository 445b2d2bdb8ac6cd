//! Neighbouring turns that belong together.

use interlingua_model::{Conversation, Role, Turn, Verbatim};

/// A run of turns with one role, and the place of its first.
#[derive(Clone, Copy, Debug)]
pub struct Run<'c> {
    pub role: Role,
    pub first: usize,
    pub turns: &'c [Verbatim<Turn>],
}

/// The turns in runs of one role, for dialects that say a run as one message.
pub fn runs(turns: &[Verbatim<Turn>]) -> impl Iterator<Item = Run<'_>> {
    let mut first = 0;
    turns.chunk_by(|a, b| a.role == b.role).map(move |turns| {
        let run = Run { role: turns[0].role, first, turns };
        first += turns.len();
        run
    })
}

/// How many turns at the beginning are instructions.
pub fn leading_instructions(conversation: &Conversation) -> usize {
    let is_instruction =
        |turn: &&Verbatim<Turn>| matches!(turn.role, Role::System | Role::Developer);
    conversation.turns.iter().take_while(is_instruction).count()
}
