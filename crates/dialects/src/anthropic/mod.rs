//! The Anthropic Messages API, which other hosts of Claude models and some other vendors serve too.

mod chat_like;
mod decode;
mod encode;
mod error;
mod flavor;
mod frame;
mod freeform;
mod media;
mod messages;
mod open;
mod read;
mod reply;
mod request;
mod settings;
mod stop;
mod tools;
mod usage;
mod web_search;
mod write;

use bytes::Bytes;
use interlingua_model::{
    ApiError, Block, BlockContent, Citation, Conversation, DialectId, Ledger, LedgerPath, Reply,
    ReplyContext, Role, Target, Tool, Turn, Verbatim,
};
use interlingua_wire::{JsonDoc, JsonNode, JsonString, RawJson};

use crate::{Dialect, StreamReader, StreamWriter, WebSearch};

pub const ID: DialectId = DialectId("anthropic");

/// Issuer of the thinking signatures in this dialect.
const ISSUER: &str = "anthropic";

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

    fn known_subfields(&self, field: &str) -> Option<&'static [&'static str]> {
        settings::known_subfields(field)
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

    fn flavors(&self) -> &'static [&'static str] {
        flavor::NAMES
    }

    fn reply_list_keys(&self) -> &'static [&'static str] {
        &["message", "content", "content_block", "citations", "tool_calls"]
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

    fn encode_reply(&self, reply: &Reply, cx: &ReplyContext, ledger: &mut Ledger) -> Vec<u8> {
        reply::encode(reply, cx, ledger)
    }

    fn reader(&self, cx: &ReplyContext) -> Box<dyn StreamReader> {
        Box::new(read::Reader::new(cx))
    }

    fn writer(&self, cx: &ReplyContext) -> Box<dyn StreamWriter> {
        Box::new(write::Writer::new(cx))
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

    fn decode_block(&self, block: JsonNode<'_>, _: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        decode::decode_block(block, LedgerPath::turn(0), ledger)
    }

    fn decode_system(
        &self,
        system: JsonNode<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        request::decode_system(system, ledger)
    }

    fn decode_tool(&self, tool: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode_tool(tool, 0, ledger)
    }
}
