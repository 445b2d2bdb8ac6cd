//! Tests of the circuit breaker: what opens it, and who is turned away.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use interlingua_gateway::config::{Config, RouteRule, WeightedTarget};
use interlingua_upstream::Provider;
use serde_json::json;

use crate::client::{CLIENTS, HttpResponse, post};
use crate::harness::Harness;
use crate::keys::{auth_header, key};
use crate::lessons::harness_with_stub;
use crate::provider_errors::{ANSWER, write_response};
use crate::raw_server::raw_server;
use crate::stub_provider::success_answer;

/// A harness whose model `best` has the target `far` and the fallback `other`; also the number of
/// calls of `far`.
fn harness_with_fallback(
    answer: impl Fn(TcpStream, &str) + Send + 'static,
    change: impl FnOnce(&mut Config),
) -> (Harness, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let far = raw_server(move |stream, request| {
        counter.fetch_add(1, Ordering::SeqCst);
        answer(stream, &request);
    });
    let other = raw_server(|stream, _| write_response(stream, "200 OK", "", ANSWER));
    let harness = Harness::with_config(|config| {
        config.providers = vec![provider("far", far), provider("other", other)];
        let target = |name: &str| WeightedTarget {
            provider: name.into(),
            model_template: "any".into(),
            weight: None,
        };
        let targets = vec![target("far"), target("other")];
        config.models.rules = vec![RouteRule { pattern: "best".into(), targets }];
        config.limits.retries = 0;
        change(config);
    });
    (harness, calls)
}

fn provider(name: &str, at: SocketAddr) -> Arc<Provider> {
    let dialect = interlingua::find_dialect("anthropic").unwrap();
    let base = format!("http://{at}").parse().unwrap();
    Arc::new(Provider::new(name, dialect, base))
}

fn ask(harness: &Harness, model: &str, prompt: &str, headers: &str) -> HttpResponse {
    let request =
        json!({"model": model, "max_tokens": 9, "messages": [{"role": "user", "content": prompt}]});
    post(harness.addr(), "/v1/messages", headers, request.to_string().as_bytes())
}

/// The provider that answered.
fn answered_by(response: &HttpResponse) -> Option<&str> {
    assert_eq!(response.status, 200, "{}", response.text());
    response.header("x-interlingua-provider")
}

fn fail(stream: TcpStream) {
    let body = r#"{"type":"error","error":{"type":"api_error","message":"The disk is full."}}"#;
    write_response(stream, "500 X", "", body);
}

#[test]
fn one_failing_conversation_opens_no_circuit() {
    let answer = |stream, request: &str| {
        if request.contains("poison") {
            fail(stream);
        } else {
            write_response(stream, "200 OK", "", ANSWER);
        }
    };
    let (harness, _) = harness_with_fallback(answer, |_| {});
    for _ in 0..25 {
        assert_eq!(answered_by(&ask(&harness, "best", "poison", "")), Some("other"));
    }
    assert_eq!(answered_by(&ask(&harness, "best", "Well?", "")), Some("far"));
}

#[test]
fn one_failing_key_opens_no_circuit() {
    let answer = |stream, request: &str| {
        if request.contains("poison") {
            fail(stream);
        } else {
            write_response(stream, "200 OK", "", ANSWER);
        }
    };
    let (harness, _) = harness_with_fallback(answer, |config| {
        config.access.keys = vec![key("one"), key("two")];
    });
    for number in 0..25 {
        let prompt = format!("poison {number}");
        let response = ask(&harness, "best", &prompt, &auth_header("one"));
        assert_eq!(answered_by(&response), Some("other"));
    }
    assert_eq!(answered_by(&ask(&harness, "best", "Well?", &auth_header("two"))), Some("far"));
}

#[test]
fn many_failing_conversations_open_the_circuit() {
    let (harness, calls) = harness_with_fallback(|stream, _| fail(stream), |_| {});
    for number in 0..10 {
        ask(&harness, "best", &format!("Well {number}?"), "");
    }
    assert_eq!(calls.load(Ordering::SeqCst), 5);
}

#[test]
fn one_conversation_without_responses_opens_the_circuit() {
    let (harness, calls) = harness_with_fallback(|stream, _| drop(stream), |_| {});
    for _ in 0..10 {
        assert_eq!(answered_by(&ask(&harness, "best", "Well?", "")), Some("other"));
    }
    assert_eq!(calls.load(Ordering::SeqCst), 5);
}

#[test]
fn an_open_circuit_rejects_no_request_without_another_target() {
    let is_down = Arc::new(AtomicBool::new(true));
    let down = Arc::clone(&is_down);
    let answer = move |stream: TcpStream, _: &str| {
        if !down.load(Ordering::SeqCst) {
            write_response(stream, "200 OK", "", ANSWER);
        }
    };
    let (harness, calls) = harness_with_fallback(answer, |_| {});
    for client in CLIENTS {
        let request = (client.first_request)("far/any", false, "Well?").to_string();
        let path = (client.path)("far/any", false);
        for _ in 0..3 {
            let response = post(harness.addr(), &path, "", request.as_bytes());
            assert_eq!(response.status, 502, "{}", response.text());
        }
    }
    assert_eq!(calls.load(Ordering::SeqCst), 3 * CLIENTS.len());
    is_down.store(false, Ordering::SeqCst);
    assert_eq!(answered_by(&ask(&harness, "far/any", "Well?", "")), Some("far"));
    assert_eq!(answered_by(&ask(&harness, "best", "Well?", "")), Some("far"), "it is closed");
}

#[test]
fn a_server_error_about_the_request_is_not_retried() {
    let message = "Failed to parse tools: missing type";
    let error = json!({"error": {"code": 500, "message": message, "type": "server_error"}});
    let answers = vec![(500, error.to_string()), success_answer("openai-chat")];
    let (harness, stub) = harness_with_stub("openai-chat", answers);
    let request = json!({"model": "stub/m", "messages": [{"role": "user", "content": "Well?"}]});
    let body = request.to_string();
    let response = post(harness.addr(), "/v1/chat/completions", "", body.as_bytes());
    assert_eq!(response.status, 400, "{}", response.text());
    assert!(response.text().contains(message), "{}", response.text());
    assert_eq!(stub.requests().len(), 1);
}

#[test]
fn a_server_error_about_the_request_goes_to_the_fallback() {
    let answer = |stream, _: &str| {
        let body = r#"{"error":{"code":500,"message":"Error: Jinja Exception: No.","type":"x"}}"#;
        write_response(stream, "500 X", "", body);
    };
    let (harness, calls) = harness_with_fallback(answer, |_| {});
    for number in 0..10 {
        let response = ask(&harness, "best", &format!("Well {number}?"), "");
        assert_eq!(answered_by(&response), Some("other"));
    }
    assert_eq!(calls.load(Ordering::SeqCst), 10);
}

#[test]
fn a_status_that_http_clients_reject_becomes_502() {
    for status in ["999 X", "600 X"] {
        let answer = move |stream, _: &str| write_response(stream, status, "", "{}");
        let (harness, _) = harness_with_fallback(answer, |_| {});
        assert_eq!(ask(&harness, "far/any", "Well?", "").status, 502, "{status}");
    }
}
