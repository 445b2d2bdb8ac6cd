//! Decodes and encodes complete replies, usage and stop reasons.

use interlingua_model::{
    ApiError, Block, BlockContent, Ledger, LedgerPath, Reply, ReplyContext, Stop, StopReason,
    ToolArgs, Usage, Verbatim,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, JsonString, JsonWriter, RawJson};

use super::encode::{self, EncodeMode};
use super::{ID, decode, error};
use crate::name_set::NameSet;
use crate::{freeform, note};

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
            reply.turn = decode::decode_turn(message, 0, &mut turn_ledger).into_value();
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
    let freeform_tools = NameSet::new(&cx.freeform_tools);
    for block in &mut reply.turn.blocks {
        let BlockContent::ToolCall(call) = &block.content else { continue };
        if freeform_tools.contains(&call.name) {
            let args = unwrap_freeform_args(&call.args);
            if let BlockContent::ToolCall(call) = &mut block.edit().content {
                call.args = args;
            }
        }
    }
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

/// Extracts the free text that was wrapped for the provider. Other arguments are kept unchanged.
pub(super) fn unwrap_freeform_args(args: &ToolArgs) -> ToolArgs {
    match args {
        ToolArgs::Json(json) => {
            let text = freeform::unwrap_freeform(json);
            ToolArgs::Freeform(text.unwrap_or_else(|| JsonString::new(json.as_str())))
        }
        ToolArgs::Malformed(text) | ToolArgs::Freeform(text) => ToolArgs::Freeform(text.clone()),
    }
}

/// The provider returns the matched stop sequence only if the request lists its path in
/// `additionalModelResponseFieldPaths`.
pub(super) fn stop_sequence(additional_fields: JsonNode<'_>) -> Option<JsonString> {
    additional_fields.get("stop_sequence").and_then(JsonNode::json_string)
}

pub(super) fn read_stop(reason_name: JsonString) -> Stop {
    let known_reason = STOP_REASONS
        .iter()
        .find(|(_, known_reason)| reason_name == *known_reason)
        .map(|(reason, _)| *reason);
    let mut stop = Stop::new(known_reason.unwrap_or(StopReason::Other));
    stop.original_reason = Some((ID, reason_name));
    stop
}

pub(super) fn stop_reason_name(stop: &Stop) -> JsonString {
    if let Some(reason_name) = stop.original_reason_for(ID) {
        return reason_name.clone();
    }
    let entry = STOP_REASONS.iter().find(|(reason, _)| *reason == stop.reason);
    entry.map_or(JsonString::from_static("end_turn"), |(_, reason_name)| {
        JsonString::from_static(reason_name)
    })
}

/// Notes the parts of the stop that this dialect cannot express.
pub(super) fn note_stop(stop: &Stop, ledger: &mut Ledger) {
    if stop.original_reason_for(ID).is_some() {
        return;
    }
    if stop.sequence.is_some() {
        let message = "left out the matched stop sequence";
        ledger.record_loss(note::NO_SUCH_FIELD, LedgerPath::REPLY, message);
    }
    if matches!(stop.reason, StopReason::Pause | StopReason::Error | StopReason::Other) {
        let message = format!("the stop reason is encoded as `{}`", stop_reason_name(stop));
        ledger.record_change(note::STOP_REDUCED, LedgerPath::REPLY, message);
    }
}

/// Cache reads and cache writes are counted in addition to the input.
pub(super) fn read_usage(node: JsonNode<'_>) -> Usage {
    let count = |key: &str| node.get(key).and_then(JsonNode::as_u64);
    let details = node.get("cacheDetails").into_iter().flat_map(JsonNode::items);
    let one_hour_counts: Vec<u64> = details
        .filter(|detail| detail.get("ttl").is_some_and(|ttl| ttl.str_or_empty() == "1h"))
        .filter_map(|detail| detail.get("inputTokens").and_then(JsonNode::as_u64))
        .collect();
    Usage {
        input: count("inputTokens"),
        cache_read: count("cacheReadInputTokens"),
        cache_write: count("cacheWriteInputTokens"),
        cache_write_1h: one_hour_counts.iter().copied().reduce(u64::saturating_add),
        tool_input: None,
        output: count("outputTokens"),
        reasoning: None,
        original: Some((ID, node.json())),
    }
}

pub(super) fn write_usage(usage: &Usage, out: &mut JsonWriter) {
    if let Some((_, json)) = usage.original.as_ref().filter(|(dialect, _)| *dialect == ID) {
        out.json(json);
        return;
    }
    let input = usage.input.unwrap_or(0).saturating_add(usage.tool_input.unwrap_or(0));
    out.object(|o| {
        o.number("inputTokens", input);
        o.number("outputTokens", usage.total_output());
        o.number("totalTokens", usage.total_input().saturating_add(usage.total_output()));
        if let Some(cache_read) = usage.cache_read {
            o.number("cacheReadInputTokens", cache_read);
        }
        if let Some(cache_write) = usage.cache_write {
            o.number("cacheWriteInputTokens", cache_write);
        }
        if let Some(hour) = usage.cache_write_1h.filter(|hour| *hour > 0) {
            let five_minutes = usage.cache_write.unwrap_or(0).saturating_sub(hour);
            o.array("cacheDetails", |a| {
                for (ttl, tokens) in [("1h", hour), ("5m", five_minutes)] {
                    if tokens > 0 {
                        a.object(|o| {
                            o.str("ttl", ttl);
                            o.number("inputTokens", tokens);
                        });
                    }
                }
            });
        }
    });
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
            match encode::unsupported_reason(block, EncodeMode::Reply) {
                Some((rule, message)) => ledger.record_loss(rule, path, message),
                None if has_only_foreign_seal(block) => {
                    encode::note_dropped_extras(&block.extras, path, ledger);
                    let message = "left out a seal: only its issuer can verify it";
                    ledger.record_loss(note::FOREIGN_SEAL, path, message);
                }
                None => encode::encode_block(block, EncodeMode::Reply, path, ledger, a),
            }
        }
    });
    reply.turn.extras.write(ID, o);
}

/// Returns whether the text block only carries a seal of another provider.
fn has_only_foreign_seal(block: &Verbatim<Block>) -> bool {
    let has_foreign_seal = block.seal.as_deref().is_some_and(|seal| !encode::is_own_seal(seal));
    let BlockContent::Text { text, citations } = &block.content else { return false };
    has_foreign_seal && text.is_empty() && citations.is_empty()
}

/// Clients expect metrics. The provider's latency is unknown here, so 0 is written.
pub(super) fn empty_metrics() -> RawJson {
    RawJson::object(|o| o.number("latencyMs", 0))
}

/// The first name of a reason is the one that is written.
const STOP_REASONS: &[(StopReason, &str)] = &[
    (StopReason::EndTurn, "end_turn"),
    (StopReason::ToolUse, "tool_use"),
    (StopReason::MaxTokens, "max_tokens"),
    (StopReason::StopSequence, "stop_sequence"),
    (StopReason::Refusal, "content_filtered"),
    (StopReason::Refusal, "guardrail_intervened"),
    (StopReason::Refusal, "refusal"),
    (StopReason::MalformedCall, "malformed_tool_use"),
    (StopReason::MalformedCall, "malformed_model_output"),
    (StopReason::Error, "malformed_model_output"),
    (StopReason::ContextFull, "model_context_window_exceeded"),
];
const KNOWN_FIELDS: &[&str] = &["output", "stopReason", "usage"];
