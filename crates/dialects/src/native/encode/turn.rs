//! Encodes turns.

use interlingua_model::{Turn, Verbatim};
use interlingua_wire::json::ObjectWriter;

use super::block::{self, RawPolicy};
use crate::native::enum_names;

pub(crate) fn encode_turn(turn: &Verbatim<Turn>, o: &mut ObjectWriter<'_>) {
    let policy = if block::has_raw(turn.original()) { RawPolicy::Omit } else { RawPolicy::Include };
    o.str("role", enum_names::name_of(enum_names::ROLES, turn.role));
    o.array("blocks", |a| block::encode_blocks(&turn.blocks, policy, a));
    block::encode_extras(&turn.extras, o);
    block::encode_raw(turn.original(), o);
}
