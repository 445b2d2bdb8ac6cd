//! Tests of limits and timeouts: errors come in the client's dialect.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use interlingua::find_dialect;
use interlingua_gateway::config::Config;
use interlingua_model::ApiErrorKind;
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{CLIENTS, Client, HttpResponse, post};
use crate::faults::{Outcome, classify};
use crate::harness::Harness;
use crate::raw_server::{SSE_HEAD, STREAM_START, raw_server};

fn ask(harness: &Harness, client: &Client, stream: bool, request: &Value) -> HttpResponse {
    let path = (client.path)("anthropic/claude-sonnet-4-5", stream);
    post(harness.addr(), &path, "", request.to_string().as_bytes())
}

fn first_request(client: &Client, stream: bool, prompt: &str) -> Value {
    (client.first_request)("anthropic/claude-sonnet-4-5", stream, prompt)
}

/// Asserts a rejection with this text, in the client's dialect and before any provider was called.
fn assert_rejected(
    harness: &Harness,
    client: &Client,
    request: &Value,
    kind: ApiErrorKind,
    expected: &str,
) {
    let response = ask(harness, client, false, request);
    let error = find_dialect(client.dialect).unwrap().decode_error(response.status, &response.body);
    let text = response.text();
    assert_eq!(error.kind, kind, "{} {text}", client.dialect);
    assert!(error.original.is_some(), "not of {}: {text}", client.dialect);
    assert!(text.contains(expected), "{}: {text}", client.dialect);
    assert!(harness.provider_requests().is_empty(), "{}", client.dialect);
}

#[test]
fn deep_json_is_rejected() {
    let harness = Harness::with_config(|config| config.limits.depth = 20);
    for client in CLIENTS {
        let mut deep = json!(1);
        for _ in 0..20 {
            deep = json!([deep]);
        }
        let mut request = first_request(client, false, "Hi.");
        request["deep"] = deep;
        assert_rejected(
            &harness,
            client,
            &request,
            ApiErrorKind::InvalidRequest,
            "deeper than the limit of 20",
        );
    }
}

/// Long bodies are translated on the blocking pool; nothing is lost there.
#[test]
fn a_long_request_is_forwarded_whole() {
    let harness = Harness::new();
    let long_text = "word ".repeat(250_000);
    for client in CLIENTS {
        let model = "gemini/gemini-2.5-pro";
        let request = (client.first_request)(model, false, &long_text).to_string();
        let response = post(harness.addr(), &(client.path)(model, false), "", request.as_bytes());
        assert_eq!(response.status, 200, "{} {}", client.dialect, response.text());
        let sent = harness.provider_requests().last().unwrap()["request"].to_string();
        assert!(sent.contains(&long_text), "{} {}", client.dialect, sent.len());
    }
}

/// Including the default limit of hyper.
#[test]
fn too_many_headers_are_rejected() {
    for max in [5, 100, 150] {
        let harness = Harness::with_config(|config| config.limits.headers = max);
        for (count, status) in [(max, 200), (max + 1, 431)] {
            let extra_headers = "x: 1\r\n".repeat(count - 1);
            let head = format!("GET /readyz HTTP/1.1\r\nhost: localhost\r\n{extra_headers}\r\n");
            let mut stream = TcpStream::connect(harness.addr()).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            let mut text = [0; 12];
            stream.read_exact(&mut text).unwrap();
            assert_eq!(str::from_utf8(&text), Ok(&*format!("HTTP/1.1 {status}")), "{count}");
        }
    }
}

#[test]
fn too_many_messages() {
    let harness = Harness::with_config(|config| config.limits.messages = 3);
    for client in CLIENTS {
        let turns = find_dialect(client.dialect).unwrap().turns_key();
        let mut request = first_request(client, false, "Hi.");
        let turn = request[turns][0].clone();
        request[turns] = json!([turn, turn, turn, turn]);
        assert_rejected(&harness, client, &request, ApiErrorKind::RequestTooLarge, "4 messages");
    }
}

