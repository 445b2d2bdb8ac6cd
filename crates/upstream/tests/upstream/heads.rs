//! What is said before a turn, which is kept ready while nothing about it is different.

use bytes::Bytes;
use http::HeaderValue;
use interlingua_upstream::{Ask, Call};
use secrecy::SecretString;
use url::Url;

use crate::server::{OK, server};
use crate::world::{LIMIT, provider, turn, upstream};

#[tokio::test]
async fn a_head_is_said_again_only_where_nothing_is_different() {
    let (addr, heard) = server(|_, _| Some(OK)).await;
    let upstream = upstream();
    let ask = async |call: Call<'_>| {
        upstream.call(call).await.unwrap().body.whole(LIMIT).await.unwrap();
        heard.last()
    };
    let lab = provider(&format!("http://{addr}/v1"));
    let usual = ask(turn(&lab)).await;
    assert!(usual.contains("/v1/"), "{usual}");
    assert_eq!(ask(turn(&lab)).await, usual);

    let streamed = ask(Call { ask: Ask::Turn { stream: true }, ..turn(&lab) }).await;
    assert!(streamed.contains("text/event-stream"), "{streamed}");
    let longer = ask(Call { body: Bytes::from_static(&[b' '; 77]).into(), ..turn(&lab) }).await;
    assert!(longer.contains("content-length: 77\r\n"), "{longer}");
    let mut call = turn(&lab);
    call.headers.insert("anthropic-beta", HeaderValue::from_static("one"));
    let with_beta = ask(call).await;
    assert!(with_beta.contains("anthropic-beta: one\r\n"), "{with_beta}");

    let mut marked = lab.clone();
    marked.headers.insert("x-team", HeaderValue::from_static("blue"));
    let marked = ask(turn(&marked)).await;
    assert!(marked.contains("x-team: blue\r\n"), "{marked}");
    let elsewhere = Url::parse(&format!("http://{addr}/v2")).unwrap();
    let moved = ask(turn(&lab.clone().with_base(&elsewhere))).await;
    assert!(moved.contains("/v2/"), "{moved}");

    assert_eq!(ask(turn(&lab)).await, usual);
    let other_key = ask(turn(&lab.with_key(&SecretString::from("another")))).await;
    assert!(other_key.contains("Bearer another\r\n"), "{other_key}");
}
