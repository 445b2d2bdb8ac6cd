//! The developer's instructions are the system's where the target knows no developer, and the other way
//! round.
//!
//! ## Why
//! > messages\[0\].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`,
//! > `tool`
//!
//! > developer is not one of \['system', 'assistant', 'user', 'tool', 'function'\]
//!
//! > System messages are not allowed
//!
//! ## Example
//! ```text
//! before   developer: "Be brief."
//! after    system: "Be brief."
//! ```

use interlingua_model::{Block, Place, Role, Turn, Verbatim};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let roles = work.profile.roles;
    // Where dialects are crossed, writing says it in the words there are.
    if !roles.developer && work.is_own() {
        rename(
            work,
            Role::Developer,
            Role::System,
            "the developer's instructions are the system's",
        );
    }
    if !roles.system {
        rename(
            work,
            Role::System,
            Role::Developer,
            "the system's instructions are the developer's",
        );
    }
}

fn rename(work: &mut Work<'_>, from: Role, to: Role, what: &'static str) {
    // Of what crosses, the texts at the head have a place of their own.
    let text = |block: &Verbatim<Block>| block.body.as_text().is_some();
    let texts = |turn: &&Verbatim<Turn>| turn.blocks.iter().all(text);
    let leading = if work.is_own() { 0 } else { work.leading() };
    let head = work.turns()[..leading].iter().take_while(texts).count();
    for turn in head..work.turns().len() {
        if work.turns()[turn].role == from {
            work.turn(turn).role = to;
            work.change(Place::turn(turn), what);
        }
    }
}
