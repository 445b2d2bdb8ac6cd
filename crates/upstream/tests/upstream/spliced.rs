//! A question whose parts lie apart arrives as one, on every way there is.

use std::net::SocketAddr;

use http::HeaderValue;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use interlingua::{Doc, Json, Limits, Text};
use interlingua_upstream::{Authority, Call, Provider};
use tokio::net::TcpListener;

use crate::tls::{own, respond, secure};
use crate::world::{provider, turn, upstream};

/// Says it with a model of another name, and hears what arrived.
async fn arrived(provider: &Provider, question: &str) -> String {
    let doc = Doc::parse(question.into(), Limits::default()).unwrap();
    let named = Json::string(&Text::new("another"));
    let body = doc.with(doc.root().get("model").unwrap(), &named);
    let mut call = Call { body, ..turn(provider) };
    call.headers.insert("x-echo", HeaderValue::from_static("1"));
    let answer = upstream().call(call).await.unwrap();
    let heard = answer.body.whole(64 << 20).await.unwrap();
    String::from_utf8(heard.to_vec()).unwrap()
}

async fn plain() -> SocketAddr {
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
async fn parts_that_lie_apart_arrive_as_one() {
    let own = own("127.0.0.1", false);
    let authority = Authority::read(own.pem.as_bytes()).unwrap();
    let mut ways = vec![provider(&format!("http://{}", plain().await))];
    for protocols in [&["h2"][..], &["http/1.1"]] {
        let (addr, _) = secure(&own, protocols).await;
        let provider = provider(&format!("https://{addr}"));
        ways.push(provider.with_authority(authority.clone()));
    }
    for length in [0, 10, 20_000, 8 << 20] {
        let long = "a long story ".repeat(length / 13);
        let question =
            |model: &str| format!(r#"{{"before":"{long}","model":"{model}","after":"{long}"}}"#);
        for (at, provider) in ways.iter().enumerate() {
            let heard = arrived(provider, &question("some-model")).await;
            assert!(heard == question("another"), "{length} on way {at}");
        }
    }
}
