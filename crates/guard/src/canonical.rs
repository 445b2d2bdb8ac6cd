//! Values as they are compared: however they were spelled, what is equal is spelled alike.

use interlingua_model::Args;
use interlingua_wire::{Json, Kind, Node, Text};

use crate::schema::Decimal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Digit for digit.
    Exact,
    /// As they are after a client has read and written them again.
    Replayed,
}

/// A value in the spelling that all its equals share: keys sorted, the last of duplicates, no space.
pub(crate) fn spelled(node: Node<'_>, numbers: Numbers) -> String {
    let mut out = String::with_capacity(node.raw().len());
    spell(node, numbers, &mut out);
    out
}

/// A short text that is the same for the same arguments, as a client replays them.
pub fn fingerprint(args: &Args) -> String {
    match args {
        Args::Json(json) => hashed('j', &of_json(json)),
        Args::Malformed(text) => hashed('m', &text.contents()),
        Args::Freeform(text) => hashed('f', &text.contents()),
    }
}

/// The fingerprints under which a client may replay arguments that are no JSON object: where its
/// dialect has no room for them they travel inside an object, or not at all.
pub(crate) fn unwrapped(args: &Args) -> Vec<String> {
    let Args::Json(json) = args else { return Vec::new() };
    let doc = json.doc();
    let root = doc.root();
    let mut fields = root.fields();
    let (Some(field), None) = (fields.next(), fields.next()) else { return Vec::new() };
    let raw = fingerprint(&Args::Json(field.value.json()));
    let Some(text) = field.value.text() else { return vec![raw] };
    vec![raw, fingerprint(&Args::Malformed(text.clone())), fingerprint(&Args::from_text(&text))]
}

/// Whether nothing was said: such arguments are what some clients make of those they cannot read.
pub(crate) fn are_empty(args: &Args) -> bool {
    match args {
        Args::Json(json) => {
            json.kind() == Kind::Null
                || json.text().is_some_and(|text| text.is_blank())
                || json.is_object() && json.doc().root().is_empty()
        }
        Args::Malformed(text) | Args::Freeform(text) => text.is_blank(),
    }
}

fn of_json(json: &Json) -> String {
    spelled(json.doc().root(), Numbers::Replayed)
}

/// The depth of a value is limited where it was read.
fn spell(node: Node<'_>, numbers: Numbers, out: &mut String) {
    match node.kind() {
        Kind::Null | Kind::Bool => out.push_str(node.raw()),
        Kind::Number => number(node.raw(), numbers, out),
        Kind::String => quoted(&node.word(), out),
        Kind::Array => {
            out.push('[');
            for (at, item) in node.items().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                spell(item, numbers, out);
            }
            out.push(']');
        }
        Kind::Object => {
            let mut fields: Vec<_> = node.fields().collect();
            // The last of duplicates is the first that is kept.
            fields.reverse();
            fields.sort_by(|one, other| one.name().cmp(&other.name()));
            fields.dedup_by(|later, first| later.name() == first.name());
            out.push('{');
            for (at, field) in fields.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                quoted(&field.name(), out);
                out.push(':');
                spell(field.value, numbers, out);
            }
            out.push('}');
        }
    }
}

fn number(raw: &str, numbers: Numbers, out: &mut String) {
    let replayed = raw.parse::<f64>().ok().filter(|_| numbers == Numbers::Replayed);
    let exact = || Decimal::parse(raw).map(|exact| exact.to_string());
    match replayed {
        Some(0.0) => out.push('0'),
        Some(value) => out.push_str(&value.to_string()),
        None => out.push_str(&exact().unwrap_or_else(|| raw.to_owned())),
    }
}

fn quoted(contents: &str, out: &mut String) {
    out.push('"');
    out.push_str(Text::new(contents).raw());
    out.push('"');
}

/// FNV-1a of 128 bits, and the length.
fn hashed(kind: char, text: &str) -> String {
    let hash =
        text.bytes().fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    format!("{kind}{:x}-{hash:032x}", text.len())
}

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
