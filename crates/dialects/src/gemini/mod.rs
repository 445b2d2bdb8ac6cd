//! The gemini dialect: `generateContent` and `streamGenerateContent`. The model stands in the path.

mod content;
mod contents;
mod encode;
mod encode_media;
mod encode_result;
mod encode_settings;
mod names;
mod part;
mod reasoning;
mod request;
mod schema;
mod settings;
mod tools;

use bytes::Bytes;
use interlingua_model::{
    Block, Conversation, DialectId, Event, Exchange, Failure, FailureKind, Ledger, Place, Reply,
    Role, Target, Tool, Turn, Verbatim,
};
use interlingua_wire::{Doc, Frame, Node, Text};

use crate::{Dialect, StreamReader, StreamWriter};

pub const ID: DialectId = DialectId("gemini");

#[derive(Debug)]
pub struct Gemini;

impl Dialect for Gemini {
    fn id(&self) -> DialectId {
        ID
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
        _: &Doc,
        _: &Exchange,
        _: &mut Ledger,
    ) -> Result<Verbatim<Reply>, Failure> {
        Ok(Reply::new().into())
    }

    fn encode_reply(&self, _: &Reply, _: &Exchange, _: &mut Ledger) -> Vec<u8> {
        Vec::new()
    }

    fn reader(&self, _: &Exchange) -> Box<dyn StreamReader> {
        Box::new(Stream)
    }

    fn writer(&self, _: &Exchange) -> Box<dyn StreamWriter> {
        Box::new(Stream)
    }

    fn decode_error(&self, status: u16, _: &[u8]) -> Failure {
        Failure::new(FailureKind::of_status(status), Text::EMPTY)
    }

    fn encode_error(&self, _: &Failure) -> Vec<u8> {
        Vec::new()
    }

    fn decode_turn(&self, turn: Node<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
        content::decode(turn, &mut part::Pairing::default(), 0, ledger)
    }

    fn decode_block(&self, block: Node<'_>, _: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        part::decode(block, &mut part::Pairing::default(), Place::block(0, 0), ledger)
    }

    fn decode_system(
        &self,
        system: Node<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        content::decode_system(system, ledger)
    }

    fn decode_tool(&self, tool: Node<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode(tool, ledger)
    }
}

struct Stream;

impl StreamReader for Stream {
    fn read(&mut self, _: &Frame, _: &mut Vec<Event>, _: &mut Ledger) {}
    fn finish(&mut self, _: &mut Vec<Event>, _: &mut Ledger) {}
}

impl StreamWriter for Stream {
    fn write(&mut self, _: &Event, _: &mut Vec<u8>, _: &mut Ledger) {}
}
