//! Decodes and encodes complete replies.

use interlingua_model::{
    ApiError, Block, BlockContent, Ledger, LedgerPath, Reply, ReplyContext, Verbatim,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, JsonWriter, RawJson};

use super::decode::turn;
use super::encode::context::EncodeCx;
use super::encode::{block, fields};
use super::error;
use super::id::ID;
use super::stop::{note_stop, read_stop, stop_reason_name, stop_sequence};
use super::usage::{read_usage, write_usage};
use crate::common::freeform;
use crate::common::name_set::NameSet;
use crate::note;

pub(super) fn decode(
    doc: &JsonDoc,
    cx: &ReplyContext,
    ledger: &mut Ledger,
) -> Result<Verbatim<Reply>, ApiError> {
    let root = doc.root();
    if let Some(error) = error::decode_embedded(root) {
        return Err(error);
    }
    let mut reply = Reply::new();
    match root.get("output").and_then(|output| output.get("message")) {
        Some(message) => {
            let mut turn_ledger = Ledger::default();
            reply.turn = turn::decode_turn(message, 0, &mut turn_ledger).into_value();
            for entry in turn_ledger.entries {
                let path =
                    LedgerPath { section: LedgerPath::REPLY.section, index: None, ..entry.path };
                ledger.push(interlingua_model::LedgerEntry { path, ..entry });
            }
        }
        None if root.get("stopReason").is_none() => return Err(ApiError::empty_reply()),
        None => {
            ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, "the reply has no message");
        }
    }
    freeform::unwrap_calls(&mut reply.turn, &NameSet::new(&cx.freeform_tools));
    reply.usage = root.get("usage").map(read_usage).unwrap_or_default();
    reply.stop =
        root.get("stopReason").and_then(JsonNode::json_string).map(read_stop).unwrap_or_default();
    let additional_fields = root.get("additionalModelResponseFields");
    reply.stop.sequence = additional_fields.and_then(stop_sequence);
    reply.stop = reply.stop.clone().adjusted_for_tool_calls(reply.has_tool_calls());
    for field in root.fields().filter(|field| !KNOWN_FIELDS.contains(&&*field.key())) {
        reply.extras.push_field(ID, field);
    }
    Ok(Verbatim::with_text(reply, ID, doc.to_json()))
}

pub(super) fn encode(reply: &Reply, ledger: &mut Ledger) -> Vec<u8> {
    let mut out = JsonWriter::default();
    out.object(|o| {
        o.object("output", |o| o.object("message", |o| encode_message(reply, ledger, o)));
        o.json_string("stopReason", &stop_reason_name(&reply.stop));
        write_usage(&reply.usage, o.key("usage"));
        if reply.extras.get(ID, "metrics").is_none() {
            o.json("metrics", &empty_metrics());
        }
        reply.extras.write(ID, o);
    });
    note_stop(&reply.stop, ledger);
    out.into_bytes()
}

fn encode_message(reply: &Reply, ledger: &mut Ledger, o: &mut ObjectWriter<'_>) {
    o.static_str("role", "assistant");
    o.array("content", |a| {
        for (index, block) in reply.turn.blocks.iter().enumerate() {
            let path = LedgerPath::reply(index);
            match block::unsupported_reason(block, EncodeCx::Reply) {
                Some((rule, message)) => ledger.record_loss(rule, path, message),
                None if has_only_foreign_seal(block) => {
                    fields::note_dropped_extras(&block.extras, path, ledger);
                    let message = "left out a seal: only its issuer can verify it";
                    ledger.record_loss(note::FOREIGN_SEAL, path, message);
                }
                None => block::encode_block(block, EncodeCx::Reply, path, ledger, a),
            }
        }
    });
    reply.turn.extras.write(ID, o);
}

/// Returns whether the text block only carries a seal of another provider.
fn has_only_foreign_seal(block: &Verbatim<Block>) -> bool {
    let has_foreign_seal = block.seal.as_deref().is_some_and(|seal| !block::is_own_seal(seal));
    let BlockContent::Text { text, citations } = &block.content else { return false };
    has_foreign_seal && text.is_empty() && citations.is_empty()
}

/// Clients expect metrics. The provider's latency is unknown here, so 0 is written.
pub(super) fn empty_metrics() -> RawJson {
    RawJson::object(|o| o.number("latencyMs", 0))
}

const KNOWN_FIELDS: &[&str] = &["output", "stopReason", "usage"];
