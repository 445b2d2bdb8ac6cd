//! Streams passed on in their own dialect: whatever frames a server loses, repeats or swaps, a client as strict
//! as the packages are can read what leaves.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::HashMap;

use bytes::Bytes;
use interlingua::{Exchange, Stream, find};
use serde_json::Value;

fn pass_on(dialect: &str, frames: &[String]) -> (String, bool) {
    let dialect = find(dialect).unwrap();
    let mut stream = Stream::new(dialect, dialect, &Exchange::default());
    let mut out = Vec::new();
    for frame in frames {
        stream.push(&Bytes::from(frame.clone()), &mut out);
    }
    stream.finish(&mut out);
    let (reply, _) = stream.into_reply();
    (String::from_utf8(out).unwrap(), reply.is_ok())
}

/// The frames, with a few of them lost, repeated, swapped or without their name.
fn upset(frames: &[&str], mut seed: u64) -> Vec<String> {
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut frames: Vec<String> = frames.iter().map(|frame| (*frame).to_owned()).collect();
    for _ in 0..=next(4) {
        let at = next(frames.len());
        match next(5) {
            0 => drop(frames.remove(at)),
            1 => frames.insert(at, frames[at].clone()),
            2 => {
                let other = next(frames.len());
                frames.swap(at, other);
            }
            3 => {
                let nameless =
                    frames[at].split_once('\n').filter(|(name, _)| name.starts_with("event"));
                let nameless = nameless.map(|(_, rest)| rest.to_owned());
                frames[at] = nameless.unwrap_or_default();
            }
            _ => frames[at] = frames[at].replace("\"index\":1", "\"index\":0"),
        }
    }
    frames
}

/// Reads as the packages do; whether the message ended well.
fn read_anthropic(out: &str) -> bool {
    let (mut begun, mut ended, mut count) = (false, false, 0);
    let mut open: HashMap<u64, String> = HashMap::new();
    for frame in out.split("\n\n").filter(|frame| !frame.is_empty()) {
        let (name, data) = frame.split_once('\n').unwrap_or_else(|| panic!("no name: {out}"));
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        let kind = data["type"].as_str().unwrap();
        assert_eq!(name, format!("event: {kind}"), "{out}");
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
    out.contains("event: message_stop")
}

#[test]
fn a_strict_client_reads_whatever_is_left_of_an_anthropic_stream() {
    let frames: Vec<&str> = ANTHROPIC.split_inclusive("\n\n").collect();
    let whole: Vec<String> = frames.iter().map(|frame| (*frame).to_owned()).collect();
    assert_eq!(pass_on("anthropic", &whole), (ANTHROPIC.to_owned(), true));
    for seed in 0..20_000 {
        let (out, is_whole) = pass_on("anthropic", &upset(&frames, seed));
        assert_eq!(read_anthropic(&out), is_whole, "{seed}: {out}");
    }
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
