//! Whom to trust, and what is said when there is no trust.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use interlingua::model::Retry;
use interlingua_upstream::{Authority, Upstream};
use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::world::{LIMIT, fails, provider, turn, upstream};

/// A server's certificate, which is its own authority.
pub(crate) struct Own {
    pub(crate) pem: String,
    chain: Vec<CertificateDer<'static>>,
    key: KeyPair,
}

pub(crate) fn own(host: &str, expired: bool) -> Own {
    let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(if expired { 2021 } else { 2999 }, 1, 1);
    let key = KeyPair::generate().unwrap();
    // No two have the same name: that would look like a forgery.
    let name = format!("{:?}", key.public_key_raw().last_chunk::<8>().unwrap());
    params.distinguished_name.push(DnType::CommonName, name);
    let certificate = params.self_signed(&key).unwrap();
    Own { pem: certificate.pem(), chain: vec![certificate.der().clone()], key }
}

/// Listens with a certificate and speaks the protocols; gives the number of connections, too.
pub(crate) async fn secure(own: &Own, protocols: &[&str]) -> (SocketAddr, Arc<AtomicUsize>) {
    let key = PrivateKeyDer::try_from(own.key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(own.chain.clone(), key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, count) = (acceptor.clone(), Arc::clone(&count));
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                count.fetch_add(1, Ordering::Relaxed);
                let second = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                let stream = TokioIo::new(stream);
                let service = service_fn(respond);
                let _ = if second {
                    hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                        .max_concurrent_streams(100)
                        .serve_connection(stream, service)
                        .await
                } else {
                    hyper::server::conn::http1::Builder::new()
                        .serve_connection(stream, service)
                        .await
                };
            });
        }
    });
    (addr, made)
}

/// Says which protocol is spoken, or what was asked; where asked to, it never ends.
pub(crate) async fn respond(request: Request<Incoming>) -> Result<Response<Said>, hyper::Error> {
    let version = Bytes::from(format!("{:?}", request.version()));
    let asked = |name: &str| request.headers().contains_key(name);
    let (endless, echo) = (asked("x-endless"), asked("x-echo"));
    let body = request.into_body().collect().await?.to_bytes();
    let words = if echo { body } else { version };
    Ok(Response::new(if endless { Said::Nothing } else { Said::Words(Some(words)) }))
}

pub(crate) enum Said {
    Words(Option<Bytes>),
    /// And it does not end.
    Nothing,
}

impl http_body::Body for Said {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Words(words) => Poll::Ready(words.take().map(|words| Ok(Frame::data(words)))),
            Self::Nothing => Poll::Pending,
        }
    }
}

async fn refused(upstream: &Upstream, addr: SocketAddr, trusted: &Own) -> String {
    let authority = Authority::read(trusted.pem.as_bytes()).unwrap();
    let provider = provider(&format!("https://{addr}")).with_authority(authority);
    let failure = fails(upstream, turn(&provider)).await;
    assert_eq!((failure.status, failure.retry), (502, Retry::No));
    let message = failure.to_string();
    message.strip_prefix("lab: no secure connection: ").unwrap().to_owned()
}

/// Says something to whoever connects, and closes the connection.
async fn saying(words: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            // What is not read would make the end a reset.
            let _ = stream.read(&mut [0; 4096]).await;
            stream.write_all(words).await.unwrap();
        }
    });
    addr
}

#[tokio::test]
async fn no_trust_no_call_and_a_clear_word() {
    let upstream = upstream();
    let (mine, other) = (own("127.0.0.1", false), own("127.0.0.1", false));
    let (addr, _) = secure(&mine, &["http/1.1"]).await;
    let words = refused(&upstream, addr, &other).await;
    assert!(words.contains("comes from nobody this machine trusts (self-signed"), "{words}");

    let elsewhere = own("elsewhere.example", false);
    let (addr, _) = secure(&elsewhere, &["http/1.1"]).await;
    assert_eq!(refused(&upstream, addr, &elsewhere).await, "its certificate is for another host");

    let old = own("127.0.0.1", true);
    let (addr, _) = secure(&old, &["http/1.1"]).await;
    assert_eq!(refused(&upstream, addr, &old).await, "its certificate has expired");

    let addr = saying(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    let words = refused(&upstream, addr, &mine).await;
    assert_eq!(words, "what answers there does not speak TLS");

    let addr = saying(b"").await;
    let words = refused(&upstream, addr, &mine).await;
    assert_eq!(words, "it closed the connection during the handshake");
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_for_its_provider_alone() {
    let own = own("127.0.0.1", false);
    let authority = Authority::read(own.pem.as_bytes()).unwrap();
    let upstream = upstream();
    for (protocols, spoken) in [(&["h2", "http/1.1"][..], "HTTP/2.0"), (&["http/1.1"], "HTTP/1.1")]
    {
        let (addr, _) = secure(&own, protocols).await;
        let lab = provider(&format!("https://{addr}"));
        let trusted = lab.clone().with_authority(authority.clone());
        let answer = upstream.call(turn(&trusted)).await.unwrap();
        assert_eq!(answer.body.whole(LIMIT).await.unwrap(), spoken);
        fails(&upstream, turn(&lab)).await;
    }
    assert!(Authority::read(b"no certificate").is_err());
}

#[tokio::test]
async fn many_calls_do_not_wait_for_one_connection() {
    let own = own("127.0.0.1", false);
    let (addr, made) = secure(&own, &["h2"]).await;
    let authority = Authority::read(own.pem.as_bytes()).unwrap();
    let provider = provider(&format!("https://{addr}")).with_authority(authority);
    let upstream = upstream();
    let mut endless = turn(&provider);
    endless.headers.insert("x-endless", http::HeaderValue::from_static("1"));
    let mut open = Vec::new();
    for _ in 0..250 {
        open.push(upstream.call(endless.clone()).await.unwrap());
    }
    let connections = made.load(Ordering::Relaxed);
    assert!((4..=6).contains(&connections), "{connections}");
    drop(open);
    for _ in 0..50 {
        upstream.call(turn(&provider)).await.unwrap().body.whole(LIMIT).await.unwrap();
    }
    assert_eq!(made.load(Ordering::Relaxed), connections, "they are used again");
}
