//! The Responses API of `OpenAI`, and of those who speak it too.
//!
//! A turn is one item of the input. A reply's items are blocks of one turn: a message gives a block
//! for each of its parts, any other item is one block.

mod choice;
mod encode;
mod encode_parts;
mod error;
mod items;
mod names;
mod output;
mod parts;
mod read;
mod reply;
mod request;
mod response;
mod search;
mod settings;
mod stop;
mod tools;
mod usage;
mod write;

use bytes::Bytes;
use interlingua_model::{
    Block, Body, Conversation, DialectId, Exchange, Failure, Ledger, Reply, Role, Target, Tool,
    Turn, Verbatim,
};
use interlingua_wire::{Doc, Json, Node, Text};

pub(crate) use self::output::begins_message;
use crate::{Dialect, Search, StreamReader, StreamWriter};

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

    fn shows(&self, kind: &Text, block: &Json) -> Option<Body> {
        output::image(kind, block)
    }

    fn searched(&self, kind: &Text, block: &Json) -> Option<Search> {
        search::read(kind, block)
    }

    fn tells(&self, search: &Search) -> Option<Body> {
        Some(search::write(search))
    }

    fn turns_key(&self) -> &'static str {
        "input"
    }

    fn idle_event(&self) -> Option<&'static str> {
        Some("response.in_progress")
    }

    /// Only events are counted, and from the head of the answer on.
    fn waits_longer(&self) -> bool {
        false
    }

    fn held_inside(&self, field: &str) -> Option<&'static [&'static str]> {
        settings::held_inside(field)
    }

    fn caches_by_name(&self, flavor: Option<&str>) -> bool {
        flavor != Some("llama.cpp")
    }

    /// The inventor's API, as others host it, behind its subscriptions, and relays of it.
    fn flavors(&self) -> &'static [&'static str] {
        &["openai", "azure", "codex", "relay", "llama.cpp"]
    }

    fn seals(&self) -> &'static [&'static str] {
        &["openai", "xai"]
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
        body: &Doc,
        exchange: &Exchange,
        ledger: &mut Ledger,
    ) -> Result<Verbatim<Reply>, Failure> {
        let reply = reply::decode(body, exchange, ledger)?;
        Ok(Verbatim::read(reply, ID, body.whole()))
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
