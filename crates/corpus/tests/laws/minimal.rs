//! Law 2: a healthy request leaves in its own dialect as the same bytes, with an empty ledger.

use interlingua::wire::JsonNode;
use interlingua::{JsonDoc, Target, transcode_request};

use crate::draft::draft;
use crate::{bodies, for_all, in_all_dialects, render};

#[test]
fn a_healthy_request_keeps_its_bytes() {
    for_all(draft(), |draft| {
        in_all_dialects(|dialect| {
            let body = render::body(draft, dialect);
            let sent = transcode_request(body.clone(), dialect, dialect, &Target::default())
                .map_err(|error| error.to_string())?;
            if sent.body != body {
                return Err(format!("{body:?} became {:?}", sent.body));
            }
            if !sent.ledger.is_empty() {
                return Err(format!("{body:?} recorded {:?}", sent.ledger.entries));
            }
            Ok(())
        })
    });
}

#[test]
fn a_stored_request_leaves_unchanged() {
    let native = interlingua::find_dialect("native").unwrap_or_else(|| panic!("no native dialect"));
    for_all(draft(), |draft| {
        in_all_dialects(|dialect| {
            let body = render::body(draft, dialect);
            let transcode = |body, from, to| {
                transcode_request(body, from, to, &Target::default())
                    .map(|sent| sent.body)
                    .map_err(|error| error.to_string())
            };
            let stored = transcode(body.clone(), dialect, native)?;
            let loaded = transcode(stored.clone(), native, dialect)?;
            check_same_spelling(&bodies::doc(&body)?, &bodies::doc(&loaded)?)
                .map_err(|difference| format!("{difference}\nwas stored as {stored:?}"))
        })
    });
}

/// Checks that both bodies have the same fields in the same order and spelling; only white space
/// between items of a list may differ.
fn check_same_spelling(before: &JsonDoc, after: &JsonDoc) -> Result<(), String> {
    let fields = |doc: &JsonDoc| -> Vec<(String, Vec<String>)> {
        let spelling = |value: JsonNode<'_>| {
            let items: Vec<_> = value.items().map(|item| item.raw().to_owned()).collect();
            if value.is_array() { items } else { vec![value.raw().to_owned()] }
        };
        let fields = doc.root().fields();
        fields.map(|field| (field.key().into_owned(), spelling(field.value))).collect()
    };
    let (fields_before, fields_after) = (fields(before), fields(after));
    (fields_before == fields_after)
        .then_some(())
        .ok_or_else(|| format!("{fields_before:?}\nbecame\n{fields_after:?}"))
}
