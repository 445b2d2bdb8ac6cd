//! What clients are told when a provider refuses, rests, or is left.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use interlingua_gateway::config::{Pattern, Way};
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{Answer, CLIENTS, post};
use crate::house::House;
use crate::raw::{BEGINNING, EVENTS, REST, server};

const KEY: &str = "a-key-of-no-known-form";
/// How a stream goes on after its beginning.
const MORE: &str = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"And so\"}}\n\n";

#[test]
fn a_model_that_is_limited_is_limited_alone_and_says_for_how_long() {
    let house = before(server(|stream, heard| {
        if heard.contains("\"model\":\"busy\"") {
            let body =
                r#"{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}"#;
            say(stream, "429 X", "retry-after: 20\r\n", body);
        } else {
            say(stream, "200 OK", "", ANSWER);
        }
    }));
    assert_eq!(ask(&house, "far/busy").header("retry-after"), Some("20"));
    let again = ask(&house, "far/busy");
    assert_eq!(again.status, 429, "{}", again.text());
    assert_eq!(json_of(&again)["error"]["type"], "rate_limit_error");
    let wait: u64 = again.header("retry-after").unwrap().parse().unwrap();
    assert!((10..=20).contains(&wait), "{wait}");
    let other = ask(&house, "far/idle");
    assert_eq!(other.status, 200, "{}", other.text());
}

#[test]
fn what_a_provider_said_last_is_told_and_not_that_it_rests() {
    let house = before(server(|stream, _| {
        let body = r#"{"type":"error","error":{"type":"api_error","message":"The disk is full."}}"#;
        say(stream, "500 X", "", body);
    }));
    // The second one makes it rest, in the middle of being tried.
    for _ in 0..2 {
        let failed = ask(&house, "far/any");
        assert!(failed.text().contains("The disk is full."), "{}", failed.text());
        assert_eq!(failed.header("x-interlingua-provider"), Some("far"));
    }
    for client in CLIENTS {
        let request = (client.begin)("far/any", false, "Well?").to_string();
        let path = (client.path)("far/any", false);
        let resting = post(house.addr(), &path, "", request.as_bytes());
        let own = client.dialect == "anthropic";
        assert_eq!(resting.status, if own { 529 } else { 503 }, "{}", resting.text());
        assert!(resting.header("retry-after").is_some(), "{}", client.dialect);
    }
}

#[test]
fn a_key_that_a_provider_repeats_does_not_reach_the_client() {
    for page in [
        "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"Wrong key: KEY\"}}",
        "<p>KEY</p>",
    ] {
        let house = before(server(move |stream, _| {
            say(stream, "401 X", "", &page.replace("KEY", KEY));
        }));
        for client in CLIENTS {
            let request = (client.begin)("far/any", false, "Well?").to_string();
            let path = (client.path)("far/any", false);
            let answer = post(house.addr(), &path, "", request.as_bytes());
            assert!(answer.status >= 400 && !answer.text().contains(KEY), "{}", answer.text());
        }
    }
}

