//! The seal of a call, put into a message as it is written: all else in it stays as the client wrote it.

use interlingua_model::{Block, Body, Seal, ToolCall, Turn, Verbatim};
use interlingua_wire::{Json, Node, Text};

use crate::Work;
use crate::pairing;
use crate::profile::thinking::SealedCalls;

/// Seals a call where the message has its place for that; whether it could.
pub(crate) fn put(work: &mut Work<'_>, (turn, at): (usize, usize), seal: &Seal) -> bool {
    let Some((message, call)) = written(work, (turn, at), seal) else {
        return put_into_call(work, (turn, at), seal);
    };
    work.reword(turn, message, |value| {
        let mut block = Block::clone(&value.blocks[at]);
        block.seal = Some(Box::new(seal.clone()));
        value.blocks[at] = match call {
            Some((dialect, text)) => Verbatim::read(block, dialect, text),
            None => block.into(),
        };
    });
    true
}

/// The same of a call alone, in a message that is written anew.
fn put_into_call(work: &mut Work<'_>, (turn, at): (usize, usize), seal: &Seal) -> bool {
    let dialect = work.profile.dialect;
    let block = work.block(turn, at);
    let Some(text) = block.text_for(dialect).filter(|text| text.is_object()) else { return false };
    if work.profile.thinking.sealed_calls != SealedCalls::InCalls {
        return false;
    }
    let text = signed(text.doc().root(), seal);
    let mut block = Block::clone(block);
    block.seal = Some(Box::new(seal.clone()));
    work.turn(turn).blocks[at] = Verbatim::read(block, dialect, text);
    true
}

type Written = (Json, Option<(interlingua_model::DialectId, Json)>);

/// The message with the seal in it, and the call, where the seal is in that.
fn written(work: &Work<'_>, (turn, at): (usize, usize), seal: &Seal) -> Option<Written> {
    let dialect = work.profile.dialect;
    let this = &work.turns()[turn];
    let doc = this.text_for(dialect)?.doc();
    let message = doc.root();
    if work.profile.thinking.sealed_calls == SealedCalls::Step {
        let Body::ToolCall(ToolCall { id, .. }) = &this.blocks[at].body else { return None };
        // A call that the entry cannot name is written anew; in the old way calls have no ids.
        if !pairing::is_old(&this.blocks[at]) {
            message.get(CALLS)?.items().find(|one| names(*one, id))?;
        }
        let details = listed(message.get(DETAILS), id, seal);
        return Some((with(message, DETAILS, &details), None));
    }
    pairing::call(&this.blocks[at])?;
    if work.profile.thinking.sealed_calls != SealedCalls::InCalls {
        return None;
    }
    let number = number(this, at);
    let list = message.get(CALLS).filter(|list| list.is_array())?;
    let node = list.items().nth(number).filter(|node| node.is_object())?;
    let text = signed(node, seal);
    let calls = Json::array(|out| {
        for (at, one) in list.items().enumerate() {
            out.item().json(&if at == number { text.clone() } else { one.json() });
        }
    });
    Some((with(message, CALLS, &calls), Some((dialect, text))))
}

/// A call with its seal, where the compatible dialect has it.
fn signed(call: Node<'_>, seal: &Seal) -> Json {
    let alone = || Json::object(|out| out.text(SIGNATURE, &seal.data));
    let vendor = call.get(EXTRA).and_then(|extra| extra.get(VENDOR));
    let vendor = merged(vendor, SIGNATURE, &Json::string(&seal.data)).unwrap_or_else(alone);
    let extra = merged(call.get(EXTRA), VENDOR, &vendor)
        .unwrap_or_else(|| Json::object(|out| out.json(VENDOR, &vendor)));
    with(call, EXTRA, &extra)
}

/// Which of the calls of a turn this is.
fn number(turn: &Turn, at: usize) -> usize {
    turn.blocks[..at].iter().filter(|block| pairing::call(block).is_some()).count()
}

fn names(call: Node<'_>, id: &Text) -> bool {
    call.get("id").and_then(Node::text).as_ref() == Some(id)
}

/// The entries that are there, and one more for the call.
fn listed(entries: Option<Node<'_>>, id: &Text, seal: &Seal) -> Json {
    let entries = entries.filter(|entries| entries.is_array());
    Json::array(|out| {
        let mut count = 0;
        for entry in entries.into_iter().flat_map(Node::items) {
            out.item().json(&entry.json());
            count += 1;
        }
        out.object(|out| {
            out.word("type", "reasoning.encrypted");
            out.number("index", count);
            out.text("data", &seal.data);
            out.text("id", id);
            out.word("format", FORMAT);
        });
    })
}

/// An object with this field, in its place or at the end.
pub(crate) fn with(object: Node<'_>, key: &'static str, value: &Json) -> Json {
    let mut there = false;
    Json::object(|out| {
        for field in object.fields() {
            if !field.is(key) {
                out.key_text(&field.key()).json(&field.value.json());
            } else if !std::mem::replace(&mut there, true) {
                out.json(key, value);
            }
        }
        if !there {
            out.json(key, value);
        }
    })
}

fn merged(object: Option<Node<'_>>, key: &'static str, value: &Json) -> Option<Json> {
    object.filter(|object| object.is_object()).map(|object| with(object, key, value))
}

const CALLS: &str = "tool_calls";
const EXTRA: &str = "extra_content";
const VENDOR: &str = "google";
const SIGNATURE: &str = "thought_signature";
const DETAILS: &str = "reasoning_details";
const FORMAT: &str = "google-gemini-v1";
