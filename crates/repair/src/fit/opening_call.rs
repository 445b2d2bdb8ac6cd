//! A call comes after something the user said.
//!
//! Compaction may leave a conversation that begins with a call. Where a call must follow the user's
//! words, some are put before it.
//!
//! ## Why
//! > Please ensure that function call turn comes immediately after a user turn or after a function
//! > response turn.
//!
//! ## Example
//! ```text
//! before   assistant: call 1                              user: result 1
//! after    user: "…"        assistant: call 1             user: result 1
//! ```

use interlingua_model::{Block, Place, Role, Turn};
use interlingua_wire::Text;

use crate::Work;
use crate::pairing::{self, Round};
use crate::profile::calls::Answers;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.calls.answers != Answers::Counted {
        return;
    }
    let instructs = |role| matches!(role, Role::System | Role::Developer);
    let leading = work.turns().iter().take_while(|turn| instructs(turn.role)).count();
    let Some(round) = Round::at(work.turns(), leading) else { return };
    let opens = round.calls(work).next().is_some();
    if !opens || !pairing::crosses(work) && leading > 0 {
        return;
    }
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(Block::text(Text::word(NOTHING)).into());
    work.insert_turn(leading, turn);
    work.change(Place::turn(leading), "the conversation begins with a call: words before it");
}

/// What the user is taken to have said.
const NOTHING: &str = "(earlier conversation omitted)";
