//! What the tests of the openai-chat dialect share.

use interlingua_wire::{Doc, Limits};

pub(crate) fn doc(text: &str) -> Doc {
    Doc::parse(text.into(), Limits::default()).unwrap()
}

/// The text with each of its values replaced by each odd one.
pub(crate) fn mutations(text: &str) -> Vec<String> {
    let doc = doc(text);
    let mut places = Vec::new();
    let mut rest = vec![doc.root()];
    while let Some(node) = rest.pop() {
        let start = node.raw().as_ptr() as usize - doc.text().as_ptr() as usize;
        places.push((start, start + node.raw().len()));
        rest.extend(node.items());
        rest.extend(node.fields().map(|field| field.value));
    }
    let odd =
        ["null", "true", "7", "\"x\"", "\"\"", "[]", "{}", "[[\"a\",{}],null,3]", "{\"type\":9}"];
    places
        .iter()
        .flat_map(|(start, end)| {
            odd.map(|odd| format!("{}{odd}{}", &text[..*start], &text[*end..]))
        })
        .collect()
}
