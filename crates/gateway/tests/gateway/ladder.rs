//! A refusal heals itself: once with one more request, and then without one, also after a restart.

use std::net::SocketAddr;
use std::sync::Arc;

use http::HeaderValue;
use interlingua::find;
use interlingua_gateway::Gateway;
use interlingua_gateway::config::{Config, Place};
use interlingua_simulator::Options;
use interlingua_strict::Switches;
use interlingua_upstream::Provider;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::client::{Answer, CLIENTS, Client, delete, get, post};
use crate::house::House;
use crate::stub::{Stub, refusal, said};

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

fn anthropic() -> &'static Client {
    &CLIENTS[0]
}

/// A gateway in front of a simulator that was told how to behave.
fn house(switches: &[&str], fault: &str) -> House {
    let switches = Switches::turned(switches).unwrap();
    House::playing(Options { switches, ..Options::default() }, |config| {
        if !fault.is_empty() {
            for provider in &mut config.providers {
                let mut faulty = (**provider).clone();
                faulty.headers.insert("x-sim-fault", HeaderValue::from_str(fault).unwrap());
                *provider = Arc::new(faulty);
            }
        }
    })
}

/// Talks until the model makes no more calls; gives how often the provider was asked and the client
/// asked.
fn talk(house: &House, client: &Client, model: &str, stream: bool, prompt: &str) -> (usize, usize) {
    let before = house.log().len();
    let mut request = (client.begin)(model, stream, prompt);
    let mut asked = 0;
    loop {
        asked += 1;
        let reply = client.ask(house.addr(), model, stream, &request).unwrap();
        if (client.go_on)(&mut request, &reply, "It is calm.") == 0 {
            return (house.log().len() - before, asked);
        }
        assert!(asked < 5, "it goes on and on");
    }
}

#[test]
fn the_three_behaviours_of_the_empty_text_are_learned_once() {
    // What a blank is taken for is right for two of them from the start.
    for (switch, first) in [("keep", 0), ("space", 0), ("drop", 1)] {
        for stream in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("store.db");
            let kept = |config: &mut Config| config.store.place = Place::Sqlite(path.clone());
            let switches = Switches::turned(&[format!("empty_text={switch}")]).unwrap();
            let mut house = House::playing(Options { switches, ..Options::default() }, kept);
            let prompt = "sim:empty-text Please look at the harbour.";
            let model = "anthropic/claude-opus-4-8";
            let extra = |house: &House| {
                let (sent, asked) = talk(house, anthropic(), model, stream, prompt);
                sent - asked
            };
            assert_eq!(extra(&house), first, "{switch}, {stream}");
            assert_eq!(extra(&house), 0, "{switch}, {stream}: learned");
            house.open(kept);
            assert_eq!(extra(&house), 0, "{switch}, {stream}: after a restart");
            assert_prefixes_stay(&house.log());
        }
    }
}

/// What was accepted once is sent in the same way ever after, also with a lesson that came in between.
fn assert_prefixes_stay(log: &[Value]) {
    let answered = log.iter().filter(|one| one["status"] == 200);
    let sent: Vec<&Vec<Value>> =
        answered.map(|one| one["request"]["messages"].as_array().unwrap()).collect();
    for (shorter, longer) in sent.iter().zip(&sent[1..]).filter(|(a, b)| a.len() < b.len()) {
        assert_eq!(shorter[..], longer[..shorter.len()]);
    }
}

