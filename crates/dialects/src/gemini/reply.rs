//! Decodes and encodes complete replies. The first candidate becomes the turn.

use interlingua_model::{
    ApiError, Extras, Ledger, LedgerPath, Reply, ReplyContext, Stop, StopReason, Verbatim,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, JsonString, JsonWriter, RawJson};

use super::decode::call_pairing::CallPairing;
use super::decode::turn;
use super::encode::block;
use super::encode::context::EncodeCx;
use super::id::ID;
use super::{citation, error, field_name, stop, usage};
use crate::common::freeform;
use crate::common::name_set::NameSet;
use crate::common::stop_notice::error_from_stop;
use crate::note;

pub(super) fn decode(
    body: &JsonDoc,
    cx: &ReplyContext,
    ledger: &mut Ledger,
) -> Result<Verbatim<Reply>, ApiError> {
    let response = unwrap_response(body.root());
    let candidates = field_name::get(response, "candidates");
    if candidates.is_none()
        && let Some(error) = error::find_error(body.root())
    {
        return Err(error::decode_object(error, None, body.root()));
    }
    let mut reply = Reply::new();
    reply.id = field_name::get(response, "responseId").and_then(JsonNode::json_string);
    reply.model = field_name::get(response, "modelVersion").and_then(JsonNode::json_string);
    if let Some(usage) = field_name::get(response, "usageMetadata") {
        reply.usage = usage::decode_usage(usage);
    }
    let mut candidates = candidates.into_iter().flat_map(JsonNode::items);
    match candidates.next() {
        Some(candidate) => decode_candidate(candidate, cx, &mut reply, ledger),
        None if is_prompt_blocked(response) => reply.stop = Stop::new(StopReason::Refusal),
        None => return Err(ApiError::empty_reply()),
    }
    if let Some(api_error) = error_from_stop(&reply.stop) {
        return Err(api_error);
    }
    let other_candidates: Vec<_> = candidates.collect();
    if !other_candidates.is_empty() {
        let list = RawJson::array(|list| {
            for candidate in &other_candidates {
                list.item().json(&candidate.json());
            }
        });
        reply.extras.push(ID, JsonString::from_static(OTHER_CANDIDATES_KEY), list);
    }
    if let Some(unknown) = field_name::unknown_fields(response, KNOWN_FIELDS) {
        for field in unknown.to_doc().root().fields() {
            reply.extras.push_field(ID, field);
        }
    }
    Ok(Verbatim::with_text(reply, ID, body.to_json()))
}

