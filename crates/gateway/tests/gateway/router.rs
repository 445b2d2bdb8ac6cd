//! Tests of access checks, CORS, endpoints and their errors.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use interlingua_gateway::Gateway;
use interlingua_gateway::config::{ApiKey, Config};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::runtime::Runtime;

use crate::client::{CLIENTS, get, post, send};
use crate::harness::Harness;

#[test]
fn built_in_models_need_no_configuration() {
    let harness = Harness::with_config(|config| config.providers.clear());
    for client in CLIENTS {
        for stream in [false, true] {
            let model = "sim/echo";
            let request = (client.first_request)(model, stream, "Say this back.");
            let reply = client.request_turn(harness.addr(), model, stream, &request).unwrap();
            assert_eq!((client.text)(&reply), "Say this back.", "{}", client.dialect);
        }
    }
}

#[test]
fn pages_of_other_sites_are_rejected() {
    let harness = Harness::new();
    let ask = |headers: &str| get(harness.addr(), "/v1/models", headers).status;
    assert_eq!(ask("host: localhost:8787\r\n"), 200);
    assert_eq!(ask("host: evil.example\r\n"), 403);
    assert_eq!(ask("host: 0.0.0.0\r\n"), 403);
    assert_eq!(ask("origin: https://evil.example\r\n"), 403);
    let port = harness.addr().port();
    assert_eq!(ask(&format!("origin: http://127.0.0.1:{port}\r\n")), 200);
    assert_eq!(ask(&format!("origin: http://localhost:{port}\r\n")), 200);
    let other = port ^ 1;
    assert_eq!(
        ask(&format!("origin: http://127.0.0.1:{other}\r\n")),
        403,
        "the port of another program"
    );
    assert_eq!(ask("host: localhost\r\nhost: evil.example\r\n"), 403);
    assert_eq!(ask("sec-fetch-site: cross-site\r\n"), 403);
    let own = format!("origin: http://localhost:{port}\r\n");
    assert_eq!(ask(&format!("{own}origin: https://evil.example\r\n")), 403, "every origin counts");
    assert_eq!(ask(&format!("origin: x://localhost:{port}\r\n")), 403, "another scheme");
}

