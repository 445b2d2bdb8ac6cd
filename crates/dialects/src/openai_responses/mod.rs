//! The Responses API of `OpenAI` and other providers.
//!
//! A turn is one item of the input. The output items of a reply become blocks of one turn: each
//! part of a message and each other item is one block.

mod choice;
mod encode;
mod encode_parts;
mod error;
mod items;
mod namespace;
mod output;
mod parts;
mod read;
mod reply;
mod request;
mod response_object;
mod settings;
mod stop;
mod tools;
mod usage;
mod web_search;
mod write;

use bytes::Bytes;
use interlingua_model::{
    ApiError, Block, BlockContent, Conversation, DialectId, Ledger, Reply, ReplyContext, Role,
    Target, Tool, Turn, Verbatim,
};
use interlingua_wire::{JsonDoc, JsonNode, JsonString, RawJson};

pub(crate) use self::output::begins_message;
use crate::{Dialect, StreamReader, StreamWriter, WebSearch};

pub const ID: DialectId = DialectId("openai-responses");

/// Issuer of `OpenAI`'s encrypted reasoning.
const OPENAI_ISSUER: JsonString = JsonString::from_static("openai");
/// Issuer of xAI's encrypted reasoning, which uses the same field.
const XAI_ISSUER: JsonString = JsonString::from_static("xai");

#[derive(Debug)]
pub struct OpenAiResponses;

impl Dialect for OpenAiResponses {
    fn id(&self) -> DialectId {
        ID
    }

    fn portable_content(&self, kind: &JsonString, block: &RawJson) -> Option<BlockContent> {
        output::decode_generated_image(kind, block)
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

    fn known_subfields(&self, field: &str) -> Option<&'static [&'static str]> {
        settings::known_subfields(field)
    }

    fn supports_prompt_cache_key(&self, flavor: Option<&str>) -> bool {
        flavor != Some("llama.cpp")
    }

    /// `OpenAI`'s API, Azure's copy, the `ChatGPT` subscription backend, relays, and llama.cpp.
    fn flavors(&self) -> &'static [&'static str] {
        &["openai", "azure", "codex", "relay", "llama.cpp"]
    }

    fn seal_issuers(&self) -> &'static [&'static str] {
        &["openai", "xai"]
    }

    fn reply_list_keys(&self) -> &'static [&'static str] {
        &["response", "output", "item", "part", "content", "summary", "annotations"]
    }

    fn decode_request(&self, body: &JsonDoc, ledger: &mut Ledger) -> Verbatim<Conversation> {
        Verbatim::with_text(request::decode(body, ledger), ID, body.to_json())
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
        let reply = reply::decode(body, cx, ledger)?;
        Ok(Verbatim::with_text(reply, ID, body.to_json()))
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
        items::decode_turn(turn, 0, ledger)
    }

    fn decode_block(&self, block: JsonNode<'_>, _: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        parts::decode_block(block, ledger)
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
