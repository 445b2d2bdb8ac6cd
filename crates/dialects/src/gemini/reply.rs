//! Whole replies, both ways. The first candidate is the turn.

use interlingua_model::{
    Args, Block, Body, Exchange, Extras, Failure, Ledger, Place, Reply, Stop, StopReason, Verbatim,
};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json, Node, Text, Writer};

use super::encode::{self, Way};
use super::pairing::Pairing;
use super::{ID, citations, content, error, names, outcome};
use crate::notice::given_up;
use crate::{freeform, note};

pub(super) fn decode(
    body: &Doc,
    exchange: &Exchange,
    ledger: &mut Ledger,
) -> Result<Verbatim<Reply>, Failure> {
    let response = unwrapped(body.root());
    let candidates = names::get(response, "candidates");
    if candidates.is_none()
        && let Some(error) = error::envelope(body.root())
    {
        return Err(error::of(error, None, body.root()));
    }
    let mut reply = Reply::new();
    reply.id = names::get(response, "responseId").and_then(Node::text);
    reply.model = names::get(response, "modelVersion").and_then(Node::text);
    if let Some(usage) = names::get(response, "usageMetadata") {
        reply.usage = outcome::decode_usage(usage);
    }
    let mut candidates = candidates.into_iter().flat_map(Node::items);
    match candidates.next() {
        Some(candidate) => decode_candidate(candidate, exchange, &mut reply, ledger),
        None if is_blocked(response) => reply.stop = Stop::new(StopReason::Refusal),
        None => return Err(Failure::no_answer()),
    }
    if let Some(failure) = given_up(&reply.stop) {
        return Err(failure);
    }
    let further: Vec<_> = candidates.collect();
    if !further.is_empty() {
        let list = Json::array(|list| {
            for candidate in &further {
                list.item().json(&candidate.json());
            }
        });
        reply.extras.put(ID, Text::word(CANDIDATES), list);
    }
    if let Some(others) = names::others(response, KNOWN) {
        for field in others.doc().root().fields() {
            reply.extras.keep(ID, field);
        }
    }
    Ok(Verbatim::read(reply, ID, body.whole()))
}

