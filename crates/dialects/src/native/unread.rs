//! What a stored conversation says and nobody reads: it is noted, so that nothing is lost in silence.

use interlingua_model::{Args, Body, Extras, Ledger, Place, Source};
use interlingua_wire::Node;

use super::names;
use crate::note;

/// Notes what stands there and means nothing.
pub(super) fn fields(node: Node<'_>, known: &[&str], place: Place, ledger: &mut Ledger) {
    if !node.is_object() {
        ledger.loss(note::ODD_INPUT, place, "left out what is not an object");
    }
    for field in node.fields().filter(|field| !known.contains(&&*field.name())) {
        if !field.value.is_null() {
            let what = format!("`{}` means nothing here", field.name());
            ledger.loss(note::ODD_INPUT, place, what);
        }
    }
}

/// Notes which of these fields say nothing, since they are not what they should be.
pub(super) fn values<'d>(
    node: Node<'d>,
    keys: &[&str],
    is: impl Fn(Node<'d>) -> bool,
    place: Place,
    ledger: &mut Ledger,
) {
    for (key, value) in keys.iter().filter_map(|key| Some((key, node.get(key)?))) {
        if !value.is_null() && !is(value) {
            ledger.loss(note::ODD_INPUT, place, format!("left out `{key}`: it is odd"));
        }
    }
}

/// Of a block, and of what it holds.
pub(super) fn block(node: Node<'_>, body: &Body, ledger: &mut Ledger) {
    let (key, inside): (&str, &[&str]) = match body {
        Body::Text { .. } => ("text", &[]),
        Body::Refusal(_) => ("refusal", &[]),
        Body::Thinking(_) => ("thinking", &[]),
        Body::Data(_) => ("data", &[]),
        Body::ToolCall(call) => match call.args {
            Args::Json(_) => ("call", &["id", "name", "args"]),
            Args::Freeform(_) => ("call", &["id", "name", "freeform"]),
            Args::Malformed(_) => ("call", &["id", "name", "malformed"]),
        },
        Body::ToolResult(_) => ("result", &["call", "name", "content", "is_error"]),
        Body::Media(media) => {
            let word = names::word(names::MEDIA, media.kind);
            match media.source {
                Source::Base64 { .. } => (word, &["base64", "mime", "name", "detail"]),
                Source::Url { .. } => (word, &["url", "mime", "name", "detail"]),
                Source::File { .. } => (word, &["file", "mime", "name", "detail"]),
                Source::Blocks(_) => (word, &["blocks", "mime", "name", "detail"]),
                Source::Text(_) => (word, &["plain", "mime", "name", "detail"]),
            }
        }
        // It is kept as it is.
        Body::Foreign { .. } => return,
    };
    let place = Place::block(0, 0);
    let beside = match body {
        Body::Text { .. } => "citations",
        Body::Thinking(_) => "form",
        _ => key,
    };
    let known: Vec<&str> = [key, beside, "seal"].into_iter().chain(BESIDE).collect();
    fields(node, &known, place, ledger);
    values(node, &["citations"], Node::is_array, place, ledger);
    let is_form = |form| names::value(names::FORMS, Some(form)).is_some();
    values(node, &["form"], is_form, place, ledger);
    group(node, "seal", &["issuer", "model", "data", "id"], place, ledger);
    self::beside(node, place, ledger);
    let Some(inner) = node.get(key).filter(|_| !inside.is_empty()) else { return };
    fields(inner, inside, place, ledger);
    match body {
        Body::ToolResult(_) => {
            values(inner, &["name"], Node::is_string, place, ledger);
            values(inner, &["is_error"], is_boolean, place, ledger);
        }
        Body::Media(_) => {
            values(inner, &["mime", "name", "detail"], Node::is_string, place, ledger);
        }
        _ => {}
    }
}

/// Of a turn; its blocks are looked at one by one.
pub(super) fn turn(node: Node<'_>, ledger: &mut Ledger) {
    let place = Place::turn(0);
    fields(node, TURN, place, ledger);
    let is_role = |role| names::value(names::ROLES, Some(role)).is_some();
    values(node, &["role"], is_role, place, ledger);
    beside(node, place, ledger);
}

/// Of what stands beside whatever is kept. What was written elsewhere is read from there, if it is.
pub(super) fn beside(node: Node<'_>, place: Place, ledger: &mut Ledger) {
    group(node, "cache", &["ttl"], place, ledger);
    values(node, &["raw"], |_| false, place, ledger);
    values(node, &["extras", "remembered"], Node::is_object, place, ledger);
    let is_dialect = |name: Node<'_>| names::dialect(&name.word()).is_some();
    values(node, &["extras_of"], is_dialect, place, ledger);
    for field in node.get("remembered").into_iter().flat_map(Node::fields) {
        let is_memory = |key: Node<'_>| key.text().is_some_and(|key| Extras::is_memory(&key));
        let is_read = field.value.is_array() && field.value.items().all(is_memory);
        if names::dialect(&field.name()).is_none() || !is_read {
            let what = format!("what `{}` remembers is not read", field.name());
            ledger.loss(note::ODD_INPUT, place, what);
        }
    }
}

/// Of the body itself.
pub(super) fn body(root: Node<'_>, known: &[&str], ledger: &mut Ledger) {
    let place = Place::BODY;
    fields(root, known, place, ledger);
    values(root, &["model"], Node::is_string, place, ledger);
    values(root, &["fields"], Node::is_array, place, ledger);
    let is_dialect = |name: Node<'_>| names::dialect(&name.word()).is_some();
    values(root, &["source"], is_dialect, place, ledger);
    values(root, &["interlingua"], |version| version.count().is_some(), place, ledger);
    for field in root.get("fields").into_iter().flat_map(Node::items) {
        if field.get("key").and_then(Node::text).is_none() {
            ledger.loss(note::ODD_INPUT, place, "left out a field without a key");
        }
    }
}

fn group(node: Node<'_>, key: &str, known: &[&str], place: Place, ledger: &mut Ledger) {
    if let Some(inner) = node.get(key).filter(|inner| !inner.is_null()) {
        fields(inner, known, place, ledger);
    }
}

pub(super) fn is_boolean(node: Node<'_>) -> bool {
    node.boolean().is_some()
}

/// What may stand beside whatever is kept.
pub(super) const BESIDE: [&str; 5] = ["cache", "extras", "extras_of", "remembered", "raw"];
const TURN: &[&str] = &["role", "blocks", "extras", "extras_of", "remembered", "raw"];
