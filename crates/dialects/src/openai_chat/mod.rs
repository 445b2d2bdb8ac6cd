//! The `OpenAI` Chat Completions dialect: `POST /v1/chat/completions` of `OpenAI` and many other
//! servers.

mod calls;
mod citation;
mod content;
mod decode;
mod encode;
mod error;
mod fields;
pub mod flavor;
mod open;
mod paired;
mod parts;
mod read;
mod reasoning_details;
mod reply;
mod request;
mod settings;
mod speech;
mod spelling;
mod stop;
mod think_tags;
mod tools;
mod unanswered;
mod usage;
mod usual;
mod write;

use bytes::Bytes;
use interlingua_model::{
    ApiError, Block, Conversation, DialectId, Ledger, LedgerPath, Reply, ReplyContext, Role,
    Target, Tool, Turn, Verbatim,
};
use interlingua_wire::{JsonDoc, JsonNode};

use crate::{Dialect, StreamReader, StreamWriter};

use flavor::{Capability, Flavor};

pub const ID: DialectId = DialectId("openai-chat");

#[derive(Debug)]
pub struct OpenAiChat;

impl Dialect for OpenAiChat {
    fn id(&self) -> DialectId {
        ID
    }

    fn flavors(&self) -> &'static [&'static str] {
        flavor::NAMES
    }

    fn supports_prompt_cache_key(&self, flavor: Option<&str>) -> bool {
        Flavor::find(flavor).has(Capability::PromptCacheKey)
    }

    fn known_subfields(&self, field: &str) -> Option<&'static [&'static str]> {
        settings::known_subfields(field)
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
        error::encode(error).as_str().into()
    }

    fn decode_turn(&self, turn: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
        decode::decode_message(
            turn,
            &[],
            &mut unanswered::UnansweredCalls::default(),
            LedgerPath::turn(0),
            ledger,
        )
    }

    fn decode_block(&self, block: JsonNode<'_>, _: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        decode::decode_block(block, LedgerPath::block(0, 0), ledger)
    }

    fn decode_system(
        &self,
        system: JsonNode<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        let mut blocks = Vec::new();
        parts::decode_content(Some(system), &mut blocks, LedgerPath::SYSTEM, ledger);
        Verbatim::with_text(blocks, ID, system.json())
    }

    fn decode_tool(&self, tool: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode_tool(tool, LedgerPath::tool(0), ledger)
    }
}
