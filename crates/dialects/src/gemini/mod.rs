//! The gemini dialect: `generateContent` and `streamGenerateContent`. The model stands in the path.

mod citations;
mod content;
mod contents;
mod encode;
mod encode_media;
mod encode_result;
mod encode_settings;
mod error;
mod names;
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
    Block, Conversation, DialectId, Exchange, Failure, Ledger, Place, Reply, Role, Target, Tool,
    Turn, Verbatim,
};
use interlingua_wire::{Doc, Node};

use crate::{Dialect, StreamReader, StreamWriter};

pub const ID: DialectId = DialectId("gemini");

#[derive(Debug)]
pub struct Gemini;

impl Dialect for Gemini {
    fn id(&self) -> DialectId {
        ID
    }

    /// Some of its clients take a comment for a chunk, and some an empty line for the beginning of the next
    /// one; two are passed over by all.
    fn filler(&self) -> &'static [u8] {
        b"\n\n"
    }

    fn turns_key(&self) -> &'static str {
        "contents"
    }

    fn flavors(&self) -> &'static [&'static str] {
        &["ai-studio", "vertex"]
    }

    fn decode_request(&self, body: &Doc, ledger: &mut Ledger) -> Verbatim<Conversation> {
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
        body: &Doc,
        exchange: &Exchange,
        ledger: &mut Ledger,
    ) -> Result<Verbatim<Reply>, Failure> {
        reply::decode(body, exchange, ledger)
    }

    fn encode_reply(&self, reply: &Reply, exchange: &Exchange, ledger: &mut Ledger) -> Vec<u8> {
        reply::encode(reply, exchange, ledger)
    }

    fn reader(&self, exchange: &Exchange) -> Box<dyn StreamReader> {
        Box::new(read::Reader::new(exchange))
    }

    fn writer(&self, exchange: &Exchange) -> Box<dyn StreamWriter> {
        Box::new(write::Writer::new(exchange))
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> Failure {
        error::decode(status, body)
    }

    fn encode_error(&self, failure: &Failure) -> Vec<u8> {
        error::encode(failure)
    }

    fn decode_turn(&self, turn: Node<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
        content::decode(turn, &mut pairing::Pairing::alone(), 0, ledger)
    }

    fn decode_block(&self, block: Node<'_>, _: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        part::decode(block, &mut pairing::Pairing::alone(), Place::block(0, 0), ledger)
    }

    fn decode_system(
        &self,
        system: Node<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        content::decode_system(system, ledger)
    }

    fn decode_tool(&self, tool: Node<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode(tool, Place::tool(0), ledger)
    }
}
