//! What providers and networks do wrong, and what becomes of it.

use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderValue;
use interlingua::model::{Blame, FailureKind, Retry};
use interlingua_upstream::retry::retry_after;
use interlingua_upstream::{Answer, Ask, Call, Failure, Provider, Timeouts, Upstream};
use tokio::net::TcpListener;

use crate::server::server;
use crate::world::{LIMIT, fails, hasty, played, provider, simulator, told, turn, upstream};

/// A streamed turn with a fault.
fn faulty<'a>(provider: &'a Provider, fault: &str) -> Call<'a> {
    let body = r#"{"model":"gpt-4.1","stream":true,"messages":[{"role":"user","content":"Count to ten."}]}"#;
    let ask = Ask::Turn { stream: true };
    let mut call = Call { ask, body: Bytes::from(body).into(), ..turn(provider) };
    call.headers.insert("x-sim-fault", HeaderValue::from_str(fault).unwrap());
    call
}

/// How a body ends: so many bytes, and what went wrong.
async fn end(mut answer: Answer) -> (usize, Option<Failure>) {
    let mut bytes = 0;
    while let Some(chunk) = answer.body.chunk().await {
        match chunk {
            Ok(chunk) => bytes += chunk.len(),
            Err(failure) => {
                assert!(answer.body.chunk().await.is_none(), "an error is the end");
                return (bytes, Some(failure));
            }
        }
    }
    (bytes, None)
}

#[tokio::test]
async fn no_answer() {
    let running = simulator();
    let openai = played("openai", "/v1", &running);
    let failure = fails(&upstream(), faulty(&openai, "reset")).await;
    assert_eq!((failure.blame, failure.kind), (Blame::Upstream, FailureKind::Upstream));
    assert_eq!((failure.status, failure.retry), (502, Retry::Yes));
    assert!(failure.to_string().contains("closed before an answer"), "{failure}");

    let failure = fails(&hasty(), faulty(&openai, "silent")).await;
    assert_eq!((failure.kind, failure.status), (FailureKind::Timeout, 504));
    assert_eq!(failure.retry, Retry::Yes);
    assert_eq!(failure.to_string(), "openai: no answer within 200 ms");
    running.stop().await;
}

#[tokio::test]
async fn half_an_answer() {
    let running = simulator();
    let openai = played("openai", "/v1", &running);
    for (fault, status, words) in [
        ("stall", 504, "the reply paused for more than 200 ms"),
        ("cut", 502, "closed before the reply was complete"),
        ("reset-midstream", 502, "closed before the reply was complete"),
        ("cut-character", 502, "closed before the reply was complete"),
    ] {
        let answer = hasty().call(faulty(&openai, fault)).await.unwrap();
        assert_eq!(answer.status, 200);
        let (bytes, failure) = end(answer).await;
        let failure = failure.unwrap();
        told(&failure, "openai");
        assert!(bytes > 0, "{fault}: what came before is kept");
        assert_eq!(failure.status, status, "{fault}");
        assert!(failure.to_string().contains(words), "{fault}: {failure}");
    }
    running.stop().await;
}

#[tokio::test]
async fn slow_is_not_silent() {
    let running = simulator();
    let openai = played("openai", "/v1", &running);
    let answer = hasty().call(faulty(&openai, "pause=50")).await.unwrap();
    let (bytes, failure) = end(answer).await;
    assert_eq!(failure, None, "longer than the limit as a whole, never as long without a word");
    assert!(bytes > 0);
    running.stop().await;
}

#[tokio::test]
async fn answers_that_are_errors_are_answers() {
    let running = simulator();
    let openai = played("openai", "/v1", &running);
    let answer = upstream().call(faulty(&openai, "429=7")).await.unwrap();
    assert_eq!(answer.status, 429);
    assert_eq!(retry_after(&answer.headers), Some(Duration::from_secs(7)));
    let answer = upstream().call(faulty(&openai, "html")).await.unwrap();
    assert_eq!(answer.status, 502);
    let page = answer.body.whole(LIMIT).await.unwrap();
    assert!(String::from_utf8_lossy(&page).contains("<html"));
    running.stop().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_refused() {
    let running = simulator();
    let openai = played("openai", "/v1", &running);
    let failure = fails(&upstream(), faulty(&openai, "gzip")).await;
    assert_eq!((failure.status, failure.retry), (502, Retry::No));
    assert_eq!(failure.to_string(), "openai: it compressed its reply unasked (gzip)");
    running.stop().await;
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_not_read() {
    let running = simulator();
    let openai = played("openai", "/v1", &running);
    let answer = upstream().call(faulty(&openai, "")).await.unwrap();
    let failure = answer.body.whole(100).await.unwrap_err();
    told(&failure, "openai");
    assert_eq!(failure.to_string(), "openai: its reply is larger than 100 bytes");
    running.stop().await;
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let (there, never) = server(|_, _| Some(crate::server::OK)).await;
    let answer = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{there}/v1/chat/completions\r\ncontent-length: 0\r\n\r\n"
    );
    let answer: &'static str = answer.leak();
    let (addr, _) = server(move |_, _| Some(answer)).await;
    let provider = provider(&format!("http://{addr}/v1"));
    let failure = fails(&upstream(), turn(&provider)).await;
    assert_eq!((failure.status, failure.retry), (502, Retry::No));
    assert!(failure.to_string().contains("redirect (307)"), "{failure}");
    assert!(never.heads().is_empty());
}

#[tokio::test]
async fn nobody_and_nonsense() {
    async fn asked(upstream: &Upstream, base: &str) -> Failure {
        let provider = provider(base);
        fails(upstream, turn(&provider)).await
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    drop(listener);
    let failure = asked(&upstream(), &format!("http://{addr}")).await;
    assert_eq!(failure.to_string(), "lab: nobody listens at its address (connection refused)");
    assert_eq!((failure.status, failure.retry), (502, Retry::Yes));

    let failure = asked(&upstream(), "http://nobody..invalid").await;
    assert_eq!(failure.to_string(), "lab: the name of its host has no address (DNS)");
    assert_eq!((failure.status, failure.retry), (502, Retry::Yes));

    let (addr, _) = server(|_, _| Some("SSH-2.0-OpenSSH_9.9\r\n\r\n")).await;
    let failure = asked(&upstream(), &format!("http://{addr}")).await;
    assert_eq!(failure.to_string(), "lab: what it answers is not HTTP");

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    // Of two waits that end at once, either may be the one that is told.
    let connect = Duration::from_millis(200);
    let hasty = Upstream::new(Timeouts { connect, ..Timeouts::default() }).unwrap();
    let failure = asked(&hasty, &format!("https://{addr}")).await;
    assert_eq!(failure.to_string(), "lab: no connection within 200 ms");
    assert_eq!((failure.kind, failure.retry), (FailureKind::Timeout, Retry::Yes));

    let failure = asked(&upstream(), "ftp://somewhere.example").await;
    assert_eq!(failure.retry, Retry::No);
}
