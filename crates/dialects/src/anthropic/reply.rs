//! A whole reply, both ways.

use interlingua_model::{
    Body, Exchange, Failure, Ledger, Place, Reply, Role, Stop, StopReason, Turn, Verbatim,
    derive_id,
};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Node, Text, Writer};

use super::encode::{self, Cx, Spot};
use super::{ID, decode, error, freeform, stop, usage};
use crate::notice::notice;

pub(super) fn decode(
    doc: &Doc,
    exchange: &Exchange,
    ledger: &mut Ledger,
) -> Result<Verbatim<Reply>, Failure> {
    let root = doc.root();
    if let Some(failure) = error::in_body(root) {
        return Err(failure);
    }
    let mut reply = Reply::new();
    let mut stop_words = None;
    let mut content = None;
    for field in root.fields() {
        match &*field.name() {
            "type" | "role" | "stop_sequence" => {}
            "id" => reply.id = field.value.text(),
            "model" => reply.model = field.value.text(),
            "content" => content = Some(field.value),
            "stop_reason" => stop_words = stop::of(root),
            "usage" if field.value.is_object() => reply.usage = usage::decode(field.value),
            _ if field.value.is_null() => {}
            _ => reply.extras.keep(ID, field),
        }
    }
    if stop_words.is_none() && content.is_none_or(Node::is_null) {
        return Err(Failure::no_answer());
    }
    let blocks = decode::content(content, Place::REPLY, ledger);
    reply.turn = Turn { role: Role::Assistant, blocks, ..Turn::new(Role::Assistant) };
    freeform::unwrap_calls(&mut reply.turn, exchange);
    let has_calls = reply.has_calls();
    reply.stop = stop_words.unwrap_or(Stop::new(StopReason::End)).with_calls(has_calls);
    Ok(Verbatim::read(reply, ID, doc.whole()))
}

pub(super) fn encode(reply: &Reply, exchange: &Exchange, ledger: &mut Ledger) -> Vec<u8> {
    let mut out = Writer::default();
    let mut cx = Cx { ledger, own: false, unsigned: false };
    out.object(|o| {
        head(reply.id.as_ref(), reply.model.as_ref(), exchange, o);
        o.array("content", |a| {
            for (at, block) in reply.turn.blocks.iter().enumerate() {
                encode::block(block, Spot::Reply, Place::reply(at), &mut cx, a);
            }
            if let Some(notice) = notice(&reply.stop) {
                a.object(|o| {
                    o.known("type", "text");
                    o.text("text", &notice);
                });
            }
        });
        let declines = reply.turn.blocks.iter().any(|block| matches!(block.body, Body::Refusal(_)));
        o.text("stop_reason", &stop::word(&reply.stop, declines, cx.ledger));
        match &reply.stop.sequence {
            Some(sequence) => o.text("stop_sequence", sequence),
            None => o.null("stop_sequence"),
        }
        encode::note_extras(&reply.turn.extras, Place::REPLY, cx.ledger);
        encode::note_extras(&reply.extras, Place::REPLY, cx.ledger);
        reply.extras.write(ID, o);
        usage::write(&reply.usage, o);
    });
    out.into_bytes()
}

/// The fields every message begins with.
pub(super) fn head(
    id: Option<&Text>,
    model: Option<&Text>,
    exchange: &Exchange,
    o: &mut Object<'_>,
) {
    match id.or(exchange.id.as_ref()) {
        Some(id) => o.text("id", id),
        None => o.text("id", &derive_id("msg_", &Text::word("interlingua"), 0)),
    }
    o.known("type", "message");
    o.known("role", "assistant");
    o.text("model", model.or(exchange.model.as_ref()).unwrap_or(&Text::EMPTY));
}

/// The id, model and other fields of a message that has just begun.
pub(super) fn id_and_model(message: Node<'_>) -> (Option<Text>, Option<Text>) {
    (message.get("id").and_then(Node::text), message.get("model").and_then(Node::text))
}
