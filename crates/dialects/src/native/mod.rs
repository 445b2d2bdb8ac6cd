//! The project's own dialect: the canonical model as JSON, for stored sessions and for people.
//!
//! It is readable without knowing any other dialect, and exact: whatever still has its text in the
//! dialect it came from carries it under `raw`, and decoding prefers that text. So a conversation
//! that is stored and loaded leaves in its own dialect as the bytes it came in.

mod blocks;
mod error;
mod names;
mod read_blocks;
mod reply;
mod request;
mod settings;
mod stream;
mod tools;
mod unread;

use bytes::Bytes;
use interlingua_model::{
    Block, Conversation, DialectId, Exchange, Failure, Ledger, Reply, Role, Target, Tool, Turn,
    Verbatim,
};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json, Node, Writer};

use crate::{Dialect, StreamReader, StreamWriter};

pub const ID: DialectId = DialectId("native");

#[derive(Debug)]
pub struct Native;

/// A turn by itself, as [`Dialect::decode_turn`] reads it.
pub fn write_turn(turn: &Verbatim<Turn>) -> Json {
    Json::object(|o| request::encode_turn(turn, o))
}

/// The fields of a reply, as [`Dialect::decode_reply`] reads them.
pub fn write_reply(reply: &Reply, o: &mut Object<'_>) {
    reply::encode(reply, o);
}

impl Dialect for Native {
    fn id(&self) -> DialectId {
        ID
    }

    fn decode_request(&self, body: &Doc, ledger: &mut Ledger) -> Verbatim<Conversation> {
        Verbatim::read(request::decode(body.root(), ledger), ID, body.whole())
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
        body: &Doc,
        _exchange: &Exchange,
        ledger: &mut Ledger,
    ) -> Result<Verbatim<Reply>, Failure> {
        match body.root().get("error") {
            Some(failure) => Err(error::decode(failure)),
            None => Ok(Verbatim::read(reply::decode(body.root(), ledger), ID, body.whole())),
        }
    }

    fn encode_reply(&self, reply: &Reply, _exchange: &Exchange, _ledger: &mut Ledger) -> Vec<u8> {
        let mut out = Writer::default();
        out.object(|o| reply::encode(reply, o));
        out.into_bytes()
    }

    fn reader(&self, _exchange: &Exchange) -> Box<dyn StreamReader> {
        Box::new(stream::Reader::default())
    }

    fn writer(&self, _exchange: &Exchange) -> Box<dyn StreamWriter> {
        Box::new(stream::Writer)
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> Failure {
        error::decode_body(status, body)
    }

    fn encode_error(&self, failure: &Failure) -> Vec<u8> {
        error::encode(failure)
    }

    fn decode_turn(&self, turn: Node<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
        request::decode_turn(turn, ledger)
    }

    fn decode_block(&self, block: Node<'_>, role: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        read_blocks::block(block, role, ledger)
    }

    fn decode_system(
        &self,
        system: Node<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        read_blocks::blocks(Some(system), Role::System, ledger).into()
    }

    fn decode_tool(&self, tool: Node<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode(tool, ledger)
    }
}
