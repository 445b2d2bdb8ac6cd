//! A content (one turn) and the list of them, read; and the instructions, which are a content too.

use interlingua_model::{Block, Ledger, Place, Role, Turn, Verbatim};
use interlingua_wire::{Kind, Node};

use super::part::{self, Pairing};
use super::{ID, names};
use crate::{body, note};

/// The list of contents. A single content, or a bare string, stands for a list of one.
pub(super) fn decode_list(contents: Node<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Turn>> {
    let mut pairing = Pairing::default();
    if contents.is_array() {
        let mut turns = Vec::with_capacity(contents.len());
        for content in body::messages(contents, ledger) {
            turns.push(decode(content, &mut pairing, turns.len(), ledger));
        }
        return turns;
    }
    ledger.change(note::ODD_INPUT, Place::BODY, "contents are not a list: read as one content");
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
    let mut parts = None;
    for field in content.fields() {
        match names::of_field(field, &["role", "parts"]) {
            Some("parts") => parts = Some(field.value),
            Some(_) => {}
            None if names::of_field(field, BARE_PART).is_some() => parts = Some(content),
            None => turn.extras.keep(ID, field),
        }
    }
    if let Some(parts) = parts.filter(|parts| !parts.is_null()) {
        turn.blocks = decode_parts(parts, pairing, |block| Place::block(at, block), ledger);
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
    let blocks = match system.text() {
        Some(text) => vec![Verbatim::new(Block::text(text))],
        None if system.is_null() => Vec::new(),
        None => {
            let parts = names::get(system, "parts").unwrap_or(system);
            let nothing =
                parts.is_object() && parts.fields().all(|field| names::is(&field.name(), "role"));
            if nothing {
                Vec::new()
            } else {
                decode_parts(parts, &mut Pairing::default(), Place::system, ledger)
            }
        }
    };
    Verbatim::read(blocks, ID, system.json())
}

/// A missing role is the user's; `function` is an old name for the user who brings results.
fn role_of(content: Node<'_>, place: Place, ledger: &mut Ledger) -> Role {
    let Some(role) = names::get(content, "role") else { return Role::User };
    let role = role.word();
    let read = match &*role {
        "user" => return Role::User,
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
const BARE_PART: &[&str] = &["text", "inlineData", "fileData", "functionCall", "functionResponse"];
