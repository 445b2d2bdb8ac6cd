//! The simulator behind a door as real providers have one: TLS, and HTTP/2 over it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use http::uri::{Authority, Scheme};
use http::{Request, Response, Uri, Version};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::generate_simple_self_signed;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

type Inside = Client<HttpConnector, Incoming>;

/// A door that is open as long as this is there.
pub(crate) struct Door {
    pub(crate) at: SocketAddr,
    _runtime: Runtime,
}

impl Door {
    /// Opens it before a server; who vouches for it is written into a file.
    pub(crate) fn before(server: SocketAddr, vouching: &Path) -> Result<Self, String> {
        let own = generate_simple_self_signed([server.ip().to_string()]).map_err(said)?;
        std::fs::write(vouching, own.cert.pem()).map_err(said)?;
        let key = PrivateKeyDer::try_from(own.signing_key.serialize_der())?;
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(said)?
            .with_no_client_auth()
            .with_single_cert(vec![own.cert.der().clone()], key);
        let mut config = config.map_err(said)?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        let runtime = Runtime::new().map_err(said)?;
        let listening = TcpListener::bind((server.ip(), 0));
        let listener = runtime.block_on(listening).map_err(said)?;
        let at = listener.local_addr().map_err(said)?;
        runtime.spawn(open(listener, TlsAcceptor::from(Arc::new(config)), server));
        Ok(Self { at, _runtime: runtime })
    }
}

async fn open(listener: TcpListener, acceptor: TlsAcceptor, server: SocketAddr) {
    let inside = Client::builder(TokioExecutor::new()).build_http();
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, acceptor.clone(), inside.clone(), server));
    }
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, inside: Inside, server: SocketAddr) {
    // Who cannot agree on a key hears of it in the handshake.
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let service = service_fn(move |request| pass_on(inside.clone(), server, request));
    let serving = http2::Builder::new(TokioExecutor::new());
    // What goes wrong on a connection shows at its other end.
    let _ = serving.serve_connection(TokioIo::new(stream), service).await;
}

async fn pass_on(
    inside: Inside,
    server: SocketAddr,
    mut request: Request<Incoming>,
) -> Result<Response<Incoming>, Box<dyn std::error::Error + Send + Sync>> {
    let mut uri = std::mem::take(request.uri_mut()).into_parts();
    uri.scheme = Some(Scheme::HTTP);
    uri.authority = Some(Authority::try_from(server.to_string())?);
    *request.uri_mut() = Uri::from_parts(uri)?;
    *request.version_mut() = Version::HTTP_11;
    Ok(inside.request(request).await?)
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
