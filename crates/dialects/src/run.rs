//! Groups neighbouring turns of the same role.

use interlingua_model::{Conversation, Role, Turn, Verbatim};

/// A run of turns with one role, and the index of its first turn.
#[derive(Clone, Copy, Debug)]
pub struct RoleRun<'c> {
    pub role: Role,
    pub first_index: usize,
    pub turns: &'c [Verbatim<Turn>],
}

/// Splits the turns into runs of one role, for dialects that encode a run as one message.
pub fn role_runs(turns: &[Verbatim<Turn>]) -> impl Iterator<Item = RoleRun<'_>> {
    let mut first = 0;
    turns.chunk_by(|a, b| a.role == b.role).map(move |turns| {
        let run = RoleRun { role: turns[0].role, first_index: first, turns };
        first += turns.len();
        run
    })
}

/// Number of instruction turns at the beginning.
pub fn leading_instruction_count(conversation: &Conversation) -> usize {
    let is_instruction =
        |turn: &&Verbatim<Turn>| matches!(turn.role, Role::System | Role::Developer);
    conversation.turns.iter().take_while(is_instruction).count()
}