#[test]
fn too_many_values() {
    let harness = Harness::with_config(|config| config.limits.values = 100);
    for client in CLIENTS {
        let mut request = first_request(client, false, "Hi.");
        request["extra"] = json!(vec![0; 100]);
        let kind = ApiErrorKind::RequestTooLarge;
        assert_rejected(&harness, client, &request, kind, "more than the limit of 100 values");
    }
}

#[test]
fn too_many_blocks() {
    let harness = Harness::with_config(|config| config.limits.blocks = 300);
    for client in CLIENTS {
        let turns = find_dialect(client.dialect).unwrap().turns_key();
        let mut request = first_request(client, false, "Hi.");
        let key = if client.dialect == "gemini" { "parts" } else { "content" };
        request[turns][0][key] = json!(vec![json!({}); 301]);
        assert_rejected(&harness, client, &request, ApiErrorKind::RequestTooLarge, "301 blocks");
    }
}

/// Sends the head of a request and the first bytes of its body.
fn send_partly(harness: &Harness, body: &[u8], sent: usize) -> TcpStream {
    let mut stream = TcpStream::connect(harness.addr()).unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n",
        harness.addr(),
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body[..sent]).unwrap();
    stream
}

#[test]
fn the_bodies_of_all_requests_are_limited_together() {
    let harness = Harness::with_config(|config| config.limits.in_flight = 8 << 20);
    let body = |text: usize| {
        let prompt = "a".repeat(text);
        (CLIENTS[1].first_request)("anthropic/claude-sonnet-4-5", false, &prompt).to_string()
    };
    let large = body(5 << 20);
    let mut first = send_partly(&harness, large.as_bytes(), 4 << 20);
    let post =
        |size: usize| post(harness.addr(), "/v1/chat/completions", "", body(size).as_bytes());
    // Until the gateway has received what was sent.
    std::thread::sleep(Duration::from_millis(500));
    let refused = post(3 << 20);
    assert_eq!(refused.status, 503, "{}", refused.text());
    assert!(refused.headers.contains("retry-after: 1"), "{}", refused.headers);
    assert_eq!(post(1000).status, 200);
    first.write_all(&large.as_bytes()[4 << 20..]).unwrap();
    let mut response = String::new();
    first.read_to_string(&mut response).unwrap();
    // The provider refuses so many tokens, not the gateway so many bytes.
    assert!(response.starts_with("HTTP/1.1 400"), "{response}");
    assert_eq!(post(3 << 20).status, 400);
}

#[test]
fn too_many_tools_are_rejected() {
    let harness = Harness::with_config(|config| config.limits.tools = 2);
    for client in CLIENTS {
        let mut request = first_request(client, false, "Hi.");
        let group = request.pointer_mut("/tools/0/functionDeclarations");
        let tools = match group {
            Some(group) => group,
            None => &mut request["tools"],
        };
        let tool = tools[0].clone();
        *tools = json!([tool, tool, tool]);
        assert_rejected(&harness, client, &request, ApiErrorKind::RequestTooLarge, "3 tools");
    }
}

#[test]
fn a_history_with_too_long_arguments_is_rejected() {
    let harness = Harness::with_config(|config| config.limits.arguments = 2000);
    let long_text = "long ".repeat(400);
    for client in CLIENTS {
        let mut request = first_request(client, false, "Please look.");
        // A prompt of the same length is allowed.
        let reply = ask(
            &harness,
            client,
            false,
            &first_request(client, false, &format!("Look. {long_text}")),
        );
        assert_eq!(reply.status, 200, "{}", reply.text());
        let reply_with_call =
            ask(&harness, client, false, &first_request(client, false, "Please look."));
        let reply: Value = serde_json::from_slice(&reply_with_call.body).unwrap();
        assert_eq!((client.append_results)(&mut request, &reply, "seen"), 1);
        let request_count = harness.provider_requests().len();
        let body = lengthen_argument(&request.to_string(), &long_text);
        let path = (client.path)("anthropic/claude-sonnet-4-5", false);
        let response = post(harness.addr(), &path, "", body.as_bytes());
        let error =
            find_dialect(client.dialect).unwrap().decode_error(response.status, &response.body);
        assert_eq!(
            error.kind,
            ApiErrorKind::RequestTooLarge,
            "{} {}",
            client.dialect,
            response.text()
        );
        assert_eq!(harness.provider_requests().len(), request_count, "{}", client.dialect);
    }
}

