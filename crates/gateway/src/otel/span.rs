//! Requests as spans.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interlingua::model::StopReason;

use super::attribute::{Value, provider, put, resource, scope};
use super::proto::Message;
use super::{Call, Said, Told, name};

/// The body of an export of traces.
pub(super) fn export(told: &[Told], attributes: &[(String, String)]) -> Vec<u8> {
    let mut request = Message::default();
    request.inside(1, |spans| {
        resource(spans, attributes);
        spans.inside(2, |scoped| {
            scope(scoped);
            for one in told {
                scoped.inside(2, |span| request_span(span, one));
                for call in &one.calls {
                    scoped.inside(2, |span| call_span(span, one, call));
                }
            }
        });
    });
    request.into_bytes()
}

fn request_span(span: &mut Message, told: &Told) {
    span.bytes(1, &told.trace);
    span.bytes(2, &told.span);
    if let Some(parent) = told.parent {
        span.bytes(4, &parent);
    }
    span.text(5, told.dialect);
    span.whole(6, SERVER);
    span.fixed(7, nanos(told.began));
    span.fixed(8, nanos(told.began + told.took));
    put(span, ATTRIBUTES, name::DIALECT, &Value::Text(told.dialect));
    put(span, ATTRIBUTES, name::STATUS, &Value::Whole(told.status.into()));
    put(span, ATTRIBUTES, name::REQUEST_STREAM, &Value::Flag(told.streamed));
    failed(span, told.error);
}

fn call_span(span: &mut Message, told: &Told, call: &Call) {
    let began = told.began + call.began;
    span.bytes(1, &told.trace);
    span.bytes(2, &call.span);
    span.bytes(4, &told.span);
    span.text(5, &format!("{} {}", name::CHAT, call.model));
    span.whole(6, CLIENT);
    span.fixed(7, nanos(began));
    span.fixed(8, nanos(began + call.took));
    put(span, ATTRIBUTES, name::OPERATION, &Value::Text(name::CHAT));
    put(span, ATTRIBUTES, name::PROVIDER, &Value::Text(provider(&call.provider)));
    put(span, ATTRIBUTES, name::REQUEST_MODEL, &Value::Text(&call.model));
    if let Some(status) = call.status {
        put(span, ATTRIBUTES, name::STATUS, &Value::Whole(status.into()));
    }
    if let Some(reply) = &call.said {
        said(span, call, reply);
    }
    failed(span, call.error);
}

fn said(span: &mut Message, call: &Call, said: &Said) {
    let texts = [(name::RESPONSE_MODEL, &said.model), (name::RESPONSE_ID, &said.id)];
    for (key, text) in texts {
        if let Some(text) = text {
            put(span, ATTRIBUTES, key, &Value::Text(text));
        }
    }
    if let Some(stop) = said.stop {
        put(span, ATTRIBUTES, name::FINISH_REASONS, &Value::Texts(&[reason(stop)]));
    }
    if let Some(first) = said.first {
        let first = first.saturating_sub(call.began).as_secs_f64();
        put(span, ATTRIBUTES, name::FIRST_CHUNK, &Value::Number(first));
    }
    let usage = &said.usage;
    let counts = [
        (name::INPUT_TOKENS, input(said)),
        (name::OUTPUT_TOKENS, output(said)),
        (name::CACHE_READ, usage.cache_read),
        (name::CACHE_WRITE, usage.cache_write),
        (name::REASONING, usage.reasoning),
    ];
    for (key, count) in counts {
        if let Some(count) = count {
            put(span, ATTRIBUTES, key, &Value::Whole(count));
        }
    }
}

/// All that was read, from caches too.
pub(super) fn input(said: &Said) -> Option<u64> {
    let usage = &said.usage;
    let parts = [usage.input, usage.cache_read, usage.cache_write, usage.tool_input];
    sum(&parts)
}

/// All that was written, reasoning too.
pub(super) fn output(said: &Said) -> Option<u64> {
    sum(&[said.usage.output, said.usage.reasoning])
}

fn sum(parts: &[Option<u64>]) -> Option<u64> {
    let known = parts.iter().any(Option::is_some);
    known.then(|| parts.iter().flatten().fold(0_u64, |sum, part| sum.saturating_add(*part)))
}

fn failed(span: &mut Message, error: Option<&str>) {
    if let Some(error) = error {
        put(span, ATTRIBUTES, name::ERROR, &Value::Text(error));
        span.inside(15, |status| status.whole(3, ERROR));
    }
}

fn reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::End | StopReason::Sequence => "stop",
        StopReason::MaxTokens | StopReason::ContextFull => "length",
        StopReason::ToolUse => "tool_call",
        StopReason::Refusal => "content_filter",
        StopReason::Error | StopReason::MalformedCall => "error",
        StopReason::Pause => "pause",
        StopReason::Other => "other",
    }
}

pub(super) fn nanos(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

const ATTRIBUTES: u32 = 9;
const SERVER: u64 = 2;
const CLIENT: u64 = 3;
const ERROR: u64 = 2;
