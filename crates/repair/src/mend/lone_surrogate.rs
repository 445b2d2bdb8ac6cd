//! Half a character becomes U+FFFD.
//!
//! A client that cuts a text in the middle of an emoji leaves an escape that stands for half a
//! character. No Unicode text holds that, and strict parsers refuse the whole body for it.
//!
//! ## Why
//! > The request body is not valid JSON: no low surrogate in string: line 1 column 217026
//!
//! ## Example
//! ```text
//! before   user: "cut emoji \ud83d here"
//! after    user: "cut emoji \ufffd here"
//! ```

use interlingua_wire::Doc;

pub fn apply(body: &Doc) -> Option<(String, String)> {
    let (text, count) = body.without_lone_surrogates()?;
    let what = match count {
        1 => "half a character is replaced".to_owned(),
        _ => format!("{count} halves of characters are replaced"),
    };
    Some((text, what))
}
