//! The Gemini dialect: `generateContent` and `streamGenerateContent`. The model is part of the URL
//! path.

mod citation;
mod decode;
mod encode;
mod error;
mod field_name;
mod id;
mod read;
mod reply;
mod request;
mod schema;
mod stop;
mod usage;
mod write;

use interlingua_model::{DialectId, LedgerPath};

use self::decode::call_pairing::CallPairing;
use self::decode::{block, tool, turn};
use self::id::HEARTBEAT;
pub use self::id::ID;
use crate::dialect::{Codec, Dialect};

#[derive(Debug)]
pub struct Gemini;

impl Dialect for Gemini {
    fn id(&self) -> DialectId {
        ID
    }

    fn heartbeat_bytes(&self) -> &'static [u8] {
        HEARTBEAT
    }

    fn turns_key(&self) -> &'static str {
        "contents"
    }

    fn reply_list_keys(&self) -> &'static [&'static str] {
        &[
            "response",
            "candidates",
            "content",
            "parts",
            "citationMetadata",
            "citation_metadata",
            "citationSources",
            "citation_sources",
            "citations",
            "groundingMetadata",
            "grounding_metadata",
            "groundingChunks",
            "grounding_chunks",
            "groundingSupports",
            "grounding_supports",
            "groundingChunkIndices",
            "grounding_chunk_indices",
            "functionCall",
            "function_call",
            "partialArgs",
            "partial_args",
        ]
    }

    fn codec(&self) -> &'static Codec {
        &CODEC
    }
}

static CODEC: Codec = Codec {
    decode_request: request::decode,
    encode_request: request::encode,
    decode_reply: reply::decode,
    encode_reply: reply::encode,
    reader: |cx| Box::new(read::Reader::new(cx)),
    writer: |cx| Box::new(write::Writer::new(cx)),
    decode_error: error::decode,
    encode_error: error::encode,
    decode_turn: |turn, ledger| turn::decode_content(turn, &mut CallPairing::detached(), 0, ledger),
    decode_block: |part, _, ledger| {
        let path = LedgerPath::block(0, 0);
        block::decode_part(part, &mut CallPairing::detached(), path, ledger)
    },
    decode_system: turn::decode_system,
    decode_tool: |tool, ledger| tool::decode_tool(tool, LedgerPath::tool(0), ledger),
    known_subfields: |_| None,
};
