//! How answers end that come without TLS, however they arrive.

use std::time::Duration;

use bytes::Bytes;
use interlingua_upstream::Call;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use crate::server::{OK, hear, server};
use crate::world::{LIMIT, provider, turn, upstream};

/// What is said, what is read of it, and whether the connection serves again.
const ANSWERS: &[(&str, Result<&str, &str>, bool)] = &[
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
    ("HTTP/1.1 200 OK\r\n\r\nall that comes", Ok(ALL), false),
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
    ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncut", Err(CUT), false),
    ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\ncut", Err(CUT), false),
    ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\ncut\r\n", Err(CUT), false),
    ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\ncut\r\n0\r\n", Err(CUT), false),
    (
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nlonger\r\n0\r\n\r\n",
        Err(CUT),
        false,
    ),
    ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nmany\r\n", Err(CUT), false),
    ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nodd.", Err(NOT_HTTP), false),
    ("HTTP/1.1 200 OK\r\ncontent-length: some\r\n\r\nodd", Err(NOT_HTTP), false),
    ("HTTP/1.1 200 OK\r\ncontent-length: +3\r\n\r\nodd", Err(NOT_HTTP), false),
    ("HTTP/1.1 101 Switching Protocols\r\nupgrade: else\r\n\r\n", Err(NOT_HTTP), false),
    ("HTTP/1.1 OK\r\n\r\n", Err(NOT_HTTP), false),
    ("HTTP/1.1 200 OK\r\nhalf a he", Err(RESET), false),
];

const ALL: &str = "all that comes";
const CUT: &str = "lab: the connection was closed before the reply was complete";
const NOT_HTTP: &str = "lab: what it answers is not HTTP";
const RESET: &str = "lab: the connection was closed before an answer came";

#[tokio::test]
async fn answers_end_where_they_say() {
    for (said, expected, stays) in ANSWERS {
        for pieces in [1, said.len()] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let addr = listener.local_addr().unwrap();
            let again = tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                hear(&mut stream).await.unwrap();
                for piece in said.as_bytes().chunks(said.len() / pieces) {
                    // Who has heard enough hears no more.
                    let _ = stream.write_all(piece).await;
                    if pieces > 1 {
                        tokio::task::yield_now().await;
                    }
                }
                if expected.is_err() || said.ends_with(ALL) {
                    let _ = stream.shutdown().await;
                }
                hear(&mut stream).await.is_some()
            });
            let provider = provider(&format!("http://{addr}"));
            let upstream = upstream();
            let heard = match upstream.call(turn(&provider)).await {
                Ok(answer) => answer.body.whole(LIMIT).await,
                Err(failure) => Err(failure),
            };
            match (heard, expected) {
                (Ok(body), Ok(expected)) => assert_eq!(body, *expected, "{said:?}"),
                (Err(failure), Err(expected)) => {
                    assert_eq!(failure.to_string(), *expected, "{said:?}");
                }
                (heard, _) => panic!("{said:?}: {heard:?}"),
            }
            let (_, again) = tokio::join!(upstream.call(turn(&provider)), again);
            assert_eq!(again.unwrap(), *stays, "{said:?}");
        }
    }
}

#[tokio::test]
async fn one_that_says_more_than_it_was_asked_is_not_used_again() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwhole and more";
    let (addr, heard) = server(move |_, _| Some(answer)).await;
    let provider = provider(&format!("http://{addr}"));
    let upstream = upstream();
    for _ in 0..2 {
        let answer = upstream.call(turn(&provider)).await.unwrap();
        assert_eq!(answer.body.whole(LIMIT).await.unwrap(), "whole");
    }
    assert_eq!(heard.connections(), [0, 1]);
}

#[tokio::test]
async fn an_answer_may_come_before_the_question_is_over() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let refusal = "HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\n\r\nmuch";
        stream.write_all(refusal.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        drop(stream);
    });
    let provider = provider(&format!("http://{addr}"));
    let body = Bytes::from(vec![b' '; 32 << 20]).into();
    let answer = upstream().call(Call { body, ..turn(&provider) }).await.unwrap();
    assert_eq!(answer.status, 413);
    assert_eq!(answer.body.whole(LIMIT).await.unwrap(), "much");
    server.abort();
}

#[tokio::test]
async fn a_large_question_arrives_whole() {
    let (addr, heard) = server(|_, _| Some(OK)).await;
    let provider = provider(&format!("http://{addr}"));
    let upstream = upstream();
    for _ in 0..2 {
        let body = Bytes::from(vec![b' '; 10 << 20]).into();
        let answer = upstream.call(Call { body, ..turn(&provider) }).await.unwrap();
        assert_eq!(answer.body.whole(LIMIT).await.unwrap(), "{}");
    }
    assert_eq!(heard.connections(), [0, 0]);
    assert!(heard.last().contains("content-length: 10485760\r\n"));
}

#[tokio::test]
async fn a_long_answer_arrives_whole_however_it_comes() {
    let content: Vec<u8> = (0..1_324_588_u32).map(|at| (at % 251) as u8).collect();
    let expected = content.clone();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        hear(&mut stream).await.unwrap();
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head).await.unwrap();
        let mut rest = &content[..];
        // Little, much, and little again.
        for size in [3, 300_000, 5, 8 * 1024, 1, 16 * 1024, 1_000_000, 2, 1] {
            let piece;
            (piece, rest) = rest.split_at(size);
            let said = [format!("{size:x}\r\n").as_bytes(), piece, b"\r\n"].concat();
            stream.write_all(&said).await.unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(rest.is_empty());
        stream.write_all(b"0\r\n\r\n").await.unwrap();
    });
    let provider = provider(&format!("http://{addr}"));
    let answer = upstream().call(turn(&provider)).await.unwrap();
    let heard = answer.body.whole(2 * expected.len()).await.unwrap();
    assert!(heard == expected);
    server.await.unwrap();
}
