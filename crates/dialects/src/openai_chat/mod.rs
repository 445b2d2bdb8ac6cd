//! The `OpenAI` Chat Completions dialect: `POST /v1/chat/completions` of `OpenAI` and many other
//! servers.

mod citation;
mod decode;
mod encode;
mod error;
mod id;
mod read;
mod reasoning_details;
mod reply;
mod request;
mod stop;
mod think_tags;
mod usage;
mod write;

use interlingua_model::{DialectId, LedgerPath};

use self::decode::call_pairing::CallPairing;
use self::decode::{block, settings, tool, turn};
pub use self::id::ID;
use crate::dialect::{Codec, Dialect};
use interlingua_providers::spelling::openai_chat::{Capability, Flavor};

#[derive(Debug)]
pub struct OpenAiChat;

impl Dialect for OpenAiChat {
    fn id(&self) -> DialectId {
        ID
    }

    fn supports_prompt_cache_key(&self, flavor: Option<&str>) -> bool {
        Flavor::find(flavor).has(Capability::PromptCacheKey)
    }

    fn reply_list_keys(&self) -> &'static [&'static str] {
        &[
            "choices",
            "message",
            "delta",
            "content",
            "annotations",
            "images",
            "reasoning_details",
            "thinking_blocks",
            "thinking",
            "tool_calls",
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
    encode_error: |error| error::encode(error).as_str().into(),
    decode_turn: |turn, ledger| {
        let pairing = &mut CallPairing::default();
        turn::decode_message(turn, &[], pairing, LedgerPath::turn(0), ledger)
    },
    decode_block: |block, _, ledger| turn::decode_block(block, LedgerPath::block(0, 0), ledger),
    decode_system: block::decode_system,
    decode_tool: |tool, ledger| tool::decode_tool(tool, LedgerPath::tool(0), ledger),
    known_subfields: settings::known_subfields,
};
