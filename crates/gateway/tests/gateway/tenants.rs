//! Tests that a key reads nothing of another key, and that no request makes the gateway call an
//! address of the client's choice.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::client::{CLIENTS, HttpResponse, post, send};
use crate::harness::Harness;
use crate::keys::{auth_header, create_key, key};

const MODEL: &str = "anthropic/claude-sonnet-4-5";
/// What only Ann said.
const SECRET: &str = "the harbour of Antwerp";

fn ask_as(harness: &Harness, name: &str, path: &str, body: &Value) -> HttpResponse {
    let headers = format!("{}x-session-id: the-same-session\r\n", auth_header(name));
    post(harness.addr(), path, &headers, body.to_string().as_bytes())
}

fn body_json(response: &HttpResponse) -> Value {
    serde_json::from_slice(&response.body).unwrap_or_default()
}

#[test]
fn nothing_of_another_key_can_be_read() {
    let harness = Harness::with_config(|config| {
        config.access.keys = vec![key("ann")];
        config.capture.stages = true;
    });
    // A key of the configuration is the operator's, who sees the usage of all.
    let bob = create_key(harness.addr(), "ann", &json!({"name": "bob"}));
    let turn = json!({"model": MODEL, "max_tokens": 9000, "stream": false,
        "thinking": {"type": "enabled", "budget_tokens": 2000},
        "messages": [{"role": "user", "content": SECRET}]});
    let asked = ask_as(&harness, "ann", "/v1/messages", &turn);
    assert!(asked.text().contains(SECRET), "{}", asked.text());
    let turn_id = asked.header("x-interlingua-turn").unwrap();
    let stored =
        ask_as(&harness, "ann", "/v1/responses", &json!({"model": MODEL, "input": SECRET}));
    let response_id = body_json(&stored)["id"].as_str().unwrap().to_owned();
    let session = ask_as(&harness, "ann", "/api/sessions", &json!({"title": SECRET}));
    let session_id = body_json(&session)["id"].as_str().unwrap().to_owned();
    let continued = json!({"model": MODEL, "say": SECRET});
    let path = format!("/api/sessions/{session_id}/continue");
    assert_eq!(ask_as(&harness, "ann", &path, &continued).status, 200);

    let reads = [
        ("GET", format!("/v1/responses/{response_id}")),
        ("GET", format!("/v1/responses/{response_id}/input_items")),
        ("GET", format!("/v1/responses/{response_id}?include[]=reasoning.encrypted_content")),
        ("GET", format!("/api/turns/{turn_id}")),
        ("GET", format!("/api/turns/{turn_id}?key=ann")),
        ("GET", format!("/api/sessions/{session_id}")),
        ("GET", format!("/api/sessions/{session_id}/turns")),
        ("GET", format!("/api/sessions/../sessions/{session_id}")),
        ("DELETE", format!("/v1/responses/{response_id}")),
        ("DELETE", format!("/api/sessions/{session_id}")),
        ("POST", format!("/api/sessions/{session_id}/continue")),
        ("POST", format!("/api/sessions/{session_id}/fork")),
        ("POST", format!("/api/sessions/{session_id}/turns")),
    ];
    for (method, path) in &reads {
        let body = json!({"model": MODEL, "say": "What did I say?", "turns": []}).to_string();
        let body = if *method == "GET" { "" } else { &body };
        let headers = auth_header(&bob);
        let response = send(harness.addr(), method, path, &headers, body.as_bytes());
        let is_refused = [400, 404, 405].contains(&response.status);
        assert!(is_refused && !response.text().contains(SECRET), "{path}: {}", response.text());
    }
    for path in ["/api/turns", "/api/sessions", "/api/usage", "/api/usage?key=ann", "/api/lessons"]
    {
        let response = send(harness.addr(), "GET", path, &auth_header(&bob), b"");
        let text = response.text();
        assert!(!text.contains(SECRET) && !text.contains(&session_id), "{path}: {text}");
        assert!(!text.contains(turn_id), "{path}: {text}");
        let has_usage_of_ann = path.starts_with("/api/usage") && text.contains("\"ann\"");
        assert!(!has_usage_of_ann, "{path}: {text}");
    }
    let chained = json!({"model": MODEL, "input": "And?", "previous_response_id": response_id});
    assert_eq!(ask_as(&harness, &bob, "/v1/responses", &chained).status, 400);
    // The same history with the same session id: reasoning of the other key is not restored.
    let reply = body_json(&asked);
    let visible: Vec<&Value> =
        reply["content"].as_array().unwrap().iter().filter(|b| b["type"] == "text").collect();
    let next = json!({"model": MODEL, "max_tokens": 9000, "stream": false,
        "thinking": {"type": "enabled", "budget_tokens": 2000}, "messages": [
            {"role": "user", "content": SECRET}, {"role": "assistant", "content": visible},
            {"role": "user", "content": "And?"}]});
    assert_eq!(ask_as(&harness, &bob, "/v1/messages", &next).status, 200);
    let sent = harness.provider_requests().pop().unwrap()["request"].to_string();
    assert!(!sent.contains("\"signature\""), "{sent}");
    let own = send(harness.addr(), "GET", &reads[0].1, &auth_header("ann"), b"");
    assert!(own.status == 200 && own.text().contains(SECRET), "nothing was deleted");
}

