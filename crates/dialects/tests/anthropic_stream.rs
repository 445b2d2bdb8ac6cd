//! Tests of Anthropic streams and replies: properties of reading and writing that single corpus
//! cases cannot show.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua_dialects::Dialect;
use interlingua_dialects::anthropic::Anthropic;
use interlingua_model::{
    ApiError, Block, BlockContent, Delta, Ledger, Reasoning, ReasoningForm, Reply,
    ReplyAccumulator, ReplyContext, Seal, Stop, StopReason, StreamEvent, ToolArgs, ToolCall, Usage,
    unfold,
};
use interlingua_wire::{Frame, JsonDoc, JsonLimits, JsonString};

fn frame(data: &str) -> Frame {
    Frame { data: Some(data.to_owned().into()), ..Frame::default() }
}

fn read(frames: &[&str], cx: &ReplyContext) -> (Vec<StreamEvent>, Ledger) {
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    let mut reader = Anthropic.reader(cx);
    for data in frames {
        reader.read(frame(data), &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    assert_lawful(&events);
    (events, ledger)
}

fn fold(events: &[StreamEvent]) -> Result<Reply, ApiError> {
    let mut accumulator = ReplyAccumulator::new();
    for event in events {
        accumulator.push(event);
    }
    accumulator.finish()
}

/// Asserts one start, blocks with consecutive indices one at a time, one end, and nothing after it.
fn assert_lawful(events: &[StreamEvent]) {
    let (mut open, mut next) = (None, 0);
    for (at, event) in events.iter().enumerate() {
        let is_last = at + 1 == events.len();
        assert_eq!(at == 0, matches!(event, StreamEvent::Start { .. }), "{events:?}");
        let is_end = matches!(event, StreamEvent::Stop(_) | StreamEvent::Error(_));
        assert_eq!(is_end, is_last, "{events:?}");
        match event {
            StreamEvent::BlockStart { index, .. } => {
                assert_eq!((open, *index), (None, next), "{events:?}");
                (open, next) = (Some(*index), next + 1);
            }
            StreamEvent::Delta { index, .. } => assert_eq!(open, Some(*index), "{events:?}"),
            StreamEvent::BlockEnd { index } => assert_eq!(open.take(), Some(*index), "{events:?}"),
            StreamEvent::Stop(_) | StreamEvent::Error(_) => assert_eq!(open, None, "{events:?}"),
            StreamEvent::Start { .. }
            | StreamEvent::Usage(_)
            | StreamEvent::Ping
            | StreamEvent::Foreign { .. } => {}
        }
    }
    assert!(!events.is_empty());
}

fn write(events: &[StreamEvent]) -> (String, Ledger) {
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    let mut writer = Anthropic.writer(&ReplyContext::default());
    for event in events {
        writer.write(event, &mut out, &mut ledger);
    }
    (String::from_utf8(out).unwrap(), ledger)
}

/// The data of each frame. Asserts that the name of each event is the type in its data.
fn frames_of(stream: &str) -> Vec<String> {
    let frames: Vec<&str> = stream.split_terminator("\n\n").collect();
    let data = frames.iter().map(|frame| {
        let (event, data) = frame.strip_prefix("event: ").unwrap().split_once('\n').unwrap();
        let data = data.strip_prefix("data: ").unwrap();
        let doc = JsonDoc::parse(data.to_owned().into(), JsonLimits::default()).unwrap();
        assert_eq!(doc.root().get("type").unwrap().str_or_empty(), event);
        data.to_owned()
    });
    data.collect()
}

fn roundtrip_stream(reply: &Reply) -> Reply {
    let (stream, ledger) = write(&unfold(reply));
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    let frames = frames_of(&stream);
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let (events, ledger) = read(&frames, &ReplyContext::default());
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    fold(&events).unwrap()
}

const REPLY: &str = r#"{"model":"claude-x","id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"a \"b\"","signature":"c2ln"},{"type":"thinking","thinking":"","signature":"b21pdA=="},{"type":"redacted_thinking","data":"b3BhcXVl"},{"type":"text","text":"x\ny","citations":[{"type":"web_search_result_location","url":"https://a.example","title":"A","cited_text":"q","encrypted_index":"e"}]},{"type":"thinking","thinking":"unsigned","signature":""},{"type":"text","text":""},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}},{"type":"tool_use","id":"t1","name":"f","input":{"b":1.0,"a":[]}},{"type":"tool_use","id":"t2","name":"g","input":{}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":4,"cache_read_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":3},"output_tokens":9,"output_tokens_details":{"thinking_tokens":2},"service_tier":"standard"}}"#;

fn decode(body: &str, cx: &ReplyContext) -> Reply {
    let doc = JsonDoc::parse(body.to_owned().into(), JsonLimits::default()).unwrap();
    let mut ledger = Ledger::default();
    let reply = Anthropic.decode_reply(&doc, cx, &mut ledger).unwrap();
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    reply.into_value()
}

#[test]
fn a_reply_survives_a_stream_roundtrip() {
    let reply = decode(REPLY, &ReplyContext::default());
    assert_eq!(reply.turn.blocks.len(), 9);
    assert_eq!(roundtrip_stream(&reply), reply);
}

#[test]
fn a_reply_survives_an_encode_roundtrip() {
    let cx = ReplyContext::default();
    let reply = decode(REPLY, &cx);
    let mut ledger = Ledger::default();
    let encoded = Anthropic.encode_reply(&reply, &cx, &mut ledger);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(decode(&String::from_utf8(encoded).unwrap(), &cx), reply);
}

#[test]
fn counts_of_other_dialects_are_added_up_to_totals() {
    let mut reply = Reply::new();
    reply.turn.blocks.push(Block::text(JsonString::from_static("x")).into());
    reply.usage = Usage {
        input: Some(1),
        tool_input: Some(2),
        cache_write: Some(5),
        cache_write_1h: Some(4),
        output: Some(3),
        reasoning: Some(7),
        ..Usage::default()
    };
    let usage = roundtrip_stream(&reply).usage;
    let counts = (usage.input, usage.cache_read, usage.cache_write, usage.cache_write_1h);
    assert_eq!(counts, (Some(3), Some(0), Some(5), Some(4)));
    assert_eq!((usage.output, usage.reasoning, usage.total_output()), (Some(3), Some(7), 10));
}

/// Truncates the stream after every frame, removes every frame, and swaps every two frames.
#[test]
fn any_frames_are_read_as_lawful_events() {
    let reply = decode(REPLY, &ReplyContext::default());
    let (stream, _) = write(&unfold(&reply));
    let frames = frames_of(&stream);
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let cx = ReplyContext {
        freeform_tools: vec![JsonString::from_static("g")],
        ..ReplyContext::default()
    };
    for cut in 0..frames.len() {
        let (events, _) = read(&frames[..cut], &cx);
        let has_stop = frames[..cut].iter().any(|frame| frame.contains("message_delta"));
        assert_eq!(matches!(events.last(), Some(StreamEvent::Stop(_))), has_stop, "cut at {cut}");
        let mut fewer = frames.clone();
        fewer.remove(cut);
        read(&fewer, &cx);
        for other in 0..frames.len() {
            let mut swapped = frames.clone();
            swapped.swap(cut, other);
            read(&swapped, &cx);
        }
    }
    let extra_frames = ["", "x", "[DONE]", "null", "{}", r#"{"type":"ping"}"#, r#"{"type":"new"}"#];
    for data in extra_frames {
        let mut more = frames.clone();
        more.insert(4, data);
        let (events, _) = read(&more, &ReplyContext::default());
        assert_eq!(fold(&events).unwrap(), reply, "{data}");
        let (events, _) = read(&[data], &cx);
        assert!(matches!(events.last(), Some(StreamEvent::Error(_))));
    }
}

#[test]
fn overlapping_blocks_are_emitted_one_after_the_other() {
    let start = |at: u32, name: &str| {
        format!(
            r#"{{"type":"content_block_start","index":{at},"content_block":{{"type":"tool_use","id":"{name}","name":"{name}","input":{{}}}}}}"#
        )
    };
    let delta = |at: u32, json: &str| {
        format!(
            r#"{{"type":"content_block_delta","index":{at},"delta":{{"type":"input_json_delta","partial_json":"{json}"}}}}"#
        )
    };
    let stop = |at: u32| format!(r#"{{"type":"content_block_stop","index":{at}}}"#);
    let frames = [
        r#"{"type":"message_start","message":{"id":"m","model":"x","content":[]}}"#.to_owned(),
        start(0, "a"),
        start(1, "b"),
        start(2, "c"),
        delta(2, "{"),
        delta(0, "["),
        delta(1, "{}"),
        delta(0, "]"),
        stop(1),
        stop(0),
        delta(2, "}"),
        stop(2),
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#.to_owned(),
        r#"{"type":"message_stop"}"#.to_owned(),
    ];
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let (events, ledger) = read(&frames, &ReplyContext::default());
    let reply = fold(&events).unwrap();
    let calls: Vec<(String, String)> = reply.turn.blocks.iter().filter_map(call).collect();
    let expected = [("a", "[]"), ("b", "{}"), ("c", "{}")];
    assert_eq!(calls, expected.map(|(id, args)| (id.to_owned(), args.to_owned())));
    assert_eq!(reply.stop, Stop::new(StopReason::ToolUse));
    assert!(ledger.entries.iter().all(|entry| entry.rule == "stream-order"));
}

fn call(block: &interlingua_model::Verbatim<Block>) -> Option<(String, String)> {
    match &block.content {
        BlockContent::ToolCall(call) => {
            Some((call.id.to_string(), call.args.to_json_string().to_string()))
        }
        _ => None,
    }
}

#[test]
fn wrapped_free_text_is_unwrapped() {
    let cx = ReplyContext {
        freeform_tools: vec![JsonString::from_static("patch")],
        ..ReplyContext::default()
    };
    let body = |input: &str| {
        format!(
            r#"{{"content":[{{"type":"tool_use","id":"t","name":"patch","input":{input}}}],"stop_reason":"tool_use"}}"#
        )
    };
    let args = |reply: &Reply| match &reply.turn.blocks[0].content {
        BlockContent::ToolCall(call) => call.args.clone(),
        other => panic!("{other:?}"),
    };
    let unwrapped = decode(&body(r#"{"input":"a\n\"b\""}"#), &cx);
    assert_eq!(args(&unwrapped), ToolArgs::Freeform(JsonString::new("a\n\"b\"")));

    let wrapped = decode(&body(r#"{"input":"a\n\"b\""}"#), &ReplyContext::default());
    let (stream, _) = write(&unfold(&wrapped));
    let frames = frames_of(&stream);
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let (events, _) = read(&frames, &cx);
    assert_eq!(args(&fold(&events).unwrap()), args(&unwrapped));

    // The other direction: free text is written wrapped, in any number of deltas.
    let (stream, ledger) = write(&unfold(&unwrapped));
    assert!(ledger.is_empty());
    let frames = frames_of(&stream);
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let (events, _) = read(&frames, &ReplyContext::default());
    assert_eq!(args(&fold(&events).unwrap()), args(&wrapped));
}

#[test]
fn the_last_signature_is_written_and_foreign_seals_are_dropped() {
    let seal = |issuer, data| {
        Delta::Seal(Box::new(Seal::new(
            JsonString::from_static(issuer),
            JsonString::from_static(data),
        )))
    };
    let thinking = |form| {
        Box::new(Block::new(BlockContent::Reasoning(Reasoning { text: JsonString::EMPTY, form })))
    };
    let name = JsonString::from_static("f");
    let call = ToolCall {
        id: JsonString::from_static("t"),
        name,
        args: ToolArgs::Malformed(JsonString::EMPTY),
    };
    let mut call = Block::new(BlockContent::ToolCall(call));
    call.seal =
        Some(Box::new(Seal::new(JsonString::from_static("google"), JsonString::from_static("g"))));
    let delta = |index, delta| StreamEvent::Delta { index, delta };
    let events = [
        StreamEvent::Start { id: None, model: None },
        StreamEvent::BlockStart { index: 0, block: thinking(ReasoningForm::Summary) },
        delta(0, seal("openai", "o")),
        StreamEvent::BlockEnd { index: 0 },
        StreamEvent::BlockStart { index: 1, block: thinking(ReasoningForm::Full) },
        delta(1, seal("anthropic", "early")),
        delta(1, Delta::Text(JsonString::from_static("t"))),
        delta(1, seal("anthropic", "late")),
        StreamEvent::BlockEnd { index: 1 },
        StreamEvent::BlockStart { index: 2, block: Box::new(call) },
        StreamEvent::BlockEnd { index: 2 },
        StreamEvent::Stop(Stop::new(StopReason::ToolUse)),
    ];
    let (stream, ledger) = write(&events);
    let frames = frames_of(&stream);
    let expected = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"t"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"late"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
    ];
    assert_eq!(frames[1..8], expected);
    let rules: Vec<_> = ledger.entries.iter().map(|entry| entry.rule).collect();
    assert_eq!(rules, ["foreign-seal", "foreign-seal", "args-wrapped"]);
}

#[test]
fn values_that_span_lines_stay_in_their_frame() {
    let json = interlingua_wire::RawJson::parse("{\n\"type\":\r\n\"new\"}").unwrap();
    let kind = JsonString::from_static("new");
    let event = StreamEvent::Foreign { dialect: Anthropic.id(), kind, json };
    let (stream, _) = write(&[StreamEvent::Start { id: None, model: None }, event]);
    assert_eq!(frames_of(&stream)[1], "{ \"type\":  \"new\"}");
}

#[test]
fn unknown_deltas_are_written_as_deltas() {
    let head = r#"{"type":"message_start","message":{"id":"m","model":"c"}}"#;
    let open =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let failing =
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"","error":{"message":"no"}}}"#;
    let ending = r#"{"type":"content_block_delta","index":0,"delta":{"type":"message_stop"}}"#;
    let close = r#"{"type":"content_block_stop","index":0}"#;
    let message_delta =
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"error":{"type":"error"}}"#;
    let frames = [head, open, failing, ending, close, message_delta, r#"{"type":"message_stop"}"#];
    let (events, _) = read(&frames, &ReplyContext::default());
    let (stream, _) = write(&events);
    let written = frames_of(&stream);
    assert_eq!(written[1..5], [open, failing, ending, close]);
    let written: Vec<&str> = written.iter().map(String::as_str).collect();
    let (reread, _) = read(&written, &ReplyContext::default());
    assert!(fold(&events).is_ok() && fold(&reread).is_ok(), "{stream}");
}
