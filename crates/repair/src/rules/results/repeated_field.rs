//! Copies a field of a call to its result where both must have it.
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

use interlingua_model::LedgerPath;
use interlingua_wire::RawJson;

use crate::engine::Work;
use crate::query::rounds::Round;
use crate::values::block::{BlockPos, without_key};

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(key) = work.profile.calls.repeated_field else { return };
    let mut start = 0;
    while let Some(round) = Round::starting_at(work.turns(), start) {
        while let Some(((turn, at), value)) = differing_result(work, &round, key) {
            let dialect = work.profile.dialect;
            let mut extras = without_key(&work.block(turn, at).extras, dialect, key);
            extras.push(dialect, key.into(), value);
            work.edit_block(turn, at).extras = extras;
            work.record_change(
                LedgerPath::block(turn, at),
                format!("the result has the `{key}` of its call"),
            );
        }
        start = round.end();
    }
}

fn differing_result(work: &Work<'_>, round: &Round, key: &str) -> Option<(BlockPos, RawJson)> {
    let dialect = work.profile.dialect;
    round.calls(work).find_map(|((turn, at), call)| {
        let value = work.block(turn, at).extras.get(dialect, key)?;
        value.json_string().filter(|text| !text.is_empty())?;
        let has_same_value =
            |pos: BlockPos| work.block(pos.0, pos.1).extras.get(dialect, key) == Some(value);
        let mut results = round.results(work).filter(|(_, result)| result.call_id == call.id);
        let (pos, _) = results.find(|(pos, _)| !has_same_value(*pos))?;
        Some((pos, value.clone()))
    })
}
