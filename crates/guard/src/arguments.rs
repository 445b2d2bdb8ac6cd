//! The text of a call's arguments: is it one JSON object, and if not, what happened to it.

use interlingua_model::Args;
use interlingua_wire::json::Why;
use interlingua_wire::{Doc, Json, Kind as JsonKind, Limits, Text};

/// What the arguments of a call turn out to be.
#[derive(Debug)]
pub(crate) enum Read {
    /// An object.
    Object(Json),
    /// Nothing at all.
    Nothing,
    /// A JSON string that holds an object.
    Doubled(Json),
    /// JSON, but no object.
    Other(Json),
    /// An object that breaks off.
    Truncated,
    /// Several values, one after the other.
    Concatenated(usize),
    Malformed(String),
    Freeform,
}

pub(crate) fn read(args: &Args) -> Read {
    match args {
        Args::Freeform(_) => Read::Freeform,
        Args::Malformed(text) if text.is_blank() => Read::Nothing,
        Args::Malformed(text) => unreadable(text),
        Args::Json(json) if json.is_object() => Read::Object(json.clone()),
        Args::Json(json) => match json.text().map(|text| Args::from_text(&text)) {
            Some(Args::Json(inner)) if inner.is_object() => Read::Doubled(inner),
            _ => Read::Other(json.clone()),
        },
    }
}

/// How many bytes the arguments are.
pub(crate) fn size(args: &Args) -> usize {
    match args {
        Args::Json(json) => json.as_str().len(),
        Args::Malformed(text) | Args::Freeform(text) => text.raw().len(),
    }
}

fn unreadable(text: &Text) -> Read {
    let contents = text.contents();
    let malformed = match Doc::parse((&*contents).into(), Limits::default()) {
        Ok(doc) => return Read::Other(doc.root().json()),
        Err(malformed) => malformed,
    };
    if malformed.why == Why::Ended {
        return Read::Truncated;
    }
    match values(&contents) {
        Some(count) => Read::Concatenated(count),
        None => Read::Malformed(malformed.to_string()),
    }
}

/// How many objects a text is made of, if of nothing else.
fn values(text: &str) -> Option<usize> {
    let (mut rest, mut count) = (text.trim_start(), 0);
    while !rest.is_empty() {
        let end = end_of_object(rest)?;
        let one = Doc::parse(rest[..end].into(), Limits::default()).ok()?;
        if one.root().kind() != JsonKind::Object {
            return None;
        }
        rest = rest[end..].trim_start();
        count += 1;
    }
    (count > 1).then_some(count)
}

/// Where the brackets that a text opens with are closed.
fn end_of_object(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}
