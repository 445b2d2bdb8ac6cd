//! Helpers shared by the Chat Completions tests.

use interlingua_wire::{JsonDoc, JsonLimits};

pub(crate) fn doc(text: &str) -> JsonDoc {
    JsonDoc::parse(text.into(), JsonLimits::default()).unwrap()
}

/// The text with each of its values replaced by each unusual value.
pub(crate) fn mutations(text: &str) -> Vec<String> {
    let doc = doc(text);
    let mut ranges = Vec::new();
    let mut rest = vec![doc.root()];
    while let Some(node) = rest.pop() {
        let start = node.raw().as_ptr() as usize - doc.text().as_ptr() as usize;
        ranges.push((start, start + node.raw().len()));
        rest.extend(node.items());
        rest.extend(node.fields().map(|field| field.value));
    }
    let replacements =
        ["null", "true", "7", "\"x\"", "\"\"", "[]", "{}", "[[\"a\",{}],null,3]", "{\"type\":9}"];
    ranges
        .iter()
        .flat_map(|(start, end)| {
            replacements
                .map(|replacements| format!("{}{replacements}{}", &text[..*start], &text[*end..]))
        })
        .collect()
}