/// A listener that counts its connections.
fn canary() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    thread::spawn(move || {
        for _ in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (authority, connections)
}

#[test]
fn no_request_names_an_address_that_is_called() {
    let (authority, connections) = canary();
    let harness = Harness::new();
    let url = format!("http://{authority}/x");
    let headers = [
        format!("x-forwarded-host: {authority}\r\nx-forwarded-for: {authority}\r\n"),
        format!("forwarded: host={authority};for={authority}\r\nx-original-url: {url}\r\n"),
        format!("x-base-url: {url}\r\nopenai-base-url: {url}\r\nx-target-url: {url}\r\n"),
        format!("proxy-connection: keep-alive\r\nreferer: {url}\r\nvia: 1.1 {authority}\r\n"),
    ];
    let models = [
        url.clone(),
        format!("//{authority}/x"),
        format!("anthropic/{url}"),
        format!("@{authority}"),
    ];
    for client in CLIENTS {
        for model in models.iter().map(String::as_str).chain([MODEL, "gemini/gemini-3-pro"]) {
            let mut request = (client.first_request)(model, false, &url);
            for field in ["base_url", "api_base", "callback_url", "webhook", "proxy", "endpoint"] {
                request[field] = json!(url);
            }
            let path = (client.path)(&model.replace('/', "%2f"), false);
            for headers in &headers {
                post(harness.addr(), &path, headers, request.to_string().as_bytes());
            }
        }
    }
    let image = json!({"type": "image", "source": {"type": "url", "url": url}});
    let document = json!({"type": "document", "source": {"type": "url", "url": url}});
    let chat_image = json!({"type": "image_url", "image_url": {"url": url}});
    let input_file = json!({"type": "input_file", "file_url": url});
    let mcp = json!([{"type": "url", "url": url, "name": "evil"}]);
    for model in [MODEL, "openai/gpt-4.1", "gemini/gemini-3-pro", "codex/gpt-5.5-codex"] {
        for (path, body) in [
            (
                "/v1/messages",
                json!({"model": model, "max_tokens": 9, "mcp_servers": mcp,
                "messages": [{"role": "user", "content": [image, document]}]}),
            ),
            (
                "/v1/chat/completions",
                json!({"model": model,
                "messages": [{"role": "user", "content": [chat_image]}]}),
            ),
            (
                "/v1/responses",
                json!({"model": model, "input": [{"role": "user", "content": [
                {"type": "input_image", "image_url": url}, input_file]}],
                "tools": [{"type": "mcp", "server_label": "evil", "server_url": url}]}),
            ),
        ] {
            post(harness.addr(), path, "", body.to_string().as_bytes());
        }
    }
    for target in [url.as_str(), &format!("http://user@{authority}/v1/models"), "//evil/v1/models"]
    {
        send(harness.addr(), "GET", target, "", b"");
        send(harness.addr(), "CONNECT", &authority, "", b"");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}
