//! A content (one turn) and the list of them, read; and the instructions, which are a content too.

use interlingua_model::{Block, Ledger, Place, Role, Turn, Verbatim};
use interlingua_wire::{Field, Json, Kind, Node};

use super::pairing::Pairing;
use super::{ID, names, part};
use crate::{body, note};

/// The list of contents. A single content stands for a list of one, and the provider reads it so.
pub(super) fn decode_list(contents: Node<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Turn>> {
    let mut pairing = Pairing::default();
    if contents.is_array() {
        let mut turns = Vec::with_capacity(contents.len());
        for content in body::messages(contents, ledger) {
            turns.push(decode(content, &mut pairing, turns.len(), ledger));
        }
        return turns;
    }
    if !contents.is_object() {
        ledger.change(note::ODD_INPUT, Place::BODY, "contents are not a list: read as one content");
    }
    vec![decode(contents, &mut pairing, 0, ledger)]
}

pub(super) fn decode(
    content: Node<'_>,
    pairing: &mut Pairing,
    at: usize,
    ledger: &mut Ledger,
) -> Verbatim<Turn> {
    let place = Place::turn(at);
    if content.kind() == Kind::Null {
        ledger.change(note::ODD_INPUT, place, "a content is null: read as empty");
        return Verbatim::read(Turn::new(Role::User), ID, content.json());
    }
    if !content.is_object() {
        let what = "a content is not an object: read as the user's";
        ledger.change(note::ODD_INPUT, place, what);
        let mut turn = Turn::new(Role::User);
        turn.blocks = decode_parts(content, pairing, |_| place, ledger);
        return Verbatim::read(turn, ID, content.json());
    }
    let mut turn = Turn::new(role_of(content, place, ledger));
    pairing.next_speaker(turn.role == Role::Assistant);
    let parts = names::get(content, "parts");
    let bare = parts.is_none() && content.fields().any(is_bare);
    for field in content.fields() {
        if names::of_field(field, &["role", "parts"]).is_none() && !(bare && is_bare(field)) {
            turn.extras.keep(ID, field);
        }
    }
    let block_place = |block| Place::block(at, block);
    if let Some(parts) = parts {
        turn.blocks = decode_parts(parts, pairing, block_place, ledger);
    } else if bare {
        ledger.change(note::ODD_INPUT, place, "what a part holds stands in the content itself");
        let part = bare_part(content);
        turn.blocks = vec![part::decode(part.doc().root(), pairing, block_place(0), ledger)];
    }
    Verbatim::read(turn, ID, content.json())
}

/// The parts of a content: a list, one part alone, or a bare string.
pub(super) fn decode_parts(
    parts: Node<'_>,
    pairing: &mut Pairing,
    place: impl Fn(usize) -> Place,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    if !parts.is_array() {
        return vec![part::decode(parts, pairing, place(0), ledger)];
    }
    let mut blocks = Vec::with_capacity(parts.len());
    for part in parts.items() {
        blocks.push(part::decode(part, pairing, place(blocks.len()), ledger));
    }
    blocks
}

/// The instructions: a content, its parts, one part, or a string.
pub(super) fn decode_system(
    system: Node<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Block>>> {
    let place = Place { block: None, ..Place::system(0) };
    let parts = names::get(system, "parts");
    let bare = parts.is_none() && system.fields().any(is_bare);
    let strange = |field: Field<'_>| match names::of_field(field, &["role", "parts"]) {
        Some("role") => !field.value.is_string() && !field.value.is_null(),
        Some(_) => false,
        None => true,
    };
    let blocks = match system.kind() {
        Kind::Null => Vec::new(),
        Kind::Object => {
            if system.fields().any(strange) {
                let what = "the instructions have fields that a content has not";
                ledger.change(note::ODD_INPUT, place, what);
            }
            match parts {
                Some(parts) => decode_parts(parts, &mut Pairing::default(), Place::system, ledger),
                None if bare => {
                    let part = bare_part(system);
                    decode_parts(part.doc().root(), &mut Pairing::default(), Place::system, ledger)
                }
                None => Vec::new(),
            }
        }
        Kind::Array | Kind::String | Kind::Bool | Kind::Number => {
            ledger.change(
                note::ODD_INPUT,
                place,
                "the instructions are no content: read as its parts",
            );
            match system.text() {
                Some(text) => vec![Verbatim::new(Block::text(text))],
                None => decode_parts(system, &mut Pairing::default(), Place::system, ledger),
            }
        }
    };
    Verbatim::read(blocks, ID, system.json())
}

/// Whether a field of a content is one that its parts have.
fn is_bare(field: Field<'_>) -> bool {
    !field.value.is_null() && names::of_field(field, BARE_PART).is_some()
}

/// The part that stands in a content's place.
fn bare_part(content: Node<'_>) -> Json {
    Json::object(|part| {
        for field in content.fields().filter(|field| is_bare(*field)) {
            part.key_text(&field.key()).json(&field.value.json());
        }
    })
}

/// A missing role is the user's; `function` is an old name for the user who brings results.
fn role_of(content: Node<'_>, place: Place, ledger: &mut Ledger) -> Role {
    let Some(role) = names::get(content, "role") else { return Role::User };
    if !role.is_string() {
        ledger.change(note::ODD_INPUT, place, "a role is not a string: read as the user's");
        return Role::User;
    }
    let role = role.word();
    let read = match &*role {
        // Who says nothing is the user; one of the two backends takes it so.
        "user" | "" => return Role::User,
        "model" => return Role::Assistant,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        "developer" => Role::Developer,
        _ => Role::User,
    };
    ledger.change(note::ODD_INPUT, place, format!("no such role: `{role}`"));
    read
}

/// Fields by which a part that stands in a content's place is known.
const BARE_PART: &[&str] = &[
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "thought",
    "thoughtSignature",
];
