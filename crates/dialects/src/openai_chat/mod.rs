//! The openai-chat dialect: `POST /v1/chat/completions`, as its inventor and many others speak it.

mod annotations;
mod calls;
mod content;
mod decode;
mod encode;
mod error;
mod fields;
pub mod flavor;
mod mark;
mod open;
mod paired;
mod parts;
mod read;
mod reasoning;
mod reply;
mod request;
mod settings;
mod speech;
mod stop;
mod tags;
mod tools;
mod unanswered;
mod usage;
mod usual;
mod write;

use bytes::Bytes;
use interlingua_model::{
    Block, Conversation, DialectId, Exchange, Failure, Ledger, Place, Reply, Role, Target, Tool,
    Turn, Verbatim,
};
use interlingua_wire::{Doc, Node};

use crate::{Dialect, StreamReader, StreamWriter};

use flavor::{Flavor, Skill};

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

    fn caches_by_name(&self, flavor: Option<&str>) -> bool {
        Flavor::find(flavor).can(Skill::CacheKey)
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
        error::encode(failure).as_str().into()
    }

    fn decode_turn(&self, turn: Node<'_>, ledger: &mut Ledger) -> Verbatim<Turn> {
        decode::message(turn, &[], &mut unanswered::Unanswered::default(), Place::turn(0), ledger)
    }

    fn decode_block(&self, block: Node<'_>, _: Role, ledger: &mut Ledger) -> Verbatim<Block> {
        decode::block(block, Place::block(0, 0), ledger)
    }

    fn decode_system(
        &self,
        system: Node<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>> {
        let mut blocks = Vec::new();
        parts::content(Some(system), &mut blocks, Place::SYSTEM, ledger);
        Verbatim::read(blocks, ID, system.json())
    }

    fn decode_tool(&self, tool: Node<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
        tools::decode(tool, Place::tool(0), ledger)
    }
}
