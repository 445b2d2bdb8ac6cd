//! Decodes messages.

use interlingua_model::{BlockContent, Ledger, LedgerPath, Role, Turn, Verbatim};
use interlingua_wire::JsonNode;

use super::block::decode_blocks;
use crate::bedrock::id::{self, ID};
use crate::note;

/// Decodes the message at `index` in the list.
pub(crate) fn decode_turn(node: JsonNode<'_>, index: usize, ledger: &mut Ledger) -> Verbatim<Turn> {
    let path = LedgerPath::turn(index);
    let mut turn = Turn::new(decode_role(node.get("role"), path, ledger));
    if node.is_object() {
        if let Some(content) = node.get("content") {
            turn.blocks = decode_blocks(content, path, ledger);
        }
        for field in node.fields().filter(|field| !field.key_is("role") && !field.key_is("content"))
        {
            turn.extras.push_field(ID, field);
        }
    } else {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "a message that is not an object is read as text",
        );
        turn.blocks = decode_blocks(node, path, ledger);
    }
    for (at, block) in turn.blocks.iter().enumerate() {
        if matches!(block.content, BlockContent::Json(_)) {
            let message = "JSON data is only valid inside a tool result";
            ledger.record_change(note::ODD_INPUT, LedgerPath::block(index, at), message);
        }
    }
    Verbatim::with_text(turn, ID, node.json())
}

fn decode_role(node: Option<JsonNode<'_>>, path: LedgerPath, ledger: &mut Ledger) -> Role {
    let role_name = node.map(JsonNode::str_or_empty).unwrap_or_default();
    match &*role_name {
        "user" => return Role::User,
        "assistant" => return Role::Assistant,
        "system" => return Role::System,
        _ => {}
    }
    let role = match &*role_name {
        "developer" => Role::Developer,
        "model" => Role::Assistant,
        _ => Role::User,
    };
    let message = format!("the role `{role_name}` is read as {}", id::role_name(role));
    ledger.record_change(note::ODD_INPUT, path, message);
    role
}
