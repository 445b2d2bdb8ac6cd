//! Replies of the openai-responses dialect: whole, streamed, and the laws between the two.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use bytes::Bytes;
use interlingua_dialects::Dialect;
use interlingua_dialects::native::Native;
use interlingua_dialects::openai_responses::OpenAiResponses;
use interlingua_model::{Body, Event, Exchange, Failure, Fold, Ledger, Reply, unfold};
use interlingua_wire::{Doc, Framer, Framing, Limits, Text};

fn doc(body: &str) -> Doc {
    Doc::parse(body.into(), Limits::default()).unwrap()
}

fn events(stream: &str) -> (Vec<Event>, Ledger) {
    let mut framer = Framer::new(Framing::Sse, 1 << 20);
    framer.push(&Bytes::copy_from_slice(stream.as_bytes()));
    let mut reader = OpenAiResponses.reader(&Exchange::default());
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    while let Some(frame) = framer.next().unwrap() {
        reader.read(frame, &mut events, &mut ledger);
    }
    if let Some(frame) = framer.finish().unwrap() {
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    assert_lawful(&events);
    (events, ledger)
}

fn assert_lawful(events: &[Event]) {
    let (mut next, mut open, mut ended) = (0, None, false);
    assert!(matches!(events.first(), Some(Event::Start { .. })), "{events:?}");
    for event in &events[1..] {
        assert!(!ended, "{events:?}");
        match event {
            Event::Start { .. } => panic!("a second start"),
            Event::Open { index, .. } => {
                assert_eq!((open, *index), (None, next));
                open = Some(next);
                next += 1;
            }
            Event::Delta { index, .. } => assert_eq!(open, Some(*index)),
            Event::Close { index } => assert_eq!(open.take(), Some(*index)),
            Event::Stop(_) | Event::Fail(_) => {
                assert_eq!(open, None);
                ended = true;
            }
            Event::Usage(_) | Event::Ping | Event::Foreign { .. } => {}
        }
    }
    assert!(ended, "{events:?}");
}

fn fold(events: &[Event]) -> Result<Reply, Failure> {
    let mut fold = Fold::new();
    for event in events {
        fold.push(event);
    }
    fold.finish()
}

fn written(events: &[Event], exchange: &Exchange) -> (String, Vec<&'static str>) {
    let mut writer = OpenAiResponses.writer(exchange);
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    for event in events {
        writer.write(event, &mut out, &mut ledger);
    }
    let rules = ledger.entries.iter().map(|entry| entry.rule).collect();
    (String::from_utf8(out).unwrap(), rules)
}

fn decoded(body: &str) -> Reply {
    let mut ledger = Ledger::default();
    let reply = OpenAiResponses.decode_reply(&doc(body), &Exchange::default(), &mut ledger);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    reply.unwrap().into_value()
}

fn native(body: &str) -> Reply {
    let reply = Native.decode_reply(&doc(body), &Exchange::default(), &mut Ledger::default());
    reply.unwrap().into_value()
}

/// A stream carries everything of a reply but the fields that echo the request.
fn streamed(mut reply: Reply) -> Reply {
    reply.extras = interlingua_model::Extras::default();
    reply
}

#[test]
fn a_reply_is_what_its_stream_folds_to() {
    let reply = streamed(decoded(REPLY));
    assert_eq!(reply.turn.blocks.len(), 7);
    let (stream, rules) = written(&unfold(&reply), &Exchange::default());
    assert!(rules.is_empty(), "{rules:?}");
    let (events, ledger) = events(&stream);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(fold(&events).unwrap(), reply);
}

#[test]
fn a_whole_reply_is_written_as_it_was_read() {
    let mut ledger = Ledger::default();
    let reply = decoded(REPLY);
    let body = OpenAiResponses.encode_reply(&reply, &Exchange::default(), &mut ledger);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    let body = String::from_utf8(body).unwrap();
    let (again, first): (serde_json::Value, serde_json::Value) =
        (serde_json::from_str(&body).unwrap(), serde_json::from_str(REPLY).unwrap());
    for (key, value) in first.as_object().unwrap() {
        assert_eq!(&again[key], value, "{key}");
    }
}

#[test]
fn replies_of_other_dialects_come_back_from_a_stream() {
    let reply = native(
        r#"{"interlingua":1,"id":"r1","model":"m","blocks":[{"thinking":"t","form":"summary"},{"text":"a"},{"text":"b"},{"refusal":"no"},
        {"call":{"id":"c1","name":"f","args":{"x":[1,2]}}},{"call":{"id":"c2","name":"g","malformed":"{\"x"}},{"text":"after"},{"call":{"id":"c3","name":"h","freeform":"free"}}],
        "usage":{"input":5,"cache_read":3,"cache_write":2,"output":7,"reasoning":1},"stop":{"reason":"tool-use"}}"#,
    );
    let (stream, rules) = written(&unfold(&reply), &Exchange::default());
    assert!(rules.is_empty(), "{rules:?}");
    let (events, _) = events(&stream);
    let mut back = fold(&events).unwrap();
    back.usage.written = None;
    assert_eq!(back, reply);
}

