//! A proxy in front of the simulator with TLS and HTTP/2, like real providers.

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

type PlainClient = Client<HttpConnector, Incoming>;

/// A running proxy, until it is dropped.
pub(crate) struct TlsProxy {
    pub(crate) address: SocketAddr,
    _runtime: Runtime,
}

impl TlsProxy {
    /// Starts the proxy for a server, and writes its self-signed certificate to `ca_file`.
    pub(crate) fn start(server: SocketAddr, ca_file: &Path) -> Result<Self, String> {
        let certificate =
            generate_simple_self_signed([server.ip().to_string()]).map_err(error_text)?;
        std::fs::write(ca_file, certificate.cert.pem()).map_err(error_text)?;
        let key = PrivateKeyDer::try_from(certificate.signing_key.serialize_der())?;
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(error_text)?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.cert.der().clone()], key);
        let mut config = config.map_err(error_text)?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        let runtime = Runtime::new().map_err(error_text)?;
        let bind = TcpListener::bind((server.ip(), 0));
        let listener = runtime.block_on(bind).map_err(error_text)?;
        let address = listener.local_addr().map_err(error_text)?;
        runtime.spawn(accept_loop(listener, TlsAcceptor::from(Arc::new(config)), server));
        Ok(Self { address, _runtime: runtime })
    }
}

async fn accept_loop(listener: TcpListener, acceptor: TlsAcceptor, server: SocketAddr) {
    let client = Client::builder(TokioExecutor::new()).build_http();
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve_connection(stream, acceptor.clone(), client.clone(), server));
    }
}

async fn serve_connection(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    client: PlainClient,
    server: SocketAddr,
) {
    // The client gets a TLS error from the handshake.
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let service = service_fn(move |request| forward(client.clone(), server, request));
    let serving = http2::Builder::new(TokioExecutor::new());
    // Connection errors are reported by the gateway.
    let _ = serving.serve_connection(TokioIo::new(stream), service).await;
}

async fn forward(
    client: PlainClient,
    server: SocketAddr,
    mut request: Request<Incoming>,
) -> Result<Response<Incoming>, Box<dyn std::error::Error + Send + Sync>> {
    let mut uri = std::mem::take(request.uri_mut()).into_parts();
    uri.scheme = Some(Scheme::HTTP);
    uri.authority = Some(Authority::try_from(server.to_string())?);
    *request.uri_mut() = Uri::from_parts(uri)?;
    *request.version_mut() = Version::HTTP_11;
    Ok(client.request(request).await?)
}

fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
