//! Effects of every fault on replies and connections.

use std::io::Read as _;
use std::time::{Duration, Instant};

use interlingua_simulator::fault::{FAULTS, Fault};
use interlingua_simulator::{Options, Script};
use serde_json::Value;

use crate::client::{APIS, ConnectionEnd, PROMPT, TestServer, request};

#[test]
fn error_faults_have_status_and_envelope() {
    let server = TestServer::start();
    for (api, fault, status, pointer, word) in [
        ("anthropic", "401", 401, "/error/type", "authentication_error"),
        ("anthropic", "429=7", 429, "/error/type", "rate_limit_error"),
        ("anthropic", "500", 500, "/error/type", "api_error"),
        ("anthropic", "529", 529, "/error/type", "overloaded_error"),
        ("openai", "401", 401, "/error/code", "invalid_api_key"),
        ("openai", "429=7", 429, "/error/code", "rate_limit_exceeded"),
        ("responses", "500", 500, "/error/type", "server_error"),
        ("gemini", "429=7", 429, "/error/status", "RESOURCE_EXHAUSTED"),
        ("gemini", "529", 503, "/error/status", "UNAVAILABLE"),
        (
            "bedrock",
            "429=7",
            429,
            "/message",
            "Too many requests, please wait before trying again.",
        ),
    ] {
        let (path, body) = request(api, true, PROMPT);
        let reply = server.post_with_fault(&path, fault, &body);
        assert_eq!(reply.status, status, "{api} {fault}");
        assert_eq!(reply.json().pointer(pointer), Some(&Value::from(word)), "{api} {fault}");
        assert_eq!(reply.header("retry-after"), fault.strip_prefix("429="), "{api} {fault}");
    }
    let (path, body) = request("openai", true, PROMPT);
    let page = server.post_with_fault(&path, "html=503", &body);
    assert_eq!((page.status, page.header("content-type")), (503, Some("text/html")));
    assert!(page.text().starts_with("<html>"));
}

#[test]
fn connections_end_as_the_fault_says() {
    let server = TestServer::start();
    for api in APIS {
        for stream in [true, false] {
            let (path, body) = request(api, stream, PROMPT);
            let whole = server.post(&path, &body).body;
            let reset = server.post_with_fault(&path, "reset", &body);
            assert_eq!((reset.status, reset.end), (0, ConnectionEnd::Reset), "{api}");
            let reset = server.post_with_fault(&path, "reset-midstream", &body);
            assert_eq!((reset.status, reset.end), (200, ConnectionEnd::Reset), "{api}");
            assert!(!reset.body.is_empty() && whole.starts_with(&reset.body), "{api}");
            let cut = server.post_with_fault(&path, "cut", &body);
            assert_eq!((cut.status, cut.end), (200, ConnectionEnd::Closed), "{api}");
            assert!(cut.body.len() < whole.len() && whole.starts_with(&cut.body), "{api}");
            let cut = server.post_with_fault(&path, "cut-character", &body);
            assert_eq!(cut.end, ConnectionEnd::Closed, "{api}");
            let error = std::str::from_utf8(&cut.body).unwrap_err();
            assert!(error.error_len().is_none() || *api == "bedrock", "{api}: not at the end");
        }
    }
    let (path, body) = request("anthropic", true, PROMPT);
    let cut = server.post_with_fault(&path, "cut=3", &body);
    assert_eq!(cut.events().len(), 3);
}

#[test]
fn events_are_dropped_duplicated_and_shuffled() {
    let server = TestServer::start();
    let (path, body) = request("anthropic", true, PROMPT);
    let kinds = |fault: &str| -> Vec<String> {
        let reply = server.post_with_fault(&path, fault, &body);
        assert_eq!(reply.end, ConnectionEnd::Complete, "{fault}");
        let kind = |event: &Value| event["type"].as_str().unwrap().to_owned();
        reply.events().iter().map(kind).collect()
    };
    let good = kinds("pieces=12");
    assert_eq!(good.last().unwrap(), "message_stop");
    assert_eq!(kinds("no-end"), good[..good.len() - 1]);
    let mut without_finish = good.clone();
    without_finish.retain(|kind| kind != "message_delta");
    assert_eq!(kinds("no-finish"), without_finish);
    let twice = kinds("duplicate");
    assert_eq!(twice.len(), 2 * (good.len() - 4) + 4);
    let mut moved = kinds("shuffle");
    assert_ne!(moved, good);
    let mut sorted = good.clone();
    sorted.sort();
    moved.sort();
    assert_eq!(moved, sorted);
    let trailing = kinds("trailing");
    assert_eq!(trailing[trailing.len() - 2..], ["message_stop", "content_block_start"]);
    assert_eq!(kinds("error-in-200").last().unwrap(), "error");
    let garbage = server.post_with_fault(&path, "garbage", &body);
    assert!(garbage.text().contains("<<< no JSON >>>"));
}