/// The reply inside the wrapper that the provider's own agent gets it in.
pub(super) fn unwrapped(root: Node<'_>) -> Node<'_> {
    let inner = names::get(root, "response").filter(|inner| inner.is_object());
    inner.filter(|_| names::get(root, "candidates").is_none()).unwrap_or(root)
}

fn decode_candidate(
    candidate: Node<'_>,
    exchange: &Exchange,
    reply: &mut Reply,
    ledger: &mut Ledger,
) {
    let salt = reply.id.clone().or_else(|| exchange.id.clone());
    let mut pairing = Pairing::of_reply(salt);
    let parts = names::get(candidate, "content").and_then(|content| names::get(content, "parts"));
    if let Some(parts) = parts {
        reply.turn.blocks = content::decode_parts(parts, &mut pairing, Place::reply, ledger);
    }
    for block in &mut reply.turn.blocks {
        if is_wrapped_freeform(block, &exchange.freeform) {
            unwrap_freeform(block.edit());
        }
    }
    citations::attach(candidate, &mut reply.turn.blocks);
    if let Some(others) = names::others(candidate, CANDIDATE) {
        reply.extras.put(ID, Text::word(FIRST), others);
    }
    let word = outcome::finish_of(candidate);
    let stop = word.map_or_else(
        || {
            ledger.change(note::ODD_INPUT, Place::REPLY, "the reply does not say why it ended");
            Stop::new(StopReason::Other)
        },
        outcome::decode_stop,
    );
    reply.stop = stop.with_calls(reply.has_calls());
    reply.stop.message = outcome::finish_message(candidate);
}

/// Whether the prompt was refused, so that there is no candidate.
pub(super) fn is_blocked(response: Node<'_>) -> bool {
    let feedback = names::get(response, "promptFeedback");
    feedback.is_some_and(|feedback| names::get(feedback, "blockReason").is_some())
}

/// A call to a tool that takes free text, which the provider knows as a function.
pub(super) fn is_wrapped_freeform(block: &Block, freeform: &[Text]) -> bool {
    matches!(&block.body, Body::ToolCall(call) if freeform.contains(&call.name))
}

/// Takes free text out of the object it travels in; anything else is itself the text.
pub(super) fn unwrap_freeform(block: &mut Block) {
    if let Body::ToolCall(call) = &mut block.body {
        let text = match &call.args {
            Args::Json(json) => {
                freeform::unwrapped(json).unwrap_or_else(|| Text::new(json.as_str()))
            }
            Args::Malformed(text) | Args::Freeform(text) => text.clone(),
        };
        call.args = Args::Freeform(text);
    }
}

pub(super) fn encode(reply: &Reply, exchange: &Exchange, ledger: &mut Ledger) -> Vec<u8> {
    names::note_extras(&reply.extras, ID, Place::REPLY, ledger);
    let mut out = Writer::default();
    out.object(|object| {
        if !was_blocked(reply) {
            object.array("candidates", |list| {
                list.object(|object| write_candidate(reply, exchange, object, ledger));
                let further = reply.extras.find(ID, CANDIDATES).map(Json::doc);
                for candidate in further.iter().flat_map(|list| list.root().items()) {
                    list.item().json(&candidate.json());
                }
            });
        }
        outcome::write_usage(&reply.usage, object.key("usageMetadata"));
        write_names(reply.id.as_ref(), reply.model.as_ref(), exchange, object);
        write_others(&reply.extras, object);
    });
    out.into_bytes()
}

/// The names that stand in each chunk and reply.
pub(super) fn write_names(
    id: Option<&Text>,
    model: Option<&Text>,
    exchange: &Exchange,
    object: &mut Object<'_>,
) {
    object.text_if("modelVersion", model.or(exchange.model.as_ref()));
    let id = id.or(exchange.id.as_ref());
    object.text("responseId", id.unwrap_or(&Text::word("interlingua")));
}

fn was_blocked(reply: &Reply) -> bool {
    let feedback = reply.extras.find(ID, "promptFeedback");
    let says = |json: &Json| names::get(json.doc().root(), "blockReason").is_some();
    reply.turn.blocks.is_empty()
        && reply.stop.reason == StopReason::Refusal
        && feedback.is_some_and(says)
}

fn write_candidate(
    reply: &Reply,
    exchange: &Exchange,
    object: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    let blocks = &reply.turn.blocks;
    let carried: Vec<_> = blocks
        .iter()
        .enumerate()
        .filter(|(at, block)| encode::is_carried(block, Way::Reply, Place::reply(*at), ledger))
        .collect();
    object.object("content", |content| {
        if !carried.is_empty() {
            content.array("parts", |parts| {
                for (at, block) in carried {
                    encode::write(block, Way::Reply, 0, Place::reply(at), parts, ledger);
                }
            });
        }
        content.known("role", "model");
    });
    object.text("finishReason", &outcome::stop_word(&reply.stop, ledger));
    object.number("index", 0);
    let cited = citations::of_blocks(blocks, ledger);
    if let Some(found) = citations::found(blocks).filter(|_| exchange.searches) {
        object.json("groundingMetadata", &found);
    } else if cited != Json::EMPTY_ARRAY {
        object.object("citationMetadata", |object| object.json("citationSources", &cited));
    }
    names::write_others(reply.extras.find(ID, FIRST), object);
}

fn write_others(extras: &Extras, object: &mut Object<'_>) {
    for (key, value) in extras.of(ID) {
        if key != FIRST && key != CANDIDATES {
            object.key_text(key).json(value);
        }
    }
}

/// Fields of a reply whose meaning the model holds.
pub(super) const KNOWN: &[&str; 4] = &["candidates", "usageMetadata", "modelVersion", "responseId"];

/// Fields of a candidate whose meaning the model holds.
pub(super) const CANDIDATE: &[&str; 4] = &["content", "finishReason", "index", "citationMetadata"];

/// Where the other fields of the first candidate are kept, and the candidates after it.
pub(super) const FIRST: &str = "candidate";
pub(super) const CANDIDATES: &str = "candidates";