/// Lengthens the argument `place` of a call, encoded as JSON or as a string with JSON.
fn lengthen_argument(request: &str, long_text: &str) -> String {
    let prefixes = ["\\\"place\\\":\\\"", "\"place\":\""];
    let prefix = prefixes.iter().find(|prefix| request.contains(*prefix)).unwrap();
    request.replace(prefix, &format!("{prefix}{long_text}"))
}

#[test]
fn a_reply_with_too_long_arguments_fails() {
    let harness = Harness::with_config(|config| config.limits.arguments = 2000);
    let argument = "long ".repeat(500);
    let prompt = format!("sim:call=look sim:arguments={{\"place\":\"{argument}\"}}");
    for client in CLIENTS {
        for provider in ["anthropic/claude-sonnet-4-5", "openai/gpt-5.5", "gemini/gemini-3-pro"] {
            for stream in [false, true] {
                let request = (client.first_request)(provider, stream, &prompt).to_string();
                let path = (client.path)(provider, stream);
                let response = post(harness.addr(), &path, "", request.as_bytes());
                let outcome = classify(client, stream, &response).unwrap();
                let name = format!("{} {provider} {stream}", client.dialect);
                assert_eq!(outcome, Outcome::Failed, "{name}: {}", response.text());
                assert!(response.text().contains("2000 bytes"), "{name}: {}", response.text());
            }
        }
    }
}

/// A harness with one Anthropic provider.
fn harness(at: SocketAddr, change: impl FnOnce(&mut Config)) -> Harness {
    let dialect = find_dialect("anthropic").unwrap();
    let provider = Provider::new("anthropic", dialect, format!("http://{at}").parse().unwrap());
    Harness::with_config(|config| {
        config.providers = vec![Arc::new(provider)];
        config.limits.retries = 0;
        change(config);
    })
}

#[test]
fn a_reply_with_too_many_blocks_fails() {
    let blocks = vec!["{}"; 301].join(",");
    let body =
        format!("{{\"type\":\"message\",\"content\":[{blocks}],\"stop_reason\":\"end_turn\"}}");
    let at = raw_server(move |mut stream, _| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
        let length = body.len();
        write!(stream, "{head}content-length: {length}\r\n\r\n{body}").unwrap();
    });
    let gateway = harness(at, |config| config.limits.blocks = 3000);
    for client in CLIENTS {
        for stream in [false, true] {
            let response = ask(&gateway, client, stream, &first_request(client, stream, "Hi."));
            let text = response.text();
            assert_eq!(response.status, 502, "{}: {text}", client.dialect);
            assert_eq!(classify(client, stream, &response), Ok(Outcome::Failed), "{text}");
            assert!(text.contains("the reply has more than 300 blocks"), "{text}");
        }
    }
}

#[test]
fn events_over_the_limit_fail() {
    let large = format!("{SSE_HEAD}{STREAM_START}event: ping\ndata: \"{}\"\n\n", "x".repeat(9000));
    let lines = format!("{SSE_HEAD}{STREAM_START}event: ping\n{}\n", "data:\n".repeat(600));
    for (response_bytes, expected) in [(large, "larger than the limit"), (lines, "too many lines")]
    {
        let at =
            raw_server(move |mut stream, _| stream.write_all(response_bytes.as_bytes()).unwrap());
        let gateway = harness(at, |config| {
            config.limits.event = 8000;
            config.limits.event_lines = 500;
        });
        for client in CLIENTS {
            let response = ask(&gateway, client, true, &first_request(client, true, "Hi."));
            let text = response.text();
            assert_eq!(classify(client, true, &response), Ok(Outcome::Failed), "{text}");
            assert!(text.contains(expected), "{}: {text}", client.dialect);
        }
    }
}

