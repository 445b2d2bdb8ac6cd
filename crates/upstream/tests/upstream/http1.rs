//! Ends of HTTP/1 responses, in every chunking.

use std::time::Duration;

use bytes::Bytes;
use interlingua_upstream::UpstreamRequest;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use crate::mock_server::{OK_RESPONSE, mock_server, read_request};
use crate::support::{BODY_LIMIT, test_provider, turn_request, upstream};

/// The response, what is read of it, and whether the connection is reusable.
const RESPONSES: &[(&str, Result<&str, &str>, bool)] = &[
    ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwhole", Ok("whole"), true),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nwhole", Ok("whole"), true),
    ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", Ok(""), true),
    ("HTTP/1.1 200\ncontent-length: 5\n\nwhole", Ok("whole"), true),
    ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nwhole", Ok("whole"), false),
    ("HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nwhole", Ok("whole"), false),
    (
        "HTTP/1.0 200 OK\r\ncontent-length: 5\r\nconnection: keep-alive\r\n\r\nwhole",
        Ok("whole"),
        true,
    ),
    ("HTTP/1.1 200 OK\r\n\r\nall that comes", Ok(UNTIL_CLOSE_BODY), false),
    ("HTTP/1.1 204 No Content\r\n\r\n", Ok(""), true),
    ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", Ok("{}"), true),
    (
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nin \r\n6\r\npieces\r\n0\r\n\r\n",
        Ok("in pieces"),
        true,
    ),
    (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\nA;why=not\r\n0123456789\r\n0\r\nlast: words\r\n\r\n",
        Ok("0123456789"),
        true,
    ),
    (
        "HTTP/1.1 200 OK\r\ncontent-length: 99\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        Ok("{}"),
        false,
    ),
    ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncut", Err(INCOMPLETE), false),
    ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\ncut", Err(INCOMPLETE), false),
    ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\ncut\r\n", Err(INCOMPLETE), false),
    (
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\ncut\r\n0\r\n",
        Err(INCOMPLETE),
        false,
    ),
    (
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nlonger\r\n0\r\n\r\n",
        Err(INCOMPLETE),
        false,
    ),
    ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nmany\r\n", Err(INCOMPLETE), false),
    ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nodd.", Err(NOT_HTTP), false),
    ("HTTP/1.1 200 OK\r\ncontent-length: some\r\n\r\nodd", Err(NOT_HTTP), false),
    ("HTTP/1.1 200 OK\r\ncontent-length: +3\r\n\r\nodd", Err(NOT_HTTP), false),
    ("HTTP/1.1 101 Switching Protocols\r\nupgrade: else\r\n\r\n", Err(NOT_HTTP), false),
    ("HTTP/1.1 OK\r\n\r\n", Err(NOT_HTTP), false),
    ("HTTP/1.1 200 OK\r\nhalf a he", Err(RESET), false),
];

const UNTIL_CLOSE_BODY: &str = "all that comes";
const INCOMPLETE: &str = "lab: the connection was closed before the reply was complete";
const NOT_HTTP: &str = "lab: its response is not HTTP";
const RESET: &str = "lab: the connection was closed before the response";

#[tokio::test]
async fn responses_end_where_their_framing_says() {
    for (response_text, expected, is_reusable) in RESPONSES {
        for pieces in [1, response_text.len()] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let addr = listener.local_addr().unwrap();
            let second_request = tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                read_request(&mut stream).await.unwrap();
                for piece in response_text.as_bytes().chunks(response_text.len() / pieces) {
                    // The server closes after its last response.
                    let _ = stream.write_all(piece).await;
                    if pieces > 1 {
                        tokio::task::yield_now().await;
                    }
                }
                if expected.is_err() || response_text.ends_with(UNTIL_CLOSE_BODY) {
                    let _ = stream.shutdown().await;
                }
                read_request(&mut stream).await.is_some()
            });
            let provider = test_provider(&format!("http://{addr}"));
            let upstream = upstream();
            let outcome = match upstream.call(turn_request(&provider)).await {
                Ok(response) => response.body.collect(BODY_LIMIT).await,
                Err(error) => Err(error),
            };
            match (outcome, expected) {
                (Ok(body), Ok(expected)) => assert_eq!(body, *expected, "{response_text:?}"),
                (Err(error), Err(expected)) => {
                    assert_eq!(error.to_string(), *expected, "{response_text:?}");
                }
                (outcome, _) => panic!("{response_text:?}: {outcome:?}"),
            }
            let (_, second_request) =
                tokio::join!(upstream.call(turn_request(&provider)), second_request);
            assert_eq!(second_request.unwrap(), *is_reusable, "{response_text:?}");
        }
    }
}

#[tokio::test]
async fn a_connection_with_excess_bytes_is_not_reused() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwhole and more";
    let (addr, recorded_requests) = mock_server(move |_, _| Some(answer)).await;
    let provider = test_provider(&format!("http://{addr}"));
    let upstream = upstream();
    for _ in 0..2 {
        let response = upstream.call(turn_request(&provider)).await.unwrap();
        assert_eq!(response.body.collect(BODY_LIMIT).await.unwrap(), "whole");
    }
    assert_eq!(recorded_requests.connections(), [0, 1]);
}

#[tokio::test]
async fn a_response_may_precede_the_end_of_the_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let refusal = "HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\n\r\nmuch";
        stream.write_all(refusal.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        drop(stream);
    });
    let provider = test_provider(&format!("http://{addr}"));
    let body = Bytes::from(vec![b' '; 32 << 20]).into();
    let response =
        upstream().call(UpstreamRequest { body, ..turn_request(&provider) }).await.unwrap();
    assert_eq!(response.status, 413);
    assert_eq!(response.body.collect(BODY_LIMIT).await.unwrap(), "much");
    server.abort();
}

#[tokio::test]
async fn a_large_request_arrives_complete() {
    let (addr, recorded_requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let provider = test_provider(&format!("http://{addr}"));
    let upstream = upstream();
    for _ in 0..2 {
        let body = Bytes::from(vec![b' '; 10 << 20]).into();
        let response =
            upstream.call(UpstreamRequest { body, ..turn_request(&provider) }).await.unwrap();
        assert_eq!(response.body.collect(BODY_LIMIT).await.unwrap(), "{}");
    }
    assert_eq!(recorded_requests.connections(), [0, 0]);
    assert!(recorded_requests.last().contains("content-length: 10485760\r\n"));
}

#[tokio::test]
async fn a_long_response_arrives_complete_in_any_chunks() {
    let content: Vec<u8> = (0..1_324_588_u32).map(|at| (at % 251) as u8).collect();
    let expected = content.clone();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        read_request(&mut stream).await.unwrap();
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head).await.unwrap();
        let mut rest = &content[..];
        // Small, large, and small chunks again.
        for size in [3, 300_000, 5, 8 * 1024, 1, 16 * 1024, 1_000_000, 2, 1] {
            let piece;
            (piece, rest) = rest.split_at(size);
            let response_text = [format!("{size:x}\r\n").as_bytes(), piece, b"\r\n"].concat();
            stream.write_all(&response_text).await.unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(rest.is_empty());
        stream.write_all(b"0\r\n\r\n").await.unwrap();
    });
    let provider = test_provider(&format!("http://{addr}"));
    let response = upstream().call(turn_request(&provider)).await.unwrap();
    let outcome = response.body.collect(2 * expected.len()).await.unwrap();
    assert!(outcome == expected);
    server.await.unwrap();
}
