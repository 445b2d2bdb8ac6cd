//! Replies of every shape, in each provider's dialect.

use interlingua_wire::{Framing, frame};

use crate::spelling::fill;

pub(crate) struct ReplyShape {
    pub(crate) name: &'static str,
    /// The client asks for a stream.
    pub(crate) streams: bool,
    /// A quick run measures every client with this provider.
    pub(crate) worst_provider: &'static str,
    /// A body of about this many bytes; `None` where the dialect has no such thing.
    pub(crate) build: fn(provider: &str, bytes: usize) -> Option<Vec<u8>>,
}

pub(crate) const ALL: &[ReplyShape] = &[
    stream("blank_lines", "openai-chat", blank_lines),
    stream("comments", "gemini", comments),
    stream("empty_events", "openai-chat", empty_events),
    stream("broken_events", "anthropic", broken_events),
    stream("pings", "anthropic", pings),
    stream("deltas", "openai-chat", deltas),
    stream("long_text", "anthropic", long_text),
    stream("calls", "openai-chat", calls),
    stream("interleaved_calls", "openai-chat", interleaved_calls),
    stream("reasoning", "openai-responses", reasoning),
    stream("crowded_event", "gemini", crowded_event),
    whole("whole_blocks", "anthropic", whole_blocks),
    whole("whole_calls", "openai-responses", whole_calls),
];

const fn stream(name: &'static str, worst_provider: &'static str, build: Build) -> ReplyShape {
    ReplyShape { name, streams: true, worst_provider, build }
}

const fn whole(name: &'static str, worst_provider: &'static str, build: Build) -> ReplyShape {
    ReplyShape { name, streams: false, worst_provider, build }
}

type Build = fn(&str, usize) -> Option<Vec<u8>>;

fn sse(
    provider: &str,
    start: &str,
    bytes: usize,
    event: impl Fn(usize) -> String,
) -> Option<Vec<u8>> {
    // Its frames have checksums.
    if provider == "bedrock" {
        return None;
    }
    let mut body = start.to_owned();
    let mut at = 0;
    while body.len() < bytes {
        body.push_str(&event(at));
        at += 1;
    }
    let mut body = body.into_bytes();
    body.extend_from_slice(&end(provider));
    Some(body)
}

fn blank_lines(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    sse(provider, "", bytes, |_| "\n".repeat(1000))
}

fn comments(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    sse(provider, "", bytes, |_| ": a\n\n".to_owned())
}

fn empty_events(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    sse(provider, start(provider), bytes, |_| "data: {}\n\n".to_owned())
}

fn broken_events(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    sse(provider, start(provider), bytes, |_| "data: {\"a\":\n\n".to_owned())
}

fn pings(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    let ping = match provider {
        "anthropic" => "event: ping\ndata: {\"type\":\"ping\"}\n\n",
        "openai-responses" => {
            "event: response.in_progress\ndata: {\"type\":\"response.in_progress\",\"response\":{}}\n\n"
        }
        _ => ": ping\n\n",
    };
    sse(provider, start(provider), bytes, |_| ping.to_owned())
}

fn deltas(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    sse(provider, start(provider), bytes, |_| text_delta(provider, "a"))
}

fn long_text(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    let text = "word ".repeat(2000);
    sse(provider, start(provider), bytes, |_| text_delta(provider, &text))
}

