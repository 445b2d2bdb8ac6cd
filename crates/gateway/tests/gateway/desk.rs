//! What the front desk lets in, and what it says to the rest.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use interlingua_gateway::Gateway;
use interlingua_gateway::config::{Config, Key};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::runtime::Runtime;

use crate::client::{CLIENTS, get, post, send};
use crate::house::House;

#[test]
fn the_models_that_are_built_in_need_nothing() {
    let house = House::with(|config| config.providers.clear());
    for client in CLIENTS {
        for stream in [false, true] {
            let model = "sim/echo";
            let request = (client.begin)(model, stream, "Say this back.");
            let reply = client.ask(house.addr(), model, stream, &request).unwrap();
            assert_eq!((client.text)(&reply), "Say this back.", "{}", client.dialect);
        }
    }
}

#[test]
fn pages_of_other_sites_are_turned_away() {
    let house = House::build();
    let ask = |headers: &str| get(house.addr(), "/v1/models", headers).status;
    assert_eq!(ask("host: localhost:8787\r\n"), 200);
    assert_eq!(ask("host: evil.example\r\n"), 403);
    assert_eq!(ask("host: 0.0.0.0\r\n"), 403);
    assert_eq!(ask("origin: https://evil.example\r\n"), 403);
    let port = house.addr().port();
    assert_eq!(ask(&format!("origin: http://127.0.0.1:{port}\r\n")), 200);
    assert_eq!(ask(&format!("origin: http://localhost:{port}\r\n")), 200);
    let other = port ^ 1;
    assert_eq!(ask(&format!("origin: http://127.0.0.1:{other}\r\n")), 403, "of another program");
    assert_eq!(ask("host: localhost\r\nhost: evil.example\r\n"), 403);
    assert_eq!(ask("sec-fetch-site: cross-site\r\n"), 403);
}

#[test]
fn pages_that_are_named_may_ask_and_read_the_answer() {
    let house = House::with(|config| {
        config.access.origins = vec!["https://app.example".into()];
        let sha256 = Sha256::digest(b"a-key").into();
        let (requests_per_minute, concurrent, tokens_per_day) = (None, None, None);
        let name = "a".into();
        config.access.keys =
            vec![Key { name, sha256, requests_per_minute, concurrent, tokens_per_day }];
    });
    let page = "origin: https://app.example\r\n";
    let asks = format!(
        "{page}access-control-request-method: POST\r\naccess-control-request-headers: authorization\r\n"
    );
    let permitted = send(house.addr(), "OPTIONS", "/v1/messages", &asks, b"");
    assert_eq!(permitted.status, 204, "{}", permitted.text());
    assert_eq!(permitted.header("access-control-allow-headers"), Some("authorization"));
    let answer = get(house.addr(), "/v1/models", &format!("{page}authorization: Bearer a-key\r\n"));
    let refused = get(house.addr(), "/v1/models", page);
    assert_eq!((answer.status, refused.status), (200, 401));
    for answer in [permitted, answer, refused] {
        let origin = answer.header("access-control-allow-origin");
        assert_eq!(origin, Some("https://app.example"), "{}", answer.headers);
        assert_eq!(answer.header("vary"), Some("origin"));
    }
    let other = asks.replace("app.example", "evil.example");
    assert_eq!(send(house.addr(), "OPTIONS", "/v1/messages", &other, b"").status, 403);
    let own = get(house.addr(), "/healthz", "");
    assert_eq!(own.header("access-control-allow-origin"), None);
}

#[test]
fn lists_come_in_the_dialect_of_who_asks() {
    let house = House::build();
    let list = |path: &str, headers: &str| {
        let answer = get(house.addr(), path, headers);
        serde_json::from_slice::<Value>(&answer.body).unwrap()
    };
    assert_eq!(list("/v1/models", "")["object"], "list");
    assert_eq!(list("/v1/models?limit=9", "anthropic-version: 2023-06-01\r\n")["has_more"], false);
    assert!(list("/v1beta/models", "")["models"].is_array());
    assert_eq!(list("/v1/models/sim/echo", "")["id"], "sim/echo");
    for name in ["nobody-has-this", "nobody/messages", "nobody/responses"] {
        assert_eq!(get(house.addr(), &format!("/v1/models/{name}"), "").status, 404, "{name}");
    }
}

#[test]
fn a_path_that_is_posted_to_says_so_in_its_own_dialect() {
    let house = House::build();
    let asked = get(house.addr(), "/v1/messages", "");
    assert_eq!(asked.status, 405);
    let said: Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!(
        (&said["type"], &said["error"]["type"]),
        (&"error".into(), &"invalid_request_error".into())
    );
    assert_eq!(get(house.addr(), "/api/turns/nobody-knows-it", "").status, 404);
}