#[test]
fn an_error_that_does_not_end_is_not_waited_for() {
    let house = House::with(|config| {
        let addr = server(|mut stream, _| {
            let head = "HTTP/1.1 500 X\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        config.providers = vec![Arc::new(provider(addr))];
        config.limits.retries = 0;
        config.timeouts.answer = Duration::from_millis(500);
    });
    assert_eq!(ask(&house, "far/any").status, 500);
}

#[test]
fn whoever_is_still_answered_when_time_is_up_hears_that_in_its_own_dialect() {
    for stream in [true, false] {
        for client in CLIENTS {
            let (asks, asked) = std::sync::mpsc::channel();
            let addr = server(move |mut connection, _| {
                if stream {
                    let _ = connection.write_all([EVENTS, BEGINNING, MORE].concat().as_bytes());
                }
                let _ = asks.send(());
                std::thread::sleep(Duration::from_secs(20));
            });
            let mut house = House::with(|config| {
                config.providers = vec![Arc::new(provider(addr))];
                config.timeouts.drain = Duration::from_millis(300);
            });
            let at = house.addr();
            let request = (client.begin)("far/any", stream, "Well?").to_string();
            let path = (client.path)("far/any", stream);
            let waiting = std::thread::spawn(move || post(at, &path, "", request.as_bytes()));
            asked.recv_timeout(Duration::from_secs(20)).unwrap();
            let gateway = house.gateway.take().unwrap();
            house.runtime.block_on(gateway.stop());
            let answer = waiting.join().unwrap();
            assert!(answer.whole, "{} {stream}: {}", client.dialect, answer.text());
            assert!(answer.text().contains("the gateway stops"), "{}", answer.text());
            if !stream {
                assert!(answer.status >= 500, "{}", answer.status);
            }
        }
    }
}

#[test]
fn a_fallback_that_is_away_does_not_hide_what_the_client_can_do() {
    for (status, said, expected, words) in [
        ("400 X", TOO_LONG, 400, "prompt is too long: 9 tokens > 8 maximum"),
        (
            "429 X",
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}"#,
            429,
            "Slow",
        ),
        (
            "401 X",
            r#"{"type":"error","error":{"type":"authentication_error","message":"Who?"}}"#,
            401,
            "Who?",
        ),
    ] {
        let far = server(move |stream, _| say(stream, status, "", said));
        let house = House::with(|config| {
            let away = Provider::new(
                "away",
                interlingua::find("anthropic").unwrap(),
                AWAY.parse().unwrap(),
            );
            config.providers = vec![Arc::new(provider(far)), Arc::new(away)];
            let way = |name: &str| Way { provider: name.into(), model: "any".into(), weight: None };
            let ways = vec![way("far"), way("away")];
            config.models.patterns = vec![Pattern { pattern: "best".into(), ways }];
            config.limits.retries = 0;
        });
        let refused = ask(&house, "best");
        assert_eq!(refused.status, expected, "{}", refused.text());
        assert!(refused.text().contains(words), "{}", refused.text());
    }
}

#[test]
fn the_status_is_that_of_the_kind_where_the_words_are_our_own() {
    for (status, said, expected) in [
        (
            "500 X",
            r#"{"error":{"message":"maximum context length is 8","type":"x","code":"context_length_exceeded"}}"#,
            400,
        ),
        (
            "413 X",
            r#"{"error":{"message":"Rate limit reached: tokens","type":"tokens","code":"rate_limit_exceeded"}}"#,
            429,
        ),
        ("503 X", r#"{"error":{"message":"busy","type":"overloaded","code":null}}"#, 529),
        (
            "400 X",
            r#"{"error":{"message":"no such key","type":"x","code":"invalid_api_key"}}"#,
            401,
        ),
    ] {
        let far = server(move |stream, _| say(stream, status, "", said));
        let house = chatting(far, 0);
        let refused = ask(&house, "far/any");
        assert_eq!(refused.status, expected, "{}", refused.text());
        // Who speaks the provider's dialect gets what it said.
        let request =
            json!({"model": "far/any", "messages": [{"role": "user", "content": "Well?"}]});
        let request = request.to_string();
        let same = post(house.addr(), "/v1/chat/completions", "", request.as_bytes());
        assert!(status.starts_with(&same.status.to_string()) && same.text() == said, "{same:?}");
    }
}

#[test]
fn a_stream_is_one_whatever_its_head_calls_it() {
    for kind in [
        "Text/Event-Stream; charset=UTF-8",
        "application/json",
        "text/plain",
        "application/octet-stream",
    ] {
        let far = server(move |mut stream, _| {
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(format!("{head}{BEGINNING}{REST}").as_bytes());
        });
        let house = before(far);
        for client in CLIENTS {
            for stream in [true, false] {
                let request = (client.begin)("far/any", stream, "Well?");
                let reply = client.ask(house.addr(), "far/any", stream, &request).unwrap();
                assert_eq!(
                    (client.text)(&reply),
                    "I looked.",
                    "{kind} {} {stream}",
                    client.dialect
                );
            }
        }
    }
}

#[test]
fn a_mark_of_the_byte_order_is_no_part_of_a_reply() {
    let house = before(server(|stream, _| say(stream, "200 OK", "", &format!("\u{feff}{ANSWER}"))));
    let reply = ask(&house, "far/any");
    assert_eq!(json_of(&reply)["content"][0]["text"], "Here.");
}

#[test]
fn an_error_names_the_request_that_its_head_names() {
    let house = House::build();
    let refused = post(house.addr(), "/v1/messages", "", br#"{"model":"nobody/has-this"}"#);
    let said: Value = serde_json::from_slice(&refused.body).unwrap();
    assert!(said["request_id"].is_string(), "{said}");
    assert_eq!(refused.header("request-id"), said["request_id"].as_str());
}

#[test]
fn safeguards_are_refused_by_name_where_nobody_has_them() {
    let house = House::build();
    let mut request = json!({
        "model": "openai/gpt-5.2", "max_tokens": 9, "safeguards": {"mode": "auto"},
        "messages": [{"role": "user", "content": "Hi."}],
    });
    let refused = post(house.addr(), "/v1/messages", "", request.to_string().as_bytes());
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("safeguards"), "{}", refused.text());
    request["model"] = json!("anthropic/claude-sonnet-4-5");
    post(house.addr(), "/v1/messages", "", request.to_string().as_bytes());
    let came = |log: &Value| log["request"]["safeguards"]["mode"] == "auto";
    assert!(house.log().iter().any(came), "whoever invented them may have them");
}

/// Before a provider that speaks Chat.
fn chatting(provider_at: SocketAddr, retries: u32) -> House {
    House::with(|config| {
        let base = format!("http://{provider_at}/v1").parse().unwrap();
        let far = Provider::new("far", interlingua::find("openai-chat").unwrap(), base);
        config.providers = vec![Arc::new(far)];
        config.limits.retries = retries;
    })
}

fn before(provider_at: SocketAddr) -> House {
    House::with(|config| config.providers = vec![Arc::new(provider(provider_at))])
}

fn provider(at: SocketAddr) -> Provider {
    let base = format!("http://{at}").parse().unwrap();
    let mut provider = Provider::new("far", interlingua::find("anthropic").unwrap(), base);
    provider.key = Some(KEY.into());
    provider
}

fn ask(house: &House, model: &str) -> Answer {
    let request = json!({
        "model": model, "max_tokens": 9, "messages": [{"role": "user", "content": "Well?"}],
    });
    post(house.addr(), "/v1/messages", "", request.to_string().as_bytes())
}

fn say(mut stream: std::net::TcpStream, status: &str, headers: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\
         connection: close\r\n\r\n"
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

fn json_of(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("{}", answer.text()))
}

/// Nobody listens there.
const AWAY: &str = "http://127.0.0.1:1";
const TOO_LONG: &str = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#;
const ANSWER: &str = r#"{"id":"m","type":"message","role":"assistant","model":"any","content":[{"type":"text","text":"Here."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}"#;
