//! Amazon Bedrock's Converse and `ConverseStream`.
//!
//! The model and whether to stream are part of the URL path, not of the body. Cache points are
//! separate blocks here; in the model they are cache breakpoints of the block before.

mod citation;
mod decode;
mod encode;
mod error;
mod gather;
mod media;
mod messages;
mod options;
mod read;
mod reply;
mod request;
mod settings;
mod tools;
mod write;

use bytes::Bytes;
use interlingua_model::{
    ApiError, Block, Conversation, DialectId, Ledger, LedgerPath, Reply, ReplyContext, Role,
    Target, Tool, Turn, Verbatim,
};
use interlingua_wire::{Framing, JsonDoc, JsonNode, JsonString};

use crate::{Dialect, StreamReader, StreamWriter};

pub const ID: DialectId = DialectId("bedrock");

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

    fn known_subfields(&self, field: &str) -> Option<&'static [&'static str]> {
        settings::known_subfields(field)
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

    fn decode_request(&self, body: &JsonDoc, ledger: &mut Ledger) -> Verbatim<Conversation> {
        request::decode(body, ledger)
    }

    fn encode_request(
        &self,
        conversation: &Verbatim<Conversation>,
        target: &Target,
        ledger: &mut Ledger,
    ) -> Bytes {
        request::encode(conversation, target, ledger)
    }

    fn decode_reply(
        &self,
        body: &JsonDoc,
        cx: &ReplyContext,
        ledger: &mut Ledger,
    ) -> Result<Verbatim<Reply>, ApiError> {
        reply::decode(body, cx, ledger)
    }

    fn encode_reply(
        &self,
        reply: &Reply,
        _exchange: &ReplyContext,
        ledger: &mut Ledger,
    ) -> Vec<u8> {
        reply::encode(reply, ledger)
    }

    fn reader(&self, cx: &ReplyContext) -> Box<dyn StreamReader> {
        Box::new(read::Reader::new(cx))
    }

    fn writer(&self, _exchange: &ReplyContext) -> Box<dyn StreamWriter> {
        Box::new(write::Writer::default())
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> ApiError {
        error::decode(status, body)
    }

    fn encode_error(&self, error: &ApiError) -> Vec<u8> {
        error::encode(error)
    }

    fn decode_turn(&self, turn: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
        decode::decode_turn(turn, 0, ledger)
    }

    fn decode_block(
        &self,
        block: JsonNode<'_>,
        _role: Role,
        ledger: &mut Ledger,
    ) -> Verbatim<Block> {
        decode::decode_block(block, LedgerPath::BODY, ledger)
    }

    fn decode_system(
        &self,
        system: JsonNode<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        request::decode_system(system, ledger)
    }

    fn decode_tool(&self, tool: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode_tool(tool, LedgerPath::tool(0), ledger)
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System | Role::Developer => "system",
    }
}

/// Claude's signatures are the same on Bedrock as in Anthropic's own API.
const ISSUER: JsonString = JsonString::from_static("anthropic");
