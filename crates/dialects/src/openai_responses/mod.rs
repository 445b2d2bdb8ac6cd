//! The Responses API of `OpenAI`, and of those who speak it too.
//!
//! A turn is one item of the input. A reply's items are blocks of one turn: a message gives a block
//! for each of its parts, any other item is one block.

mod choice;
mod encode;
mod encode_parts;
mod items;
mod names;
mod parts;
mod request;
mod settings;
mod tools;

use bytes::Bytes;
use interlingua_model::{
    Block, Conversation, DialectId, Event, Exchange, Failure, FailureKind, Ledger, Reply, Role,
    Target, Tool, Turn, Verbatim,
};
use interlingua_wire::{Doc, Frame, Node, Text};

use crate::{Dialect, StreamReader, StreamWriter};

pub const ID: DialectId = DialectId("openai-responses");

/// Who seals the reasoning of this dialect.
const OPENAI: Text = Text::word("openai");
/// Speaks this dialect too, and seals in the same place.
const XAI: Text = Text::word("xai");

#[derive(Debug)]
pub struct OpenAiResponses;

impl Dialect for OpenAiResponses {
    fn id(&self) -> DialectId {
        ID
    }

    fn turns_key(&self) -> &'static str {
        "input"
    }

    fn decode_request(&self, body: &Doc, ledger: &mut Ledger) -> Verbatim<Conversation> {
        Verbatim::read(request::decode(body, ledger), ID, body.whole())
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
        items::decode_turn(turn, 0, ledger)
    }

    fn decode_block(&self, block: Node<'_>, _: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        parts::decode_block(block, ledger)
    }

    fn decode_system(
        &self,
        system: Node<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        request::decode_system(system, ledger)
    }

    fn decode_tool(&self, tool: Node<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode_tool(tool, 0, ledger)
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
