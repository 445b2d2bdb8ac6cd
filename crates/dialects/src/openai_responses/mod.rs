//! The Responses API of `OpenAI` and other providers.
//!
//! A turn is one item of the input. The output items of a reply become blocks of one turn: each
//! part of a message and each other item is one block.

mod decode;
mod encode;
mod error;
mod id;
mod namespace;
mod read;
mod reply;
mod request;
mod response_object;
mod stop;
mod usage;
mod web_search;
mod write;

use interlingua_model::{BlockContent, DialectId, Verbatim};
use interlingua_wire::{JsonString, RawJson};

pub(crate) use self::decode::output_item::begins_message;
use self::decode::{output_item, settings, tool, turn};
pub use self::id::ID;
use crate::dialect::{Codec, Dialect, WebSearch};

#[derive(Debug)]
pub struct OpenAiResponses;

impl Dialect for OpenAiResponses {
    fn id(&self) -> DialectId {
        ID
    }

    fn portable_content(&self, kind: &JsonString, block: &RawJson) -> Option<BlockContent> {
        output_item::decode_generated_image(kind, block)
    }

    fn decode_web_search(&self, kind: &JsonString, block: &RawJson) -> Option<WebSearch> {
        web_search::decode(kind, block)
    }

    fn encode_web_search(&self, search: &WebSearch) -> Option<BlockContent> {
        Some(web_search::encode(search))
    }

    fn turns_key(&self) -> &'static str {
        "input"
    }

    fn heartbeat_event(&self) -> Option<&'static str> {
        Some("response.in_progress")
    }

    /// Clients reset their timeout only for events, and start it at the response headers.
    fn heartbeat_extends_timeout(&self) -> bool {
        false
    }

    fn supports_prompt_cache_key(&self, flavor: Option<&str>) -> bool {
        flavor != Some("llama.cpp")
    }

    /// `OpenAI`'s API, Azure's copy, the `ChatGPT` subscription backend, relays, and llama.cpp.
    fn seal_issuers(&self) -> &'static [&'static str] {
        &["openai", "xai"]
    }

    fn reply_list_keys(&self) -> &'static [&'static str] {
        &["response", "output", "item", "part", "content", "summary", "annotations"]
    }

    fn codec(&self) -> &'static Codec {
        &CODEC
    }
}

static CODEC: Codec = Codec {
    decode_request: |body, ledger| {
        Verbatim::with_text(request::decode(body, ledger), ID, body.to_json())
    },
    encode_request: request::encode,
    decode_reply: |body, cx, ledger| {
        Ok(Verbatim::with_text(reply::decode(body, cx, ledger)?, ID, body.to_json()))
    },
    encode_reply: reply::encode,
    reader: |cx| Box::new(read::Reader::new(cx)),
    writer: |cx| Box::new(write::Writer::new(cx)),
    decode_error: error::decode,
    encode_error: error::encode,
    decode_turn: |turn, ledger| turn::decode_turn(turn, 0, ledger),
    decode_block: |block, _, ledger| turn::decode_block(block, ledger),
    decode_system: request::decode_system,
    decode_tool: |tool, ledger| tool::decode_tool(tool, 0, ledger),
    known_subfields: settings::known_subfields,
};
