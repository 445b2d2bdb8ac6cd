//! The user speaks first where the target wants it: a short turn is put before the assistant's.
//!
//! ## Why
//! > A conversation must start with a user message. Try again with a conversation that starts with a
//! > user message.
//!
//! > Conversation must start with a user message or system message
//!
//! ## Example
//! ```text
//! before   assistant: "Welcome!"   user: "hi"
//! after    user: "(start of the conversation)"   assistant: "Welcome!"   user: "hi"
//! ```

use interlingua_model::{Block, Place, Role, Turn};
use interlingua_wire::Text;

use crate::Work;
use crate::look::is_assistants;
use crate::profile::roles::First;

pub fn apply(work: &mut Work<'_>) {
    let Some(first) = work.first_speaker() else { return };
    if !is_assistants(&work.turns()[first]) {
        return;
    }
    let wanted = match work.profile.roles.first {
        First::Anyone => false,
        First::User => true,
        First::NotTheAssistant => !is_instructed(work),
    };
    if wanted {
        let mut turn = Turn::new(Role::User);
        turn.blocks.push(Block::text(Text::word(START)).into());
        work.insert_turn(first, turn);
        work.change(Place::turn(first), "the user speaks first");
    }
}

/// Whether any instructions are said before.
fn is_instructed(work: &Work<'_>) -> bool {
    let leading = &work.turns()[..work.leading()];
    leading.iter().any(|turn| work.is_spoken(turn))
        || work.conversation().system.iter().any(|block| work.is_said(block))
}

const START: &str = "(start of the conversation)";
