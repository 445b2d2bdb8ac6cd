//! Decodes contents (turns) and the system instruction, which has the same form.

use interlingua_model::{Block, Ledger, LedgerPath, Role, Turn, Verbatim};
use interlingua_wire::{Field, JsonKind, JsonNode, RawJson};

use super::block;
use super::call_pairing::CallPairing;
use crate::common::turn_list;
use crate::gemini::field_name;
use crate::gemini::id::ID;
use crate::note;

/// Decodes the list of contents. The provider also accepts one content without a list.
pub(crate) fn decode_contents(contents: JsonNode<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Turn>> {
    let mut pairing = CallPairing::default();
    if contents.is_array() {
        let mut turns = Vec::with_capacity(contents.len());
        for content in turn_list::non_null_items(contents, ledger) {
            turns.push(decode_content(content, &mut pairing, turns.len(), ledger));
        }
        return turns;
    }
    if !contents.is_object() {
        ledger.record_change(
            note::ODD_INPUT,
            LedgerPath::BODY,
            "`contents` is not a list: read as one content",
        );
    }
    vec![decode_content(contents, &mut pairing, 0, ledger)]
}

pub(crate) fn decode_content(
    content: JsonNode<'_>,
    pairing: &mut CallPairing,
    at: usize,
    ledger: &mut Ledger,
) -> Verbatim<Turn> {
    let path = LedgerPath::turn(at);
    if content.kind() == JsonKind::Null {
        ledger.record_change(note::ODD_INPUT, path, "a content is null: read as empty");
        return Verbatim::with_text(Turn::new(Role::User), ID, content.json());
    }
    if !content.is_object() {
        let message = "a content is not an object: read as the user's";
        ledger.record_change(note::ODD_INPUT, path, message);
        let mut turn = Turn::new(Role::User);
        turn.blocks = decode_parts(content, pairing, |_| path, ledger);
        return Verbatim::with_text(turn, ID, content.json());
    }
    let mut turn = Turn::new(decode_role(content, path, ledger));
    pairing.begin_turn(turn.role == Role::Assistant);
    let parts = field_name::get(content, "parts");
    let has_part_fields = parts.is_none() && content.fields().any(is_bare_part_field);
    for field in content.fields() {
        if field_name::find_known_field(field, &["role", "parts"]).is_none()
            && !(has_part_fields && is_bare_part_field(field))
        {
            turn.extras.push_field(ID, field);
        }
    }
    let block_path = |block| LedgerPath::block(at, block);
    if let Some(parts) = parts {
        turn.blocks = decode_parts(parts, pairing, block_path, ledger);
    } else if has_part_fields {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "a content has part fields without `parts`: read as one part",
        );
        let part = bare_part(content);
        turn.blocks =
            vec![block::decode_part(part.to_doc().root(), pairing, block_path(0), ledger)];
    }
    Verbatim::with_text(turn, ID, content.json())
}

/// Decodes the parts of a content: a list, one part, or a bare string.
pub(crate) fn decode_parts(
    parts: JsonNode<'_>,
    pairing: &mut CallPairing,
    path: impl Fn(usize) -> LedgerPath,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    if !parts.is_array() {
        return vec![block::decode_part(parts, pairing, path(0), ledger)];
    }
    let mut blocks = Vec::with_capacity(parts.len());
    for part in parts.items() {
        blocks.push(block::decode_part(part, pairing, path(blocks.len()), ledger));
    }
    blocks
}

/// Decodes the system instruction: a content, its parts, one part, or a string.
pub(crate) fn decode_system(
    system: JsonNode<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Block>>> {
    let path = LedgerPath { block: None, ..LedgerPath::system(0) };
    let parts = field_name::get(system, "parts");
    let has_part_fields = parts.is_none() && system.fields().any(is_bare_part_field);
    let is_odd_field =
        |field: Field<'_>| match field_name::find_known_field(field, &["role", "parts"]) {
            Some("role") => !field.value.is_string() && !field.value.is_null(),
            Some(_) => false,
            None => true,
        };
    let blocks = match system.kind() {
        JsonKind::Null => Vec::new(),
        JsonKind::Object => {
            if system.fields().any(is_odd_field) {
                let message = "the system instruction has unknown fields";
                ledger.record_change(note::ODD_INPUT, path, message);
            }
            match parts {
                Some(parts) => {
                    decode_parts(parts, &mut CallPairing::default(), LedgerPath::system, ledger)
                }
                None if has_part_fields => {
                    let part = bare_part(system);
                    decode_parts(
                        part.to_doc().root(),
                        &mut CallPairing::default(),
                        LedgerPath::system,
                        ledger,
                    )
                }
                None => Vec::new(),
            }
        }
        JsonKind::Array | JsonKind::String | JsonKind::Bool | JsonKind::Number => {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                "the system instruction is not a content: read as parts",
            );
            match system.json_string() {
                Some(text) => vec![Verbatim::new(Block::text(text))],
                None => {
                    decode_parts(system, &mut CallPairing::default(), LedgerPath::system, ledger)
                }
            }
        }
    };
    Verbatim::with_text(blocks, ID, system.json())
}

/// Returns whether a content's field is one that belongs to a part.
fn is_bare_part_field(field: Field<'_>) -> bool {
    !field.value.is_null() && field_name::find_known_field(field, BARE_PART_KEYS).is_some()
}

/// Builds a part from the part fields of a content.
fn bare_part(content: JsonNode<'_>) -> RawJson {
    RawJson::object(|part| {
        for field in content.fields().filter(|field| is_bare_part_field(*field)) {
            part.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    })
}

/// A missing role means user. `function` is an old role name for tool responses.
fn decode_role(content: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Role {
    let Some(role) = field_name::get(content, "role") else { return Role::User };
    if !role.is_string() {
        ledger.record_change(note::ODD_INPUT, path, "a role is not a string: read as the user's");
        return Role::User;
    }
    let role = role.str_or_empty();
    let decoded = match &*role {
        // An empty role means user, as on one of the two backends.
        "user" | "" => return Role::User,
        "model" => return Role::Assistant,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        "developer" => Role::Developer,
        _ => Role::User,
    };
    ledger.record_change(note::ODD_INPUT, path, format!("unknown role `{role}`"));
    decoded
}

/// Field names that identify a part written directly into a content.
const BARE_PART_KEYS: &[&str] = &[
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "thought",
    "thoughtSignature",
];
