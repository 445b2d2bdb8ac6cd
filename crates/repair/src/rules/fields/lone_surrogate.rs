//! Replaces lone surrogate escapes by U+FFFD.
//!
//! A client that cuts a text in the middle of an emoji leaves the escape of one half of a surrogate
//! pair. It is not valid Unicode, and strict parsers reject the whole body.
//!
//! ## Why
//! > The request body is not valid JSON: no low surrogate in string: line 1 column 217026
//!
//! ## Example
//! ```text
//! before   user: "cut emoji \ud83d here"
//! after    user: "cut emoji \ufffd here"
//! ```

use interlingua_wire::JsonDoc;

pub(super) fn apply(body: &JsonDoc) -> Option<(String, String)> {
    let (text, count) = body.without_lone_surrogates()?;
    let description = match count {
        1 => "replaced half a character".to_owned(),
        _ => format!("replaced {count} halves of characters"),
    };
    Some((text, description))
}