#[test]
fn a_stream_is_complete_and_numbered() {
    let reply = streamed(decoded(REPLY));
    let (stream, _) = written(&unfold(&reply), &Exchange::default());
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
    let count = |name: &str| names.iter().filter(|one| *one == name).count();
    assert_eq!((count("output_item.added"), count("output_item.done")), (6, 6));
    assert_eq!((count("content_part.added"), count("content_part.done")), (3, 3));
}

#[test]
fn a_wrapped_call_is_unwrapped_for_its_client() {
    let exchange = Exchange {
        freeform: vec![Text::word("apply_patch")],
        namespaces: vec![(Text::word("fs__read"), Text::word("fs"))],
        ..Exchange::default()
    };
    let reply = native(
        r#"{"id":"r","blocks":[{"call":{"id":"c1","name":"apply_patch","args":{"input":"*** \"Begin\"\n"}}},
        {"call":{"id":"c2","name":"apply_patch","malformed":"*** raw"}},{"call":{"id":"c3","name":"fs__read","args":{}}},{"call":{"id":"c4","name":"none","malformed":""}}]}"#,
    );
    let (stream, rules) = written(&unfold(&reply), &exchange);
    assert_eq!(rules, ["args-wrapped"]);
    assert!(stream.contains(r#""type":"custom_tool_call","status":"completed","call_id":"c1","name":"apply_patch","input":"*** \"Begin\"\n""#), "{stream}");
    assert!(stream.contains(r#""call_id":"c2","name":"apply_patch","input":"*** raw""#));
    assert!(stream.contains(r#""call_id":"c3","name":"read","namespace":"fs","arguments":"{}""#));
    assert!(stream.contains(r#""call_id":"c4","name":"none","arguments":"{}""#));
}

#[test]
fn items_only_in_the_last_event_are_read() {
    let reply = REPLY.replace('\n', " ");
    let stream = format!("data: {{\"type\":\"response.completed\",\"response\":{reply}}}\n\n");
    let (events, ledger) = events(&stream);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(fold(&events).unwrap(), streamed(decoded(REPLY)));
}

#[test]
fn pieces_without_begin_or_end_are_read() {
    let stream = [
        r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"He"}"#,
        r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"llo"}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{}"}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}}"#,
        r#"{"type":"response.completed","response":{"status":"completed","output":null}}"#,
    ];
    let stream = format!("data: {}\n\n", stream.join("\n\ndata: "));
    let (events, _) = events(&stream);
    let reply = fold(&events).unwrap();
    let texts: Vec<_> = reply.turn.blocks.iter().filter_map(|b| b.body.as_text()).collect();
    assert_eq!(texts, [&Text::word("Hello")]);
    assert!(matches!(&reply.turn.blocks[1].body, Body::ToolCall(call) if call.id == "c"));
    assert_eq!(reply.stop.reason, interlingua_model::StopReason::ToolUse);
}

#[test]
fn parallel_items_are_told_one_after_the_other() {
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
    let (events, ledger) = events(&stream);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    let reply = fold(&events).unwrap();
    let ids: Vec<_> = reply.turn.blocks.iter().map(|b| format!("{:?}", b.body)).collect();
    assert!(ids[0].contains("[0]") && ids[1].contains("[1]"), "{ids:?}");
}

#[test]
fn a_cut_stream_fails_wherever_it_is_cut() {
    let reply = streamed(decoded(REPLY));
    let (stream, _) = written(&unfold(&reply), &Exchange::default());
    let frames: Vec<&str> = stream.split_inclusive("\n\n").collect();
    for cut in 0..frames.len() - 1 {
        let (events, _) = events(&frames[..cut].concat());
        assert!(matches!(events.last(), Some(Event::Fail(_))), "cut after {cut} frames");
    }
}

#[test]
fn frames_lost_repeated_or_swapped_still_make_a_lawful_stream() {
    let reply = streamed(decoded(REPLY));
    let (stream, _) = written(&unfold(&reply), &Exchange::default());
    let frames: Vec<&str> = stream.split_inclusive("\n\n").collect();
    let end = frames.len() - 1;
    for at in 0..end {
        let mut lost = frames.clone();
        lost.remove(at);
        let mut twice = frames.clone();
        twice.insert(at, frames[at]);
        let mut swapped = frames.clone();
        swapped.swap(at, (at + 1).min(end - 1));
        let (once, _) = events(&twice.concat());
        assert_eq!(fold(&once).unwrap(), reply, "frame {at} twice");
        for frames in [lost, swapped] {
            // Lawfulness is checked while reading.
            let (events, _) = events(&frames.concat());
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
