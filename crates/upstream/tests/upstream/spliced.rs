//! A body in several slices arrives as one, over HTTP/1 and HTTP/2.

use std::net::SocketAddr;

use http::HeaderValue;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use interlingua::{JsonDoc, JsonLimits, JsonString, RawJson};
use interlingua_upstream::{CaBundle, Provider, UpstreamRequest};
use tokio::net::TcpListener;

use crate::support::{test_provider, turn_request, upstream};
use crate::tls::{respond, self_signed, tls_server};

/// Sends the body with another model, and returns what arrived.
async fn echoed_body(provider: &Provider, question: &str) -> String {
    let doc = JsonDoc::parse(question.into(), JsonLimits::default()).unwrap();
    let named = RawJson::string(&JsonString::new("another"));
    let body = doc.replace(doc.root().get("model").unwrap(), &named);
    let mut call = UpstreamRequest { body, ..turn_request(provider) };
    call.headers.insert("x-echo", HeaderValue::from_static("1"));
    let response = upstream().call(call).await.unwrap();
    let received = response.body.collect(64 << 20).await.unwrap();
    String::from_utf8(received.to_vec()).unwrap()
}

async fn cleartext_echo_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let server = hyper::server::conn::http1::Builder::new();
            tokio::spawn(server.serve_connection(TokioIo::new(stream), service_fn(respond)));
        }
    });
    addr
}

#[tokio::test]
async fn slices_arrive_as_one_body() {
    let certificate = self_signed("127.0.0.1", false);
    let authority = CaBundle::from_pem(certificate.pem.as_bytes()).unwrap();
    let mut ways = vec![test_provider(&format!("http://{}", cleartext_echo_server().await))];
    for protocols in [&["h2"][..], &["http/1.1"]] {
        let (addr, _) = tls_server(&certificate, protocols).await;
        let provider = test_provider(&format!("https://{addr}"));
        ways.push(provider.with_ca_bundle(authority.clone()));
    }
    for length in [0, 10, 20_000, 8 << 20] {
        let long = "a long story ".repeat(length / 13);
        let question =
            |model: &str| format!(r#"{{"before":"{long}","model":"{model}","after":"{long}"}}"#);
        for (at, provider) in ways.iter().enumerate() {
            let received = echoed_body(provider, &question("some-model")).await;
            assert!(received == question("another"), "{length} on way {at}");
        }
    }
}
