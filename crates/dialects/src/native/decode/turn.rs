//! Decodes turns.

use interlingua_model::{Ledger, Role, Turn, Verbatim};
use interlingua_wire::JsonNode;

use super::{block, unknown_fields};
use crate::native::enum_names;
use crate::native::id::ID;

pub(crate) fn decode_turn(node: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
    if let Some((dialect, raw)) = block::decode_raw(node) {
        let turn = dialect.decode_turn(raw.to_doc().root(), ledger);
        return turn.map_keeping_text(|turn| {
            let mut nodes = node.get("blocks").into_iter().flat_map(JsonNode::items);
            let blocks = std::mem::take(&mut turn.blocks).into_iter();
            let restored = blocks.map(|block| match nodes.next() {
                Some(node) => block.map_keeping_text(|block| block::restore_id(block, node, &raw)),
                None => block,
            });
            turn.blocks = restored.collect();
        });
    }
    unknown_fields::check_turn(node, ledger);
    let role = enum_names::parse_name(enum_names::ROLES, node.get("role")).unwrap_or(Role::User);
    let blocks = block::decode_blocks(node.get("blocks"), role, ledger);
    Verbatim::with_text(Turn { role, blocks, extras: block::decode_extras(node) }, ID, node.json())
}