#[test]
fn bad_bodies_get_one_clear_error() {
    let house = House::build();
    for client in CLIENTS {
        let path = (client.path)("sim/echo", false);
        for (body, words) in [
            ("", "the body cannot be read"),
            ("{\"model\":", "line 1"),
            ("[1]", "expected a JSON object"),
            ("{\"model\":\"\\ud8\"}", "line 1"),
        ] {
            let answer = post(house.addr(), &path, "", body.as_bytes());
            assert_eq!(answer.status, 400, "{} {body}", client.dialect);
            assert!(answer.text().contains(words), "{body}: {}", answer.text());
        }
        let deep = format!("{{\"model\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(post(house.addr(), &path, "", deep.as_bytes()).status, 400);
    }
    let unknown = "{\"model\":\"nobody-has-this\",\"messages\":[]}";
    let answer = post(house.addr(), "/v1/chat/completions", "", unknown.as_bytes());
    assert_eq!(answer.status, 404);
    assert!(answer.text().contains("nobody-has-this"), "{}", answer.text());
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_read() {
    let house = House::with(|config| config.limits.body = 1000);
    let answer = post(house.addr(), "/v1/messages", "", "x".repeat(2000).as_bytes());
    assert_eq!(answer.status, 413);
    assert!(answer.text().contains("request_too_large"), "{}", answer.text());
}

#[test]
fn upgrades_and_strange_paths_are_answered() {
    let house = House::build();
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\n";
    assert_eq!(get(house.addr(), "/v1/responses", upgrade).status, 426);
    assert_eq!(post(house.addr(), "/v1/nothing", "", b"{}").status, 404);
    assert_eq!(get(house.addr(), "/healthz", "").text(), "ok\n");
    assert_eq!(get(house.addr(), "/readyz", "").status, 200);
}

#[test]
fn metrics_count_what_happened() {
    let house = House::build();
    let request = (CLIENTS[0].begin)("sim/echo", false, "Hi.");
    post(house.addr(), "/v1/messages", "", request.to_string().as_bytes());
    let metrics = get(house.addr(), "/metrics", "").text();
    assert!(metrics.contains("interlingua_requests_total{"), "{metrics}");
    assert!(metrics.contains("# HELP interlingua_requests_total "), "{metrics}");
    assert!(!metrics.contains("Hi."));
}

#[test]
fn whoever_is_turned_away_is_counted() {
    let house = House::build();
    assert_eq!(get(house.addr(), "/v1/models", "host: evil.example\r\n").status, 403);
    let metrics = get(house.addr(), "/metrics", "").text();
    assert!(metrics.contains("interlingua_refused_total{kind=\"permission\"}"), "{metrics}");
}

#[test]
fn who_says_nothing_is_not_waited_for() {
    let house = House::with(|config| config.timeouts.head = Duration::from_millis(300));
    for start in [&b""[..], b"POST /v1/messages HTTP/1.1\r\nhost: loc"] {
        let mut stream = TcpStream::connect(house.addr()).unwrap();
        stream.write_all(start).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let began = Instant::now();
        let mut read = Vec::new();
        let _ = stream.read_to_end(&mut read);
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
}

#[test]
fn beyond_the_loopback_nobody_comes_in_without_a_key() {
    let any = SocketAddr::from(([0, 0, 0, 0], 0));
    let runtime = Runtime::new().unwrap();
    let mut config = Config::from_nothing(&|_| None);
    let open = Gateway::new(config.clone()).unwrap();
    let refused = runtime.block_on(async { open.start(any) }).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::PermissionDenied);

    let sha256 = Sha256::digest(b"secret").into();
    let (requests_per_minute, concurrent, tokens_per_day) = (None, None, None);
    let name = "one".to_owned();
    let key = Key { name, sha256, requests_per_minute, concurrent, tokens_per_day };
    config.access.keys = vec![key];
    let locked = Gateway::new(config.clone()).unwrap();
    let running = runtime.block_on(async { locked.start(any).unwrap() });
    let at = SocketAddr::from(([127, 0, 0, 1], running.addr.port()));
    let ask = |headers: &str| get(at, "/v1/models", headers).status;
    assert_eq!((ask(""), ask("x-api-key: secret\r\n")), (401, 200));
    // A file may say that the gateway is at the loopback before it is.
    config.access.keys.clear();
    running.gateway.reconfigure(config);
    assert_eq!((ask(""), ask("x-api-key: secret\r\n")), (401, 401));
    runtime.block_on(running.stop());
}