#[test]
fn an_error_within_200_has_the_format_of_the_api() {
    let server = TestServer::start();
    for (api, pointer) in [
        ("anthropic", "/error/type"),
        ("openai", "/error/message"),
        ("responses", "/response/error/code"),
        ("gemini", "/error/status"),
    ] {
        let (path, body) = request(api, true, PROMPT);
        let reply = server.post_with_fault(&path, "error-in-200", &body);
        assert_eq!(reply.status, 200);
        let events = reply.events();
        assert!(events.len() > 1, "{api}: {reply:?}");
        assert!(events.last().unwrap().pointer(pointer).is_some(), "{api}: {reply:?}");
        let (path, body) = request(api, false, PROMPT);
        let reply = server.post_with_fault(&path, "error-in-200", &body);
        assert_eq!(reply.status, 200);
        assert!(reply.json().get("error").is_some(), "{api}: {reply:?}");
    }
}

#[test]
fn gzip_is_gzip() {
    let server = TestServer::start();
    for stream in [true, false] {
        let (path, body) = request("anthropic", stream, PROMPT);
        let plain = server.post(&path, &body).body;
        let reply = server.post_with_fault(&path, "gzip", &body);
        assert_eq!(reply.header("content-encoding"), Some("gzip"));
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&reply.body[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain);
    }
}

#[test]
fn faults_delay_the_reply() {
    let server = TestServer::start();
    let (path, body) = request("anthropic", true, PROMPT);
    let good = server.post(&path, &body).body;
    let timed = |fault: &str| {
        let start = Instant::now();
        assert_eq!(server.post_with_fault(&path, fault, &body).body, good, "{fault}");
        start.elapsed()
    };
    assert!(timed("stall=1") >= Duration::from_secs(1));
    assert!(timed("pause=20") >= Duration::from_millis(20 * 10));
    timed("bytes=1");
    timed("drip=0");
    let start = Instant::now();
    assert_eq!(server.post_with_fault(&path, "silent=1", &body).status, 500);
    assert!(start.elapsed() >= Duration::from_secs(1));
}

#[test]
fn pieces_have_the_requested_size() {
    let server = TestServer::start();
    let (path, body) = request("openai", true, PROMPT);
    let events = server.post_with_fault(&path, "pieces=1", &body).events();
    let contents = events.iter().filter_map(|e| e["choices"][0]["delta"]["content"].as_str());
    assert!(contents.clone().count() > 10);
    assert!(contents.into_iter().all(|piece| piece.chars().count() < 2));
}

#[test]
fn a_fault_with_a_limit_spares_later_requests() {
    let faults = Fault::parse_list("529@2").unwrap();
    let server = TestServer::with_options(Options { faults, ..Options::default() });
    let (path, body) = request("anthropic", false, PROMPT);
    let statuses: Vec<u16> = (0..4).map(|_| server.post(&path, &body).status).collect();
    assert_eq!(statuses, [529, 529, 200, 200]);
}

#[test]
fn a_script_has_its_own_faults() {
    let text = "[[turn]]\nwhen = { turn = 1 }\nfault = \"500@1\"\nblocks = [{ text = \"Well.\" }]";
    let script = Some(Script::parse(text).unwrap());
    let server = TestServer::with_options(Options { script, ..Options::default() });
    let (path, body) = request("anthropic", false, PROMPT);
    assert_eq!(server.post(&path, &body).status, 500);
    assert_eq!(server.post(&path, &body).json()["content"][0]["text"], "Well.");
}

#[test]
fn an_unknown_fault_is_an_error() {
    let server = TestServer::start();
    let (path, body) = request("anthropic", false, PROMPT);
    let reply = server.post_with_fault(&path, "500, nonsense", &body);
    assert_eq!(reply.status, 400);
    assert!(reply.json()["simulator"].as_str().unwrap().contains("no fault `nonsense`"));
    for invalid in ["reset=3", "429=soon", "rule", "rule=no-such-rule", "500@often"] {
        assert!(Fault::parse(invalid).is_err(), "{invalid}");
    }
    for fault in FAULTS {
        let text = match fault.value_name {
            "" => fault.name.to_owned(),
            "rule" => format!("{}=empty-text", fault.name),
            _ => format!("{}=3", fault.name),
        };
        assert_eq!(Fault::parse(&text).unwrap().to_string(), text);
    }
}
