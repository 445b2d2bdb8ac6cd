//! Tests of provider faults: the client gets an answer or an error in its dialect, never a hanging
//! connection or the regular end of a broken stream.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http::HeaderValue;
use interlingua::find_dialect;
use interlingua_gateway::config::{RouteRule, WeightedTarget};
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{CLIENTS, Client, HttpResponse, post};
use crate::harness::Harness;
use crate::raw_server::{SSE_HEAD, STREAM_END, STREAM_START, raw_server};
use crate::stub_provider::StubProvider;

/// The result of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A complete answer.
    Answered,
    /// An error response, or an error event after a part of an answer.
    Failed,
    /// Either, but unambiguously.
    AnsweredOrFailed,
}

#[test]
fn a_request_on_a_stale_connection_is_resent_once() {
    let reply = json!({
        "id": "r1", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "done"}}],
    });
    let answer = Some((200, reply.to_string()));
    let stub =
        StubProvider::with_keep_alive(vec![answer.clone(), None, answer.clone(), None, None]);
    let base = format!("http://{}", stub.addr).parse().unwrap();
    let mut provider = Provider::new("stub", find_dialect("openai-chat").unwrap(), base);
    provider.api_key = Some("key".into());
    let harness = Harness::with_config(|config| {
        config.providers = vec![Arc::new(provider)];
        config.limits.retries = 0;
    });
    let ask = |prompt: &str| {
        let body = json!({"model": "stub/m", "max_tokens": 9, "messages": [
            {"role": "user", "content": prompt},
        ]});
        post(harness.addr(), "/v1/messages", "", body.to_string().as_bytes())
    };
    for prompt in ["first", "second"] {
        assert_eq!(ask(prompt).status, 200, "{prompt}");
    }
    let requests = stub.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[1], requests[2]);
    assert_eq!(requests[2]["messages"][0]["content"], "second");
    // The request is resent only once.
    assert_eq!(ask("third").status, 502);
    assert_eq!(stub.requests().len(), 5);
}

