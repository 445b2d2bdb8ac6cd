//! The project's own dialect: the canonical model as JSON, for stored sessions and for people.
//!
//! It is readable without knowledge of other dialects, and lossless: a value that still has its
//! original text includes it under `raw`, and decoding prefers that text. So a stored conversation
//! is encoded in its own dialect with the bytes it was received with.

mod blocks;
mod enum_names;
mod error;
mod read_blocks;
mod reply;
mod request;
mod settings;
mod stream;
mod tools;
mod unread;

use bytes::Bytes;
use interlingua_model::{
    ApiError, Block, Conversation, DialectId, Ledger, Reply, ReplyContext, Role, Target, Tool,
    Turn, Verbatim,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, JsonWriter, RawJson};

use crate::{Dialect, StreamReader, StreamWriter};

pub const ID: DialectId = DialectId("native");

#[derive(Debug)]
pub struct Native;

/// Encodes a single turn, as [`Dialect::decode_turn`] decodes it.
pub fn encode_turn(turn: &Verbatim<Turn>) -> RawJson {
    RawJson::object(|o| request::encode_turn(turn, o))
}

/// Writes the fields of a reply, as [`Dialect::decode_reply`] decodes them.
pub fn encode_reply_fields(reply: &Reply, o: &mut ObjectWriter<'_>) {
    reply::encode(reply, o);
}

impl Dialect for Native {
    fn id(&self) -> DialectId {
        ID
    }

    fn reply_list_keys(&self) -> &'static [&'static str] {
        &["blocks", "block", "citations", "result", "content"]
    }

    fn decode_request(&self, body: &JsonDoc, ledger: &mut Ledger) -> Verbatim<Conversation> {
        Verbatim::with_text(request::decode(body.root(), ledger), ID, body.to_json())
    }

    fn encode_request(
        &self,
        conversation: &Verbatim<Conversation>,
        target: &Target,
        _ledger: &mut Ledger,
    ) -> Bytes {
        request::encode(conversation, target)
    }

    fn decode_reply(
        &self,
        body: &JsonDoc,
        _exchange: &ReplyContext,
        ledger: &mut Ledger,
    ) -> Result<Verbatim<Reply>, ApiError> {
        match body.root().get("error") {
            Some(failure) => Err(error::decode_error(failure)),
            None => Ok(Verbatim::with_text(reply::decode(body.root(), ledger), ID, body.to_json())),
        }
    }

    fn encode_reply(
        &self,
        reply: &Reply,
        _exchange: &ReplyContext,
        _ledger: &mut Ledger,
    ) -> Vec<u8> {
        let mut out = JsonWriter::default();
        out.object(|o| reply::encode(reply, o));
        out.into_bytes()
    }

    fn reader(&self, _exchange: &ReplyContext) -> Box<dyn StreamReader> {
        Box::new(stream::Reader::default())
    }

    fn writer(&self, _exchange: &ReplyContext) -> Box<dyn StreamWriter> {
        Box::new(stream::Writer)
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> ApiError {
        error::decode_body(status, body)
    }

    fn encode_error(&self, error: &ApiError) -> Vec<u8> {
        error::encode(error)
    }

    fn decode_turn(&self, turn: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
        request::decode_turn(turn, ledger)
    }

    fn decode_block(
        &self,
        block: JsonNode<'_>,
        role: Role,
        ledger: &mut Ledger,
    ) -> Verbatim<Block> {
        read_blocks::decode_block(block, role, ledger)
    }

    fn decode_system(
        &self,
        system: JsonNode<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        read_blocks::decode_blocks(Some(system), Role::System, ledger).into()
    }

    fn decode_tool(&self, tool: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode_tool(tool, ledger)
    }
}
