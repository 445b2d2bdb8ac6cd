//! Mutations that mostly keep JSON valid: values are replaced, repeated, wrapped, removed or moved.

use std::ops::Range;

use interlingua_wire::{JsonDoc, JsonLimits, JsonNode};

use crate::rng::Rng;

/// Changes one value; `false` if the data is not JSON.
pub(super) fn change(data: &mut Vec<u8>, other: &[u8], rng: &mut Rng) -> bool {
    let Some(spans) = value_ranges(data) else { return false };
    let Some(span) = rng.choose(&spans).cloned() else { return false };
    let old = data[span.clone()].to_vec();
    let new = match rng.below(8) {
        0 | 1 => rng.choose(VALUES).copied().unwrap_or_default().to_vec(),
        2 => [b"[".as_slice(), &old, b"]"].concat(),
        3 => [b"{\"".as_slice(), rng.choose(KEYS).copied().unwrap_or_default(), b"\":", &old, b"}"]
            .concat(),
        // Valid only in an array; elsewhere it is a useful syntax error.
        4 => [old.as_slice(), b",", &old].concat(),
        5 => rng.choose(&spans).map_or_else(Vec::new, |from| data[from.clone()].to_vec()),
        6 => value_of_other(other, rng).unwrap_or(old),
        _ => as_string(&old),
    };
    data.splice(span, new);
    true
}

/// A random value of another seed.
fn value_of_other(other: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    let spans = value_ranges(other)?;
    rng.choose(&spans).map(|span| other[span.clone()].to_vec())
}

/// The value as JSON text in a string, like the arguments of a call.
fn as_string(value: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(value);
    serde_json::Value::from(text.as_ref()).to_string().into_bytes()
}

/// The byte ranges of all values, without keys.
fn value_ranges(data: &[u8]) -> Option<Vec<Range<usize>>> {
    let doc = JsonDoc::from_bytes(data.to_vec().into(), JsonLimits::default()).ok()?;
    let mut spans = Vec::new();
    visit(doc.root(), doc.text(), &mut spans);
    Some(spans)
}

fn visit(node: JsonNode<'_>, text: &str, spans: &mut Vec<Range<usize>>) {
    let raw = node.raw();
    let start = raw.as_ptr() as usize - text.as_ptr() as usize;
    spans.push(start..start + raw.len());
    node.items().for_each(|item| visit(item, text, spans));
    node.fields().for_each(|field| visit(field.value, text, spans));
}

const VALUES: &[&[u8]] = &[
    b"null",
    b"true",
    b"false",
    b"0",
    b"-1",
    b"1e400",
    b"0.1",
    b"123456789012345678901234567890",
    b"\"\"",
    b"\" \"",
    b"\"\\n\"",
    b"\"\\ud800\"",
    b"\"\\u0000\"",
    b"\"a\\\"b\"",
    b"{}",
    b"[]",
    b"[null]",
    b"{\"\":\"\"}",
    b"[[]]",
    b"\"{}\"",
    b"\"{\\\"a\\\":1\"",
    b"\"text\"",
    b"\"user\"",
    b"\"assistant\"",
    b"\"tool\"",
    b"\"system\"",
];

const KEYS: &[&[u8]] = &[
    b"",
    b"a",
    b"\\u0061",
    b"type",
    b"role",
    b"content",
    b"text",
    b"id",
    b"name",
    b"input",
    b"arguments",
    b"index",
    b"delta",
    b"usage",
];
