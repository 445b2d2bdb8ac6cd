//! A whole reply, both ways.

use interlingua_model::{Body, Exchange, Failure, Ledger, Place, Reply, unfold};
use interlingua_wire::{Doc, Node};

use super::output::{self, Seat};
use super::write::Writer;
use super::{ID, error, response, stop, usage};
use crate::{StreamWriter as _, note};

pub(super) fn decode(
    doc: &Doc,
    exchange: &Exchange,
    ledger: &mut Ledger,
) -> Result<Reply, Failure> {
    let root = doc.root();
    let status = root.get("status").map(Node::word).unwrap_or_default();
    let error = root.get("error").filter(|error| !error.is_null());
    if status == stop::FAILED || (error.is_some() && root.get("output").is_none()) {
        return Err(error::of_response(root));
    }
    let output = root.get("output").filter(|list| list.is_array());
    if output.is_none() && status.is_empty() {
        return Err(Failure::no_answer());
    }
    let mut reply = Reply::new();
    reply.id = root.get("id").and_then(Node::text).or_else(|| exchange.id.clone());
    reply.model = root.get("model").and_then(Node::text).or_else(|| exchange.model.clone());
    match output {
        Some(output) => {
            let id = reply.id.clone().unwrap_or_default();
            for (index, item) in output.items().enumerate() {
                let seat = Seat { reply: &id, index };
                output::decode(item, seat, &mut reply.turn.blocks, ledger);
            }
        }
        None => ledger.change(note::ODD_INPUT, Place::REPLY, "the reply has no list of output"),
    }
    reply.usage = root.get("usage").and_then(usage::decode).unwrap_or_default();
    let refuses = reply.turn.blocks.iter().any(|block| matches!(block.body, Body::Refusal(_)));
    reply.stop = stop::decode(root, reply.has_calls(), refuses);
    for field in root.fields() {
        let known = KNOWN.iter().any(|name| field.is(name));
        if !known && !response::is_default(&field.name(), &field.value.json()) {
            reply.extras.keep(ID, field);
        }
    }
    Ok(reply)
}

/// A whole reply is what its stream adds up to.
pub(super) fn encode(reply: &Reply, exchange: &Exchange, ledger: &mut Ledger) -> Vec<u8> {
    let mut writer = Writer::whole(exchange, reply.extras.clone());
    let mut out = Vec::new();
    for event in unfold(reply) {
        writer.write(&event, &mut out, ledger);
    }
    out
}

/// What the model holds, and what goes without saying.
const KNOWN: &[&str] =
    &["id", "object", "status", "error", "incomplete_details", "model", "output", "usage"];
