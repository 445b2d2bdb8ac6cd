//! Tests of lessons: a rejection is repaired by one extra request, later ones need none, also after
//! a restart.

use std::net::SocketAddr;
use std::sync::Arc;

use http::HeaderValue;
use interlingua::find_dialect;
use interlingua_gateway::Gateway;
use interlingua_gateway::config::{Config, StoreLocation};
use interlingua_simulator::Options;
use interlingua_strict::Switches;
use interlingua_upstream::Provider;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::client::{CLIENTS, Client, HttpResponse, delete, get, post};
use crate::harness::Harness;
use crate::stub_provider::{StubProvider, error_answer, success_answer};

const ANY_PORT: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

fn anthropic() -> &'static Client {
    &CLIENTS[0]
}

/// A harness with simulator switches and a fault.
fn harness(switches: &[&str], fault: &str) -> Harness {
    let switches = Switches::parse(switches).unwrap();
    Harness::with_simulator(Options { switches, ..Options::default() }, |config| {
        if !fault.is_empty() {
            for provider in &mut config.providers {
                let mut faulty = (**provider).clone();
                faulty.headers.insert("x-sim-fault", HeaderValue::from_str(fault).unwrap());
                *provider = Arc::new(faulty);
            }
        }
    })
}

/// Runs the tool loop until the model stops calling; returns the numbers of provider and client
/// requests.
fn run_agent_loop(
    harness: &Harness,
    client: &Client,
    model: &str,
    stream: bool,
    prompt: &str,
) -> (usize, usize) {
    let before = harness.provider_requests().len();
    let mut request = (client.first_request)(model, stream, prompt);
    let mut client_requests = 0;
    loop {
        client_requests += 1;
        let reply = client.request_turn(harness.addr(), model, stream, &request).unwrap();
        if (client.append_results)(&mut request, &reply, "It is calm.") == 0 {
            return (harness.provider_requests().len() - before, client_requests);
        }
        assert!(client_requests < 5, "too many turns");
    }
}

#[test]
fn the_three_treatments_of_empty_text_are_learned_once() {
    // The default treatment of blanks is right for two of them from the start.
    for (switch, first) in [("keep", 0), ("space", 0), ("drop", 1)] {
        for stream in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("store.db");
            let with_file =
                |config: &mut Config| config.store.location = StoreLocation::Sqlite(path.clone());
            let switches = Switches::parse(&[format!("empty_text={switch}")]).unwrap();
            let mut harness =
                Harness::with_simulator(Options { switches, ..Options::default() }, with_file);
            let prompt = "sim:empty-text Please look at the harbour.";
            let model = "anthropic/claude-opus-4-8";
            let extra_requests = |harness: &Harness| {
                let (sent, requests) = run_agent_loop(harness, anthropic(), model, stream, prompt);
                sent - requests
            };
            assert_eq!(extra_requests(&harness), first, "{switch}, {stream}");
            assert_eq!(extra_requests(&harness), 0, "{switch}, {stream}: learned");
            harness.restart_gateway(with_file);
            assert_eq!(extra_requests(&harness), 0, "{switch}, {stream}: after a restart");
            assert_prefixes_stay(&harness.provider_requests());
        }
    }
}

/// A history prefix that was accepted once is sent unchanged later, also after a new lesson.
fn assert_prefixes_stay(log: &[Value]) {
    let accepted = log.iter().filter(|entry| entry["status"] == 200);
    let sent: Vec<&Vec<Value>> =
        accepted.map(|entry| entry["request"]["messages"].as_array().unwrap()).collect();
    for (shorter, longer) in sent.iter().zip(&sent[1..]).filter(|(a, b)| a.len() < b.len()) {
        assert_eq!(shorter[..], longer[..shorter.len()]);
    }
}

