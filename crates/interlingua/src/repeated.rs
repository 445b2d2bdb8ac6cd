//! Fields of a request that its reply repeats, in a reply that leaves as it came: where the provider was not
//! sent one, because what it names was put together on the way, it says null, and the client is told what it
//! said.

use bytes::Bytes;
use interlingua_model::{DialectId, Exchange};
use interlingua_wire::{Json, Text};

/// The fields, each with what the client said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeated(Vec<(Text, Json)>);

impl Repeated {
    pub(crate) fn of(exchange: &Exchange, dialect: DialectId) -> Self {
        let fields = exchange.repeats.of(dialect).iter();
        Self(fields.filter(|(_, value)| *value != Json::NULL).cloned().collect())
    }

    /// The bytes as the client gets them. All but such a null are as they were.
    pub(crate) fn say(&self, raw: &Bytes) -> Bytes {
        let mut said = raw.clone();
        for (key, value) in &self.0 {
            while let Some(at) = null(&said, key.raw().as_bytes()) {
                let (before, after) = (&said[..at], &said[at + NULL.len()..]);
                said = [before, value.as_str().as_bytes(), after].concat().into();
            }
        }
        said
    }
}

/// Where the null of this field stands. Within a text its quotes would be escaped.
fn null(bytes: &[u8], key: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = bytes[from..].windows(key.len()).position(|part| part == key) {
        let (start, end) = (from + found, from + found + key.len());
        from = end;
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
