//! The way through a proxy.

use std::sync::Arc;

use interlingua_upstream::{Proxies, Timeouts, Upstream};

use crate::server::{OK, server};
use crate::world::{KEY, fails, provider, turn};

fn through(proxy: &str, variable: &str, no: &str) -> Upstream {
    let env = |name: &str| match name {
        "no_proxy" => Some(no.to_owned()),
        name => (name == variable).then(|| proxy.to_owned()),
    };
    Upstream::through(Timeouts::default(), Arc::new(Proxies::read(&env))).unwrap()
}

#[tokio::test]
async fn a_plain_request_tells_the_proxy_where_it_goes() {
    let (addr, told) = server(|_, _| Some(OK)).await;
    let upstream = through(&format!("http://me:{KEY}@{addr}"), "HTTP_PROXY", "");
    let provider = provider("http://lab.invalid/v1");
    assert_eq!(upstream.call(turn(&provider)).await.unwrap().status, 200);
    let head = told.last();
    assert!(head.starts_with("POST http://lab.invalid/v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("host: lab.invalid\r\n"), "{head}");
    assert!(head.contains("proxy-authorization: Basic "), "{head}");
    assert!(!format!("{upstream:?}").contains(KEY));
}

#[tokio::test]
async fn a_secure_one_gets_a_tunnel() {
    let refused = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
    let (addr, told) = server(move |_, _| Some(refused)).await;
    let upstream = through(&format!("http://{addr}"), "https_proxy", "");
    let provider = provider("https://lab.invalid/v1");
    let failure = fails(&upstream, turn(&provider)).await;
    assert_eq!(failure.to_string(), "lab: there is no way to it through the proxy");
    let head = told.last();
    assert!(head.starts_with("CONNECT lab.invalid:443 HTTP/1.1\r\n"), "{head}");
    assert!(!head.contains(KEY), "the key is not for the proxy: {head}");
}

#[tokio::test]
async fn some_are_asked_directly() {
    let (proxy, through_proxy) = server(|_, _| Some(OK)).await;
    let upstream = through(&format!("http://{proxy}"), "ALL_PROXY", "lab.invalid");
    fails(&upstream, turn(&provider("http://lab.invalid"))).await;
    let (addr, told) = server(|_, _| Some(OK)).await;
    upstream.call(turn(&provider(&format!("http://{addr}")))).await.unwrap();
    assert_eq!(told.heads().len(), 1, "this machine is not behind a proxy");
    assert!(through_proxy.heads().is_empty());
}

#[tokio::test]
async fn a_proxy_of_another_kind_is_refused_with_words() {
    let upstream = through("socks5://127.0.0.1:1", "ALL_PROXY", "");
    let failure = fails(&upstream, turn(&provider("http://lab.invalid"))).await;
    assert!(failure.to_string().contains("HTTP proxies"), "{failure}");
}
