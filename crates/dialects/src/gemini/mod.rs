//! The Gemini dialect: `generateContent` and `streamGenerateContent`. The model is part of the URL
//! path.

mod citation;
mod content;
mod contents;
mod encode;
mod encode_media;
mod encode_result;
mod encode_settings;
mod error;
mod field_name;
mod outcome;
mod pairing;
mod part;
mod partial;
mod read;
mod read_parts;
mod reasoning;
mod reply;
mod request;
mod schema;
mod settings;
mod tools;
mod waiting;
mod write;

use bytes::Bytes;
use interlingua_model::{
    ApiError, Block, Conversation, DialectId, Ledger, LedgerPath, Reply, ReplyContext, Role,
    Target, Tool, Turn, Verbatim,
};
use interlingua_wire::{JsonDoc, JsonNode};

use crate::{Dialect, StreamReader, StreamWriter};

pub const ID: DialectId = DialectId("gemini");

#[derive(Debug)]
pub struct Gemini;

impl Dialect for Gemini {
    fn id(&self) -> DialectId {
        ID
    }

    /// Some clients parse an SSE comment as a chunk, and some parse one empty line as the start of
    /// the next chunk. All clients skip two empty lines.
    fn heartbeat_bytes(&self) -> &'static [u8] {
        b"\n\n"
    }

    fn turns_key(&self) -> &'static str {
        "contents"
    }

    fn flavors(&self) -> &'static [&'static str] {
        &["ai-studio", "vertex"]
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
        content::decode_content(turn, &mut pairing::CallPairing::detached(), 0, ledger)
    }

    fn decode_block(&self, block: JsonNode<'_>, _: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        part::decode_part(
            block,
            &mut pairing::CallPairing::detached(),
            LedgerPath::block(0, 0),
            ledger,
        )
    }

    fn decode_system(
        &self,
        system: JsonNode<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        content::decode_system(system, ledger)
    }

    fn decode_tool(&self, tool: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode_tool(tool, LedgerPath::tool(0), ledger)
    }
}