/// A provider that writes until its peer stops reading: its address, the bytes written, and its
/// end.
fn endless_provider() -> (SocketAddr, Arc<AtomicUsize>, Receiver<()>) {
    let written = Arc::new(AtomicUsize::new(0));
    let (sender, receiver) = channel();
    let counter = Arc::clone(&written);
    let at = raw_server(move |mut stream, _| {
        stream.write_all(format!("{SSE_HEAD}{STREAM_START}").as_bytes()).unwrap();
        let delta = json!({
            "type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": "x".repeat(4000)},
        });
        let event = format!("event: content_block_delta\ndata: {delta}\n\n");
        while stream.write_all(event.as_bytes()).is_ok() {
            counter.fetch_add(event.len(), Ordering::Relaxed);
        }
        let _ = sender.send(());
    });
    (at, written, receiver)
}

#[test]
fn a_stream_over_the_limit_of_a_reply_fails() {
    let (at, _, receiver) = endless_provider();
    let gateway = harness(at, |config| config.limits.reply = 1 << 20);
    for client in CLIENTS {
        let response = ask(&gateway, client, true, &first_request(client, true, "Hi."));
        assert_eq!(classify(client, true, &response), Ok(Outcome::Failed), "{}", client.dialect);
        let text = response.text();
        assert!(text.contains("larger than the limit of 1048576"), "{}", client.dialect);
        assert!(text.len() < 4 << 20, "{}: {}", client.dialect, text.len());
        receiver.recv_timeout(Duration::from_secs(10)).unwrap();
    }
}

#[test]
fn what_precedes_a_reply_is_limited() {
    for preface in ["\n\n\n\n", ": still loading\n\n", "event: ping\ndata: {\"type\":\"ping\"}\n\n"]
    {
        let at = raw_server(move |mut stream, _| {
            stream.write_all(SSE_HEAD.as_bytes()).unwrap();
            while stream.write_all(preface.repeat(100).as_bytes()).is_ok() {}
        });
        let gateway = harness(at, |config| config.limits.event = 100_000);
        for client in CLIENTS {
            let response = ask(&gateway, client, true, &first_request(client, true, "Hi."));
            let text = response.text();
            assert_ne!(response.status, 200, "{preface:?} {}", client.dialect);
            assert!(text.contains("before its reply"), "{preface:?} {}: {text}", client.dialect);
        }
    }
}

fn send_without_reading(harness: &Harness) -> TcpStream {
    let mut stream = TcpStream::connect(harness.addr()).unwrap();
    let body = first_request(&CLIENTS[1], true, "Hi.").to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
        harness.addr(),
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

#[test]
fn a_client_that_reads_slowly_slows_its_provider() {
    let (at, written, receiver) = endless_provider();
    let gateway = harness(at, |config| config.limits.buffer = 4096);
    let mut client = send_without_reading(&gateway);
    // Until no more is written: the rest is in socket buffers.
    let mut before = 0;
    let written_before = loop {
        std::thread::sleep(Duration::from_millis(400));
        let now = written.load(Ordering::Relaxed);
        if now == before && now > 0 {
            break now;
        }
        before = now;
    };
    assert!(
        written_before < 32 << 20,
        "{written_before} bytes were read for a client that does not read"
    );
    let mut chunk = vec![0; 1 << 20];
    for _ in 0..20 {
        client.read_exact(&mut chunk).unwrap();
    }
    std::thread::sleep(Duration::from_millis(400));
    assert!(
        written.load(Ordering::Relaxed) > written_before,
        "reading continues when the client reads"
    );
    drop(client);
    receiver.recv_timeout(Duration::from_secs(10)).unwrap();
}

#[test]
fn a_client_that_does_not_read_is_disconnected() {
    let (at, _, receiver) = endless_provider();
    let gateway = harness(at, |config| config.timeouts.write = Duration::from_millis(300));
    let client = send_without_reading(&gateway);
    receiver.recv_timeout(Duration::from_secs(20)).unwrap();
    drop(client);
}