fn calls(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    let call = |at: usize| match provider {
        "openai-chat" => chat_chunk(&format!(
            r#"{{"tool_calls":[{{"index":{at},"id":"c{at}","type":"function","function":{{"name":"t","arguments":"{{}}"}}}}]}}"#
        )),
        "openai-responses" => responses_event(
            "response.output_item.done",
            &format!(
                r#""output_index":{at},"item":{{"type":"function_call","id":"fc_{at}","call_id":"c{at}","name":"t","arguments":"{{}}"}}"#
            ),
        ),
        "gemini" => {
            gemini_chunk(&format!(r#"{{"functionCall":{{"id":"c{at}","name":"t","args":{{}}}}}}"#))
        }
        _ => format!(
            "data: {{\"type\":\"content_block_start\",\"index\":{at},\"content_block\":{{\"type\":\"tool_use\",\"id\":\"c{at}\",\"name\":\"t\",\"input\":{{}}}}}}\n\ndata: {{\"type\":\"content_block_stop\",\"index\":{at}}}\n\n"
        ),
    };
    sse(provider, message_start(provider), bytes, call)
}

/// All calls begin before the first one gets its arguments.
fn interleaved_calls(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    type FrameWriter = fn(usize) -> String;
    let (first, second): (FrameWriter, FrameWriter) = match provider {
        "openai-chat" => (
            |at| {
                chat_chunk(&format!(
                    r#"{{"tool_calls":[{{"index":{at},"id":"c{at}","type":"function","function":{{"name":"t","arguments":""}}}}]}}"#
                ))
            },
            |at| {
                chat_chunk(&format!(
                    r#"{{"tool_calls":[{{"index":{at},"function":{{"arguments":"{{}}"}}}}]}}"#
                ))
            },
        ),
        "openai-responses" => (
            |at| {
                responses_event(
                    "response.output_item.added",
                    &format!(
                        r#""output_index":{at},"item":{{"type":"function_call","id":"fc_{at}","call_id":"c{at}","name":"t","arguments":""}}"#
                    ),
                )
            },
            |at| {
                responses_event(
                    "response.function_call_arguments.delta",
                    &format!(r#""item_id":"fc_{at}","output_index":{at},"delta":"{{}}""#),
                )
            },
        ),
        _ => return None,
    };
    let count = bytes / (first(9999).len() + second(9999).len());
    let events: String = (0..count).map(first).chain((0..count).map(second)).collect();
    sse(provider, &format!("{}{events}", message_start(provider)), 0, |_| String::new())
}

fn reasoning(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    let event = |at: usize| match provider {
        "openai-chat" => chat_chunk(&format!(
            r#"{{"reasoning_details":[{{"type":"reasoning.text","text":"t","index":{at}}}]}}"#
        )),
        "openai-responses" => responses_event(
            "response.output_item.done",
            &format!(
                r#""output_index":{at},"item":{{"type":"reasoning","id":"rs_{at}","summary":[],"encrypted_content":"c2ln"}}"#
            ),
        ),
        "gemini" => gemini_chunk(r#"{"text":"t","thought":true}"#),
        _ => format!(
            "data: {{\"type\":\"content_block_start\",\"index\":{at},\"content_block\":{{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"c2ln\"}}}}\n\ndata: {{\"type\":\"content_block_stop\",\"index\":{at}}}\n\n"
        ),
    };
    sse(provider, message_start(provider), bytes, event)
}

/// All blocks are in one event.
fn crowded_event(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    let blocks = fill(bytes, |_| "{}".to_owned());
    let event = match provider {
        "openai-chat" => chat_chunk(&format!(r#"{{"content":[{blocks}]}}"#)),
        "openai-responses" => responses_event(
            "response.completed",
            &format!(r#""response":{{"id":"r","status":"completed","output":[{blocks}]}}"#),
        ),
        "gemini" => gemini_chunk(&blocks),
        _ => format!(
            "data: {{\"type\":\"message_start\",\"message\":{{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{blocks}]}}}}\n\n"
        ),
    };
    sse(provider, &event, 0, |_| String::new())
}

#[expect(clippy::unnecessary_wraps, reason = "all shapes have one type")]
fn whole_blocks(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    let blocks = fill(bytes, |_| "{}".to_owned());
    Some(whole_reply(provider, &blocks).into_bytes())
}

#[expect(clippy::unnecessary_wraps, reason = "all shapes have one type")]
fn whole_calls(provider: &str, bytes: usize) -> Option<Vec<u8>> {
    let call = |at: usize| match provider {
        "anthropic" => format!(r#"{{"type":"tool_use","id":"c{at}","name":"t","input":{{}}}}"#),
        "openai-responses" => format!(
            r#"{{"type":"function_call","id":"fc_{at}","call_id":"c{at}","name":"t","arguments":"{{}}"}}"#
        ),
        "gemini" => format!(r#"{{"functionCall":{{"id":"c{at}","name":"t","args":{{}}}}}}"#),
        "bedrock" => format!(r#"{{"toolUse":{{"toolUseId":"c{at}","name":"t","input":{{}}}}}}"#),
        _ => format!(
            r#"{{"id":"c{at}","type":"function","function":{{"name":"t","arguments":"{{}}"}}}}"#
        ),
    };
    let calls = fill(bytes, call);
    if provider == "openai-chat" {
        return Some(
            format!(
                r#"{{"id":"m","object":"chat.completion","created":0,"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{calls}]}},"finish_reason":"tool_calls"}}]}}"#
            )
            .into_bytes(),
        );
    }
    Some(whole_reply(provider, &calls).into_bytes())
}

pub(crate) fn whole_reply(provider: &str, blocks: &str) -> String {
    match provider {
        "anthropic" => format!(
            r#"{{"id":"m","type":"message","role":"assistant","model":"m","content":[{blocks}],"stop_reason":"end_turn","usage":{{"input_tokens":1,"output_tokens":1}}}}"#
        ),
        "openai-responses" => format!(
            r#"{{"id":"r","object":"response","created_at":0,"status":"completed","model":"m","output":[{blocks}]}}"#
        ),
        "gemini" => format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":[{blocks}]}},"finishReason":"STOP"}}]}}"#
        ),
        "bedrock" => format!(
            r#"{{"output":{{"message":{{"role":"assistant","content":[{blocks}]}}}},"stopReason":"end_turn"}}"#
        ),
        _ => format!(
            r#"{{"id":"m","object":"chat.completion","created":0,"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":[{blocks}]}},"finish_reason":"stop"}}]}}"#
        ),
    }
}

fn chat_chunk(delta: &str) -> String {
    format!(
        "data: {{\"id\":\"m\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n"
    )
}

fn gemini_chunk(part: &str) -> String {
    format!(
        "data: {{\"candidates\":[{{\"content\":{{\"role\":\"model\",\"parts\":[{part}]}}}}]}}\n\n"
    )
}

fn responses_event(kind: &str, fields: &str) -> String {
    format!("event: {kind}\ndata: {{\"type\":\"{kind}\",{fields}}}\n\n")
}

fn text_delta(provider: &str, text: &str) -> String {
    match provider {
        "openai-chat" => chat_chunk(&format!(r#"{{"content":"{text}"}}"#)),
        "gemini" => gemini_chunk(&format!(r#"{{"text":"{text}"}}"#)),
        "openai-responses" => responses_event(
            "response.output_text.delta",
            &format!(r#""item_id":"msg_1","output_index":0,"content_index":0,"delta":"{text}""#),
        ),
        _ => format!(
            "data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
        ),
    }
}

/// The start of the message, without a block.
pub(crate) fn message_start(provider: &str) -> &'static str {
    match provider {
        "anthropic" => {
            "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n"
        }
        "openai-responses" => {
            "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"model\":\"m\",\"status\":\"in_progress\",\"output\":[]}}\n\n"
        }
        _ => "",
    }
}

/// The start of the message and of a text.
fn start(provider: &str) -> &'static str {
    match provider {
        "anthropic" => {
            "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
        }
        _ => message_start(provider),
    }
}

pub(crate) fn end(provider: &str) -> Vec<u8> {
    let text = match provider {
        "bedrock" => return bedrock_end(),
        "anthropic" => {
            "\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
        }
        "openai-chat" => {
            "\n\ndata: {\"id\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
        }
        "openai-responses" => {
            "\n\nevent: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\"}}\n\n"
        }
        _ => {
            "\n\ndata: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"a\"}]},\"finishReason\":\"STOP\"}]}\n\n"
        }
    };
    text.as_bytes().to_vec()
}

fn bedrock_event(event: &str, data: &str) -> Vec<u8> {
    let mut out = Vec::new();
    frame::write(Framing::AwsEventStream, Some(event), data, &mut out);
    out
}

fn bedrock_end() -> Vec<u8> {
    let usage = r#"{"usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}"#;
    [bedrock_event("messageStop", r#"{"stopReason":"end_turn"}"#), bedrock_event("metadata", usage)]
        .concat()
}
