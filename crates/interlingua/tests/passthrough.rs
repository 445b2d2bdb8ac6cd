//! Clients as strict as the SDKs can read passed-through streams with damaged frames.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::HashMap;

use bytes::Bytes;
use interlingua::{ReplyContext, StreamTranslator, find_dialect};
use serde_json::Value;

fn forward_stream(dialect: &str, frames: &[String]) -> (String, bool) {
    let dialect = find_dialect(dialect).unwrap();
    let mut stream = StreamTranslator::new(dialect, dialect, &ReplyContext::default());
    let mut out = Vec::new();
    for frame in frames {
        stream.push(&Bytes::from(frame.clone()), &mut out);
    }
    stream.finish(&mut out);
    let (reply, _) = stream.into_reply();
    (String::from_utf8(out).unwrap(), reply.is_ok())
}

/// The frames with a few of them lost, repeated, stripped of their name, given another index or id,
/// merged into the next one, truncated, or swapped.
fn damage_frames(frames: &[&str], swaps: bool, mut seed: u64) -> Vec<String> {
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut frames: Vec<String> = frames.iter().map(|frame| (*frame).to_owned()).collect();
    for _ in 0..=next(4) {
        let at = next(frames.len());
        match next(8) {
            0 => drop(frames.remove(at)),
            1 => frames.insert(at, frames[at].clone()),
            2 if swaps => {
                let other = next(frames.len());
                frames.swap(at, other);
            }
            3 => {
                let nameless =
                    frames[at].split_once('\n').filter(|(name, _)| name.starts_with("event"));
                let nameless = nameless.map(|(_, rest)| rest.to_owned());
                frames[at] = nameless.unwrap_or_default();
            }
            // The blank line after it is lost.
            4 => drop(frames[at].pop()),
            5 => {
                let cut = next(frames[at].len().max(1));
                frames[at].truncate(cut);
            }
            6 => frames.insert(at, "data: keep-alive\n\n".to_owned()),
            _ => {
                let id = format!("\"item_id\":\"{}", next(9));
                frames[at] = frames[at].replace("\"index\":1", "\"index\":0");
                frames[at] = frames[at].replace("\"item_id\":\"", &id);
            }
        }
    }
    frames
}

/// Reads as the SDKs do; returns whether the message is complete.
fn read_anthropic(out: &str) -> bool {
    let (mut begun, mut ended, mut count) = (false, false, 0);
    let mut open: HashMap<u64, String> = HashMap::new();
    for frame in out.split("\n\n").filter(|frame| !frame.is_empty()) {
        // Lines with other fields are ignored.
        let field = |name: &str| frame.lines().rev().find_map(|line| line.strip_prefix(name));
        let Some(data) = field("data: ") else {
            assert_eq!(field("event: "), None, "{out}");
            continue;
        };
        let data: Value = serde_json::from_str(data).unwrap_or_else(|why| panic!("{why}: {out}"));
        let kind = data["type"].as_str().unwrap();
        assert_eq!(field("event: "), Some(kind), "{out}");
        assert!(!ended, "{out}");
        assert!(begun || kind == "message_start" || kind == "error", "{out}");
        let at = data["index"].as_u64().unwrap_or(u64::MAX);
        match kind {
            "message_start" => {
                assert!(!begun && data["message"]["usage"]["input_tokens"].is_u64(), "{out}");
                begun = true;
            }
            "content_block_start" => {
                assert_eq!(at, count, "{out}");
                count += 1;
                open.insert(at, data["content_block"]["type"].as_str().unwrap().to_owned());
            }
            "content_block_delta" => {
                let block = open.get(&at).unwrap_or_else(|| panic!("no block: {out}"));
                let fits = match data["delta"]["type"].as_str().unwrap() {
                    "text_delta" => "text",
                    "thinking_delta" | "signature_delta" => "thinking",
                    _ => "tool_use",
                };
                assert_eq!(block, fits, "{out}");
            }
            "content_block_stop" => assert!(open.remove(&at).is_some(), "{out}"),
            "message_delta" => {
                assert!(open.is_empty() && data["usage"]["output_tokens"].is_u64(), "{out}");
            }
            _ => {
                assert!(kind == "error" || open.is_empty(), "{out}");
                ended = true;
            }
        }
    }
    assert!(ended, "{out}");
    out.contains("\nevent: message_stop\n")
}

