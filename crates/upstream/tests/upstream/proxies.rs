//! Calls through a proxy.

use std::sync::Arc;

use interlingua_upstream::{Proxies, Timeouts, UpstreamClient};

use crate::mock_server::{OK_RESPONSE, mock_server};
use crate::support::{KEY, call_error, test_provider, turn_request};

fn upstream_via_proxy(proxy: &str, variable: &str, no: &str) -> UpstreamClient {
    let env = |name: &str| match name {
        "no_proxy" => Some(no.to_owned()),
        name => (name == variable).then(|| proxy.to_owned()),
    };
    UpstreamClient::with_proxies(Timeouts::default(), Arc::new(Proxies::from_env(&env))).unwrap()
}

#[tokio::test]
async fn a_cleartext_request_has_an_absolute_uri() {
    let (addr, requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let upstream = upstream_via_proxy(&format!("http://me:{KEY}@{addr}"), "HTTP_PROXY", "");
    let provider = test_provider("http://lab.invalid/v1");
    assert_eq!(upstream.call(turn_request(&provider)).await.unwrap().status, 200);
    let head = requests.last();
    assert!(head.starts_with("POST http://lab.invalid/v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("host: lab.invalid\r\n"), "{head}");
    assert!(head.contains("proxy-authorization: Basic "), "{head}");
    assert!(!format!("{upstream:?}").contains(KEY));
}

#[tokio::test]
async fn a_tls_request_uses_a_tunnel() {
    let refused = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
    let (addr, requests) = mock_server(move |_, _| Some(refused)).await;
    let upstream = upstream_via_proxy(&format!("http://{addr}"), "https_proxy", "");
    let provider = test_provider("https://lab.invalid/v1");
    let error = call_error(&upstream, turn_request(&provider)).await;
    assert_eq!(error.to_string(), "lab: it cannot be reached through the proxy");
    let head = requests.last();
    assert!(head.starts_with("CONNECT lab.invalid:443 HTTP/1.1\r\n"), "{head}");
    assert!(!head.contains(KEY), "the key is not for the proxy: {head}");
}

#[tokio::test]
async fn some_hosts_bypass_the_proxy() {
    let (proxy, through_proxy) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let upstream = upstream_via_proxy(&format!("http://{proxy}"), "ALL_PROXY", "lab.invalid");
    call_error(&upstream, turn_request(&test_provider("http://lab.invalid"))).await;
    let (addr, requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    upstream.call(turn_request(&test_provider(&format!("http://{addr}")))).await.unwrap();
    assert_eq!(requests.heads().len(), 1, "this machine is not behind a proxy");
    assert!(through_proxy.heads().is_empty());
}

#[tokio::test]
async fn an_unsupported_proxy_is_an_error() {
    let upstream = upstream_via_proxy("socks5://127.0.0.1:1", "ALL_PROXY", "");
    let error = call_error(&upstream, turn_request(&test_provider("http://lab.invalid"))).await;
    assert!(error.to_string().contains("HTTP proxies"), "{error}");
}
