//! Faults of providers and networks, and the errors that they become.

use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderValue;
use interlingua_model::{ApiErrorKind, ErrorOrigin, RetryAdvice};
use interlingua_upstream::retry::retry_after;
use interlingua_upstream::{
    ApiError, Operation, Provider, Timeouts, UpstreamClient, UpstreamRequest, UpstreamResponse,
};
use tokio::net::TcpListener;

use crate::mock_server::mock_server;
use crate::support::{
    BODY_LIMIT, assert_names_provider, call_error, simulated_provider, simulator, test_provider,
    turn_request, upstream, upstream_with_short_timeouts,
};

/// A streamed turn with a fault.
fn request_with_fault<'a>(provider: &'a Provider, fault: &str) -> UpstreamRequest<'a> {
    let body = r#"{"model":"gpt-4.1","stream":true,"messages":[{"role":"user","content":"Count to ten."}]}"#;
    let operation = Operation::Turn { stream: true };
    let mut call =
        UpstreamRequest { operation, body: Bytes::from(body).into(), ..turn_request(provider) };
    call.headers.insert("x-sim-fault", HeaderValue::from_str(fault).unwrap());
    call
}

/// How a body ends: number of bytes, and the error.
async fn drain(mut response: UpstreamResponse) -> (usize, Option<ApiError>) {
    let mut bytes = 0;
    while let Some(chunk) = response.body.chunk().await {
        match chunk {
            Ok(chunk) => bytes += chunk.len(),
            Err(error) => {
                assert!(response.body.chunk().await.is_none(), "an error is the end");
                return (bytes, Some(error));
            }
        }
    }
    (bytes, None)
}

#[tokio::test]
async fn no_response() {
    let running = simulator();
    let openai = simulated_provider("openai", "/v1", &running);
    let error = call_error(&upstream(), request_with_fault(&openai, "reset")).await;
    assert_eq!((error.origin, error.kind), (ErrorOrigin::Upstream, ApiErrorKind::ServerError));
    assert_eq!((error.status, error.retry), (502, RetryAdvice::Yes));
    assert!(error.to_string().contains("closed before the response"), "{error}");

    let error =
        call_error(&upstream_with_short_timeouts(), request_with_fault(&openai, "silent")).await;
    assert_eq!((error.kind, error.status), (ApiErrorKind::Timeout, 504));
    assert_eq!(error.retry, RetryAdvice::Yes);
    assert_eq!(error.to_string(), "openai: no response within 200 ms");
    running.stop().await;
}

#[tokio::test]
async fn half_a_response() {
    let running = simulator();
    let openai = simulated_provider("openai", "/v1", &running);
    for (fault, status, message) in [
        ("stall", 504, "the reply paused for more than 200 ms"),
        ("cut", 502, "closed before the reply was complete"),
        ("reset-midstream", 502, "closed before the reply was complete"),
        ("cut-character", 502, "closed before the reply was complete"),
    ] {
        let response =
            upstream_with_short_timeouts().call(request_with_fault(&openai, fault)).await.unwrap();
        assert_eq!(response.status, 200);
        let (bytes, error) = drain(response).await;
        let error = error.unwrap();
        assert_names_provider(&error, "openai");
        assert!(bytes > 0, "{fault}: what came before is kept");
        assert_eq!(error.status, status, "{fault}");
        assert!(error.to_string().contains(message), "{fault}: {error}");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_slow_body_does_not_time_out() {
    let running = simulator();
    let openai = simulated_provider("openai", "/v1", &running);
    let response =
        upstream_with_short_timeouts().call(request_with_fault(&openai, "pause=50")).await.unwrap();
    let (bytes, error) = drain(response).await;
    assert_eq!(error, None, "longer than the limit as a whole, never as long without a word");
    assert!(bytes > 0);
    running.stop().await;
}

#[tokio::test]
async fn error_responses_are_responses() {
    let running = simulator();
    let openai = simulated_provider("openai", "/v1", &running);
    let response = upstream().call(request_with_fault(&openai, "429=7")).await.unwrap();
    assert_eq!(response.status, 429);
    assert_eq!(retry_after(&response.headers), Some(Duration::from_secs(7)));
    let response = upstream().call(request_with_fault(&openai, "html")).await.unwrap();
    assert_eq!(response.status, 502);
    let page = response.body.collect(BODY_LIMIT).await.unwrap();
    assert!(String::from_utf8_lossy(&page).contains("<html"));
    running.stop().await;
}

#[tokio::test]
async fn an_unreadable_encoding_is_rejected() {
    let running = simulator();
    let openai = simulated_provider("openai", "/v1", &running);
    let error = call_error(&upstream(), request_with_fault(&openai, "gzip")).await;
    assert_eq!((error.status, error.retry), (502, RetryAdvice::No));
    assert_eq!(
        error.to_string(),
        "openai: its response has a content encoding that was not requested (gzip)"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_body_above_the_limit_is_not_read() {
    let running = simulator();
    let openai = simulated_provider("openai", "/v1", &running);
    let response = upstream().call(request_with_fault(&openai, "")).await.unwrap();
    let error = response.body.collect(100).await.unwrap_err();
    assert_names_provider(&error, "openai");
    assert_eq!(error.to_string(), "openai: its response is larger than 100 bytes");
    running.stop().await;
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let (target, requests) = mock_server(|_, _| Some(crate::mock_server::OK_RESPONSE)).await;
    let answer = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{target}/v1/chat/completions\r\ncontent-length: 0\r\n\r\n"
    );
    let answer: &'static str = answer.leak();
    let (addr, _) = mock_server(move |_, _| Some(answer)).await;
    let provider = test_provider(&format!("http://{addr}/v1"));
    let error = call_error(&upstream(), turn_request(&provider)).await;
    assert_eq!((error.status, error.retry), (502, RetryAdvice::No));
    assert!(error.to_string().contains("redirect (307)"), "{error}");
    assert!(requests.heads().is_empty());
}

#[tokio::test]
async fn unreachable_and_invalid_addresses() {
    async fn asked(upstream: &UpstreamClient, base: &str) -> ApiError {
        let provider = test_provider(base);
        call_error(upstream, turn_request(&provider)).await
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    drop(listener);
    let error = asked(&upstream(), &format!("http://{addr}")).await;
    assert_eq!(error.to_string(), "lab: no server listens at its address (connection refused)");
    assert_eq!((error.status, error.retry), (502, RetryAdvice::Yes));

    let error = asked(&upstream(), "http://nobody..invalid").await;
    assert_eq!(error.to_string(), "lab: the host name has no address (DNS)");
    assert_eq!((error.status, error.retry), (502, RetryAdvice::Yes));

    let (addr, _) = mock_server(|_, _| Some("SSH-2.0-OpenSSH_9.9\r\n\r\n")).await;
    let error = asked(&upstream(), &format!("http://{addr}")).await;
    assert_eq!(error.to_string(), "lab: its response is not HTTP");

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    // If both timers elapse together, either may be reported.
    let connect = Duration::from_millis(200);
    let hasty = UpstreamClient::new(Timeouts { connect, ..Timeouts::default() }).unwrap();
    let error = asked(&hasty, &format!("https://{addr}")).await;
    assert_eq!(error.to_string(), "lab: no connection within 200 ms");
    assert_eq!((error.kind, error.retry), (ApiErrorKind::Timeout, RetryAdvice::Yes));

    let error = asked(&upstream(), "ftp://somewhere.example").await;
    assert_eq!(error.retry, RetryAdvice::No);
}
