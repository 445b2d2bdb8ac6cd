//! Tests of the Responses API over WebSocket: turns, errors, and clients that break the protocol.

use std::io::{ErrorKind, Read as _, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use interlingua_gateway::config::ApiKey;
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{CLIENTS, get};
use crate::harness::Harness;
use crate::keys::{auth_header, key};
use crate::raw_server::{SSE_HEAD, STREAM_END, STREAM_START, raw_server};
use crate::responses::options;
use crate::websocket_client::{
    BINARY, CLOSE, Frame, PING, TEXT, WebSocketClient, create, frame_head, handshake,
};

const CLAUDE: &str = "anthropic/claude-sonnet-4-5";
const MODELS: &[&str] =
    &[CLAUDE, "gemini/gemini-3-pro", "deepseek/deepseek-reasoner", "openai/gpt-5.5", "sim/echo"];

#[test]
fn a_turn_has_the_events_of_a_stream() {
    let harness = Harness::with_simulator(options(), |_| {});
    for model in MODELS {
        let mut client = WebSocketClient::connect(harness.addr());
        client.send(&create(model, true, &Value::Null, "Hello."));
        let events = client.read_turn();
        for (at, event) in events.iter().enumerate() {
            assert_eq!(event["sequence_number"], at, "{model}: {event}");
        }
        let frame = |event: &Value| {
            format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
        };
        let stream: Vec<String> = events.iter().map(frame).collect();
        let stream = stream.concat();
        let reply = CLIENTS[2].fold_stream(stream.as_bytes()).unwrap();
        let completed = &events.last().unwrap()["response"];
        assert_eq!(reply["output"], completed["output"], "{model}");
        assert!(completed["usage"]["output_tokens"].as_u64().unwrap() > 0, "{completed}");
        // It is stored, and a turn as any other.
        let path = format!("/v1/responses/{}", completed["id"].as_str().unwrap());
        assert_eq!(get(harness.addr(), &path, "").status, 200);
    }
    let turns: Value = serde_json::from_slice(&get(harness.addr(), "/api/turns", "").body).unwrap();
    let listed = turns["turns"].as_array().unwrap_or_else(|| panic!("{turns}"));
    assert_eq!(listed.len(), MODELS.len(), "{turns}");
    assert!(listed.iter().all(|turn| turn["outcome"] == "answered"), "{turns}");
}

#[test]
fn a_conversation_continues_on_its_connection_only_if_it_is_not_stored() {
    let harness = Harness::with_simulator(options(), |_| {});
    for (at, model) in MODELS.iter().enumerate() {
        for store in [false, true] {
            let mut client = WebSocketClient::connect(harness.addr());
            let first = client.turn(&create(model, store, &Value::Null, "I have 14 ships."));
            let second = client.turn(&create(model, store, &first["id"], "And a harbour."));
            assert_eq!(second["previous_response_id"], first["id"], "{second}");
            // Another model goes on.
            let next = MODELS[(at + 1) % (MODELS.len() - 1)];
            let request = create(next, store, &second["id"], "How many?");
            let third = client.turn(&request);
            let last = harness.provider_requests().last().unwrap()["request"].to_string();
            let parts = ["I have 14 ships.", "Certainly.", "And a harbour.", "How many?"];
            let parts = parts.iter().filter(|part| *model != "sim/echo" || **part != "Certainly.");
            for part in parts {
                assert!(last.contains(part), "{next}: no {part} in {last}");
            }
            // Only the last reply is kept for the connection.
            let mut other = WebSocketClient::connect(harness.addr());
            let request = create(model, store, &third["id"], "Elsewhere?");
            if store {
                other.turn(&request);
                continue;
            }
            for (client, previous) in [(&mut other, &third), (&mut client, &first)] {
                let error = client.failing_turn(&create(model, store, &previous["id"], "And?"));
                assert_eq!(error["status"], 400, "{error}");
                assert_eq!(error["error"]["code"], "previous_response_not_found", "{error}");
            }
            // The connection goes on.
            client.turn(&create(model, store, &third["id"], "And now?"));
        }
    }
}

#[test]
fn unstored_turns_continue_stored_ones_and_the_other_way_round() {
    let harness = Harness::with_simulator(options(), |_| {});
    let mut client = WebSocketClient::connect(harness.addr());
    let mut previous = Value::Null;
    for (at, store) in [true, false, false, true, true].into_iter().enumerate() {
        let reply = client.turn(&create(CLAUDE, store, &previous, &format!("Part {at}.")));
        previous = reply["id"].clone();
    }
    let mut other = WebSocketClient::connect(harness.addr());
    other.turn(&create(CLAUDE, true, &previous, "Part 5."));
    let last = harness.provider_requests().last().unwrap()["request"].to_string();
    for at in 0..=5 {
        assert_eq!(last.matches(&format!("Part {at}.")).count(), 1, "{last}");
    }
}

#[test]
fn input_is_sent_ahead_without_a_reply() {
    let harness = Harness::with_simulator(options(), |_| {});
    let mut client = WebSocketClient::connect(harness.addr());
    let mut ahead = create(CLAUDE, false, &Value::Null, "I have 14 ships.");
    ahead["generate"] = false.into();
    let reply = client.turn(&ahead);
    assert_eq!(reply["output"], json!([]), "{reply}");
    assert_eq!(harness.provider_requests().len(), 0);
    let mut request = create(CLAUDE, false, &reply["id"], "How many?");
    client.turn(&request);
    let last = harness.provider_requests().last().unwrap()["request"].to_string();
    assert!(last.contains("I have 14 ships.") && last.contains("How many?"), "{last}");
    assert!(!last.contains("generate"), "{last}");
    // An item may be all that the next turn sends.
    let reply = client.turn(&ahead);
    request["input"] = json!([]);
    request["previous_response_id"] = reply["id"].clone();
    client.turn(&request);
}

#[test]
fn errors_are_messages_and_the_connection_goes_on() {
    let harness = Harness::with_simulator(options(), |_| {});
    let mut client = WebSocketClient::connect(harness.addr());
    for (text, status, part) in [
        ("{", 400, "cannot be read"),
        ("[]", 400, ""),
        (r#"{"type":"response.cancel"}"#, 400, "response.create"),
        (r#"{"model":"sim/echo","input":"Hi"}"#, 400, "response.create"),
        (r#"{"type":"response.create","input":"Hi"}"#, 400, "names no model"),
        (r#"{"type":"response.create","model":"none/x","input":"Hi"}"#, 404, "no route"),
        (
            r#"{"type":"response.create","model":"sim/echo","input":"Hi","background":true}"#,
            400,
            "background",
        ),
        (
            r#"{"type":"response.create","model":"sim/echo","input":"Hi","stream_id":"a"}"#,
            400,
            "stream_id",
        ),
    ] {
        client.send_frame(TEXT, text.as_bytes());
        let error = client.read();
        assert!(error["type"] == "error" && error["status"] == status, "{text}: {error}");
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{text}: {message}");
    }
    // Empty, fragmented, and with a ping in between.
    client.send_frame(TEXT, b"");
    assert_eq!(client.read()["type"], "error");
    let request = create("sim/echo", true, &Value::Null, "Hi.").to_string();
    let (first, rest) = request.split_at(20);
    client.send_frame(0x01, first.as_bytes());
    client.send_frame(PING, b"still there?");
    assert_eq!(client.read_frame(), Frame::Pong(b"still there?".to_vec()));
    client.send_frame(0x00, b"");
    client.send_frame(0x80, rest.as_bytes());
    assert_eq!(client.read_turn().last().unwrap()["type"], "response.completed");
    client.send_frame(CLOSE, &1000_u16.to_be_bytes());
    assert_eq!(client.read_frame(), Frame::Close(1000));
    assert_eq!(client.read_frame(), Frame::End);
}

type SendFrames = fn(&mut WebSocketClient);

#[test]
fn frames_that_break_the_protocol_close_the_connection() {
    let harness = Harness::with_config(|config| config.limits.body = 1 << 16);
    let cases: &[(&str, u16, SendFrames)] = &[
        ("binary", 1003, |client| client.send_frame(BINARY, b"{}")),
        ("not masked", 1002, |client| {
            let mut frame = frame_head(TEXT, 2, false);
            frame.extend(b"{}");
            client.write(&frame);
        }),
        ("reserved bit", 1002, |client| client.send_frame(0xc1, b"{}")),
        ("reserved opcode", 1002, |client| client.send_frame(0x83, b"{}")),
        ("continues nothing", 1002, |client| client.send_frame(0x80, b"{}")),
        ("long ping", 1002, |client| client.send_frame(PING, &[b'a'; 126])),
        ("fragmented ping", 1002, |client| client.send_frame(0x09, b"a")),
        ("not UTF-8", 1007, |client| client.send_frame(TEXT, b"{\"\xff\"}")),
        ("text in a text", 1002, |client| {
            client.send_frame(0x01, b"{");
            client.send_frame(TEXT, b"}");
        }),
        ("no HTTP", 1002, |client| client.write(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")),
    ];
    for (name, code, attack) in cases {
        let mut client = WebSocketClient::connect(harness.addr());
        attack(&mut client);
        assert_eq!(client.read_frame(), Frame::Close(*code), "{name}");
    }
    // The head alone is enough, and fragments count together.
    let oversized: &[fn(&mut WebSocketClient)] = &[
        |client| client.write(&[frame_head(TEXT, (1 << 16) + 1, true), vec![0; 100]].concat()),
        |client| client.write(&[frame_head(TEXT, usize::MAX >> 1, true), vec![0; 4]].concat()),
        |client| {
            client.send_frame(0x01, &vec![b' '; 1 << 15]);
            client.send_frame(0x00, &vec![b' '; 1 << 15]);
            client.send_frame(0x80, b" ");
        },
    ];
    for attack in oversized {
        let mut client = WebSocketClient::connect(harness.addr());
        attack(&mut client);
        let error = client.read();
        assert_eq!(error["status"], 413, "{error}");
        assert_eq!(client.read_frame(), Frame::Close(1009));
    }
    let mut client = WebSocketClient::connect(harness.addr());
    client.turn(&create("sim/echo", true, &Value::Null, "Hi."));
}

#[test]
fn a_message_that_stops_half_way_ends_the_connection() {
    let harness = Harness::with_config(|config| config.timeouts.body = Duration::from_millis(200));
    let mut client = WebSocketClient::connect(harness.addr());
    client.send_frame(PING, b"");
    assert_eq!(client.read_frame(), Frame::Pong(Vec::new()));
    // Silence between messages is no error.
    std::thread::sleep(Duration::from_millis(500));
    client.turn(&create("sim/echo", true, &Value::Null, "Hi."));
    client.send_frame(0x01, b"{");
    let error = client.read();
    assert_eq!(error["status"], 408, "{error}");
    assert_eq!(client.read_frame(), Frame::Close(1008));
}

#[test]
fn messages_count_towards_the_bytes_in_flight() {
    let harness = Harness::with_config(|config| {
        config.limits.body = 1 << 20;
        config.limits.in_flight = 1 << 20;
    });
    let mut waiting = WebSocketClient::connect(harness.addr());
    waiting.send_frame(0x01, &vec![b' '; 700_000]);
    std::thread::sleep(Duration::from_millis(500));
    let mut client = WebSocketClient::connect(harness.addr());
    client.send_frame(TEXT, &vec![b' '; 500_000]);
    let error = client.read();
    assert!(
        error["status"] == 503 && error["error"]["message"].as_str().unwrap().contains("bytes"),
        "{error}"
    );
    assert_eq!(client.read_frame(), Frame::Close(1013));
    drop(waiting);
    std::thread::sleep(Duration::from_millis(500));
    let mut client = WebSocketClient::connect(harness.addr());
    client.send_frame(TEXT, &vec![b' '; 500_000]);
    assert_eq!(client.read()["status"], 400);
}

/// A harness with a provider that sends this much, waits until the client has received it, and ends
/// the stream unless the connection is closed before.
fn slow_provider() -> (Harness, std::sync::mpsc::Receiver<&'static str>) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let at = raw_server(move |mut stream, _| {
        stream.write_all(format!("{SSE_HEAD}{STREAM_START}").as_bytes()).unwrap();
        sender.send("called").unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        // The rest of the request may arrive late.
        let error = loop {
            match stream.read(&mut [0; 4096]) {
                Ok(0) => break None,
                Ok(_) => {}
                Err(error) => break Some(error.kind()),
            }
        };
        // Closed, or reset with something unread; otherwise the time is over.
        if !matches!(error, Some(ErrorKind::WouldBlock | ErrorKind::TimedOut)) {
            sender.send("closed").unwrap();
            return;
        }
        let _ = stream.write_all(STREAM_END.as_bytes());
    });
    let harness = Harness::with_config(|config| {
        let dialect = interlingua::find_dialect("anthropic").unwrap();
        let base = format!("http://{at}").parse().unwrap();
        config.providers.push(Arc::new(Provider::new("slow", dialect, base)));
    });
    (harness, receiver)
}

#[test]
fn a_message_during_a_turn_is_rejected_and_the_turn_goes_on() {
    let (harness, provider) = slow_provider();
    let mut client = WebSocketClient::connect(harness.addr());
    client.send(&create("slow/m", false, &Value::Null, "Hi."));
    provider.recv().unwrap();
    client.send(&create("sim/echo", false, &Value::Null, "And?"));
    let mut error = client.read();
    while error["type"] != "error" {
        error = client.read();
    }
    assert_eq!(error["error"]["code"], "response_already_in_flight", "{error}");
    let events = client.read_turn();
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.completed", "{last}");
    assert!(last.to_string().contains("I looked."), "{last}");
    client.turn(&create("sim/echo", false, &last["response"]["id"], "And now?"));
}

#[test]
fn a_client_that_is_gone_cancels_the_call() {
    let leaves: &[fn(&mut WebSocketClient)] = &[
        |client| client.stream.shutdown(std::net::Shutdown::Both).unwrap(),
        |client| client.stream.shutdown(std::net::Shutdown::Write).unwrap(),
        |client| client.send_frame(CLOSE, &1001_u16.to_be_bytes()),
        |client| client.send_frame(BINARY, b"x"),
        |client| client.write(&[&frame_head(TEXT, 2, false)[..], b"{}"].concat()),
    ];
    for (at, leave) in leaves.iter().enumerate() {
        let (harness, provider) = slow_provider();
        let mut client = WebSocketClient::connect(harness.addr());
        client.send(&create("slow/m", false, &Value::Null, "Hi."));
        provider.recv().unwrap();
        let left_at = Instant::now();
        leave(&mut client);
        assert_eq!(provider.recv_timeout(Duration::from_secs(10)), Ok("closed"), "case {at}");
        assert!(left_at.elapsed() < Duration::from_millis(1500), "{:?}", left_at.elapsed());
        drop(harness);
    }
}

#[test]
fn a_client_that_does_not_read_slows_the_provider_down() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let at = raw_server(move |mut stream, _| {
        stream.write_all(format!("{SSE_HEAD}{STREAM_START}").as_bytes()).unwrap();
        let text = "a".repeat(1 << 16);
        let event = format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
        );
        stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
        let sent = (0..1000).take_while(|_| stream.write_all(event.as_bytes()).is_ok()).count();
        sender.send(sent).unwrap();
    });
    let harness = Harness::with_config(|config| {
        let dialect = interlingua::find_dialect("anthropic").unwrap();
        let base = format!("http://{at}").parse().unwrap();
        config.providers.push(Arc::new(Provider::new("fast", dialect, base)));
    });
    let mut client = WebSocketClient::connect(harness.addr());
    client.send(&create("fast/m", false, &Value::Null, "Hi."));
    let sent = receiver.recv().unwrap();
    assert!(sent < 500, "{sent} of 1000 events of 64 KiB were read");
}

#[test]
fn only_complete_handshakes_are_accepted() {
    let harness = Harness::new();
    let at = harness.addr();
    for path in ["/v1/messages", "/v1/chat/completions", "/v1/models", "/v1/responses/compact", "/"]
    {
        let (head, _) = handshake(at, path, "");
        assert!(!head.starts_with("HTTP/1.1 101"), "{path}: {head}");
    }
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\n";
    let key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    for (headers, status) in [
        (format!("{upgrade}{key}"), 426),
        (format!("{upgrade}{key}sec-websocket-version: 8\r\n"), 426),
        (format!("connection: upgrade\r\nupgrade: h2c\r\n{key}sec-websocket-version: 13\r\n"), 426),
        (format!("{upgrade}sec-websocket-version: 13\r\n"), 400),
        (format!("{upgrade}sec-websocket-version: 13\r\nsec-websocket-key: AAAA\r\n"), 400),
        (format!("upgrade: websocket\r\n{key}sec-websocket-version: 13\r\n"), 400),
    ] {
        let response = get(at, "/v1/responses", &headers);
        assert_eq!(response.status, status, "{headers}: {}", response.headers);
        assert_eq!(response.header("sec-websocket-version"), Some("13"));
    }
    for path in ["/v1/responses", "/responses", "/openai/v1/responses?api-version=x"] {
        let (head, _) = handshake(at, path, "");
        assert!(head.starts_with("HTTP/1.1 101"), "{path}: {head}");
    }
}

#[test]
fn access_is_checked_at_the_handshake_and_for_every_turn() {
    let ann = ApiKey { requests_per_minute: Some(2), ..key("ann") };
    let bob = ApiKey { concurrent: Some(1), ..key("bob") };
    let keys = || vec![ann.clone(), bob.clone()];
    let harness = Harness::with_config(|config| config.access.keys = keys());
    let at = harness.addr();
    for (headers, status) in [
        ("", "401"),
        ("authorization: Bearer eve\r\n", "401"),
        (&*format!("{}origin: http://evil.example\r\n", auth_header("ann")), "403"),
        (&*format!("{}sec-fetch-site: cross-site\r\n", auth_header("ann")), "403"),
    ] {
        let (head, _) = handshake(at, "/v1/responses", headers);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{headers}: {head}");
    }
    let mut ann = WebSocketClient::connect_with(at, &auth_header("ann"));
    let mut bob = WebSocketClient::connect_with(at, &auth_header("bob"));
    let request = create("sim/echo", true, &Value::Null, "Hi.");
    let first = ann.turn(&request);
    ann.turn(&request);
    let error = ann.failing_turn(&request);
    assert_eq!(error["status"], 429, "{error}");
    assert!(error["headers"]["retry-after"].is_string(), "{error}");
    let error = bob.failing_turn(&create("sim/echo", true, &first["id"], "Mine?"));
    assert_eq!(error["error"]["code"], "previous_response_not_found", "{error}");
    for _ in 0..20 {
        bob.turn(&request);
    }
    // A key that is removed is rejected by the next turn.
    let gateway = &harness.gateway.as_ref().unwrap().gateway;
    let mut config = (*gateway.config()).clone();
    config.access.keys = vec![key("ann")];
    gateway.reconfigure(config);
    let error = bob.failing_turn(&request);
    assert_eq!(error["status"], 401, "{error}");
}

#[test]
fn a_stopping_gateway_closes_idle_connections_and_ends_running_turns() {
    let (mut harness, provider) = slow_provider();
    let mut idle = WebSocketClient::connect(harness.addr());
    idle.turn(&create("sim/echo", false, &Value::Null, "Hi."));
    let mut busy = WebSocketClient::connect(harness.addr());
    busy.send(&create("slow/m", false, &Value::Null, "Hi."));
    provider.recv().unwrap();
    let gateway = harness.gateway.take().unwrap();
    let stopped = harness.runtime.spawn(gateway.stop());
    assert_eq!(idle.read_frame(), Frame::Close(1001));
    let events = busy.read_turn();
    assert_eq!(events.last().unwrap()["type"], "response.completed");
    assert_eq!(busy.read_frame(), Frame::Close(1001));
    drop((idle, busy));
    harness.runtime.block_on(stopped).unwrap();
}
