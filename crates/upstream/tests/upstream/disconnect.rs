//! Who drops a body ends the call.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::server::hear;
use crate::world::{provider, turn, upstream};

#[tokio::test]
async fn dropping_the_body_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (closed, told) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        hear(&mut stream).await.unwrap();
        let begun = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\n";
        stream.write_all(begun.as_bytes()).await.unwrap();
        // Nothing more comes, and nothing is heard until the other side is gone.
        let read = stream.read(&mut [0; 16]).await;
        assert!(!matches!(read, Ok(1..)));
        closed.send(Instant::now()).unwrap();
    });
    let provider = provider(&format!("http://{addr}"));
    let upstream = upstream();
    let mut answer = upstream.call(turn(&provider)).await.unwrap();
    assert_eq!(answer.body.chunk().await.unwrap().unwrap(), "begun");
    let dropped = Instant::now();
    drop(answer);
    let closed = timeout(Duration::from_secs(5), told).await.unwrap().unwrap();
    assert!(closed - dropped < Duration::from_millis(100), "{:?}", closed - dropped);
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (closed, told) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        hear(&mut stream).await.unwrap();
        let read = stream.read(&mut [0; 16]).await;
        assert!(!matches!(read, Ok(1..)));
        closed.send(()).unwrap();
    });
    let provider = provider(&format!("http://{addr}"));
    let upstream = upstream();
    assert!(timeout(Duration::from_millis(100), upstream.call(turn(&provider))).await.is_err());
    timeout(Duration::from_millis(200), told).await.unwrap().unwrap();
}
