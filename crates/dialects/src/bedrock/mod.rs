//! Amazon Bedrock's Converse and `ConverseStream`.
//!
//! The model and whether to stream are part of the URL path, not of the body. Cache points are
//! separate blocks here; in the model they are cache breakpoints of the block before.

mod citation;
mod decode;
mod encode;
mod error;
mod id;
mod read;
mod reply;
mod request;
mod stop;
mod usage;
mod write;

use interlingua_model::{DialectId, LedgerPath};
use interlingua_wire::Framing;

use self::decode::{block, settings, tool, turn};
pub use self::id::ID;
use crate::dialect::{Codec, Dialect};

#[derive(Debug)]
pub struct Bedrock;

impl Dialect for Bedrock {
    fn id(&self) -> DialectId {
        ID
    }

    fn framing(&self) -> Framing {
        Framing::AwsEventStream
    }

    fn has_betas_field(&self) -> bool {
        true
    }

    fn reply_list_keys(&self) -> &'static [&'static str] {
        &[
            "output",
            "message",
            "content",
            "citationsContent",
            "citations",
            "sourceContent",
            "delta",
            "toolResult",
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
    encode_reply: |reply, _, ledger| reply::encode(reply, ledger),
    reader: |cx| Box::new(read::Reader::new(cx)),
    writer: |_| Box::new(write::Writer::default()),
    decode_error: error::decode,
    encode_error: error::encode,
    decode_turn: |turn, ledger| turn::decode_turn(turn, 0, ledger),
    decode_block: |block, _, ledger| block::decode_block(block, LedgerPath::BODY, ledger),
    decode_system: request::decode_system,
    decode_tool: |tool, ledger| tool::decode_tool(tool, LedgerPath::tool(0), ledger),
    known_subfields: settings::known_subfields,
};
