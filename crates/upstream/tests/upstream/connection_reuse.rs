//! Connections are reused; a request on one that was closed is sent again.

use interlingua_upstream::UpstreamBody;

use crate::mock_server::{OK_RESPONSE, mock_server};
use crate::support::{BODY_LIMIT, call_error, test_provider, turn_request, upstream};

#[tokio::test]
async fn a_connection_is_reused() {
    let (addr, recorded_requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let provider = test_provider(&format!("http://{addr}"));
    let upstream = upstream();
    for _ in 0..3 {
        let body: UpstreamBody = upstream.call(turn_request(&provider)).await.unwrap().body;
        assert_eq!(body.collect(BODY_LIMIT).await.unwrap(), "{}");
    }
    assert_eq!(recorded_requests.connections(), [0, 0, 0]);
}

#[tokio::test]
async fn a_stale_connection_is_replaced_silently() {
    // The second request on a connection is read, and the connection closed.
    let (addr, recorded_requests) =
        mock_server(|_, request| (request == 0).then_some(OK_RESPONSE)).await;
    let provider = test_provider(&format!("http://{addr}"));
    let upstream = upstream();
    for _ in 0..2 {
        let response = upstream.call(turn_request(&provider)).await.unwrap();
        assert_eq!(response.body.collect(BODY_LIMIT).await.unwrap(), "{}");
    }
    assert_eq!(recorded_requests.connections(), [0, 0, 1]);
}

#[tokio::test]
async fn a_request_is_sent_again_only_once() {
    let (addr, recorded_requests) =
        mock_server(|connection, request| (connection + request == 0).then_some(OK_RESPONSE)).await;
    let provider = test_provider(&format!("http://{addr}"));
    let upstream = upstream();
    upstream.call(turn_request(&provider)).await.unwrap().body.collect(BODY_LIMIT).await.unwrap();
    call_error(&upstream, turn_request(&provider)).await;
    assert_eq!(recorded_requests.connections(), [0, 0, 1]);
}

#[tokio::test]
async fn a_new_connection_that_closes_is_an_error() {
    let (addr, recorded_requests) = mock_server(|_, _| None).await;
    let provider = test_provider(&format!("http://{addr}"));
    call_error(&upstream(), turn_request(&provider)).await;
    assert_eq!(recorded_requests.connections(), [0]);
}