#[test]
fn a_blank_that_counts_as_a_change_is_replaced_by_the_empty_text() {
    let error_text = "messages.1.content.2: `thinking` or `redacted_thinking` blocks in the latest assistant \
        message cannot be modified. These blocks must remain as they were in the original response.";
    let (harness, stub) =
        harness_with_stub("anthropic", vec![error_answer(error_text), success_answer("anthropic")]);
    let thinking =
        |text: &str| json!({"type": "thinking", "thinking": text, "signature": "c2lnbmVk"});
    let empty_text = json!({"type": "text", "text": ""});
    let assistant_content =
        json!([thinking("a"), empty_text, thinking("b"), {"type": "text", "text": "hello"}]);
    let request = json!({"model": "stub/m", "max_tokens": 99, "messages": [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": assistant_content},
        {"role": "user", "content": "and now?"},
    ]});
    for expected in [2, 3] {
        assert_eq!(ask(&harness, &request).status, 200);
        assert_eq!(stub.requests().len(), expected);
    }
    let requests = stub.requests();
    let text = |nth: usize| requests[nth]["messages"][1]["content"][1]["text"].clone();
    assert_eq!([text(0), text(1), text(2)], [" ", "", ""]);
    assert_eq!(requests[2]["messages"][1]["content"], assistant_content);
}

#[test]
fn lessons_can_be_listed_and_deleted() {
    let gateway = harness(&["empty_text=drop"], "");
    let prompt = "sim:empty-text Please look at the harbour.";
    let model = "anthropic/claude-opus-4-8";
    run_agent_loop(&gateway, anthropic(), model, false, prompt);
    let lessons: Value =
        serde_json::from_slice(&get(gateway.addr(), "/api/lessons", "").body).unwrap();
    let expected = json!({"lessons": [{
        "provider": "anthropic", "model": "claude-opus-4-8", "dialect": "anthropic",
        "lessons": ["empty-text=drop"], "seals": 0,
    }]});
    assert_eq!(lessons, expected);
    let other = delete(gateway.addr(), "/api/lessons/openai");
    assert_eq!(other.text(), r#"{"forgotten":0}"#);
    let deleted = delete(gateway.addr(), "/api/lessons/anthropic/claude-opus-4-8");
    assert_eq!(deleted.text(), r#"{"forgotten":1}"#);
    let (sent, requests) = run_agent_loop(&gateway, anthropic(), model, false, prompt);
    assert_eq!(sent, requests + 1, "it is learned again");
    let metrics = get(gateway.addr(), "/metrics", "").text();
    assert!(metrics.contains("interlingua_lessons_total"), "{metrics}");
}

#[test]
fn an_unknown_field_is_dropped_after_the_rejection() {
    for stream in [false, true] {
        let gateway = harness(&[], "");
        let model = "anthropic/claude-opus-4-8";
        let mut request = (anthropic().first_request)(model, stream, "Please look at the harbour.");
        request["frobnicate"] = json!({"deeply": true});
        for expected in [2, 3] {
            anthropic().request_turn(gateway.addr(), model, stream, &request).unwrap();
            assert_eq!(gateway.provider_requests().len(), expected);
        }
        let log = gateway.provider_requests();
        assert_eq!(log[0]["status"], 400);
        assert!(log[2]["request"].get("frobnicate").is_none());
    }
}

#[test]
fn only_the_rejected_seal_is_dropped() {
    let gateway = harness(&[], "");
    let model = "anthropic/claude-opus-4-8";
    let mut request = (anthropic().first_request)(model, false, "Please look at the harbour.");
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "bm90aGluZw=="});
    request["messages"] = json!([
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": [thinking, {"type": "text", "text": "hello"}]},
        {"role": "user", "content": "Please look at the harbour."},
    ]);
    let reply = anthropic().request_turn(gateway.addr(), model, false, &request).unwrap();
    assert_eq!(gateway.provider_requests().len(), 2, "one retry");
    (anthropic().append_results)(&mut request, &reply, "It is calm.");
    anthropic().request_turn(gateway.addr(), model, false, &request).unwrap();
    let log = gateway.provider_requests();
    assert_eq!(log.len(), 3, "no further retry");
    let sent = log[2]["request"]["messages"].to_string();
    assert!(!sent.contains("bm90aGluZw"), "the rejected seal is dropped: {sent}");
    assert!(sent.contains("signature"), "later reasoning is kept: {sent}");
}

