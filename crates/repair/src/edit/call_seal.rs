//! Inserts the seal of a tool call into a written message and leaves the rest of its text
//! unchanged.

use interlingua_model::{Block, BlockContent, Seal, ToolCall, Turn, Verbatim};
use interlingua_providers::profile::reasoning::CallSealing;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::engine::Work;
use crate::values::block::{as_call, is_legacy};

/// Adds a seal to a call where the message has a field for it; returns whether it has one.
pub(crate) fn insert(work: &mut Work<'_>, (turn, at): (usize, usize), seal: &Seal) -> bool {
    let Some((message, call)) = sealed_message(work, (turn, at), seal) else {
        return insert_into_call(work, (turn, at), seal);
    };
    work.edit_turn_with_text(turn, message, |value| {
        let mut block = Block::clone(&value.blocks[at]);
        block.seal = Some(Box::new(seal.clone()));
        value.blocks[at] = match call {
            Some((dialect, text)) => Verbatim::with_text(block, dialect, text),
            None => block.into(),
        };
    });
    true
}

/// The same for a single call, in a message that is encoded again.
fn insert_into_call(work: &mut Work<'_>, (turn, at): (usize, usize), seal: &Seal) -> bool {
    let dialect = work.profile.dialect;
    let block = work.block(turn, at);
    let Some(text) = block.text_for(dialect).filter(|text| text.is_object()) else { return false };
    if work.profile.reasoning.call_sealing != CallSealing::FirstCallInMessage {
        return false;
    }
    let text = with_signature(text.to_doc().root(), seal);
    let mut block = Block::clone(block);
    block.seal = Some(Box::new(seal.clone()));
    work.edit_turn(turn).blocks[at] = Verbatim::with_text(block, dialect, text);
    true
}

type SealedMessage = (RawJson, Option<(interlingua_model::DialectId, RawJson)>);

/// The message with the seal, and the call, if it carries the seal.
fn sealed_message(
    work: &Work<'_>,
    (turn, at): (usize, usize),
    seal: &Seal,
) -> Option<SealedMessage> {
    let dialect = work.profile.dialect;
    let source = &work.turns()[turn];
    let doc = source.text_for(dialect)?.to_doc();
    let message = doc.root();
    if work.profile.reasoning.call_sealing == CallSealing::CallOrReasoning {
        let BlockContent::ToolCall(ToolCall { id, .. }) = &source.blocks[at].content else {
            return None;
        };
        // A call that a detail entry cannot name is encoded again; legacy calls have no ids.
        if !is_legacy(&source.blocks[at]) {
            message.get(CALLS)?.items().find(|call| has_id(*call, id))?;
        }
        let details = with_detail(message.get(DETAILS), id, seal);
        return Some((with_field(message, DETAILS, &details), None));
    }
    as_call(&source.blocks[at])?;
    if work.profile.reasoning.call_sealing != CallSealing::FirstCallInMessage {
        return None;
    }
    let index = call_index(source, at);
    let list = message.get(CALLS).filter(|list| list.is_array())?;
    let node = list.items().nth(index).filter(|node| node.is_object())?;
    let text = with_signature(node, seal);
    let calls = RawJson::array(|out| {
        for (at, call) in list.items().enumerate() {
            out.item().json(&if at == index { text.clone() } else { call.json() });
        }
    });
    Some((with_field(message, CALLS, &calls), Some((dialect, text))))
}

/// A call with its seal in the `extra_content` field of the `OpenAI`-compatible Gemini API.
fn with_signature(call: JsonNode<'_>, seal: &Seal) -> RawJson {
    let new_vendor = || RawJson::object(|out| out.json_string(SIGNATURE, &seal.data));
    let vendor = call.get(EXTRA).and_then(|extra| extra.get(VENDOR));
    let vendor = with_field_if_object(vendor, SIGNATURE, &RawJson::string(&seal.data))
        .unwrap_or_else(new_vendor);
    let extra = with_field_if_object(call.get(EXTRA), VENDOR, &vendor)
        .unwrap_or_else(|| RawJson::object(|out| out.json(VENDOR, &vendor)));
    with_field(call, EXTRA, &extra)
}

/// Index of the block among the calls of its turn.
fn call_index(turn: &Turn, at: usize) -> usize {
    turn.blocks[..at].iter().filter(|block| as_call(block).is_some()).count()
}

fn has_id(call: JsonNode<'_>, id: &JsonString) -> bool {
    call.get("id").and_then(JsonNode::json_string).as_ref() == Some(id)
}

/// The present detail entries and one more for the call.
fn with_detail(entries: Option<JsonNode<'_>>, id: &JsonString, seal: &Seal) -> RawJson {
    let entries = entries.filter(|entries| entries.is_array());
    RawJson::array(|out| {
        let mut count = 0;
        for entry in entries.into_iter().flat_map(JsonNode::items) {
            out.item().json(&entry.json());
            count += 1;
        }
        out.object(|out| {
            out.str("type", "reasoning.encrypted");
            out.number("index", count);
            out.json_string("data", &seal.data);
            out.json_string("id", id);
            out.str("format", FORMAT);
        });
    })
}

/// An object with this field, replaced in its position or appended.
pub(crate) fn with_field(object: JsonNode<'_>, key: &'static str, value: &RawJson) -> RawJson {
    let mut written = false;
    RawJson::object(|out| {
        for field in object.fields() {
            if !field.key_is(key) {
                out.key_json_string(&field.key_json_string()).json(&field.value.json());
            } else if !std::mem::replace(&mut written, true) {
                out.json(key, value);
            }
        }
        if !written {
            out.json(key, value);
        }
    })
}

fn with_field_if_object(
    object: Option<JsonNode<'_>>,
    key: &'static str,
    value: &RawJson,
) -> Option<RawJson> {
    object.filter(|object| object.is_object()).map(|object| with_field(object, key, value))
}

const CALLS: &str = "tool_calls";
const EXTRA: &str = "extra_content";
const VENDOR: &str = "google";
const SIGNATURE: &str = "thought_signature";
const DETAILS: &str = "reasoning_details";
const FORMAT: &str = "google-gemini-v1";