#[test]
fn a_blank_that_is_a_change_gives_way_to_the_empty_text() {
    let modified = "messages.1.content.2: `thinking` or `redacted_thinking` blocks in the latest assistant \
        message cannot be modified. These blocks must remain as they were in the original response.";
    let (house, stub) = stubbed("anthropic", vec![refusal(modified), said("anthropic")]);
    let thought = |of: &str| json!({"type": "thinking", "thinking": of, "signature": "c2lnbmVk"});
    let between = json!({"type": "text", "text": ""});
    let answer = json!([thought("a"), between, thought("b"), {"type": "text", "text": "hello"}]);
    let request = json!({"model": "stub/m", "max_tokens": 99, "messages": [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": answer},
        {"role": "user", "content": "and now?"},
    ]});
    for expected in [2, 3] {
        assert_eq!(ask(&house, &request).status, 200);
        assert_eq!(stub.asked().len(), expected);
    }
    let asked = stub.asked();
    let text = |nth: usize| asked[nth]["messages"][1]["content"][1]["text"].clone();
    assert_eq!([text(0), text(1), text(2)], [" ", "", ""]);
    assert_eq!(asked[2]["messages"][1]["content"], answer);
}

#[test]
fn what_was_learned_is_shown_and_can_be_forgotten() {
    let house = house(&["empty_text=drop"], "");
    let prompt = "sim:empty-text Please look at the harbour.";
    let model = "anthropic/claude-opus-4-8";
    talk(&house, anthropic(), model, false, prompt);
    let shown: Value = serde_json::from_slice(&get(house.addr(), "/api/lessons", "").body).unwrap();
    let expected = json!({"lessons": [{
        "provider": "anthropic", "model": "claude-opus-4-8", "dialect": "anthropic",
        "lessons": ["empty-text=drop"], "seals": 0,
    }]});
    assert_eq!(shown, expected);
    let other = delete(house.addr(), "/api/lessons/openai");
    assert_eq!(other.text(), r#"{"forgotten":0}"#);
    let gone = delete(house.addr(), "/api/lessons/anthropic/claude-opus-4-8");
    assert_eq!(gone.text(), r#"{"forgotten":1}"#);
    let (sent, asked) = talk(&house, anthropic(), model, false, prompt);
    assert_eq!(sent, asked + 1, "it is learned anew");
    let metrics = get(house.addr(), "/metrics", "").text();
    assert!(metrics.contains("interlingua_lessons_total"), "{metrics}");
}

#[test]
fn a_field_that_nobody_knows_is_left_out_from_then_on() {
    for stream in [false, true] {
        let house = house(&[], "");
        let model = "anthropic/claude-opus-4-8";
        let mut request = (anthropic().begin)(model, stream, "Please look at the harbour.");
        request["frobnicate"] = json!({"deeply": true});
        for expected in [2, 3] {
            anthropic().ask(house.addr(), model, stream, &request).unwrap();
            assert_eq!(house.log().len(), expected);
        }
        let log = house.log();
        assert_eq!(log[0]["status"], 400);
        assert!(log[2]["request"].get("frobnicate").is_none());
    }
}

#[test]
fn a_seal_that_is_refused_goes_and_others_stay() {
    let house = house(&[], "");
    let model = "anthropic/claude-opus-4-8";
    let mut request = (anthropic().begin)(model, false, "Please look at the harbour.");
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "bm90aGluZw=="});
    request["messages"] = json!([
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": [thinking, {"type": "text", "text": "hello"}]},
        {"role": "user", "content": "Please look at the harbour."},
    ]);
    let reply = anthropic().ask(house.addr(), model, false, &request).unwrap();
    assert_eq!(house.log().len(), 2, "once more");
    (anthropic().go_on)(&mut request, &reply, "It is calm.");
    anthropic().ask(house.addr(), model, false, &request).unwrap();
    let log = house.log();
    assert_eq!(log.len(), 3, "and never again");
    let sent = log[2]["request"]["messages"].to_string();
    assert!(!sent.contains("bm90aGluZw"), "the refused seal is gone: {sent}");
    assert!(sent.contains("signature"), "what the model thought since is there: {sent}");
}

