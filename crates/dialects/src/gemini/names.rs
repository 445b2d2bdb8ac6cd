//! Field names: protocol-buffer JSON is read in camelCase and in `snake_case` alike.

use std::cmp::Ordering;

use interlingua_model::{DialectId, Extras, Ledger, Place};
use interlingua_wire::json::Object;
use interlingua_wire::{Field, Json, Kind, Node, Text};

use crate::note;

/// Whether a written name is this one, in either spelling: the parser knows no mixture of the two.
pub(super) fn is(written: &str, camel: &str) -> bool {
    // With underscores a name is longer.
    if written.len() <= camel.len() {
        return written == camel;
    }
    let mut written = written.bytes();
    let fits = camel.bytes().all(|byte| {
        (!byte.is_ascii_uppercase() || written.next() == Some(b'_'))
            && written.next() == Some(byte.to_ascii_lowercase())
    });
    fits && written.next().is_none()
}

/// Which of these names a written one is.
pub(super) fn one_of(written: &str, names: &[&'static str]) -> Option<&'static str> {
    names.iter().copied().find(|camel| is(written, camel))
}

/// Which of these names a field has.
pub(super) fn of_field(field: Field<'_>, names: &[&'static str]) -> Option<&'static str> {
    let spelling = Spelling::of(field);
    names.iter().copied().find(|camel| spelling.is(camel))
}

/// The value of a field; `null` is how the protocol says that it is not there.
pub(super) fn get<'d>(node: Node<'d>, camel: &str) -> Option<Node<'d>> {
    let [found] = pick(node, [camel]);
    found
}

/// A string field. One of another type is odd, and there is none.
pub(super) fn text(node: Node<'_>, camel: &str, place: Place, ledger: &mut Ledger) -> Option<Text> {
    let value = get(node, camel)?;
    if !value.is_string() {
        ledger.change(note::ODD_INPUT, place, format!("`{camel}` is not a string"));
    }
    value.text()
}

/// A truth, which may also be said in words.
pub(super) fn truth(value: Node<'_>) -> Option<bool> {
    match &*value.word() {
        "true" => Some(true),
        "false" => Some(false),
        _ => value.boolean(),
    }
}

/// As [`get`], for several fields, found in one pass.
pub(super) fn pick<'d, const N: usize>(node: Node<'d>, names: [&str; N]) -> [Option<Node<'d>>; N] {
    let mut found = [None; N];
    for field in node.fields() {
        let spelling = Spelling::of(field);
        for (name, found) in names.iter().zip(&mut found) {
            if spelling.is(name) {
                *found = Some(field.value).filter(|value| !value.is_null());
            }
        }
    }
    found
}

/// As [`pick`], and whether there are other fields.
pub(super) fn sort<'d, const N: usize>(
    node: Node<'d>,
    names: &[&str; N],
) -> ([Option<Node<'d>>; N], bool) {
    let (mut found, mut others) = ([None; N], false);
    for field in node.fields() {
        let spelling = Spelling::of(field);
        let value = Some(field.value).filter(|value| !value.is_null());
        match names.iter().position(|name| spelling.is(name)) {
            Some(at) => found[at] = value,
            None => others |= value.is_some(),
        }
    }
    (found, others)
}

/// Whether a field has this name, in either spelling.
pub(super) fn is_field(field: Field<'_>, camel: &str) -> bool {
    Spelling::of(field).is(camel)
}

/// The name of a field as it is written.
struct Spelling<'d> {
    field: Field<'d>,
    raw: &'d [u8],
}

impl<'d> Spelling<'d> {
    #[inline]
    fn of(field: Field<'d>) -> Self {
        Self { field, raw: field.raw_key().as_bytes() }
    }

    #[inline]
    fn is(&self, camel: &str) -> bool {
        match self.raw.len().cmp(&camel.len()) {
            Ordering::Less => false,
            Ordering::Equal => self.raw == camel.as_bytes(),
            // With underscores a name is longer, and with escapes.
            Ordering::Greater => {
                let first = self.raw[0];
                (first == b'\\' || Some(&first) == camel.as_bytes().first())
                    && is(&self.field.name(), camel)
            }
        }
    }
}

/// The fields of an object other than these, as an object; nothing where there are none. One that
/// nobody knows is refused even where it is null.
pub(super) fn others(node: Node<'_>, known: &[&'static str]) -> Option<Json> {
    let unknown = || node.fields().filter(|field| of_field(*field, known).is_none());
    unknown().next()?;
    Some(Json::object(|object| {
        for field in unknown() {
            object.key_text(&field.key()).json(&field.value.json());
        }
    }))
}

/// Writes the fields of an object that [`others`] has kept.
pub(super) fn write_others(kept: Option<&Json>, object: &mut Object<'_>) {
    let Some(kept) = kept else { return };
    for field in kept.doc().root().fields() {
        object.key_text(&field.key()).json(&field.value.json());
    }
}

/// Notes, in one entry, the fields of another dialect that stay behind.
pub(super) fn note_extras(extras: &Extras, to: DialectId, place: Place, ledger: &mut Ledger) {
    let Some((from, fields)) = extras.all().filter(|(from, _)| *from != to) else { return };
    let names: Vec<_> = fields
        .iter()
        .filter(|(key, value)| {
            let noise = value.kind() == Kind::Null
                || key == "index"
                || (key == "status" && value.as_str() == "\"completed\"");
            !noise
        })
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    if !names.is_empty() {
        let what = format!("left out {} of {from}", names.join(", "));
        ledger.loss(note::NO_SUCH_FIELD, place, what);
    }
}
