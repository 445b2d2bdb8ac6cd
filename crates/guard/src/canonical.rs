//! Canonical JSON and fingerprints: equal values have equal text, however they were spelled.

use interlingua_model::ToolArgs;
use interlingua_wire::{JsonKind, JsonNode, JsonString, RawJson};

use crate::decimal::Decimal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberPrecision {
    /// Digit by digit.
    Exact,
    /// As `f64`, because clients parse and serialize arguments again.
    Double,
}

/// The canonical spelling of a value: sorted keys, the last of duplicate keys, no whitespace.
pub(crate) fn canonical_json(node: JsonNode<'_>, numbers: NumberPrecision) -> String {
    let mut out = String::with_capacity(node.raw().len());
    write_canonical(node, numbers, &mut out);
    out
}

/// A short text that is equal for equal arguments, also after a client has reserialized them.
pub fn fingerprint(args: &ToolArgs) -> String {
    match args {
        ToolArgs::Json(json) => hash_with_tag('j', &canonical_text(json)),
        ToolArgs::Malformed(text) => hash_with_tag('m', &text.unescape()),
        ToolArgs::Freeform(text) => hash_with_tag('f', &text.unescape()),
    }
}

/// The fingerprints under which a client may replay arguments that are no JSON object: a dialect
/// that requires an object wraps them in one.
pub(crate) fn wrapped_fingerprints(args: &ToolArgs) -> Vec<String> {
    let ToolArgs::Json(json) = args else { return Vec::new() };
    let doc = json.to_doc();
    let root = doc.root();
    let mut fields = root.fields();
    let (Some(field), None) = (fields.next(), fields.next()) else { return Vec::new() };
    let raw = fingerprint(&ToolArgs::Json(field.value.json()));
    let Some(text) = field.value.json_string() else { return vec![raw] };
    vec![
        raw,
        fingerprint(&ToolArgs::Malformed(text.clone())),
        fingerprint(&ToolArgs::from_json_string(&text)),
    ]
}

/// Whether the arguments are null, blank or an empty object: some clients replace arguments that
/// they cannot parse by these.
pub(crate) fn is_empty_args(args: &ToolArgs) -> bool {
    match args {
        ToolArgs::Json(json) => {
            json.kind() == JsonKind::Null
                || json.json_string().is_some_and(|text| text.is_blank())
                || json.is_object() && json.to_doc().root().is_empty()
        }
        ToolArgs::Malformed(text) | ToolArgs::Freeform(text) => text.is_blank(),
    }
}

fn canonical_text(json: &RawJson) -> String {
    canonical_json(json.to_doc().root(), NumberPrecision::Double)
}

/// Recursion is bounded: the JSON parser limits the depth.
fn write_canonical(node: JsonNode<'_>, numbers: NumberPrecision, out: &mut String) {
    match node.kind() {
        JsonKind::Null | JsonKind::Bool => out.push_str(node.raw()),
        JsonKind::Number => write_number(node.raw(), numbers, out),
        JsonKind::String => write_string(&node.str_or_empty(), out),
        JsonKind::Array => {
            out.push('[');
            for (at, item) in node.items().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_canonical(item, numbers, out);
            }
            out.push(']');
        }
        JsonKind::Object => {
            let mut fields: Vec<_> = node.fields().collect();
            // Keeps the last of duplicate keys: reversed, it is the first.
            fields.reverse();
            fields.sort_by(|first_field, second_field| first_field.key().cmp(&second_field.key()));
            fields.dedup_by(|later, first| later.key() == first.key());
            out.push('{');
            for (at, field) in fields.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_string(&field.key(), out);
                out.push(':');
                write_canonical(field.value, numbers, out);
            }
            out.push('}');
        }
    }
}

fn write_number(raw: &str, numbers: NumberPrecision, out: &mut String) {
    let replayed = raw.parse::<f64>().ok().filter(|_| numbers == NumberPrecision::Double);
    let exact = || Decimal::parse(raw).map(|exact| exact.to_string());
    match replayed {
        Some(0.0) => out.push('0'),
        Some(value) => out.push_str(&value.to_string()),
        None => out.push_str(&exact().unwrap_or_else(|| raw.to_owned())),
    }
}

fn write_string(contents: &str, out: &mut String) {
    out.push('"');
    out.push_str(JsonString::new(contents).raw());
    out.push('"');
}

/// FNV-1a of 128 bits, prefixed with a tag and the length.
fn hash_with_tag(kind: char, text: &str) -> String {
    let hash = text
        .bytes()
        .fold(FNV_OFFSET_BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(FNV_PRIME));
    format!("{kind}{:x}-{hash:032x}", text.len())
}

const FNV_OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const FNV_PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