#[test]
fn what_is_bound_to_another_prefix_goes() {
    let house = house(&["prefix_binding=true"], "");
    let model = "anthropic/claude-opus-4-8";
    let mut request = (anthropic().begin)(model, false, "Please look at the harbour.");
    let reply = anthropic().ask(house.addr(), model, false, &request).unwrap();
    (anthropic().go_on)(&mut request, &reply, "It is calm.");
    request["messages"][0]["content"] = "Please look at the mountains.".into();
    anthropic().ask(house.addr(), model, false, &request).unwrap();
    assert_eq!(house.log().len(), 3);
    anthropic().ask(house.addr(), model, false, &request).unwrap();
    assert_eq!(house.log().len(), 4);
}

#[test]
fn thinking_is_asked_for_as_the_provider_says() {
    let thinking = json!({"type": "adaptive"});
    let rows = [
        ("manual-thinking", Value::Null, "claude-sonnet-4-6"),
        ("adaptive-thinking", thinking.clone(), "claude-sonnet-4-6"),
        ("disabled-thinking", json!({"type": "disabled"}), "claude-sonnet-4-6"),
        ("no-effort", thinking, "claude-opus-4-8"),
    ];
    for (rule, asked, model) in rows {
        let house = house(&[], &format!("rule={rule}@1"));
        let model = format!("anthropic/{model}");
        let mut request = (anthropic().begin)(&model, false, "Please look at the harbour.");
        if !asked.is_null() {
            request["thinking"] = asked;
        }
        if rule == "no-effort" {
            request["output_config"] = json!({"effort": "low"});
        }
        for expected in [2, 3] {
            let answered = anthropic().ask(house.addr(), &model, false, &request);
            assert!(answered.is_ok(), "{rule}: {answered:?}");
            assert_eq!(house.log().len(), expected, "{rule}");
        }
        let (first, last) = (&house.log()[0]["request"], &house.log()[2]["request"]);
        assert_ne!(first, last, "{rule}: something was learned");
    }
}

/// A gateway in front of a provider of this dialect that says these things.
pub(crate) fn stubbed(dialect: &str, answers: Vec<(u16, String)>) -> (House, Stub) {
    let stub = Stub::saying(answers);
    (in_front_of(provider(&stub, dialect)), stub)
}

/// The stub as a provider of this dialect.
pub(crate) fn provider(stub: &Stub, dialect: &str) -> Provider {
    let base = format!("http://{}", stub.addr);
    let mut provider = Provider::new("stub", find(dialect).unwrap(), base.parse().unwrap());
    provider.key = Some("key".into());
    provider
}

/// A gateway in front of this provider alone.
pub(crate) fn in_front_of(provider: Provider) -> House {
    let mut config = Config::from_nothing(&|_| None);
    config.providers = vec![Arc::new(provider)];
    let runtime = Runtime::new().unwrap();
    let gateway = Gateway::new(config).unwrap();
    let gateway = runtime.block_on(async { gateway.start(ANY).unwrap() });
    House { runtime, simulator: None, gateway: Some(gateway) }
}

fn ask(house: &House, body: &Value) -> Answer {
    post(house.addr(), "/v1/messages", "", body.to_string().as_bytes())
}

type Healed = fn(&Value) -> bool;

