//! Tests of odd spellings of keys and paths: none opens what needs a key, and none reads a file.

use std::net::SocketAddr;

use interlingua_gateway::config::StoreLocation;

use crate::client::{get, post, send};
use crate::harness::Harness;
use crate::keys::{auth_header, key};

const BODY: &[u8] =
    br#"{"model":"sim/echo","max_tokens":9,"messages":[{"role":"user","content":"Hi."}]}"#;

fn harness() -> Harness {
    Harness::with_config(|config| {
        config.access.keys = vec![key("the-operators-key"), key("second")];
    })
}

fn statuses(at: SocketAddr, headers: &str) -> [u16; 2] {
    let headers = format!("{headers}\r\n");
    [post(at, "/v1/messages", &headers, BODY).status, get(at, "/api/keys", &headers).status]
}

#[test]
fn only_a_whole_key_in_a_known_header_opens() {
    let first = harness();
    for header in [
        "authorization: Bearer the-operators-key",
        "Authorization: bearer the-operators-key",
        "x-api-key: the-operators-key",
        "x-goog-api-key: the-operators-key",
        "api-key: the-operators-key",
    ] {
        assert_eq!(statuses(first.addr(), header), [200, 200], "{header}");
    }
    let others = [
        "authorization:",
        "authorization: Bearer",
        "authorization: Bearer ",
        "authorization: Bearer null",
        "authorization: Bearer undefined",
        "authorization: Bearer *",
        "authorization: Bearer the-operators-ke",
        "authorization: Bearer the-operators-keyy",
        "authorization: Bearer THE-OPERATORS-KEY",
        "authorization: Bearer the-operators-key,second",
        "authorization: Bearer the-operators-key second",
        "authorization: Bearer \"the-operators-key\"",
        "authorization: Bearer Bearer the-operators-key",
        "authorization: Bearer the-operators-key%00",
        "authorization: Basic dGhlLW9wZXJhdG9ycy1rZXk6",
        "authorization: Digest the-operators-key",
        "authorization: Token the-operators-key",
        "proxy-authorization: Bearer the-operators-key",
        "x-api-key: Bearer the-operators-key",
        "x-api-key: the-operators-key; second",
        "x_api_key: the-operators-key",
        "cookie: authorization=the-operators-key; key=the-operators-key",
        "x-forwarded-authorization: Bearer the-operators-key",
        "x-original-authorization: Bearer the-operators-key",
        "x-forwarded-for: 127.0.0.1",
        "x-real-ip: 127.0.0.1",
        "x-interlingua-owner: the-operators-key",
        "x-remote-user: the-operators-key",
    ];
    // An address that guesses too often gets 429.
    for few in others.chunks(6) {
        let harness = harness();
        for header in few {
            assert_eq!(statuses(harness.addr(), header), [401, 401], "{header}");
        }
    }
    let query = "?key=wrong&api_key=the-operators-key&access_token=the-operators-key";
    assert_eq!(get(first.addr(), &format!("/api/keys{query}"), "").status, 401);
}

#[test]
fn no_spelling_of_a_path_goes_around_the_key() {
    for path in [
        "/api/keys",
        "//api/keys",
        "/api//keys",
        "/api/keys/",
        "/./api/keys",
        "/healthz/../api/keys",
        "/ui/../api/keys",
        "/ui/..%2fapi/keys",
        "/ui/%2e%2e/api/keys",
        "/ui;/api/keys",
        "/api/keys;x=/healthz",
        "/api/keys?/healthz",
        "/api/keys#/healthz",
        "/api/%6beys",
        "/API/KEYS",
        "/api/keys%00/healthz",
        "/healthz/api/keys",
        "/readyz/../metrics",
        "/metrics",
        "/api/turns",
        "/api/events",
        "/v1/models",
        "/api/usage",
    ] {
        let harness = harness();
        for method in ["GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "TRACE", "get"] {
            let response = send(harness.addr(), method, path, "", b"");
            // A page of the UI, or an answer that says nothing.
            let is_file = path.starts_with("/ui") && [200, 404].contains(&response.status);
            let is_refused = (400..500).contains(&response.status) && response.status != 429;
            let text = response.text();
            assert!(is_file || is_refused, "{method} {path}: {} {text}", response.status);
            assert!(!text.contains("\"second\""), "{method} {path}: {text}");
        }
    }
}

#[test]
fn no_path_reads_a_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret.txt"), "s3cret-of-a-file").unwrap();
    let harness = Harness::with_config(|config| {
        config.access.keys = vec![key("ann")];
        config.store.location = StoreLocation::Sqlite(folder.path().join("store.db"));
    });
    let (up, secret) = ("../".repeat(12), folder.path().join("secret.txt"));
    let absolute = secret.to_str().unwrap();
    let relative = format!("{up}{}", absolute.trim_start_matches('/'));
    let encoded = [
        relative.clone(),
        relative.replace('/', "%2f"),
        relative.replace("../", "%2e%2e/"),
        relative.replace("../", "%2e%2e%2f"),
        relative.replace("../", "..%5c"),
        relative.replace("../", "....//"),
        relative.replace("../", "%252e%252e%252f"),
        relative.replace("../", "..;/"),
        format!("{relative}%00.html"),
        absolute.to_owned(),
        format!("file://{absolute}"),
        "../../../../etc/passwd".to_owned(),
    ];
    for form in &encoded {
        for begin in [
            "/",
            "/ui/",
            "/ui/assets/",
            "/api/turns/",
            "/api/sessions/",
            "/v1/responses/",
            "/v1/models/",
            "/v1beta/models/",
        ] {
            let path = format!("{begin}{form}");
            let response = get(harness.addr(), &path, &auth_header("ann"));
            let text = response.text();
            assert!(
                !text.contains("s3cret-of-a-file") && !text.contains("root:"),
                "{path}: {text}"
            );
            assert!(response.status < 500, "{path}: {}", response.status);
        }
    }
}
