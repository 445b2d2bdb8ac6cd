//! The Messages API of Anthropic, which other hosts of its models speak too.

mod chat_like;
mod decode;
mod encode;
mod error;
mod flavor;
mod frame;
mod freeform;
mod media;
mod messages;
mod open;
mod read;
mod reply;
mod request;
mod search;
mod settings;
mod stop;
mod tools;
mod usage;
mod write;

use bytes::Bytes;
use interlingua_model::{
    Block, Body, Citation, Conversation, DialectId, Exchange, Failure, Ledger, Place, Reply, Role,
    Target, Tool, Turn, Verbatim,
};
use interlingua_wire::{Doc, Json, Node, Text};

use crate::{Dialect, Search, StreamReader, StreamWriter};

pub const ID: DialectId = DialectId("anthropic");

/// Who signs the thinking in this dialect.
const ISSUER: &str = "anthropic";

#[derive(Debug)]
pub struct Anthropic;

impl Dialect for Anthropic {
    fn id(&self) -> DialectId {
        ID
    }

    fn status(&self, failure: &Failure) -> u16 {
        failure.kind.status(failure.status)
    }

    fn searched(&self, kind: &Text, block: &Json) -> Option<Search> {
        search::read(kind, block)
    }

    fn tells_at_end(&self) -> bool {
        true
    }

    fn tells_found(&self, search: &Search, found: &[Citation]) -> Vec<Body> {
        search::write(search, found)
    }

    fn held_inside(&self, field: &str) -> Option<&'static [&'static str]> {
        settings::held_inside(field)
    }

    fn idle_event(&self) -> Option<&'static str> {
        Some("ping")
    }

    /// Clients that get nothing but comments leave after some minutes.
    fn filler(&self) -> &'static [u8] {
        b"event: ping\ndata: {\"type\": \"ping\"}\n\n"
    }

    fn seals(&self) -> &'static [&'static str] {
        &[ISSUER]
    }

    fn flavors(&self) -> &'static [&'static str] {
        flavor::NAMES
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
        decode::turn(turn, 0, ledger)
    }

    fn decode_block(&self, block: Node<'_>, _: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        decode::block(block, Place::turn(0), ledger)
    }

    fn decode_system(
        &self,
        system: Node<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        request::decode_system(system, ledger)
    }

    fn decode_tool(&self, tool: Node<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode(tool, 0, ledger)
    }
}
