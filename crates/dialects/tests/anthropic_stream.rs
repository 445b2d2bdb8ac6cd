//! Streams and replies in the anthropic dialect: what reading and writing promise beyond the corpus.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua_dialects::Dialect;
use interlingua_dialects::anthropic::Anthropic;
use interlingua_model::{
    Args, Block, Body, Delta, Event, Exchange, Failure, Fold, Form, Ledger, Reply, Seal, Stop,
    StopReason, Thinking, ToolCall, Usage, unfold,
};
use interlingua_wire::{Doc, Frame, Limits, Text};

fn frame(data: &str) -> Frame {
    Frame { data: Some(data.to_owned().into()), ..Frame::default() }
}

fn read(frames: &[&str], exchange: &Exchange) -> (Vec<Event>, Ledger) {
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    let mut reader = Anthropic.reader(exchange);
    for data in frames {
        reader.read(frame(data), &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    assert_lawful(&events);
    (events, ledger)
}

fn fold(events: &[Event]) -> Result<Reply, Failure> {
    let mut fold = Fold::new();
    for event in events {
        fold.push(event);
    }
    fold.finish()
}

/// Start, dense blocks one at a time, one end, nothing after it.
fn assert_lawful(events: &[Event]) {
    let (mut open, mut next) = (None, 0);
    for (at, event) in events.iter().enumerate() {
        let is_last = at + 1 == events.len();
        assert_eq!(at == 0, matches!(event, Event::Start { .. }), "{events:?}");
        let is_end = matches!(event, Event::Stop(_) | Event::Fail(_));
        assert_eq!(is_end, is_last, "{events:?}");
        match event {
            Event::Open { index, .. } => {
                assert_eq!((open, *index), (None, next), "{events:?}");
                (open, next) = (Some(*index), next + 1);
            }
            Event::Delta { index, .. } => assert_eq!(open, Some(*index), "{events:?}"),
            Event::Close { index } => assert_eq!(open.take(), Some(*index), "{events:?}"),
            Event::Stop(_) | Event::Fail(_) => assert_eq!(open, None, "{events:?}"),
            Event::Start { .. } | Event::Usage(_) | Event::Ping | Event::Foreign { .. } => {}
        }
    }
    assert!(!events.is_empty());
}

fn write(events: &[Event]) -> (String, Ledger) {
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    let mut writer = Anthropic.writer(&Exchange::default());
    for event in events {
        writer.write(event, &mut out, &mut ledger);
    }
    (String::from_utf8(out).unwrap(), ledger)
}

/// The data of each frame; the name of each event must be the type in its data.
fn frames_of(stream: &str) -> Vec<String> {
    let frames: Vec<&str> = stream.split_terminator("\n\n").collect();
    let data = frames.iter().map(|frame| {
        let (event, data) = frame.strip_prefix("event: ").unwrap().split_once('\n').unwrap();
        let data = data.strip_prefix("data: ").unwrap();
        let doc = Doc::parse(data.to_owned().into(), Limits::default()).unwrap();
        assert_eq!(doc.root().get("type").unwrap().word(), event);
        data.to_owned()
    });
    data.collect()
}

fn written_and_read(reply: &Reply) -> Reply {
    let (stream, ledger) = write(&unfold(reply));
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    let frames = frames_of(&stream);
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let (events, ledger) = read(&frames, &Exchange::default());
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    fold(&events).unwrap()
}

const REPLY: &str = r#"{"model":"claude-x","id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"a \"b\"","signature":"c2ln"},{"type":"thinking","thinking":"","signature":"b21pdA=="},{"type":"redacted_thinking","data":"b3BhcXVl"},{"type":"text","text":"x\ny","citations":[{"type":"web_search_result_location","url":"https://a.example","title":"A","cited_text":"q","encrypted_index":"e"}]},{"type":"thinking","thinking":"unsigned","signature":""},{"type":"text","text":""},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}},{"type":"tool_use","id":"t1","name":"f","input":{"b":1.0,"a":[]}},{"type":"tool_use","id":"t2","name":"g","input":{}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":4,"cache_read_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":3},"output_tokens":9,"output_tokens_details":{"thinking_tokens":2},"service_tier":"standard"}}"#;

fn decode(body: &str, exchange: &Exchange) -> Reply {
    let doc = Doc::parse(body.to_owned().into(), Limits::default()).unwrap();
    let mut ledger = Ledger::default();
    let reply = Anthropic.decode_reply(&doc, exchange, &mut ledger).unwrap();
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    reply.into_value()
}

#[test]
fn a_reply_streams_to_itself() {
    let reply = decode(REPLY, &Exchange::default());
    assert_eq!(reply.turn.blocks.len(), 9);
    assert_eq!(written_and_read(&reply), reply);
}

#[test]
fn a_reply_is_written_as_it_was_read() {
    let exchange = Exchange::default();
    let reply = decode(REPLY, &exchange);
    let mut ledger = Ledger::default();
    let written = Anthropic.encode_reply(&reply, &exchange, &mut ledger);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(decode(&String::from_utf8(written).unwrap(), &exchange), reply);
}

#[test]
fn counts_of_others_are_added_up_for_clients_that_read_totals() {
    let mut reply = Reply::new();
    reply.turn.blocks.push(Block::text(Text::word("x")).into());
    reply.usage = Usage {
        input: Some(1),
        tool_input: Some(2),
        cache_write: Some(5),
        cache_write_hour: Some(4),
        output: Some(3),
        reasoning: Some(7),
        ..Usage::default()
    };
    let back = written_and_read(&reply).usage;
    let counts = (back.input, back.cache_read, back.cache_write, back.cache_write_hour);
    assert_eq!(counts, (Some(3), Some(0), Some(5), Some(4)));
    assert_eq!((back.output, back.reasoning, back.all_output()), (Some(3), Some(7), 10));
}

/// Every stream cut after every frame, every frame left out, and every two frames swapped.
#[test]
fn whatever_comes_is_read_lawfully() {
    let reply = decode(REPLY, &Exchange::default());
    let (stream, _) = write(&unfold(&reply));
    let frames = frames_of(&stream);
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let exchange = Exchange { freeform: vec![Text::word("g")], ..Exchange::default() };
    for cut in 0..frames.len() {
        let (events, _) = read(&frames[..cut], &exchange);
        let has_stop = frames[..cut].iter().any(|frame| frame.contains("message_delta"));
        assert_eq!(matches!(events.last(), Some(Event::Stop(_))), has_stop, "cut at {cut}");
        let mut fewer = frames.clone();
        fewer.remove(cut);
        read(&fewer, &exchange);
        for other in 0..frames.len() {
            let mut swapped = frames.clone();
            swapped.swap(cut, other);
            read(&swapped, &exchange);
        }
    }
    let odd = ["", "x", "[DONE]", "null", "{}", r#"{"type":"ping"}"#, r#"{"type":"new"}"#];
    for data in odd {
        let mut more = frames.clone();
        more.insert(4, data);
        let (events, _) = read(&more, &Exchange::default());
        assert_eq!(fold(&events).unwrap(), reply, "{data}");
        let (events, _) = read(&[data], &exchange);
        assert!(matches!(events.last(), Some(Event::Fail(_))));
    }
}

#[test]
fn blocks_that_overlap_come_one_after_the_other() {
    let start = |at: u32, name: &str| {
        format!(
            r#"{{"type":"content_block_start","index":{at},"content_block":{{"type":"tool_use","id":"{name}","name":"{name}","input":{{}}}}}}"#
        )
    };
    let piece = |at: u32, json: &str| {
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
        piece(2, "{"),
        piece(0, "["),
        piece(1, "{}"),
        piece(0, "]"),
        stop(1),
        stop(0),
        piece(2, "}"),
        stop(2),
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#.to_owned(),
        r#"{"type":"message_stop"}"#.to_owned(),
    ];
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let (events, ledger) = read(&frames, &Exchange::default());
    let reply = fold(&events).unwrap();
    let calls: Vec<(String, String)> = reply.turn.blocks.iter().filter_map(call).collect();
    let expected = [("a", "[]"), ("b", "{}"), ("c", "{}")];
    assert_eq!(calls, expected.map(|(id, args)| (id.to_owned(), args.to_owned())));
    assert_eq!(reply.stop, Stop::new(StopReason::ToolUse));
    assert!(ledger.entries.iter().all(|entry| entry.rule == "stream-order"));
}

fn call(block: &interlingua_model::Verbatim<Block>) -> Option<(String, String)> {
    match &block.body {
        Body::ToolCall(call) => Some((call.id.to_string(), call.args.to_text().to_string())),
        _ => None,
    }
}

#[test]
fn wrapped_free_text_is_unwrapped() {
    let exchange = Exchange { freeform: vec![Text::word("patch")], ..Exchange::default() };
    let body = |input: &str| {
        format!(
            r#"{{"content":[{{"type":"tool_use","id":"t","name":"patch","input":{input}}}],"stop_reason":"tool_use"}}"#
        )
    };
    let args = |reply: &Reply| match &reply.turn.blocks[0].body {
        Body::ToolCall(call) => call.args.clone(),
        other => panic!("{other:?}"),
    };
    let whole = decode(&body(r#"{"input":"a\n\"b\""}"#), &exchange);
    assert_eq!(args(&whole), Args::Freeform(Text::new("a\n\"b\"")));

    let plain = decode(&body(r#"{"input":"a\n\"b\""}"#), &Exchange::default());
    let (stream, _) = write(&unfold(&plain));
    let frames = frames_of(&stream);
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let (events, _) = read(&frames, &exchange);
    assert_eq!(args(&fold(&events).unwrap()), args(&whole));

    // And the way back: what is free text leaves wrapped, in however many pieces.
    let (stream, ledger) = write(&unfold(&whole));
    assert!(ledger.is_empty());
    let frames = frames_of(&stream);
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let (events, _) = read(&frames, &Exchange::default());
    assert_eq!(args(&fold(&events).unwrap()), args(&plain));
}

#[test]
fn one_signature_comes_last_and_foreign_seals_stay_behind() {
    let seal =
        |issuer, data| Delta::Seal(Box::new(Seal::new(Text::word(issuer), Text::word(data))));
    let thinking =
        |form| Box::new(Block::new(Body::Thinking(Thinking { text: Text::EMPTY, form })));
    let name = Text::word("f");
    let call = ToolCall { id: Text::word("t"), name, args: Args::Malformed(Text::EMPTY) };
    let mut call = Block::new(Body::ToolCall(call));
    call.seal = Some(Box::new(Seal::new(Text::word("google"), Text::word("g"))));
    let delta = |index, delta| Event::Delta { index, delta };
    let events = [
        Event::Start { id: None, model: None },
        Event::Open { index: 0, block: thinking(Form::Summary) },
        delta(0, seal("openai", "o")),
        Event::Close { index: 0 },
        Event::Open { index: 1, block: thinking(Form::Full) },
        delta(1, seal("anthropic", "early")),
        delta(1, Delta::Text(Text::word("t"))),
        delta(1, seal("anthropic", "late")),
        Event::Close { index: 1 },
        Event::Open { index: 2, block: Box::new(call) },
        Event::Close { index: 2 },
        Event::Stop(Stop::new(StopReason::ToolUse)),
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
    let json = interlingua_wire::Json::parse("{\n\"type\":\r\n\"new\"}").unwrap();
    let kind = Text::word("new");
    let event = Event::Foreign { dialect: Anthropic.id(), kind, json };
    let (stream, _) = write(&[Event::Start { id: None, model: None }, event]);
    assert_eq!(frames_of(&stream)[1], "{ \"type\":  \"new\"}");
}

#[test]
fn pieces_nobody_knows_are_written_as_pieces() {
    let head = r#"{"type":"message_start","message":{"id":"m","model":"c"}}"#;
    let open =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let failing =
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"","error":{"message":"no"}}}"#;
    let ending = r#"{"type":"content_block_delta","index":0,"delta":{"type":"message_stop"}}"#;
    let close = r#"{"type":"content_block_stop","index":0}"#;
    let odd =
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"error":{"type":"error"}}"#;
    let frames = [head, open, failing, ending, close, odd, r#"{"type":"message_stop"}"#];
    let (events, _) = read(&frames, &Exchange::default());
    let (stream, _) = write(&events);
    let written = frames_of(&stream);
    assert_eq!(written[1..5], [open, failing, ending, close]);
    let written: Vec<&str> = written.iter().map(String::as_str).collect();
    let (again, _) = read(&written, &Exchange::default());
    assert!(fold(&events).is_ok() && fold(&again).is_ok(), "{stream}");
}
