//! A result repeats what its call says about where it belongs.
//!
//! ## Why
//! > messages.2.content.0.tool_result.toolset_name: must match the `toolset_name` of the `tool_use`
//! > block: browser
//!
//! ## Example
//! ```text
//! before   call 1 `open` of the toolset `browser`, result 1
//! after    call 1 `open` of the toolset `browser`, result 1 of the toolset `browser`
//! ```

use interlingua_model::Place;
use interlingua_wire::Json;

use crate::Work;
use crate::pairing::{Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    let Some(key) = work.profile.calls.repeated else { return };
    let mut start = 0;
    while let Some(round) = Round::at(work.turns(), start) {
        while let Some(((turn, at), value)) = differing(work, &round, key) {
            let dialect = work.profile.dialect;
            let mut extras = crate::extras::without(&work.block(turn, at).extras, dialect, key);
            extras.put(dialect, key.into(), value);
            work.edit(turn, at).extras = extras;
            work.change(Place::block(turn, at), format!("the result has the `{key}` of its call"));
        }
        start = round.end();
    }
}

fn differing(work: &Work<'_>, round: &Round, key: &str) -> Option<(Spot, Json)> {
    let dialect = work.profile.dialect;
    round.calls(work).find_map(|((turn, at), call)| {
        let value = work.block(turn, at).extras.find(dialect, key)?;
        value.text().filter(|text| !text.is_empty())?;
        let same = |spot: Spot| work.block(spot.0, spot.1).extras.find(dialect, key) == Some(value);
        let mut results = round.results(work).filter(|(_, result)| result.call == call.id);
        let (spot, _) = results.find(|(spot, _)| !same(*spot))?;
        Some((spot, value.clone()))
    })
}
