//! The Anthropic Messages API, which other hosts of Claude models and some other vendors serve too.

mod decode;
mod encode;
mod error;
mod id;
mod read;
mod reply;
mod request;
mod stop;
mod usage;
mod web_search;
mod write;

use interlingua_model::{ApiError, BlockContent, Citation, DialectId, LedgerPath};
use interlingua_wire::{JsonString, RawJson};

use self::decode::{block, settings, tool, turn};
pub use self::id::ID;
use self::id::ISSUER;
use crate::dialect::{Codec, Dialect, WebSearch};

#[derive(Debug)]
pub struct Anthropic;

impl Dialect for Anthropic {
    fn id(&self) -> DialectId {
        ID
    }

    fn error_status(&self, error: &ApiError) -> u16 {
        error.kind.response_status(error.status)
    }

    fn decode_web_search(&self, kind: &JsonString, block: &RawJson) -> Option<WebSearch> {
        web_search::decode(kind, block)
    }

    fn has_web_search_results(&self) -> bool {
        true
    }

    fn encode_web_search_results(
        &self,
        search: &WebSearch,
        citations: &[Citation],
    ) -> Vec<BlockContent> {
        web_search::encode(search, citations)
    }

    fn heartbeat_event(&self) -> Option<&'static str> {
        Some("ping")
    }

    /// Clients that receive only SSE comments disconnect after some minutes, so a `ping` event is
    /// sent.
    fn heartbeat_bytes(&self) -> &'static [u8] {
        b"event: ping\ndata: {\"type\": \"ping\"}\n\n"
    }

    fn seal_issuers(&self) -> &'static [&'static str] {
        &[ISSUER]
    }

    fn reply_list_keys(&self) -> &'static [&'static str] {
        &["message", "content", "content_block", "citations", "tool_calls"]
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
    decode_turn: |turn, ledger| turn::decode_turn(turn, 0, ledger),
    decode_block: |block, _, ledger| block::decode_block(block, LedgerPath::turn(0), ledger),
    decode_system: request::decode_system,
    decode_tool: |tool, ledger| tool::decode_tool(tool, 0, ledger),
    known_subfields: settings::known_subfields,
};
