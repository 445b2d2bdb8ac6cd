//! Amazon Bedrock's Converse and `ConverseStream`.
//!
//! The model is named in the path, and so is whether to stream: neither stands in the body. Cache
//! points are blocks of their own here; in the model they are marks on the block before.

mod cite;
mod decode;
mod encode;
mod error;
mod gather;
mod media;
mod messages;
mod options;
mod read;
mod reply;
mod request;
mod settings;
mod tools;
mod write;

use bytes::Bytes;
use interlingua_model::{
    Block, Conversation, DialectId, Exchange, Failure, Ledger, Place, Reply, Role, Target, Tool,
    Turn, Verbatim,
};
use interlingua_wire::{Doc, Framing, Node, Text};

use crate::{Dialect, StreamReader, StreamWriter};

pub const ID: DialectId = DialectId("bedrock");

#[derive(Debug)]
pub struct Bedrock;

impl Dialect for Bedrock {
    fn id(&self) -> DialectId {
        ID
    }

    fn framing(&self) -> Framing {
        Framing::AwsEvents
    }

    fn names_betas(&self) -> bool {
        true
    }

    fn held_inside(&self, field: &str) -> Option<&'static [&'static str]> {
        settings::held_inside(field)
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

    fn encode_reply(&self, reply: &Reply, _exchange: &Exchange, ledger: &mut Ledger) -> Vec<u8> {
        reply::encode(reply, ledger)
    }

    fn reader(&self, exchange: &Exchange) -> Box<dyn StreamReader> {
        Box::new(read::Reader::new(exchange))
    }

    fn writer(&self, _exchange: &Exchange) -> Box<dyn StreamWriter> {
        Box::new(write::Writer::default())
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> Failure {
        error::decode(status, body)
    }

    fn encode_error(&self, failure: &Failure) -> Vec<u8> {
        error::encode(failure)
    }

    fn decode_turn(&self, turn: Node<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
        decode::turn(turn, 0, ledger)
    }

    fn decode_block(&self, block: Node<'_>, _role: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        decode::block(block, Place::BODY, ledger)
    }

    fn decode_system(
        &self,
        system: Node<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        request::system(system, ledger)
    }

    fn decode_tool(&self, tool: Node<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode_one(tool, Place::tool(0), ledger)
    }
}

fn role_word(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System | Role::Developer => "system",
    }
}

/// Claude's signatures are the same here as in its maker's own API.
const ISSUER: Text = Text::word("anthropic");