/// The reply inside the wrapper that the provider's own agent receives.
pub(super) fn unwrap_response(root: JsonNode<'_>) -> JsonNode<'_> {
    let inner = field_name::get(root, "response").filter(|inner| inner.is_object());
    inner.filter(|_| field_name::get(root, "candidates").is_none()).unwrap_or(root)
}

fn decode_candidate(
    candidate: JsonNode<'_>,
    cx: &ReplyContext,
    reply: &mut Reply,
    ledger: &mut Ledger,
) {
    let salt = reply.id.clone().or_else(|| cx.fallback_id.clone());
    let mut pairing = CallPairing::for_reply(salt);
    let parts =
        field_name::get(candidate, "content").and_then(|content| field_name::get(content, "parts"));
    if let Some(parts) = parts {
        reply.turn.blocks = turn::decode_parts(parts, &mut pairing, LedgerPath::reply, ledger);
    }
    freeform::unwrap_calls(&mut reply.turn, &NameSet::new(&cx.freeform_tools));
    citation::attach_citations(candidate, &mut reply.turn.blocks);
    if let Some(unknown) = field_name::unknown_fields(candidate, CANDIDATE_FIELDS) {
        reply.extras.push(ID, JsonString::from_static(FIRST_CANDIDATE_KEY), unknown);
    }
    let reason_name = stop::finish_reason(candidate);
    let stop = reason_name.map_or_else(
        || {
            ledger.record_change(
                note::ODD_INPUT,
                LedgerPath::REPLY,
                "the reply has no finish reason",
            );
            Stop::new(StopReason::Other)
        },
        stop::decode_stop,
    );
    reply.stop = stop.adjusted_for_tool_calls(reply.has_tool_calls());
    reply.stop.message = stop::finish_message(candidate);
}

/// Returns whether the prompt was blocked, so that there is no candidate.
pub(super) fn is_prompt_blocked(response: JsonNode<'_>) -> bool {
    let feedback = field_name::get(response, "promptFeedback");
    feedback.is_some_and(|feedback| field_name::get(feedback, "blockReason").is_some())
}

pub(super) fn encode(reply: &Reply, cx: &ReplyContext, ledger: &mut Ledger) -> Vec<u8> {
    field_name::note_dropped_extras(&reply.extras, ID, LedgerPath::REPLY, ledger);
    let mut out = JsonWriter::default();
    out.object(|object| {
        if !was_prompt_blocked(reply) {
            object.array("candidates", |list| {
                list.object(|object| encode_candidate(reply, cx, object, ledger));
                let other_candidates =
                    reply.extras.get(ID, OTHER_CANDIDATES_KEY).map(RawJson::to_doc);
                for candidate in other_candidates.iter().flat_map(|list| list.root().items()) {
                    list.item().json(&candidate.json());
                }
            });
        }
        usage::write_usage(&reply.usage, object.key("usageMetadata"));
        write_ids(reply.id.as_ref(), reply.model.as_ref(), cx, object);
        write_unknown_fields(&reply.extras, object);
    });
    out.into_bytes()
}

/// Writes the model and id fields of a chunk or reply.
pub(super) fn write_ids(
    id: Option<&JsonString>,
    model: Option<&JsonString>,
    cx: &ReplyContext,
    object: &mut ObjectWriter<'_>,
) {
    object.json_string_opt("modelVersion", model.or(cx.client_model.as_ref()));
    let id = id.or(cx.fallback_id.as_ref());
    object.json_string("responseId", id.unwrap_or(&JsonString::from_static("interlingua")));
}

fn was_prompt_blocked(reply: &Reply) -> bool {
    let feedback = reply.extras.get(ID, "promptFeedback");
    let has_block_reason =
        |json: &RawJson| field_name::get(json.to_doc().root(), "blockReason").is_some();
    reply.turn.blocks.is_empty()
        && reply.stop.reason == StopReason::Refusal
        && feedback.is_some_and(has_block_reason)
}

fn encode_candidate(
    reply: &Reply,
    cx: &ReplyContext,
    object: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    let blocks = &reply.turn.blocks;
    let encodable: Vec<_> = blocks
        .iter()
        .enumerate()
        .filter(|(at, block)| {
            block::check_encodable(block, EncodeCx::Reply, LedgerPath::reply(*at), ledger)
        })
        .collect();
    object.object("content", |content| {
        if !encodable.is_empty() {
            content.array("parts", |parts| {
                for (at, block) in encodable {
                    block::encode_part(
                        block,
                        EncodeCx::Reply,
                        0,
                        LedgerPath::reply(at),
                        parts,
                        ledger,
                    );
                }
            });
        }
        content.static_str("role", "model");
    });
    object.json_string("finishReason", &stop::encode_stop_reason(&reply.stop, ledger));
    object.number("index", 0);
    let cited = citation::encode_reply_citations(blocks, ledger);
    if let Some(grounding) =
        citation::encode_grounding_metadata(blocks).filter(|_| cx.uses_web_search)
    {
        object.json("groundingMetadata", &grounding);
    } else if cited != RawJson::EMPTY_ARRAY {
        object.object("citationMetadata", |object| object.json("citationSources", &cited));
    }
    field_name::write_unknown_fields(reply.extras.get(ID, FIRST_CANDIDATE_KEY), object);
}

fn write_unknown_fields(extras: &Extras, object: &mut ObjectWriter<'_>) {
    for (key, value) in extras.fields_for(ID) {
        if key != FIRST_CANDIDATE_KEY && key != OTHER_CANDIDATES_KEY {
            object.key_json_string(key).json(value);
        }
    }
}

/// Fields of a reply that are decoded.
pub(super) const KNOWN_FIELDS: &[&str; 4] =
    &["candidates", "usageMetadata", "modelVersion", "responseId"];

/// Fields of a candidate that are decoded.
pub(super) const CANDIDATE_FIELDS: &[&str; 4] =
    &["content", "finishReason", "index", "citationMetadata"];

/// Extras keys for the other fields of the first candidate, and for the further candidates.
pub(super) const FIRST_CANDIDATE_KEY: &str = "candidate";
pub(super) const OTHER_CANDIDATES_KEY: &str = "candidates";