#[test]
fn words_of_all_kinds_heal() {
    let hello = json!({"role": "user", "content": "hello"});
    let plain =
        json!({"model": "stub/m", "max_tokens": 99, "temperature": 0.5, "messages": [hello]});
    let image = json!({"type": "base64", "media_type": "image/png", "data": PNG});
    let seen = json!([{"type": "image", "source": image}, {"type": "text", "text": "what is it?"}]);
    let pictured = json!({
        "model": "stub/m", "max_tokens": 99, "messages": [{"role": "user", "content": seen}],
    });
    let too_large =
        "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 96 bytes > 64 bytes";
    let rows: [(&str, &str, &Value, Healed); 4] = [
        (
            "openai-chat",
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
            &plain,
            |sent| sent.get("temperature").is_none(),
        ),
        (
            "openai-chat",
            "Unsupported parameter: 'max_completion_tokens' is not supported with this model. Use 'max_tokens' instead.",
            &plain,
            |sent| sent["max_tokens"] == 99 && sent.get("max_completion_tokens").is_none(),
        ),
        ("openai-chat", "Unrecognized request argument supplied: temperature", &plain, |sent| {
            sent.get("temperature").is_none()
        }),
        ("anthropic", too_large, &pictured, |sent| !sent.to_string().contains(PNG)),
    ];
    for (dialect, words, request, healed) in rows {
        let (house, stub) = stubbed(dialect, vec![refusal(words), said(dialect)]);
        for expected in [2, 3] {
            let answer = ask(&house, request);
            assert_eq!(answer.status, 200, "{words}: {}", answer.text());
            let asked = stub.asked();
            assert_eq!(asked.len(), expected, "{words}");
            assert!(healed(&asked[expected - 1]), "{words}: {}", asked[expected - 1]);
        }
        assert!(!healed(&stub.asked()[0]), "{words}: {}", stub.asked()[0]);
    }
}

#[test]
fn the_header_tells_of_what_was_learned() {
    let unknown = "frobnicate: Extra inputs are not permitted";
    let (house, _stub) = stubbed("anthropic", vec![refusal(unknown), said("anthropic")]);
    let hello = json!({"role": "user", "content": "hello"});
    let request =
        json!({"model": "stub/m", "max_tokens": 99, "frobnicate": 1, "messages": [hello]});
    let answer = ask(&house, &request);
    assert_eq!(answer.header("x-interlingua-repairs"), Some("refused-field"));
}

#[test]
fn a_refusal_that_nobody_knows_is_the_clients() {
    for words in [
        "messages.0: something else altogether",
        "messages: Extra inputs are not permitted",
        "messages: text content blocks must be non-empty",
    ] {
        let refused = refusal(words);
        let (house, stub) = stubbed("anthropic", vec![refused.clone()]);
        let hello = json!({"role": "user", "content": "hello"});
        let answer = ask(&house, &json!({"model": "stub/m", "max_tokens": 9, "messages": [hello]}));
        assert_eq!((answer.status, answer.text()), refused);
        assert_eq!(stub.asked().len(), 1, "{words}");
    }
}

#[test]
fn a_refusal_that_stays_is_the_clients() {
    let refused = refusal("frobnicate: Extra inputs are not permitted");
    let (house, stub) = stubbed("anthropic", vec![refused.clone()]);
    let hello = json!({"role": "user", "content": "hello"});
    let request = json!({"model": "stub/m", "max_tokens": 9, "frobnicate": 1, "messages": [hello]});
    let answer = ask(&house, &request);
    assert_eq!((answer.status, answer.text()), refused);
    assert_eq!(stub.asked().len(), 2);
    let shown = get(house.addr(), "/api/lessons", "").text();
    assert_eq!(shown, r#"{"lessons":[]}"#, "nothing was learned");
    ask(&house, &request);
    assert_eq!(stub.asked().len(), 3, "what did not help is not tried again at once");
}

#[test]
fn one_complaint_after_the_other_is_learned() {
    let one = refusal("frobnicate: Extra inputs are not permitted");
    let other = refusal("twiddle: Extra inputs are not permitted");
    let answers = vec![one, other.clone(), other, said("anthropic")];
    let (house, stub) = stubbed("anthropic", answers);
    let hello = json!({"role": "user", "content": "hello"});
    let request = json!({
        "model": "stub/m", "max_tokens": 9, "frobnicate": 1, "twiddle": 2, "messages": [hello],
    });
    assert_eq!(ask(&house, &request).status, 400, "one more request, and no more");
    assert_eq!(ask(&house, &request).status, 200);
    let asked = stub.asked();
    assert_eq!(asked.len(), 4);
    assert!(asked[2].get("frobnicate").is_none() && asked[2].get("twiddle").is_some());
    assert!(asked[3].get("twiddle").is_none());
}

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
