//! Dropping a body or a call closes its connection.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::mock_server::read_request;
use crate::support::{test_provider, turn_request, upstream};

#[tokio::test]
async fn dropping_the_body_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (closed, on_close) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await.unwrap();
        let begun = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\n";
        stream.write_all(begun.as_bytes()).await.unwrap();
        // Sends nothing more, and waits until the peer has closed.
        let read = stream.read(&mut [0; 16]).await;
        assert!(!matches!(read, Ok(1..)));
        closed.send(Instant::now()).unwrap();
    });
    let provider = test_provider(&format!("http://{addr}"));
    let upstream = upstream();
    let mut response = upstream.call(turn_request(&provider)).await.unwrap();
    assert_eq!(response.body.chunk().await.unwrap().unwrap(), "begun");
    let dropped = Instant::now();
    drop(response);
    let closed = timeout(Duration::from_secs(5), on_close).await.unwrap().unwrap();
    assert!(closed - dropped < Duration::from_millis(100), "{:?}", closed - dropped);
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (closed, on_close) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await.unwrap();
        let read = stream.read(&mut [0; 16]).await;
        assert!(!matches!(read, Ok(1..)));
        closed.send(()).unwrap();
    });
    let provider = test_provider(&format!("http://{addr}"));
    let upstream = upstream();
    assert!(
        timeout(Duration::from_millis(100), upstream.call(turn_request(&provider))).await.is_err()
    );
    timeout(Duration::from_millis(200), on_close).await.unwrap().unwrap();
}
