//! Encodes requests as OTLP spans.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interlingua_model::StopReason;

use super::attribute::{
    AttributeValue, semconv_provider, write_attribute, write_resource, write_scope,
};
use super::{CallSpanData, ReplyAttributes, RequestSpanData};
use crate::telemetry::otel::protobuf::MessageWriter;
use crate::telemetry::otel::semconv;

/// The body of an `ExportTraceServiceRequest`.
pub(super) fn export_request(
    requests: &[RequestSpanData],
    attributes: &[(String, String)],
) -> Vec<u8> {
    let mut request = MessageWriter::default();
    request.message(1, |spans| {
        write_resource(spans, attributes);
        spans.message(2, |scoped| {
            write_scope(scoped);
            for data in requests {
                scoped.message(2, |span| write_request_span(span, data));
                for call in &data.calls {
                    scoped.message(2, |span| write_call_span(span, data, call));
                }
            }
        });
    });
    request.into_bytes()
}

fn write_request_span(span: &mut MessageWriter, data: &RequestSpanData) {
    span.bytes(1, &data.trace_id);
    span.bytes(2, &data.span_id);
    if let Some(parent) = data.parent_span_id {
        span.bytes(4, &parent);
    }
    span.string(5, data.dialect);
    span.uint64(6, KIND_SERVER);
    span.fixed64(7, unix_nanos(data.start));
    span.fixed64(8, unix_nanos(data.start + data.duration));
    write_attribute(span, ATTRIBUTES_FIELD, semconv::DIALECT, &AttributeValue::Str(data.dialect));
    write_attribute(
        span,
        ATTRIBUTES_FIELD,
        semconv::HTTP_STATUS,
        &AttributeValue::Int(data.status.into()),
    );
    write_attribute(
        span,
        ATTRIBUTES_FIELD,
        semconv::REQUEST_STREAM,
        &AttributeValue::Bool(data.streamed),
    );
    write_error(span, data.error);
}

fn write_call_span(span: &mut MessageWriter, data: &RequestSpanData, call: &CallSpanData) {
    let start = data.start + call.start_offset;
    span.bytes(1, &data.trace_id);
    span.bytes(2, &call.span_id);
    span.bytes(4, &data.span_id);
    span.string(5, &format!("{} {}", semconv::CHAT, call.model));
    span.uint64(6, KIND_CLIENT);
    span.fixed64(7, unix_nanos(start));
    span.fixed64(8, unix_nanos(start + call.duration));
    write_attribute(
        span,
        ATTRIBUTES_FIELD,
        semconv::OPERATION_NAME,
        &AttributeValue::Str(semconv::CHAT),
    );
    write_attribute(
        span,
        ATTRIBUTES_FIELD,
        semconv::PROVIDER_NAME,
        &AttributeValue::Str(semconv_provider(&call.provider)),
    );
    write_attribute(
        span,
        ATTRIBUTES_FIELD,
        semconv::REQUEST_MODEL,
        &AttributeValue::Str(&call.model),
    );
    if let Some(status) = call.status {
        write_attribute(
            span,
            ATTRIBUTES_FIELD,
            semconv::HTTP_STATUS,
            &AttributeValue::Int(status.into()),
        );
    }
    if let Some(reply) = &call.reply {
        write_reply_attributes(span, call, reply);
    }
    write_error(span, call.error);
}

fn write_reply_attributes(span: &mut MessageWriter, call: &CallSpanData, reply: &ReplyAttributes) {
    let texts = [(semconv::RESPONSE_MODEL, &reply.model), (semconv::RESPONSE_ID, &reply.id)];
    for (key, text) in texts {
        if let Some(text) = text {
            write_attribute(span, ATTRIBUTES_FIELD, key, &AttributeValue::Str(text));
        }
    }
    if let Some(stop) = reply.stop_reason {
        write_attribute(
            span,
            ATTRIBUTES_FIELD,
            semconv::FINISH_REASONS,
            &AttributeValue::StrArray(&[finish_reason(stop)]),
        );
    }
    if let Some(first) = reply.first_chunk_offset {
        let first = first.saturating_sub(call.start_offset).as_secs_f64();
        write_attribute(
            span,
            ATTRIBUTES_FIELD,
            semconv::RESPONSE_TIME_TO_FIRST_CHUNK,
            &AttributeValue::Double(first),
        );
    }
    let usage = &reply.usage;
    let counts = [
        (semconv::INPUT_TOKENS, input_tokens(reply)),
        (semconv::OUTPUT_TOKENS, output_tokens(reply)),
        (semconv::CACHE_READ, usage.cache_read),
        (semconv::CACHE_WRITE, usage.cache_write),
        (semconv::REASONING, usage.reasoning),
    ];
    for (key, count) in counts {
        if let Some(count) = count {
            write_attribute(span, ATTRIBUTES_FIELD, key, &AttributeValue::Int(count));
        }
    }
}

/// All input tokens, including cached ones.
pub(super) fn input_tokens(reply: &ReplyAttributes) -> Option<u64> {
    let usage = &reply.usage;
    let parts = [usage.input, usage.cache_read, usage.cache_write, usage.tool_input];
    sum_known(&parts)
}

/// All output tokens, including reasoning.
pub(super) fn output_tokens(reply: &ReplyAttributes) -> Option<u64> {
    sum_known(&[reply.usage.output, reply.usage.reasoning])
}

fn sum_known(parts: &[Option<u64>]) -> Option<u64> {
    let known = parts.iter().any(Option::is_some);
    known.then(|| parts.iter().flatten().fold(0_u64, |sum, part| sum.saturating_add(*part)))
}

fn write_error(span: &mut MessageWriter, error: Option<&str>) {
    if let Some(error) = error {
        write_attribute(span, ATTRIBUTES_FIELD, semconv::ERROR_TYPE, &AttributeValue::Str(error));
        span.message(15, |status| status.uint64(3, STATUS_ERROR));
    }
}

fn finish_reason(reason: StopReason) -> &'static str {
    match reason {
        StopReason::EndTurn | StopReason::StopSequence => "stop",
        StopReason::MaxTokens | StopReason::ContextFull => "length",
        StopReason::ToolUse => "tool_call",
        StopReason::Refusal => "content_filter",
        StopReason::Error | StopReason::MalformedCall => "error",
        StopReason::Pause => "pause",
        StopReason::Other => "other",
    }
}

pub(super) fn unix_nanos(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

const ATTRIBUTES_FIELD: u32 = 9;
const KIND_SERVER: u64 = 2;
const KIND_CLIENT: u64 = 3;
const STATUS_ERROR: u64 = 2;
