//! Connections that are kept, and what happens when one was closed meanwhile.

use interlingua_upstream::Body;

use crate::server::{OK, server};
use crate::world::{LIMIT, fails, provider, turn, upstream};

#[tokio::test]
async fn a_connection_serves_again() {
    let (addr, heard) = server(|_, _| Some(OK)).await;
    let provider = provider(&format!("http://{addr}"));
    let upstream = upstream();
    for _ in 0..3 {
        let body: Body = upstream.call(turn(&provider)).await.unwrap().body;
        assert_eq!(body.whole(LIMIT).await.unwrap(), "{}");
    }
    assert_eq!(heard.connections(), [0, 0, 0]);
}

#[tokio::test]
async fn a_kept_connection_that_was_closed_is_nobodys_business() {
    // The second request on a connection is heard, and the connection closed.
    let (addr, heard) = server(|_, request| (request == 0).then_some(OK)).await;
    let provider = provider(&format!("http://{addr}"));
    let upstream = upstream();
    for _ in 0..2 {
        let answer = upstream.call(turn(&provider)).await.unwrap();
        assert_eq!(answer.body.whole(LIMIT).await.unwrap(), "{}");
    }
    assert_eq!(heard.connections(), [0, 0, 1]);
}

#[tokio::test]
async fn it_is_tried_once_more_and_not_again() {
    let (addr, heard) =
        server(|connection, request| (connection + request == 0).then_some(OK)).await;
    let provider = provider(&format!("http://{addr}"));
    let upstream = upstream();
    upstream.call(turn(&provider)).await.unwrap().body.whole(LIMIT).await.unwrap();
    fails(&upstream, turn(&provider)).await;
    assert_eq!(heard.connections(), [0, 0, 1]);
}

#[tokio::test]
async fn a_new_connection_that_ends_is_a_failure() {
    let (addr, heard) = server(|_, _| None).await;
    let provider = provider(&format!("http://{addr}"));
    fails(&upstream(), turn(&provider)).await;
    assert_eq!(heard.connections(), [0]);
}
