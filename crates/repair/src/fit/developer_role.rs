//! The developer's instructions are the system's where the target knows no developer.
//!
//! ## Why
//! > messages\[0\].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`,
//! > `tool`
//!
//! > developer is not one of \['system', 'assistant', 'user', 'tool', 'function'\]
//!
//! ## Example
//! ```text
//! before   developer: "Be brief."
//! after    system: "Be brief."
//! ```

use interlingua_model::{Place, Role};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    // Where dialects are crossed, writing says it in the words there are.
    if work.profile.roles.developer || !work.is_own() {
        return;
    }
    for turn in 0..work.turns().len() {
        if work.turns()[turn].role == Role::Developer {
            work.turn(turn).role = Role::System;
            work.change(Place::turn(turn), "the developer's instructions are the system's");
        }
    }
}