#[test]
fn a_request_of_http_1_1_needs_a_host() {
    let harness = Harness::new();
    for (request, status) in [
        ("GET /healthz HTTP/1.1\r\n\r\n", "400"),
        ("GET /healthz HTTP/1.0\r\n\r\n", "200"),
        ("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n", "200"),
    ] {
        let mut stream = TcpStream::connect(harness.addr()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = [0; 12];
        stream.read_exact(&mut text).unwrap();
        assert_eq!(str::from_utf8(&text[9..]), Ok(status), "{request}");
    }
}

#[test]
fn allowed_origins_get_cors_headers() {
    let harness = Harness::with_config(|config| {
        config.access.origins = vec!["https://app.example".into()];
        let sha256 = Sha256::digest(b"a-key").into();
        let (requests_per_minute, concurrent, tokens_per_day) = (None, None, None);
        let name = "a".into();
        config.access.keys =
            vec![ApiKey { name, sha256, requests_per_minute, concurrent, tokens_per_day }];
    });
    let origin_header = "origin: https://app.example\r\n";
    let preflight = format!(
        "{origin_header}access-control-request-method: POST\r\naccess-control-request-headers: authorization\r\n"
    );
    let preflight_response = send(harness.addr(), "OPTIONS", "/v1/messages", &preflight, b"");
    assert_eq!(preflight_response.status, 204, "{}", preflight_response.text());
    assert_eq!(preflight_response.header("access-control-allow-headers"), Some("authorization"));
    let response = get(
        harness.addr(),
        "/v1/models",
        &format!("{origin_header}authorization: Bearer a-key\r\n"),
    );
    let rejected = get(harness.addr(), "/v1/models", origin_header);
    assert_eq!((response.status, rejected.status), (200, 401));
    for response in [preflight_response, response, rejected] {
        let origin = response.header("access-control-allow-origin");
        assert_eq!(origin, Some("https://app.example"), "{}", response.headers);
        assert_eq!(response.header("vary"), Some("origin"));
    }
    let other = preflight.replace("app.example", "evil.example");
    assert_eq!(send(harness.addr(), "OPTIONS", "/v1/messages", &other, b"").status, 403);
    let health = get(harness.addr(), "/healthz", "");
    assert_eq!(health.header("access-control-allow-origin"), None);
}

#[test]
fn model_lists_come_in_the_clients_dialect() {
    let harness = Harness::new();
    let list = |path: &str, headers: &str| {
        let response = get(harness.addr(), path, headers);
        serde_json::from_slice::<Value>(&response.body).unwrap()
    };
    assert_eq!(list("/v1/models", "")["object"], "list");
    assert_eq!(list("/v1/models?limit=9", "anthropic-version: 2023-06-01\r\n")["has_more"], false);
    assert!(list("/v1beta/models", "")["models"].is_array());
    assert_eq!(list("/v1/models/sim/echo", "")["id"], "sim/echo");
    for name in ["nobody-has-this", "nobody/messages", "nobody/responses"] {
        assert_eq!(get(harness.addr(), &format!("/v1/models/{name}"), "").status, 404, "{name}");
    }
}

#[test]
fn a_get_on_a_post_path_fails_in_its_dialect() {
    let harness = Harness::new();
    let response = get(harness.addr(), "/v1/messages", "");
    assert_eq!(response.status, 405);
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(
        (&body["type"], &body["error"]["type"]),
        (&"error".into(), &"invalid_request_error".into())
    );
    assert_eq!(get(harness.addr(), "/api/turns/nobody-knows-it", "").status, 404);
}

#[test]
fn invalid_bodies_get_a_clear_error() {
    let harness = Harness::new();
    for client in CLIENTS {
        let path = (client.path)("sim/echo", false);
        for (body, expected) in [
            ("", "the body cannot be read"),
            ("{\"model\":", "line 1"),
            ("[1]", "expected a JSON object"),
            ("{\"model\":\"\\ud8\"}", "line 1"),
        ] {
            let response = post(harness.addr(), &path, "", body.as_bytes());
            assert_eq!(response.status, 400, "{} {body}", client.dialect);
            assert!(response.text().contains(expected), "{body}: {}", response.text());
        }
        let deep_body = format!("{{\"model\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(post(harness.addr(), &path, "", deep_body.as_bytes()).status, 400);
    }
    let unknown = "{\"model\":\"nobody-has-this\",\"messages\":[]}";
    let response = post(harness.addr(), "/v1/chat/completions", "", unknown.as_bytes());
    assert_eq!(response.status, 404);
    assert!(response.text().contains("nobody-has-this"), "{}", response.text());
}

#[test]
fn a_too_large_body_is_rejected_before_it_is_read() {
    let harness = Harness::with_config(|config| config.limits.body = 1000);
    let response = post(harness.addr(), "/v1/messages", "", "x".repeat(2000).as_bytes());
    assert_eq!(response.status, 413);
    assert!(response.text().contains("request_too_large"), "{}", response.text());
}

#[test]
fn upgrades_and_unknown_paths_get_an_error() {
    let harness = Harness::new();
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\n";
    assert_eq!(get(harness.addr(), "/v1/responses", upgrade).status, 426);
    assert_eq!(post(harness.addr(), "/v1/nothing", "", b"{}").status, 404);
    assert_eq!(get(harness.addr(), "/healthz", "").text(), "ok\n");
    assert_eq!(get(harness.addr(), "/readyz", "").status, 200);
}

#[test]
fn metrics_count_what_happened() {
    let harness = Harness::new();
    let request = (CLIENTS[0].first_request)("sim/echo", false, "Hi.");
    post(harness.addr(), "/v1/messages", "", request.to_string().as_bytes());
    let metrics = get(harness.addr(), "/metrics", "").text();
    assert!(metrics.contains("interlingua_requests_total{"), "{metrics}");
    assert!(metrics.contains("# HELP interlingua_requests_total "), "{metrics}");
    assert!(!metrics.contains("Hi."));
}

#[test]
fn rejected_requests_are_counted() {
    let harness = Harness::new();
    assert_eq!(get(harness.addr(), "/v1/models", "host: evil.example\r\n").status, 403);
    let metrics = get(harness.addr(), "/metrics", "").text();
    assert!(metrics.contains("interlingua_refused_total{kind=\"permission\"}"), "{metrics}");
}

#[test]
fn a_client_that_sends_no_head_is_disconnected() {
    let harness = Harness::with_config(|config| config.timeouts.head = Duration::from_millis(300));
    for start in [&b""[..], b"POST /v1/messages HTTP/1.1\r\nhost: loc"] {
        let mut stream = TcpStream::connect(harness.addr()).unwrap();
        stream.write_all(start).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let started = Instant::now();
        let mut read = Vec::new();
        let _ = stream.read_to_end(&mut read);
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }
}

#[test]
fn beyond_loopback_keys_are_required() {
    let any_addr = SocketAddr::from(([0, 0, 0, 0], 0));
    let runtime = Runtime::new().unwrap();
    let mut config = Config::from_env(&|_| None);
    let open_gateway = Gateway::new(config.clone()).unwrap();
    let rejected = runtime.block_on(async { open_gateway.start(any_addr) }).unwrap_err();
    assert_eq!(rejected.kind(), ErrorKind::PermissionDenied);

    let sha256 = Sha256::digest(b"secret").into();
    let (requests_per_minute, concurrent, tokens_per_day) = (None, None, None);
    let name = "one".to_owned();
    let key = ApiKey { name, sha256, requests_per_minute, concurrent, tokens_per_day };
    config.access.keys = vec![key];
    let locked_gateway = Gateway::new(config.clone()).unwrap();
    let handle = runtime.block_on(async { locked_gateway.start(any_addr).unwrap() });
    let at = SocketAddr::from(([127, 0, 0, 1], handle.addr.port()));
    let ask = |headers: &str| get(at, "/v1/models", headers).status;
    assert_eq!((ask(""), ask("x-api-key: secret\r\n")), (401, 200));
    // A reload cannot remove the keys of a gateway that listens beyond loopback.
    config.access.keys.clear();
    handle.gateway.reconfigure(config);
    assert_eq!((ask(""), ask("x-api-key: secret\r\n")), (401, 401));
    runtime.block_on(handle.stop());
}
