//! Providers that are reached through a proxy.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use interlingua::find;
use interlingua_gateway::config::Proxies;
use interlingua_upstream::Provider;

use crate::client::{CLIENTS, post};
use crate::house::House;
use crate::raw::server;

/// Says the same to whoever comes, and tells what it heard.
fn proxy(says: &'static str) -> (SocketAddr, Receiver<String>) {
    let (tell, told) = channel();
    let addr = server(move |mut stream, heard| {
        // The test may be over.
        let _ = tell.send(heard);
        stream.write_all(says.as_bytes()).unwrap();
    });
    (addr, told)
}

/// A gateway whose environment names a proxy, with one provider that only the proxy can find.
fn house(variable: &'static str, proxy: SocketAddr, base: &str) -> House {
    let lab = Provider::new("lab", find("openai-chat").unwrap(), base.parse().unwrap());
    House::with(move |config| {
        config.providers = vec![Arc::new(lab.with_key(&"key-of-the-lab".into()))];
        let env = |name: &str| (name == variable).then(|| format!("http://me:pass@{proxy}"));
        config.proxies = Arc::new(Proxies::read(&env));
    })
}

#[test]
fn the_proxy_of_the_environment_is_asked() {
    let (proxy, told) = proxy(REPLY);
    let house = house("HTTP_PROXY", proxy, "http://lab.invalid/v1");
    let client = &CLIENTS[0];
    let request = (client.begin)("lab/any", false, "Hi.");
    let reply = client.ask(house.addr(), "lab/any", false, &request).unwrap();
    assert_eq!((client.text)(&reply), "Through the proxy.");
    let head = told.recv().unwrap();
    assert!(head.starts_with("POST http://lab.invalid/v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("proxy-authorization: Basic "), "{head}");
}

#[test]
fn a_secure_provider_gets_a_tunnel_and_the_proxy_no_key() {
    let (proxy, told) = proxy("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    let house = house("HTTPS_PROXY", proxy, "https://lab.invalid/v1");
    let request = (CLIENTS[0].begin)("lab/any", false, "Hi.").to_string();
    let answer = post(house.addr(), "/v1/messages", "", request.as_bytes());
    assert_eq!(answer.status, 502);
    assert!(answer.text().contains("\"type\":\"api_error\""), "{}", answer.text());
    assert!(answer.text().contains("no way to it through the proxy"), "{}", answer.text());
    let head = told.recv().unwrap();
    assert!(head.starts_with("CONNECT lab.invalid:443 HTTP/1.1\r\n"), "{head}");
    assert!(!head.contains("key-of-the-lab"), "{head}");
}

const REPLY: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\
    {\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"any\",\"choices\":[{\"index\":0,\
    \"message\":{\"role\":\"assistant\",\"content\":\"Through the proxy.\"},\"finish_reason\":\"stop\"}],\
    \"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"total_tokens\":2}}";
