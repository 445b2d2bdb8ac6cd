//! Changes that keep JSON whole: values are replaced, repeated, wrapped, removed or moved.

use std::ops::Range;

use interlingua_wire::{Doc, Limits, Node};

use crate::random::Random;

/// Changes one value; `false` if the data is not JSON.
pub(super) fn change(data: &mut Vec<u8>, other: &[u8], random: &mut Random) -> bool {
    let Some(spans) = values(data) else { return false };
    let Some(span) = random.pick(&spans).cloned() else { return false };
    let old = data[span.clone()].to_vec();
    let new = match random.below(8) {
        0 | 1 => random.pick(VALUES).copied().unwrap_or_default().to_vec(),
        2 => [b"[".as_slice(), &old, b"]"].concat(),
        3 => {
            [b"{\"".as_slice(), random.pick(KEYS).copied().unwrap_or_default(), b"\":", &old, b"}"]
                .concat()
        }
        // Only in an array is this JSON; elsewhere it is a mistake worth trying.
        4 => [old.as_slice(), b",", &old].concat(),
        5 => random.pick(&spans).map_or_else(Vec::new, |from| data[from.clone()].to_vec()),
        6 => foreign(other, random).unwrap_or(old),
        _ => as_string(&old),
    };
    data.splice(span, new);
    true
}

/// A value of another seed.
fn foreign(other: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let spans = values(other)?;
    random.pick(&spans).map(|span| other[span.clone()].to_vec())
}

/// The value as a JSON text in a string, the way arguments of calls travel.
fn as_string(value: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(value);
    serde_json::Value::from(text.as_ref()).to_string().into_bytes()
}

/// The places of all values, keys left out.
fn values(data: &[u8]) -> Option<Vec<Range<usize>>> {
    let doc = Doc::from_bytes(data.to_vec().into(), Limits::default()).ok()?;
    let mut spans = Vec::new();
    visit(doc.root(), doc.text(), &mut spans);
    Some(spans)
}

fn visit(node: Node<'_>, text: &str, spans: &mut Vec<Range<usize>>) {
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