#[test]
fn seals_bound_to_another_prefix_are_dropped() {
    let gateway = harness(&["prefix_binding=true"], "");
    let model = "anthropic/claude-opus-4-8";
    let mut request = (anthropic().first_request)(model, false, "Please look at the harbour.");
    let reply = anthropic().request_turn(gateway.addr(), model, false, &request).unwrap();
    (anthropic().append_results)(&mut request, &reply, "It is calm.");
    request["messages"][0]["content"] = "Please look at the mountains.".into();
    anthropic().request_turn(gateway.addr(), model, false, &request).unwrap();
    assert_eq!(gateway.provider_requests().len(), 3);
    anthropic().request_turn(gateway.addr(), model, false, &request).unwrap();
    assert_eq!(gateway.provider_requests().len(), 4);
}

#[test]
fn the_form_of_thinking_is_learned() {
    let thinking = json!({"type": "adaptive"});
    let cases = [
        ("manual-thinking", Value::Null, "claude-sonnet-4-6"),
        ("adaptive-thinking", thinking.clone(), "claude-sonnet-4-6"),
        ("disabled-thinking", json!({"type": "disabled"}), "claude-sonnet-4-6"),
        ("no-effort", thinking, "claude-opus-4-8"),
    ];
    for (rule, thinking_field, model) in cases {
        let gateway = harness(&[], &format!("rule={rule}@1"));
        let model = format!("anthropic/{model}");
        let mut request = (anthropic().first_request)(&model, false, "Please look at the harbour.");
        if !thinking_field.is_null() {
            request["thinking"] = thinking_field;
        }
        if rule == "no-effort" {
            request["output_config"] = json!({"effort": "low"});
        }
        for expected in [2, 3] {
            let reply = anthropic().request_turn(gateway.addr(), &model, false, &request);
            assert!(reply.is_ok(), "{rule}: {reply:?}");
            assert_eq!(gateway.provider_requests().len(), expected, "{rule}");
        }
        let (first, last) = (
            &gateway.provider_requests()[0]["request"],
            &gateway.provider_requests()[2]["request"],
        );
        assert_ne!(first, last, "{rule}: something was learned");
    }
}

/// A gateway with a provider of this dialect that returns these answers.
pub(crate) fn harness_with_stub(
    dialect: &str,
    answers: Vec<(u16, String)>,
) -> (Harness, StubProvider) {
    let stub = StubProvider::with_answers(answers);
    (harness_with_provider(stub_as_provider(&stub, dialect)), stub)
}

/// The stub as a provider of this dialect.
pub(crate) fn stub_as_provider(stub: &StubProvider, dialect: &str) -> Provider {
    let base = format!("http://{}", stub.addr);
    let mut provider = Provider::new("stub", find_dialect(dialect).unwrap(), base.parse().unwrap());
    provider.api_key = Some("key".into());
    provider
}

/// A gateway with only this provider.
pub(crate) fn harness_with_provider(provider: Provider) -> Harness {
    let mut config = Config::from_env(&|_| None);
    config.providers = vec![Arc::new(provider)];
    let runtime = Runtime::new().unwrap();
    let gateway = Gateway::new(config).unwrap();
    let gateway = runtime.block_on(async { gateway.start(ANY_PORT).unwrap() });
    Harness { runtime, simulator: None, gateway: Some(gateway) }
}

pub(crate) fn ask(harness: &Harness, body: &Value) -> HttpResponse {
    post(harness.addr(), "/v1/messages", "", body.to_string().as_bytes())
}

type IsHealed = fn(&Value) -> bool;

#[test]
fn rejections_of_all_kinds_are_repaired() {
    let hello = json!({"role": "user", "content": "hello"});
    let text_request =
        json!({"model": "stub/m", "max_tokens": 99, "temperature": 0.5, "messages": [hello]});
    let image = json!({"type": "base64", "media_type": "image/png", "data": PNG});
    let content =
        json!([{"type": "image", "source": image}, {"type": "text", "text": "what is it?"}]);
    let image_request = json!({
        "model": "stub/m", "max_tokens": 99, "messages": [{"role": "user", "content": content}],
    });
    let too_large =
        "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 96 bytes > 64 bytes";
    let cases: [(&str, &str, &Value, IsHealed); 4] = [
        (
            "openai-chat",
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
            &text_request,
            |sent| sent.get("temperature").is_none(),
        ),
        (
            "openai-chat",
            "Unsupported parameter: 'max_completion_tokens' is not supported with this model. Use 'max_tokens' instead.",
            &text_request,
            |sent| sent["max_tokens"] == 99 && sent.get("max_completion_tokens").is_none(),
        ),
        (
            "openai-chat",
            "Unrecognized request argument supplied: temperature",
            &text_request,
            |sent| sent.get("temperature").is_none(),
        ),
        ("anthropic", too_large, &image_request, |sent| !sent.to_string().contains(PNG)),
    ];
    for (dialect, error_text, request, is_repaired) in cases {
        let (harness, stub) =
            harness_with_stub(dialect, vec![error_answer(error_text), success_answer(dialect)]);
        for expected in [2, 3] {
            let response = ask(&harness, request);
            assert_eq!(response.status, 200, "{error_text}: {}", response.text());
            let requests = stub.requests();
            assert_eq!(requests.len(), expected, "{error_text}");
            assert!(
                is_repaired(&requests[expected - 1]),
                "{error_text}: {}",
                requests[expected - 1]
            );
        }
        assert!(!is_repaired(&stub.requests()[0]), "{error_text}: {}", stub.requests()[0]);
    }
}

