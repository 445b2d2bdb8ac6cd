//! Tests of Responses API replies: complete, streamed, and the laws between the two.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use bytes::Bytes;
use interlingua_dialects::Dialect;
use interlingua_dialects::native::Native;
use interlingua_dialects::openai_responses::OpenAiResponses;
use interlingua_model::{
    ApiError, BlockContent, Ledger, Reply, ReplyAccumulator, ReplyContext, StreamEvent, unfold,
};
use interlingua_wire::{FrameReader, Framing, JsonDoc, JsonLimits, JsonString};

fn doc(body: &str) -> JsonDoc {
    JsonDoc::parse(body.into(), JsonLimits::default()).unwrap()
}

fn read_stream(stream: &str) -> (Vec<StreamEvent>, Ledger) {
    let mut frame_reader = FrameReader::new(Framing::Sse, 1 << 20);
    frame_reader.push(&Bytes::copy_from_slice(stream.as_bytes()));
    let mut reader = OpenAiResponses.reader(&ReplyContext::default());
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    while let Some(frame) = frame_reader.next().unwrap() {
        reader.read(frame, &mut events, &mut ledger);
    }
    if let Some(frame) = frame_reader.finish().unwrap() {
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    assert_lawful(&events);
    (events, ledger)
}

fn assert_lawful(events: &[StreamEvent]) {
    let (mut next, mut open, mut ended) = (0, None, false);
    assert!(matches!(events.first(), Some(StreamEvent::Start { .. })), "{events:?}");
    for event in &events[1..] {
        assert!(!ended, "{events:?}");
        match event {
            StreamEvent::Start { .. } => panic!("a second start"),
            StreamEvent::BlockStart { index, .. } => {
                assert_eq!((open, *index), (None, next));
                open = Some(next);
                next += 1;
            }
            StreamEvent::Delta { index, .. } => assert_eq!(open, Some(*index)),
            StreamEvent::BlockEnd { index } => assert_eq!(open.take(), Some(*index)),
            StreamEvent::Stop(_) | StreamEvent::Error(_) => {
                assert_eq!(open, None);
                ended = true;
            }
            StreamEvent::Usage(_) | StreamEvent::Ping | StreamEvent::Foreign { .. } => {}
        }
    }
    assert!(ended, "{events:?}");
}

fn fold(events: &[StreamEvent]) -> Result<Reply, ApiError> {
    let mut accumulator = ReplyAccumulator::new();
    for event in events {
        accumulator.push(event);
    }
    accumulator.finish()
}

fn write_events(events: &[StreamEvent], cx: &ReplyContext) -> (String, Vec<&'static str>) {
    let mut writer = OpenAiResponses.writer(cx);
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    for event in events {
        writer.write(event, &mut out, &mut ledger);
    }
    let rules = ledger.entries.iter().map(|entry| entry.rule).collect();
    (String::from_utf8(out).unwrap(), rules)
}

fn decode_reply(body: &str) -> Reply {
    let mut ledger = Ledger::default();
    let reply = OpenAiResponses.decode_reply(&doc(body), &ReplyContext::default(), &mut ledger);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    reply.unwrap().into_value()
}

fn reply_from_native(body: &str) -> Reply {
    let reply = Native.decode_reply(&doc(body), &ReplyContext::default(), &mut Ledger::default());
    reply.unwrap().into_value()
}

/// A stream carries every field of a reply except those that echo the request.
fn without_request_fields(mut reply: Reply) -> Reply {
    reply.extras = interlingua_model::Extras::default();
    reply
}

#[test]
fn a_reply_survives_a_stream_roundtrip() {
    let reply = without_request_fields(decode_reply(REPLY));
    assert_eq!(reply.turn.blocks.len(), 7);
    let (stream, rules) = write_events(&unfold(&reply), &ReplyContext::default());
    assert!(rules.is_empty(), "{rules:?}");
    let (events, ledger) = read_stream(&stream);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(fold(&events).unwrap(), reply);
}

#[test]
fn a_complete_reply_keeps_all_fields() {
    let mut ledger = Ledger::default();
    let reply = decode_reply(REPLY);
    let body = OpenAiResponses.encode_reply(&reply, &ReplyContext::default(), &mut ledger);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    let body = String::from_utf8(body).unwrap();
    let (encoded, original): (serde_json::Value, serde_json::Value) =
        (serde_json::from_str(&body).unwrap(), serde_json::from_str(REPLY).unwrap());
    for (key, value) in original.as_object().unwrap() {
        assert_eq!(&encoded[key], value, "{key}");
    }
}

#[test]
fn replies_of_other_dialects_survive_a_stream_roundtrip() {
    let reply = reply_from_native(
        r#"{"interlingua":1,"id":"r1","model":"m","blocks":[{"thinking":"t","form":"summary"},{"text":"a"},{"text":"b"},{"refusal":"no"},
        {"call":{"id":"c1","name":"f","args":{"x":[1,2]}}},{"call":{"id":"c2","name":"g","malformed":"{\"x"}},{"text":"after"},{"call":{"id":"c3","name":"h","freeform":"free"}}],
        "usage":{"input":5,"cache_read":3,"cache_write":2,"output":7,"reasoning":1},"stop":{"reason":"tool-use"}}"#,
    );
    let (stream, rules) = write_events(&unfold(&reply), &ReplyContext::default());
    assert!(rules.is_empty(), "{rules:?}");
    let (events, _) = read_stream(&stream);
    let mut reread = fold(&events).unwrap();
    reread.usage.original = None;
    assert_eq!(reread, reply);
}

