//! Tests of providers behind an HTTP proxy.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use interlingua::find_dialect;
use interlingua_gateway::config::Proxies;
use interlingua_upstream::Provider;

use crate::client::{CLIENTS, post};
use crate::harness::Harness;
use crate::raw_server::raw_server;

/// A proxy that always returns `response` and forwards the requests to the receiver.
fn proxy(response: &'static str) -> (SocketAddr, Receiver<String>) {
    let (sender, receiver) = channel();
    let addr = raw_server(move |mut stream, request| {
        // The test may be over.
        let _ = sender.send(request);
        stream.write_all(response.as_bytes()).unwrap();
    });
    (addr, receiver)
}

/// A gateway with a proxy in its environment, and a provider that only the proxy can resolve.
fn harness(variable: &'static str, proxy: SocketAddr, base: &str) -> Harness {
    let lab = Provider::new("lab", find_dialect("openai-chat").unwrap(), base.parse().unwrap());
    Harness::with_config(move |config| {
        config.providers = vec![Arc::new(lab.with_api_key(&"key-of-the-lab".into()))];
        let env = |name: &str| (name == variable).then(|| format!("http://me:pass@{proxy}"));
        config.proxies = Arc::new(Proxies::from_env(&env));
    })
}

#[test]
fn the_proxy_of_the_environment_is_used() {
    let (proxy, receiver) = proxy(REPLY);
    let gateway = harness("HTTP_PROXY", proxy, "http://lab.invalid/v1");
    let client = &CLIENTS[0];
    let request = (client.first_request)("lab/any", false, "Hi.");
    let reply = client.request_turn(gateway.addr(), "lab/any", false, &request).unwrap();
    assert_eq!((client.text)(&reply), "Through the proxy.");
    let head = receiver.recv().unwrap();
    assert!(head.starts_with("POST http://lab.invalid/v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("proxy-authorization: Basic "), "{head}");
}

#[test]
fn an_https_provider_is_tunneled_and_the_proxy_gets_no_key() {
    let (proxy, receiver) = proxy("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    let gateway = harness("HTTPS_PROXY", proxy, "https://lab.invalid/v1");
    let request = (CLIENTS[0].first_request)("lab/any", false, "Hi.").to_string();
    let response = post(gateway.addr(), "/v1/messages", "", request.as_bytes());
    assert_eq!(response.status, 502);
    assert!(response.text().contains("\"type\":\"api_error\""), "{}", response.text());
    assert!(response.text().contains("cannot be reached through the proxy"), "{}", response.text());
    let head = receiver.recv().unwrap();
    assert!(head.starts_with("CONNECT lab.invalid:443 HTTP/1.1\r\n"), "{head}");
    assert!(!head.contains("key-of-the-lab"), "{head}");
}

const REPLY: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\
    {\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"any\",\"choices\":[{\"index\":0,\
    \"message\":{\"role\":\"assistant\",\"content\":\"Through the proxy.\"},\"finish_reason\":\"stop\"}],\
    \"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"total_tokens\":2}}";
