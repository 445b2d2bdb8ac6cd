//! The project's own dialect: the canonical model as JSON, for stored sessions and for people.
//!
//! It is readable without knowledge of other dialects, and lossless: a value that still has its
//! original text includes it under `raw`, and decoding prefers that text. So a stored conversation
//! is encoded in its own dialect with the bytes it was received with.

mod decode;
mod encode;
mod enum_names;
mod error;
mod id;
mod read;
mod reply;
mod request;
mod stop;
mod usage;
mod write;

use interlingua_model::{DialectId, Reply, Role, Turn, Verbatim};
use interlingua_wire::RawJson;
use interlingua_wire::json::ObjectWriter;

use self::decode::{block, tool, turn};
pub use self::id::ID;
use crate::dialect::{Codec, Dialect};

#[derive(Debug)]
pub struct Native;

/// Encodes a single turn, as [`Dialect::decode_turn`] decodes it.
pub fn encode_turn(turn: &Verbatim<Turn>) -> RawJson {
    RawJson::object(|o| encode::turn::encode_turn(turn, o))
}

/// Writes the fields of a reply, as [`Dialect::decode_reply`] decodes them.
pub fn encode_reply_fields(reply: &Reply, o: &mut ObjectWriter<'_>) {
    reply::encode_fields(reply, o);
}

impl Dialect for Native {
    fn id(&self) -> DialectId {
        ID
    }

    fn reply_list_keys(&self) -> &'static [&'static str] {
        &["blocks", "block", "citations", "result", "content"]
    }

    fn codec(&self) -> &'static Codec {
        &CODEC
    }
}

static CODEC: Codec = Codec {
    decode_request: |body, ledger| {
        Verbatim::with_text(request::decode(body.root(), ledger), ID, body.to_json())
    },
    encode_request: |conversation, target, _| request::encode(conversation, target),
    decode_reply: reply::decode,
    encode_reply: reply::encode,
    reader: |_| Box::new(read::Reader::default()),
    writer: |_| Box::new(write::Writer),
    decode_error: error::decode_body,
    encode_error: error::encode,
    decode_turn: turn::decode_turn,
    decode_block: block::decode_block,
    decode_system: |system, ledger| block::decode_blocks(Some(system), Role::System, ledger).into(),
    decode_tool: tool::decode_tool,
    known_subfields: |_| None,
};