#[test]
fn a_stream_is_complete_and_numbered() {
    let reply = without_request_fields(decode_reply(REPLY));
    let (stream, _) = write_events(&unfold(&reply), &ReplyContext::default());
    let mut names = Vec::new();
    for (at, frame) in stream.trim_end().split("\n\n").enumerate() {
        let (event, data) = frame.split_once('\n').unwrap();
        let data: serde_json::Value = serde_json::from_str(&data["data: ".len()..]).unwrap();
        assert_eq!(data["sequence_number"], at);
        assert_eq!(event, format!("event: {}", data["type"].as_str().unwrap()));
        if let Some(response) = data.get("response") {
            assert_eq!(response["id"], "resp_1");
        }
        names.push(event["event: response.".len()..].to_owned());
    }
    assert_eq!(names[..2], ["created", "in_progress"]);
    assert_eq!(names.last().unwrap(), "completed");
    let count = |name: &str| names.iter().filter(|event_name| *event_name == name).count();
    assert_eq!((count("output_item.added"), count("output_item.done")), (6, 6));
    assert_eq!((count("content_part.added"), count("content_part.done")), (3, 3));
}

#[test]
fn a_wrapped_call_is_unwrapped_for_its_client() {
    let cx = ReplyContext {
        freeform_tools: vec![JsonString::from_static("apply_patch")],
        tool_namespaces: vec![(JsonString::from_static("fs__read"), JsonString::from_static("fs"))],
        ..ReplyContext::default()
    };
    let reply = reply_from_native(
        r#"{"id":"r","blocks":[{"call":{"id":"c1","name":"apply_patch","args":{"input":"*** \"Begin\"\n"}}},
        {"call":{"id":"c2","name":"apply_patch","malformed":"*** raw"}},{"call":{"id":"c3","name":"fs__read","args":{}}},{"call":{"id":"c4","name":"none","malformed":""}}]}"#,
    );
    let (stream, rules) = write_events(&unfold(&reply), &cx);
    assert_eq!(rules, ["args-wrapped"]);
    assert!(stream.contains(r#""type":"custom_tool_call","status":"completed","call_id":"c1","name":"apply_patch","input":"*** \"Begin\"\n""#), "{stream}");
    assert!(stream.contains(r#""call_id":"c2","name":"apply_patch","input":"*** raw""#));
    assert!(stream.contains(r#""call_id":"c3","name":"read","namespace":"fs","arguments":"{}""#));
    assert!(stream.contains(r#""call_id":"c4","name":"none","arguments":"{}""#));
}

#[test]
fn items_only_in_the_last_event_are_emitted() {
    let reply = REPLY.replace('\n', " ");
    let stream = format!("data: {{\"type\":\"response.completed\",\"response\":{reply}}}\n\n");
    let (events, ledger) = read_stream(&stream);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(fold(&events).unwrap(), without_request_fields(decode_reply(REPLY)));
}

#[test]
fn deltas_without_start_or_end_events_are_emitted() {
    let stream = [
        r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"He"}"#,
        r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"llo"}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{}"}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}}"#,
        r#"{"type":"response.completed","response":{"status":"completed","output":null}}"#,
    ];
    let stream = format!("data: {}\n\n", stream.join("\n\ndata: "));
    let (events, _) = read_stream(&stream);
    let reply = fold(&events).unwrap();
    let texts: Vec<_> =
        reply.turn.blocks.iter().filter_map(|block| block.content.as_text()).collect();
    assert_eq!(texts, [&JsonString::from_static("Hello")]);
    assert!(
        matches!(&reply.turn.blocks[1].content, BlockContent::ToolCall(call) if call.id == "c")
    );
    assert_eq!(reply.stop.reason, interlingua_model::StopReason::ToolUse);
}

#[test]
fn parallel_items_are_emitted_one_after_the_other() {
    let stream = [
        r#"{"type":"response.created","response":{"id":"r","model":"m"}}"#,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_a","call_id":"a","name":"f","arguments":""}}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc_b","call_id":"b","name":"g","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc_b","output_index":1,"delta":"[1"}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc_a","output_index":0,"delta":"[0]"}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc_b","output_index":1,"delta":"]"}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"fc_b","call_id":"b","name":"g","arguments":"[1]"}}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_a","call_id":"a","name":"f","arguments":"[0]"}}"#,
        r#"{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}"#,
    ];
    let stream = format!("data: {}\n\n", stream.join("\n\ndata: "));
    let (events, ledger) = read_stream(&stream);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    let reply = fold(&events).unwrap();
    let ids: Vec<_> =
        reply.turn.blocks.iter().map(|block| format!("{:?}", block.content)).collect();
    assert!(ids[0].contains("[0]") && ids[1].contains("[1]"), "{ids:?}");
}

#[test]
fn a_truncated_stream_ends_with_an_error() {
    let reply = without_request_fields(decode_reply(REPLY));
    let (stream, _) = write_events(&unfold(&reply), &ReplyContext::default());
    let frames: Vec<&str> = stream.split_inclusive("\n\n").collect();
    for cut in 0..frames.len() - 1 {
        let (events, _) = read_stream(&frames[..cut].concat());
        assert!(matches!(events.last(), Some(StreamEvent::Error(_))), "cut after {cut} frames");
    }
}

#[test]
fn lost_repeated_or_swapped_frames_give_lawful_events() {
    let reply = without_request_fields(decode_reply(REPLY));
    let (stream, _) = write_events(&unfold(&reply), &ReplyContext::default());
    let frames: Vec<&str> = stream.split_inclusive("\n\n").collect();
    let end = frames.len() - 1;
    for at in 0..end {
        let mut with_lost_frame = frames.clone();
        with_lost_frame.remove(at);
        let mut with_repeated_frame = frames.clone();
        with_repeated_frame.insert(at, frames[at]);
        let mut swapped = frames.clone();
        swapped.swap(at, (at + 1).min(end - 1));
        let (once, _) = read_stream(&with_repeated_frame.concat());
        assert_eq!(fold(&once).unwrap(), reply, "frame {at} twice");
        for frames in [with_lost_frame, swapped] {
            // `read_stream` asserts that the events are lawful.
            let (events, _) = read_stream(&frames.concat());
            let blocks = fold(&events).unwrap().turn.blocks.len();
            assert!(blocks >= reply.turn.blocks.len(), "around frame {at}");
        }
    }
}

const REPLY: &str = r#"{
  "id": "resp_1", "object": "response", "created_at": 1741476542, "status": "completed", "error": null, "incomplete_details": null,
  "instructions": null, "max_output_tokens": null, "model": "gpt-5.5",
  "output": [
    {"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Plan"}],"encrypted_content":"gAAAx","status":"completed"},
    {"id":"msg_1","type":"message","status":"completed","role":"assistant","phase":"commentary","content":[
      {"type":"output_text","text":"See é","annotations":[{"type":"url_citation","start_index":0,"end_index":3,"url":"https://a.b","title":"A"}],"logprobs":[]},
      {"type":"output_text","text":"more","annotations":[],"logprobs":[]}]},
    {"id":"msg_2","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Next","annotations":[],"logprobs":[]}]},
    {"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}},
    {"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"ls","arguments":"{\"p\": \"/\"}"},
    {"id":"ctc_1","type":"custom_tool_call","status":"completed","call_id":"call_2","name":"apply_patch","input":"*** Begin"}
  ],
  "parallel_tool_calls": true, "previous_response_id": null, "reasoning": {"effort": "low", "summary": "auto"}, "store": false, "temperature": 1.0,
  "text": {"format": {"type": "text"}}, "tool_choice": "auto", "tools": [], "top_p": 1.0, "truncation": "disabled",
  "usage": {"input_tokens": 36, "input_tokens_details": {"cached_tokens": 6}, "output_tokens": 87, "output_tokens_details": {"reasoning_tokens": 7}, "total_tokens": 123},
  "user": null, "metadata": {}
}"#;
