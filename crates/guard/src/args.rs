//! Classifies the arguments of a tool call: a JSON object, or the kind of error in them.

use interlingua_model::ToolArgs;
use interlingua_wire::json::JsonErrorKind;
use interlingua_wire::{JsonDoc, JsonKind, JsonLimits, JsonString, RawJson};

/// The form of a call's arguments.
#[derive(Debug)]
pub(crate) enum ParsedArgs {
    Object(RawJson),
    Empty,
    /// A JSON string that contains an object.
    DoubleEncoded(RawJson),
    NotAnObject(RawJson),
    /// An object whose text ends early.
    Truncated,
    /// The number of objects, one after the other.
    Concatenated(usize),
    Malformed(String),
    Freeform,
}

pub(crate) fn parse(args: &ToolArgs) -> ParsedArgs {
    match args {
        ToolArgs::Freeform(_) => ParsedArgs::Freeform,
        ToolArgs::Malformed(text) if text.is_blank() => ParsedArgs::Empty,
        ToolArgs::Malformed(text) => classify_malformed(text),
        ToolArgs::Json(json) if json.is_object() => ParsedArgs::Object(json.clone()),
        ToolArgs::Json(json) => match json
            .json_string()
            .map(|text| ToolArgs::from_json_string(&text))
        {
            Some(ToolArgs::Json(inner)) if inner.is_object() => ParsedArgs::DoubleEncoded(inner),
            _ => ParsedArgs::NotAnObject(json.clone()),
        },
    }
}

fn classify_malformed(text: &JsonString) -> ParsedArgs {
    let contents = text.unescape();
    let error = match JsonDoc::parse((&*contents).into(), JsonLimits::default()) {
        Ok(doc) => return ParsedArgs::NotAnObject(doc.root().json()),
        Err(error) => error,
    };
    if error.kind == JsonErrorKind::UnexpectedEnd {
        return ParsedArgs::Truncated;
    }
    match count_objects(&contents) {
        Some(count) => ParsedArgs::Concatenated(count),
        None => ParsedArgs::Malformed(error.to_string()),
    }
}

/// The number of concatenated objects; `None` if the text contains anything else.
fn count_objects(text: &str) -> Option<usize> {
    let (mut rest, mut count) = (text.trim_start(), 0);
    while !rest.is_empty() {
        let end = end_of_object(rest)?;
        let object = JsonDoc::parse(rest[..end].into(), JsonLimits::default()).ok()?;
        if object.root().kind() != JsonKind::Object {
            return None;
        }
        rest = rest[end..].trim_start();
        count += 1;
    }
    (count > 1).then_some(count)
}

/// The offset after the bracket that closes the first one.
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