/// Reads as the SDKs do; returns whether the response is complete.
fn read_responses(out: &str) -> bool {
    let (mut begun, mut ended, mut done) = (false, None, 0);
    let mut ids: HashMap<u64, String> = HashMap::new();
    let mut parts: Vec<(String, u64)> = Vec::new();
    for frame in out.split("\n\n").filter(|frame| !frame.is_empty()) {
        let data = frame.split('\n').find_map(|line| line.strip_prefix("data: ")).unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        let kind = data["type"].as_str().unwrap();
        assert!(ended.is_none(), "{out}");
        assert!(begun || kind == "response.created" || kind == "response.failed", "{out}");
        let index = data["output_index"].as_u64().unwrap_or(u64::MAX);
        if let Some(id) = data["item_id"].as_str() {
            assert_eq!(ids.get(&index).map(String::as_str), Some(id), "{out}");
            let part = (id.to_owned(), data["content_index"].as_u64().unwrap_or(0));
            match kind {
                "response.content_part.added" => parts.push(part),
                "response.output_text.delta" => assert!(parts.contains(&part), "{out}"),
                _ => {}
            }
        }
        match kind {
            "response.created" => begun = true,
            "response.output_item.added" => {
                ids.insert(index, data["item"]["id"].as_str().unwrap().to_owned());
            }
            "response.output_item.done" => done += 1,
            "response.completed" => {
                let output = data["response"]["output"].as_array().unwrap();
                assert!(done == 0 || !output.is_empty(), "{out}");
                assert!(done >= output.len(), "{out}");
                assert!(data["response"]["usage"]["output_tokens_details"].is_object(), "{out}");
                ended = Some(true);
            }
            "response.failed" => ended = Some(false),
            _ => {}
        }
    }
    ended.unwrap_or_else(|| panic!("no end: {out}"))
}

/// Asserts that an intact stream is unchanged, and that damaged ones can be read.
fn assert_readable(dialect: &str, stream: &str, swaps: bool, read: fn(&str) -> bool) {
    let frames: Vec<&str> = stream.split_inclusive("\n\n").collect();
    let intact: Vec<String> = frames.iter().map(|frame| (*frame).to_owned()).collect();
    assert_eq!(forward_stream(dialect, &intact), (stream.to_owned(), true));
    for seed in 0..5_000 {
        let (out, is_whole) = forward_stream(dialect, &damage_frames(&frames, swaps, seed));
        assert_eq!(read(&out), is_whole, "{seed}: {out}");
    }
}

#[test]
fn a_strict_client_reads_whatever_is_left_of_a_responses_stream() {
    assert_readable("openai-responses", RESPONSES, false, read_responses);
}

#[test]
fn a_strict_client_reads_whatever_is_left_of_an_anthropic_stream() {
    assert_readable("anthropic", ANTHROPIC, true, read_anthropic);
}

#[test]
fn repeated_frames_are_read_once() {
    let twice = |stream: &str| {
        let frames = stream.split_inclusive("\n\n");
        frames.flat_map(|frame| [frame.to_owned(), frame.to_owned()]).collect::<Vec<_>>()
    };
    let (out, is_whole) = forward_stream("openai-responses", &twice(RESPONSES));
    assert!(is_whole && out.matches("\"delta\":\"so\"").count() == 1, "{out}");
    assert!(read_responses(&out), "{out}");
    let (out, is_whole) = forward_stream("anthropic", &twice(ANTHROPIC));
    assert!(is_whole && read_anthropic(&out), "{out}");
}

const ANTHROPIC: &str = r#"event: message_start
data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"so"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"1}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":5}}

event: message_stop
data: {"type":"message_stop"}

"#;

const RESPONSES: &str = r#"event: response.created
data: {"type":"response.created","response":{"id":"resp_1","object":"response","created_at":7,"status":"in_progress","model":"g","output":[]},"sequence_number":0}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]},"sequence_number":1}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"hm","sequence_number":2}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},"sequence_number":3}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]},"sequence_number":4}

event: response.content_part.added
data: {"type":"response.content_part.added","item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]},"sequence_number":5}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"so","logprobs":[],"sequence_number":6}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"so","annotations":[],"logprobs":[]}]},"sequence_number":7}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"c","name":"f","arguments":""},"sequence_number":8}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{}","sequence_number":9}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{}"},"sequence_number":10}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_1","object":"response","created_at":7,"status":"completed","model":"g","output":[{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"so","annotations":[],"logprobs":[]}]},{"id":"fc_1","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{}"}],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":0},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":14}},"sequence_number":11}

"#;
