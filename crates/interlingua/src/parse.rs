//! Parses a body as a JSON object.

use bytes::Bytes;
use interlingua_wire::{JsonDoc, JsonKind, JsonLimits};

use crate::error::TranslateError;

/// Parses a body that must be a JSON object, as requests and replies are in every dialect.
pub fn parse_object(body: Bytes) -> Result<JsonDoc, TranslateError> {
    parse_object_with_limits(body, JsonLimits::default())
}

/// As [`parse_object`], with limits.
pub fn parse_object_with_limits(
    body: Bytes,
    limits: JsonLimits,
) -> Result<JsonDoc, TranslateError> {
    let doc = JsonDoc::from_bytes(body, limits)?;
    match doc.root().kind() {
        JsonKind::Object => Ok(doc),
        found => {
            let text = doc.text().trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']);
            Err(TranslateError::NotAnObject { offset: doc.text().len() - text.len(), found })
        }
    }
}
