//! The fields of a request body: read in order, and written back in that order.

use interlingua_model::{Conversation, DialectId, Ledger, Place, TopField};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json};

use crate::note;

/// The fields of the body as written. `known` says whether the model holds a field's meaning.
/// Of duplicate keys only the last stays, and that is noted.
pub fn read_fields(body: &Doc, known: impl Fn(&str) -> bool, ledger: &mut Ledger) -> Vec<TopField> {
    let mut fields: Vec<TopField> = Vec::new();
    for field in body.root().fields() {
        let key = field.key();
        if let Some(earlier) = fields.iter().position(|earlier| earlier.key == key) {
            fields.remove(earlier);
            let what = format!("`{key}` stands twice: the last one counts");
            ledger.loss(note::DUPLICATE_KEY, Place::BODY, what);
        }
        let known = known(&field.name());
        fields.push(TopField { key, value: field.value.json(), known });
    }
    fields
}

/// Writes a body back in its own dialect: fields in their order, each either as it was written or as
/// `rewrite` writes it. `rewrite` returns false for a field that leaves as written; whatever it
/// wants to add at the end it adds afterwards, to the same object.
pub fn write_fields(
    conversation: &Conversation,
    object: &mut Object<'_>,
    mut rewrite: impl FnMut(&str, &Json, &mut Object<'_>) -> bool,
) {
    for field in &conversation.fields {
        if !rewrite(&field.key.contents(), &field.value, object) {
            object.key_text(&field.key).json(&field.value);
        }
    }
}

/// Notes the fields that cannot cross from the conversation's own dialect into another.
pub fn note_left_out(conversation: &Conversation, to: DialectId, ledger: &mut Ledger) {
    if conversation.source == to {
        return;
    }
    for field in conversation.fields.iter().filter(|field| !field.known) {
        let what = format!("left out `{}`: {to} has no place for it", field.key);
        ledger.loss(note::NO_SUCH_FIELD, Place::BODY, what);
    }
}
