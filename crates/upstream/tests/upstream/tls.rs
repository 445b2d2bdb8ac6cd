//! Trusted and untrusted certificates, and the errors of untrusted ones.

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
use interlingua_model::RetryAdvice;
use interlingua_upstream::{CaBundle, UpstreamClient};
use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::support::{BODY_LIMIT, call_error, test_provider, turn_request, upstream};

/// A self-signed server certificate.
pub(crate) struct SelfSigned {
    pub(crate) pem: String,
    chain: Vec<CertificateDer<'static>>,
    key: KeyPair,
}

pub(crate) fn self_signed(host: &str, expired: bool) -> SelfSigned {
    let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(if expired { 2021 } else { 2999 }, 1, 1);
    let key = KeyPair::generate().unwrap();
    // Serial numbers differ: two certificates with the same one would look like a forgery.
    let name = format!("{:?}", key.public_key_raw().last_chunk::<8>().unwrap());
    params.distinguished_name.push(DnType::CommonName, name);
    let certificate = params.self_signed(&key).unwrap();
    SelfSigned { pem: certificate.pem(), chain: vec![certificate.der().clone()], key }
}

/// Listens with a certificate and offers these protocols; also counts connections.
pub(crate) async fn tls_server(
    self_signed: &SelfSigned,
    protocols: &[&str],
) -> (SocketAddr, Arc<AtomicUsize>) {
    let key = PrivateKeyDer::try_from(self_signed.key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(self_signed.chain.clone(), key)
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

/// Responds with the protocol or the requested path; some responses do not end.
pub(crate) async fn respond(
    request: Request<Incoming>,
) -> Result<Response<TestBody>, hyper::Error> {
    let version = Bytes::from(format!("{:?}", request.version()));
    let is_requested = |name: &str| request.headers().contains_key(name);
    let (endless, echo) = (is_requested("x-endless"), is_requested("x-echo"));
    let body = request.into_body().collect().await?.to_bytes();
    let text = if echo { body } else { version };
    Ok(Response::new(if endless { TestBody::Endless } else { TestBody::Data(Some(text)) }))
}

pub(crate) enum TestBody {
    Data(Option<Bytes>),
    /// A body without an end.
    Endless,
}

impl http_body::Body for TestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Data(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Self::Endless => Poll::Pending,
        }
    }
}

async fn tls_error_text(
    upstream: &UpstreamClient,
    addr: SocketAddr,
    trusted: &SelfSigned,
) -> String {
    let authority = CaBundle::from_pem(trusted.pem.as_bytes()).unwrap();
    let provider = test_provider(&format!("https://{addr}")).with_ca_bundle(authority);
    let error = call_error(upstream, turn_request(&provider)).await;
    assert_eq!((error.status, error.retry), (502, RetryAdvice::No));
    let message = error.to_string();
    message.strip_prefix("lab: no secure connection: ").unwrap().to_owned()
}

/// Sends these bytes to every client, and closes the connection.
async fn raw_server(text: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            // Unread data would turn the close into a reset.
            let _ = stream.read(&mut [0; 4096]).await;
            stream.write_all(text).await.unwrap();
        }
    });
    addr
}

#[tokio::test]
async fn an_untrusted_certificate_fails_with_a_clear_message() {
    let upstream = upstream();
    let (trusted, untrusted) = (self_signed("127.0.0.1", false), self_signed("127.0.0.1", false));
    let (addr, _) = tls_server(&trusted, &["http/1.1"]).await;
    let text = tls_error_text(&upstream, addr, &untrusted).await;
    assert!(
        text.contains("was not issued by an authority that this machine trusts (self-signed"),
        "{text}"
    );

    let elsewhere = self_signed("elsewhere.example", false);
    let (addr, _) = tls_server(&elsewhere, &["http/1.1"]).await;
    assert_eq!(
        tls_error_text(&upstream, addr, &elsewhere).await,
        "its certificate is for another host"
    );

    let old = self_signed("127.0.0.1", true);
    let (addr, _) = tls_server(&old, &["http/1.1"]).await;
    assert_eq!(tls_error_text(&upstream, addr, &old).await, "its certificate has expired");

    let addr = raw_server(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    let text = tls_error_text(&upstream, addr, &trusted).await;
    assert_eq!(text, "the server does not speak TLS");

    let addr = raw_server(b"").await;
    let text = tls_error_text(&upstream, addr, &trusted).await;
    assert_eq!(text, "the server closed the connection during the handshake");
}

#[tokio::test]
async fn a_ca_bundle_is_trusted_for_its_provider_alone() {
    let certificate = self_signed("127.0.0.1", false);
    let authority = CaBundle::from_pem(certificate.pem.as_bytes()).unwrap();
    let upstream = upstream();
    for (protocols, spoken) in [(&["h2", "http/1.1"][..], "HTTP/2.0"), (&["http/1.1"], "HTTP/1.1")]
    {
        let (addr, _) = tls_server(&certificate, protocols).await;
        let lab = test_provider(&format!("https://{addr}"));
        let trusted = lab.clone().with_ca_bundle(authority.clone());
        let response = upstream.call(turn_request(&trusted)).await.unwrap();
        assert_eq!(response.body.collect(BODY_LIMIT).await.unwrap(), spoken);
        call_error(&upstream, turn_request(&lab)).await;
    }
    assert!(CaBundle::from_pem(b"no certificate").is_err());
}

#[tokio::test]
async fn many_calls_are_not_queued_on_one_connection() {
    let certificate = self_signed("127.0.0.1", false);
    let (addr, made) = tls_server(&certificate, &["h2"]).await;
    let authority = CaBundle::from_pem(certificate.pem.as_bytes()).unwrap();
    let provider = test_provider(&format!("https://{addr}")).with_ca_bundle(authority);
    let upstream = upstream();
    let mut endless = turn_request(&provider);
    endless.headers.insert("x-endless", http::HeaderValue::from_static("1"));
    let mut open = Vec::new();
    for _ in 0..250 {
        open.push(upstream.call(endless.clone()).await.unwrap());
    }
    let connections = made.load(Ordering::Relaxed);
    assert!((4..=6).contains(&connections), "{connections}");
    drop(open);
    for _ in 0..50 {
        upstream
            .call(turn_request(&provider))
            .await
            .unwrap()
            .body
            .collect(BODY_LIMIT)
            .await
            .unwrap();
    }
    assert_eq!(made.load(Ordering::Relaxed), connections, "they are used again");
}
