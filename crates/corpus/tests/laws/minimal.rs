//! Law 2: a healthy request leaves in its own dialect as the bytes it came in, and nothing is noted.

use interlingua::wire::Node;
use interlingua::{Doc, Target, transcribe_request};

use crate::script::script;
use crate::{bodies, for_all, in_all_dialects, render};

#[test]
fn a_healthy_request_keeps_its_bytes() {
    for_all(script(), |script| {
        in_all_dialects(|dialect| {
            let body = render::body(script, dialect);
            let sent = transcribe_request(body.clone(), dialect, dialect, &Target::default())
                .map_err(|error| error.to_string())?;
            if sent.body != body {
                return Err(format!("{body:?} became {:?}", sent.body));
            }
            if !sent.ledger.is_empty() {
                return Err(format!("{body:?} noted {:?}", sent.ledger.entries));
            }
            Ok(())
        })
    });
}

#[test]
fn a_stored_request_leaves_as_it_came() {
    let native = interlingua::find("native").unwrap_or_else(|| panic!("no native dialect"));
    for_all(script(), |script| {
        in_all_dialects(|dialect| {
            let body = render::body(script, dialect);
            let there = |body, from, to| {
                transcribe_request(body, from, to, &Target::default())
                    .map(|sent| sent.body)
                    .map_err(|error| error.to_string())
            };
            let stored = there(body.clone(), dialect, native)?;
            let loaded = there(stored.clone(), native, dialect)?;
            alike(&bodies::doc(&body)?, &bodies::doc(&loaded)?)
                .map_err(|why| format!("{why}\nwas stored as {stored:?}"))
        })
    });
}

/// The same fields in the same order, spelled alike; only the space between the elements of a list
/// may differ.
fn alike(before: &Doc, after: &Doc) -> Result<(), String> {
    let fields = |doc: &Doc| -> Vec<(String, Vec<String>)> {
        let spelled = |value: Node<'_>| {
            let items: Vec<_> = value.items().map(|item| item.raw().to_owned()).collect();
            if value.is_array() { items } else { vec![value.raw().to_owned()] }
        };
        let fields = doc.root().fields();
        fields.map(|field| (field.name().into_owned(), spelled(field.value))).collect()
    };
    let (was, is) = (fields(before), fields(after));
    (was == is).then_some(()).ok_or_else(|| format!("{was:?}\nbecame\n{is:?}"))
}
