//! Fills in request fields that a passed-through reply echoes as null.
//!
//! The provider did not receive such a field, because the gateway resolved it (a stored
//! conversation, for example), so its reply has null there. The client gets its own value back.

use bytes::Bytes;
use interlingua_model::{DialectId, ReplyContext};
use interlingua_wire::{JsonString, RawJson};

/// The echoed fields with the client's values.
#[derive(Clone, Debug, Default)]
pub(crate) struct EchoedFields(Vec<(JsonString, RawJson)>);

impl EchoedFields {
    pub(crate) fn from_exchange(cx: &ReplyContext, dialect: DialectId) -> Self {
        let fields = cx.echoed_fields.fields_for(dialect).iter();
        Self(fields.filter(|(_, value)| *value != RawJson::NULL).cloned().collect())
    }

    /// Returns the bytes with the nulls of these fields replaced by the client's values.
    pub(crate) fn fill_in(&self, raw: &Bytes) -> Bytes {
        let mut filled = raw.clone();
        for (key, value) in &self.0 {
            while let Some(offset) = find_null(&filled, key.raw().as_bytes()) {
                let (before, after) = (&filled[..offset], &filled[offset + NULL.len()..]);
                filled = [before, value.as_str().as_bytes(), after].concat().into();
            }
        }
        filled
    }
}

/// Returns the offset of the null of this field. A match inside a JSON string is excluded, because
/// its quotes are escaped there.
fn find_null(bytes: &[u8], key: &[u8]) -> Option<usize> {
    let mut search_start = 0;
    while let Some(offset) = bytes[search_start..].windows(key.len()).position(|part| part == key) {
        let (start, end) = (search_start + offset, search_start + offset + key.len());
        search_start = end;
        let quoted = bytes[..start].ends_with(b"\"") && !bytes[..start].ends_with(b"\\\"");
        let Some(rest) = bytes[end..].strip_prefix(b"\"").filter(|_| quoted) else { continue };
        let Some(rest) = rest.trim_ascii_start().strip_prefix(b":") else { continue };
        let rest = rest.trim_ascii_start();
        if rest.starts_with(NULL) {
            return Some(bytes.len() - rest.len());
        }
    }
    None
}

const NULL: &[u8] = b"null";
