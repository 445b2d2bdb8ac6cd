//! Instructions that the target insists on are added where there are none.
//!
//! ## Why
//! > Instructions are required
//!
//! ## Example
//! ```text
//! before   user: "hi"
//! after    instructions: "You are a helpful assistant."   user: "hi"
//! ```

use interlingua_model::{Block, Place, Role, Turn, Verbatim};
use interlingua_wire::Text;

use crate::Work;
use crate::look::words;

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.roles.instructed || is_instructed(work) {
        return;
    }
    work.sift_system(|work, at| words(&work.conversation().system[at]).is_some());
    work.system().push(Block::text(Text::word(USUAL)).into());
    work.change(Place::SYSTEM, "instructions are added: the target insists on some");
}

fn is_instructed(work: &Work<'_>) -> bool {
    // Of instructions nothing but texts is written.
    let text = |block: &Verbatim<Block>| block.body.as_text().is_some();
    let says = |block: &Verbatim<Block>| block.body.as_text().is_some_and(|text| !text.is_blank());
    let turns = work.turns();
    let told = if work.is_own() {
        turns.iter().any(|turn| turn.role == Role::Developer)
    } else {
        // Of what crosses, instructions at the head go into the place for them.
        let texts = |turn: &&Verbatim<Turn>| turn.blocks.iter().all(text);
        turns[..work.leading()].iter().take_while(texts).flat_map(|turn| &turn.blocks).any(says)
    };
    told || work.conversation().system.iter().any(says)
}

const USUAL: &str = "You are a helpful assistant.";
