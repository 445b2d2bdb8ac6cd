//! Request heads are reused while nothing in them changes.

use bytes::Bytes;
use http::HeaderValue;
use interlingua_upstream::{Operation, UpstreamRequest};
use secrecy::SecretString;
use url::Url;

use crate::mock_server::{OK_RESPONSE, mock_server};
use crate::support::{BODY_LIMIT, test_provider, turn_request, upstream};

#[tokio::test]
async fn a_head_is_reused_only_if_nothing_differs() {
    let (addr, recorded_requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let upstream = upstream();
    let ask = async |call: UpstreamRequest<'_>| {
        upstream.call(call).await.unwrap().body.collect(BODY_LIMIT).await.unwrap();
        recorded_requests.last()
    };
    let lab = test_provider(&format!("http://{addr}/v1"));
    let first = ask(turn_request(&lab)).await;
    assert!(first.contains("/v1/"), "{first}");
    assert_eq!(ask(turn_request(&lab)).await, first);

    let streamed =
        ask(UpstreamRequest { operation: Operation::Turn { stream: true }, ..turn_request(&lab) })
            .await;
    assert!(streamed.contains("text/event-stream"), "{streamed}");
    let longer =
        ask(UpstreamRequest { body: Bytes::from_static(&[b' '; 77]).into(), ..turn_request(&lab) })
            .await;
    assert!(longer.contains("content-length: 77\r\n"), "{longer}");
    let mut call = turn_request(&lab);
    call.headers.insert("anthropic-beta", HeaderValue::from_static("one"));
    let with_beta = ask(call).await;
    assert!(with_beta.contains("anthropic-beta: one\r\n"), "{with_beta}");

    let mut marked = lab.clone();
    marked.headers.insert("x-team", HeaderValue::from_static("blue"));
    let marked = ask(turn_request(&marked)).await;
    assert!(marked.contains("x-team: blue\r\n"), "{marked}");
    let elsewhere = Url::parse(&format!("http://{addr}/v2")).unwrap();
    let moved = ask(turn_request(&lab.clone().with_base_url(&elsewhere))).await;
    assert!(moved.contains("/v2/"), "{moved}");

    assert_eq!(ask(turn_request(&lab)).await, first);
    let other_key = ask(turn_request(&lab.with_api_key(&SecretString::from("another")))).await;
    assert!(other_key.contains("Bearer another\r\n"), "{other_key}");
}