#[test]
fn the_repairs_header_lists_applied_lessons() {
    let unknown = "frobnicate: Extra inputs are not permitted";
    let (harness, _stub) =
        harness_with_stub("anthropic", vec![error_answer(unknown), success_answer("anthropic")]);
    let hello = json!({"role": "user", "content": "hello"});
    let request =
        json!({"model": "stub/m", "max_tokens": 99, "frobnicate": 1, "messages": [hello]});
    let response = ask(&harness, &request);
    assert_eq!(response.header("x-interlingua-repairs"), Some("refused-field"));
}

#[test]
fn an_unknown_rejection_is_passed_to_the_client() {
    for error_text in [
        "messages.0: something else altogether",
        "messages: Extra inputs are not permitted",
        "messages: text content blocks must be non-empty",
    ] {
        let rejection = error_answer(error_text);
        let (harness, stub) = harness_with_stub("anthropic", vec![rejection.clone()]);
        let hello = json!({"role": "user", "content": "hello"});
        let response =
            ask(&harness, &json!({"model": "stub/m", "max_tokens": 9, "messages": [hello]}));
        assert_eq!((response.status, response.text()), rejection);
        assert_eq!(stub.requests().len(), 1, "{error_text}");
    }
}

#[test]
fn a_repeated_rejection_is_passed_to_the_client() {
    let rejection = error_answer("frobnicate: Extra inputs are not permitted");
    let (harness, stub) = harness_with_stub("anthropic", vec![rejection.clone()]);
    let hello = json!({"role": "user", "content": "hello"});
    let request = json!({"model": "stub/m", "max_tokens": 9, "frobnicate": 1, "messages": [hello]});
    let response = ask(&harness, &request);
    assert_eq!((response.status, response.text()), rejection);
    assert_eq!(stub.requests().len(), 2);
    let lessons = get(harness.addr(), "/api/lessons", "").text();
    assert_eq!(lessons, r#"{"lessons":[]}"#, "nothing was learned");
    ask(&harness, &request);
    assert_eq!(stub.requests().len(), 3, "a failed candidate is not retried immediately");
}

#[test]
fn successive_rejections_are_learned_within_one_request() {
    let first = error_answer("frobnicate: Extra inputs are not permitted");
    let second = error_answer("twiddle: Extra inputs are not permitted");
    let answers = vec![first, second, success_answer("anthropic")];
    let (harness, stub) = harness_with_stub("anthropic", answers);
    let hello = json!({"role": "user", "content": "hello"});
    let request = json!({
        "model": "stub/m", "max_tokens": 9, "frobnicate": 1, "twiddle": 2, "messages": [hello],
    });
    for expected in [3, 4] {
        assert_eq!(ask(&harness, &request).status, 200);
        assert_eq!(stub.requests().len(), expected);
    }
    let requests = stub.requests();
    assert!(requests[1].get("frobnicate").is_none() && requests[1].get("twiddle").is_some());
    for learned in &requests[2..] {
        assert!(learned.get("frobnicate").is_none() && learned.get("twiddle").is_none());
    }
}

#[test]
fn the_next_request_learns_what_is_too_much_for_one() {
    let fields = ["f0", "f1", "f2", "f3", "f4", "f5", "f6"];
    let rejected = |name: &&str| error_answer(&format!("{name}: Extra inputs are not permitted"));
    let mut answers: Vec<_> = fields.iter().map(rejected).collect();
    // The second request begins with the field whose rejection was one too many.
    answers.insert(6, answers[5].clone());
    answers.push(success_answer("anthropic"));
    let (harness, stub) = harness_with_stub("anthropic", answers);
    let hello = json!({"role": "user", "content": "hello"});
    let mut request = json!({"model": "stub/m", "max_tokens": 9, "messages": [hello]});
    for name in fields {
        request[name] = 1.into();
    }
    let response = ask(&harness, &request);
    assert_eq!(response.status, 400);
    assert!(response.text().contains("f5: Extra inputs"), "{}", response.text());
    assert_eq!(stub.requests().len(), 6);
    assert_eq!(ask(&harness, &request).status, 200);
    let requests = stub.requests();
    let left =
        |nth: usize| fields.iter().filter(|name| requests[nth].get(**name).is_some()).count();
    assert_eq!((0..requests.len()).map(left).collect::<Vec<_>>(), [7, 6, 5, 4, 3, 2, 2, 1, 0]);
}

#[test]
fn a_lesson_is_unlearned_when_the_provider_asks_for_the_field_again() {
    let hello = json!({"role": "user", "content": "hello"});
    for (learned, changed, field) in [
        ("frobnicate: Extra inputs are not permitted", "frobnicate: Field required", "frobnicate"),
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "Unrecognized request argument supplied: max_completion_tokens",
            "max_tokens",
        ),
    ] {
        let dialect = if field == "max_tokens" { "openai-chat" } else { "anthropic" };
        let (path, success) = match dialect {
            "anthropic" => ("/v1/messages", success_answer("anthropic")),
            _ => ("/v1/chat/completions", success_answer("openai-chat")),
        };
        let answers = vec![
            error_answer(learned),
            success.clone(),
            error_answer(changed),
            success.clone(),
            success,
        ];
        let (harness, stub) = harness_with_stub(dialect, answers);
        let mut request = json!({"model": "stub/m", "max_tokens": 9, "messages": [hello]});
        request[field] = 9.into();
        for expected in [2, 4, 5] {
            let response = post(harness.addr(), path, "", request.to_string().as_bytes());
            assert_eq!(response.status, 200, "{field}: {}", response.text());
            assert_eq!(stub.requests().len(), expected, "{field}");
        }
        let sent: Vec<bool> =
            stub.requests().iter().map(|sent| sent.get(field).is_some()).collect();
        assert_eq!(sent, [true, false, false, true, true], "{field}");
        let lessons = get(harness.addr(), "/api/lessons", "").text();
        assert_eq!(lessons, r#"{"lessons":[]}"#, "{field}");
    }
}

#[test]
fn a_lesson_stays_if_the_request_is_rejected_without_it_too() {
    let (learned, other) =
        ("frobnicate: Extra inputs are not permitted", "frobnicate: Field required");
    let answers = vec![
        error_answer(learned),
        success_answer("anthropic"),
        error_answer(other),
        error_answer(other),
        success_answer("anthropic"),
    ];
    let (harness, stub) = harness_with_stub("anthropic", answers);
    let hello = json!({"role": "user", "content": "hello"});
    let request = json!({"model": "stub/m", "max_tokens": 9, "frobnicate": 1, "messages": [hello]});
    for (status, sent) in [(200, 2), (400, 4), (200, 5)] {
        assert_eq!(ask(&harness, &request).status, status);
        assert_eq!(stub.requests().len(), sent);
    }
    assert!(stub.requests()[4].get("frobnicate").is_none(), "the lesson still applies");
}

#[test]
fn a_rejected_body_is_not_sent_again() {
    let rejection = error_answer("adaptive thinking is not supported on this model");
    let (harness, stub) = harness_with_stub("anthropic", vec![rejection.clone()]);
    let hello = json!({"role": "user", "content": "hello"});
    let request = json!({"model": "stub/m", "max_tokens": 9, "messages": [hello]});
    let response = ask(&harness, &request);
    assert_eq!((response.status, response.text()), rejection);
    assert_eq!(stub.requests().len(), 1, "the lesson does not change the body");
}

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
