//! The openai-responses dialect.

use bytes::Bytes;
use interlingua_model::{
    Block, Conversation, DialectId, Event, Exchange, Failure, FailureKind, Ledger, Reply, Role,
    Target, Tool, ToolKind, Turn, Verbatim,
};
use interlingua_wire::{Doc, Frame, Node, Text};

use crate::{Dialect, StreamReader, StreamWriter};

pub const ID: DialectId = DialectId("openai-responses");

#[derive(Debug)]
pub struct OpenAiResponses;

impl Dialect for OpenAiResponses {
    fn id(&self) -> DialectId {
        ID
    }
    fn decode_request(&self, _: &Doc, _: &mut Ledger) -> Verbatim<Conversation> {
        Conversation::new(ID).into()
    }
    fn encode_request(&self, _: &Verbatim<Conversation>, _: &Target, _: &mut Ledger) -> Bytes {
        Bytes::new()
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
    fn decode_turn(&self, _: Node<'_>, _: &mut Ledger) -> Verbatim<Turn> {
        Turn::new(Role::User).into()
    }
    fn decode_block(&self, _: Node<'_>, _: Role, _: &mut Ledger) -> Verbatim<Block> {
        Block::text(Text::EMPTY).into()
    }
    fn decode_system(&self, _: Node<'_>, _: &mut Ledger) -> Verbatim<Vec<Verbatim<Block>>> {
        Verbatim::default()
    }
    fn decode_tool(&self, _: Node<'_>, _: &mut Ledger) -> Verbatim<Tool> {
        Tool::new(Text::EMPTY, ToolKind::Function { schema: None }).into()
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
