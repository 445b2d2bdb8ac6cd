//! Empty instructions are left out, and with the last of them the field.
//!
//! A cache mark on them goes to the block before.
//!
//! ## Why
//! > Invalid length for parameter system\[0\].text, value: 0, valid min length: 1
//!
//! > system: text content blocks must be non-empty
//!
//! > GenerateContentRequest.system_instruction.parts\[0\].data: required oneof field 'data' must have
//! > one initialized field
//!
//! ## Example
//! ```text
//! before   system: "", "Be brief."
//! after    system: "Be brief."
//! ```

use interlingua_model::Place;
use interlingua_wire::Kind;

use crate::Work;
use crate::profile::texts::Least;

pub fn apply(work: &mut Work<'_>) {
    let least = match work.profile.texts.least_in_system {
        Least::Nothing if !work.is_own() => Least::Something,
        least => least,
    };
    let system = &work.conversation().system;
    // An empty string is not the same as a block of it.
    let is_string =
        system.text_for(work.profile.dialect).is_some_and(|text| text.kind() == Kind::String);
    if is_string || !system.iter().any(|block| work.holds_less(block, least)) {
        return;
    }
    let mut gone = Vec::new();
    for at in (0..work.conversation().system.len()).rev() {
        if work.holds_less(&work.conversation().system[at], least) {
            hand_on(work, at);
            gone.push(at);
        }
    }
    work.sift_system(|_, at| gone.pop_if(|next| *next == at).is_some());
}

/// Its mark goes to what stands before it.
fn hand_on(work: &mut Work<'_>, at: usize) {
    work.change(Place::system(at), "left out empty instructions");
    let Some(cache) = work.conversation().system[at].cache.clone() else { return };
    let before = at.checked_sub(1).and_then(|before| work.system().get_mut(before));
    match before {
        Some(before) if before.cache.is_none() => before.edit().cache = Some(cache),
        Some(_) => {}
        None => work.loss(Place::SYSTEM, "left out the cache mark of empty instructions"),
    }
}