/// The provider sends everything but the end mark, or not even the usage.
#[test]
fn a_stream_without_end_mark_is_completed() {
    let sent = format!("{TEXT_CHUNK}{USAGE_CHUNK}");
    let response = ask_open_connection(sent.clone(), &CLIENTS[1], true);
    assert_eq!(response.text(), format!("{sent}data: [DONE]\n\n"));
    std::thread::scope(|scope| {
        for (client, stream, end) in [
            (&CLIENTS[1], true, "data: [DONE]\n\n"),
            (&CLIENTS[0], true, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"),
            (&CLIENTS[1], false, "}"),
            (&CLIENTS[0], false, "}"),
        ] {
            scope.spawn(move || {
                let start = Instant::now();
                let response = ask_open_connection(TEXT_CHUNK.to_owned(), client, stream);
                assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
                let text = response.text();
                assert!(response.status == 200 && text.contains("I look."), "{text}");
                assert!(text.ends_with(end) && !text.contains("error"), "{text}");
            });
        }
    });
}

/// The response to a provider that sends this and keeps the connection open.
fn ask_open_connection(events: String, client: &Client, stream: bool) -> HttpResponse {
    let at = raw_server(move |mut stream, _| {
        stream.write_all(format!("{SSE_HEAD}{events}").as_bytes()).unwrap();
        std::mem::forget(stream);
    });
    let base = format!("http://{at}").parse().unwrap();
    let provider = Arc::new(Provider::new("stub", find_dialect("openai-chat").unwrap(), base));
    let harness = Harness::with_config(|config| config.providers = vec![provider]);
    let request = (client.first_request)("stub/m", stream, "Please look.").to_string();
    post(harness.addr(), &(client.path)("stub/m", stream), "", request.as_bytes())
}

const TEXT_CHUNK: &str = concat!(
    r#"data: {"id":"r1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"#,
    r#""delta":{"role":"assistant","content":"I look."},"finish_reason":"stop"}]}"#,
    "\n\n",
);
const USAGE_CHUNK: &str = concat!(
    r#"data: {"id":"r1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"#,
    r#""usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}"#,
    "\n\n",
);

/// An opened text block is not content yet.
#[test]
fn a_stream_that_fails_before_its_first_content_is_retried() {
    for event in [
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
        "",
    ] {
        let tries = AtomicUsize::new(0);
        let at = raw_server(move |mut stream, _| {
            let should_fail = tries.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
            let rest = if should_fail { event } else { STREAM_END };
            let _ = stream.write_all([SSE_HEAD, STREAM_START, rest].concat().as_bytes());
        });
        let base = format!("http://{at}").parse().unwrap();
        let provider = Arc::new(Provider::new("stub", find_dialect("anthropic").unwrap(), base));
        let harness = Harness::with_config(|config| config.providers = vec![provider]);
        for client in CLIENTS {
            let request = (client.first_request)("stub/m", true, "Please look.").to_string();
            let path = (client.path)("stub/m", true);
            let response = post(harness.addr(), &path, "", request.as_bytes());
            let text = response.text();
            assert_eq!(classify(client, true, &response), Ok(Outcome::Answered), "{text}");
        }
    }
}

#[test]
fn every_fault_reaches_the_client_as_an_answer_or_as_an_error() {
    let unexpected: Vec<String> = std::thread::scope(|scope| {
        let try_row = |row: &'static (&str, Outcome)| scope.spawn(|| try_fault(row.0, row.1));
        let threads: Vec<_> = FAULTS.iter().map(try_row).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(unexpected.is_empty(), "{}\n{}", unexpected.len(), unexpected.join("\n"));
}

/// Runs a fault with every client and provider dialect; returns the unexpected outcomes.
fn try_fault(fault: &str, expected: Outcome) -> Vec<String> {
    let harness_with_fault = harness(fault, expected);
    let mut unexpected = Vec::new();
    for client in CLIENTS {
        for provider in ["anthropic", "openai", "gemini", "bedrock", "codex"] {
            for stream in [false, true] {
                let start = Instant::now();
                let (actual, response) = outcome(&harness_with_fault, client, provider, stream);
                let duration = start.elapsed();
                let is_expected = match (&actual, expected) {
                    (Ok(_), Outcome::AnsweredOrFailed) => true,
                    (Ok(actual), expected) => *actual == expected,
                    (Err(_), _) => false,
                };
                if !is_expected || duration > Duration::from_secs(20) {
                    let pair = format!("{fault}: {} → {provider}, {stream}", client.dialect);
                    unexpected.push(format!(
                        "{pair}: {actual:?} after {duration:?}: {}",
                        response.text()
                    ));
                }
            }
        }
    }
    unexpected
}

fn outcome(
    harness: &Harness,
    client: &Client,
    provider: &str,
    stream: bool,
) -> (Result<Outcome, String>, HttpResponse) {
    let model = format!("{provider}/{}", model(provider));
    let request = (client.first_request)(&model, stream, "Please look at the harbour.");
    let path = (client.path)(&model, stream);
    let response = post(harness.addr(), &path, "", request.to_string().as_bytes());
    (classify(client, stream, &response), response)
}

pub(crate) fn classify(
    client: &Client,
    stream: bool,
    response: &HttpResponse,
) -> Result<Outcome, String> {
    if !response.is_complete {
        return Err(format!("cut: {} {}", response.status, response.text()));
    }
    if response.status != 200 {
        let dialect = find_dialect(client.dialect).unwrap();
        let error = dialect.decode_error(response.status, &response.body);
        let is_json = serde_json::from_slice::<Value>(&response.body).is_ok();
        if error.original.is_none() || !is_json {
            return Err(format!("no envelope: {}", response.text()));
        }
        return Ok(Outcome::Failed);
    }
    if !stream {
        let reply: Value = serde_json::from_slice(&response.body).map_err(|e| e.to_string())?;
        return if (client.text)(&reply).contains("look") {
            Ok(Outcome::Answered)
        } else {
            Err(format!("an empty answer: {reply}"))
        };
    }
    match client.fold_stream(&response.body) {
        Ok(_) => Ok(Outcome::Answered),
        Err(why)
            if why.contains("ended before the reply was complete")
                && !has_error_event(response) =>
        {
            Err(format!("a stream that just ends: {}", response.text()))
        }
        Err(_) => Ok(Outcome::Failed),
    }
}

/// Whether the stream ends with an error event.
fn has_error_event(response: &HttpResponse) -> bool {
    let text = response.text();
    let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default();
    last.contains("error") || text.contains("\"error\"")
}

/// Timeouts are short unless an answer is expected: a busy machine is slow at times.
fn harness(fault: &str, expected: Outcome) -> Harness {
    Harness::with_config(|config| {
        if expected != Outcome::Answered {
            config.timeouts.answer = Duration::from_millis(400);
            config.timeouts.silence = Duration::from_millis(400);
        }
        config.timeouts.heartbeat = Duration::from_millis(100);
        let fault = HeaderValue::from_str(fault).unwrap();
        for provider in &mut config.providers {
            let mut faulty = (**provider).clone();
            faulty.headers.insert("x-sim-fault", fault.clone());
            *provider = Arc::new(faulty);
        }
    })
}

fn model(provider: &str) -> &'static str {
    match provider {
        "anthropic" => "claude-sonnet-4-5",
        "gemini" => "gemini-3-pro",
        "bedrock" => "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        _ => "gpt-5.5",
    }
}

#[test]
fn a_failing_provider_is_followed_by_the_fallback() {
    for fault in ["500", "reset", "html", "error-in-200", "529", "401", "429", "silent", "gzip"] {
        let harness = Harness::with_config(|config| {
            if fault == "silent" {
                config.timeouts.answer = Duration::from_millis(400);
            }
            let fault = HeaderValue::from_str(fault).unwrap();
            for provider in config.providers.iter_mut().filter(|p| p.name == "openai") {
                let mut faulty = (**provider).clone();
                faulty.headers.insert("x-sim-fault", fault.clone());
                *provider = Arc::new(faulty);
            }
            let target = |provider: &str, model: &str| WeightedTarget {
                provider: provider.into(),
                model_template: model.into(),
                weight: None,
            };
            let targets =
                vec![target("openai", "gpt-5.5"), target("anthropic", "claude-sonnet-4-5")];
            config.models.rules = vec![RouteRule { pattern: "best".into(), targets }];
        });
        for client in CLIENTS {
            // In a stream, the error comes before the first content, or the client has received
            // content.
            for stream in [false, true] {
                if stream && fault == "error-in-200" {
                    continue;
                }
                let request = (client.first_request)("best", stream, "Please look at the harbour.");
                let path = (client.path)("best", stream);
                let response = post(harness.addr(), &path, "", request.to_string().as_bytes());
                assert_eq!(response.status, 200, "{fault}: {}", response.text());
                assert_eq!(response.header("x-interlingua-provider"), Some("anthropic"), "{fault}");
            }
        }
    }
}

#[test]
fn a_shape_error_is_passed_to_the_client() {
    let harness = Harness::with_config(|config| {
        for provider in config.providers.iter_mut().filter(|p| p.name == "anthropic") {
            let mut faulty = (**provider).clone();
            let fault = HeaderValue::from_static("rule=invalid-signature");
            faulty.headers.insert("x-sim-fault", fault);
            *provider = Arc::new(faulty);
        }
    });
    let requests = harness.provider_requests().len();
    let request = (CLIENTS[0].first_request)("anthropic/claude-sonnet-4-5", false, "Hi.");
    let response = post(harness.addr(), "/v1/messages", "", request.to_string().as_bytes());
    assert_eq!(response.status, 400);
    assert!(response.text().contains("signature"), "{}", response.text());
    assert_eq!(harness.provider_requests().len(), requests + 1, "it is not tried again");
}

const FAULTS: &[(&str, Outcome)] = &[
    ("401", Outcome::Failed),
    ("429=3", Outcome::Failed),
    ("500", Outcome::Failed),
    ("500@1", Outcome::AnsweredOrFailed),
    ("529", Outcome::Failed),
    ("html", Outcome::Failed),
    ("html=200", Outcome::Failed),
    ("error-in-200", Outcome::Failed),
    ("reset", Outcome::Failed),
    ("silent", Outcome::Failed),
    ("reset-midstream", Outcome::Failed),
    ("cut", Outcome::Failed),
    ("cut-character", Outcome::Failed),
    ("stall", Outcome::Failed),
    ("no-finish", Outcome::AnsweredOrFailed),
    ("no-end", Outcome::AnsweredOrFailed),
    ("garbage", Outcome::AnsweredOrFailed),
    ("duplicate", Outcome::AnsweredOrFailed),
    ("shuffle", Outcome::AnsweredOrFailed),
    ("trailing", Outcome::Answered),
    ("gzip", Outcome::Failed),
    ("pieces=1", Outcome::Answered),
    ("bytes=3", Outcome::Answered),
];
