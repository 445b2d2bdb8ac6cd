//! Serves the simulator over HTTP/1.1.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioTimer;
use serde_json::json;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::access::{ForeignHeader, check_host_and_origin};
use crate::connection::{Connection, ResetFlag, TimedBody};
use crate::content_encoding::MAX_BODY_BYTES;
use crate::render::error::ProviderError;
use crate::response::{SimulatedResponse, TimedAction};
use crate::route::parse_route;
use crate::seed::IdSeed;
use crate::{Simulator, error_responses};

/// A running server.
#[derive(Debug)]
pub struct ServerHandle {
    /// The address of the listener.
    pub addr: SocketAddr,
    pub simulator: Arc<Simulator>,
    stop_signal: watch::Sender<bool>,
    accept_task: JoinHandle<()>,
}

impl ServerHandle {
    /// Stops listening, waits up to 2 seconds for running replies, then aborts them.
    pub async fn stop(self) {
        // A send error means that the accept loop has already stopped.
        let _ = self.stop_signal.send(true);
        let _ = self.accept_task.await;
    }
}

impl Simulator {
    /// Listens at an address; port 0 takes a free port. Must be called within a tokio runtime.
    pub fn listen(self, addr: SocketAddr) -> io::Result<ServerHandle> {
        let listener = bind(addr)?;
        let addr = listener.local_addr()?;
        let simulator = Arc::new(self);
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(accept_loop(listener, addr, Arc::clone(&simulator), stopped));
        Ok(ServerHandle { addr, simulator, stop_signal: stop, accept_task: task })
    }

    /// Answers a request in this process; a fault that breaks the connection is returned as an
    /// error.
    pub async fn handle_in_process(
        &self,
        request: &Request<Bytes>,
    ) -> io::Result<Response<TimedBody>> {
        into_http_response(self.handle(request), ResetFlag::default()).await
    }
}

/// Binds with a backlog for thousands of clients that connect in the same instant.
fn bind(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = if addr.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    socket.listen(LISTEN_BACKLOG)
}

async fn accept_loop(
    listener: TcpListener,
    listen: SocketAddr,
    simulator: Arc<Simulator>,
    stop: watch::Receiver<bool>,
) {
    // Every connection holds a sender: `recv` returns when the last one is closed.
    let (connection_token, mut all_closed) = mpsc::channel::<Infallible>(1);
    let mut stopped = stop.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.changed() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let simulator = Arc::clone(&simulator);
                let (stop, connection_token) = (stop.clone(), connection_token.clone());
                tokio::spawn(async move {
                    serve_connection(stream, listen, simulator, stop).await;
                    drop(connection_token);
                });
            }
            // For example out of file descriptors: retry until some are free.
            Err(_) => sleep(ACCEPT_RETRY_DELAY).await,
        }
    }
    drop((listener, connection_token));
    let _ = all_closed.recv().await;
}

async fn serve_connection(
    stream: TcpStream,
    listen: SocketAddr,
    simulator: Arc<Simulator>,
    mut stop: watch::Receiver<bool>,
) {
    // Without TCP_NODELAY, writes are delayed but not lost.
    let _ = stream.set_nodelay(true);
    let reset_flag = ResetFlag::default();
    let connection = Connection::new(stream, reset_flag.clone());
    let service = service_fn(move |request| {
        let (simulator, reset_flag) = (Arc::clone(&simulator), reset_flag.clone());
        async move { handle_http(&simulator, listen, request, reset_flag).await }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_READ_TIMEOUT);
    let serving = builder.serve_connection(connection, service);
    tokio::pin!(serving);
    // Connection errors are caused by the client or by an injected fault.
    tokio::select! {
        _ = serving.as_mut() => {}
        _ = stop.changed() => {
            serving.as_mut().graceful_shutdown();
            let _ = timeout(SHUTDOWN_GRACE, serving).await;
        }
    }
}

async fn handle_http(
    simulator: &Simulator,
    listen: SocketAddr,
    request: Request<Incoming>,
    reset_flag: ResetFlag,
) -> io::Result<Response<TimedBody>> {
    let (head, body) = request.into_parts();
    if let Err(ForeignHeader { name, value }) =
        check_host_and_origin(listen, &head.uri, &head.headers)
    {
        let error = format!("the {name} `{value}` is not allowed: this is a local simulator");
        let mut simulated_response = SimulatedResponse::json(403, &json!({ "simulator": error }));
        simulated_response.headers.push(CONNECTION_CLOSE.map(str::to_owned).into());
        return into_http_response(simulated_response, reset_flag).await;
    }
    let collected = timeout(BODY_READ_TIMEOUT, Limited::new(body, MAX_BODY_BYTES).collect()).await;
    let simulated_response = match collected {
        Ok(Ok(body)) => simulator.handle(&Request::from_parts(head, body.to_bytes())),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let path = head.uri.path();
            let seed = IdSeed::new([path.as_bytes()]);
            let route = parse_route(path, None);
            let mut simulated_response =
                error_responses::provider_error_response(&route, ProviderError::TooLarge, &seed);
            simulated_response.headers.push(CONNECTION_CLOSE.map(str::to_owned).into());
            simulated_response
        }
        _ => return Err(io::ErrorKind::ConnectionAborted.into()),
    };
    into_http_response(simulated_response, reset_flag).await
}

async fn into_http_response(
    simulated_response: SimulatedResponse,
    reset_flag: ResetFlag,
) -> io::Result<Response<TimedBody>> {
    for action in &simulated_response.before_headers {
        match action {
            TimedAction::Send(_) => {}
            TimedAction::Wait(time) => sleep(*time).await,
            TimedAction::Close => return Err(io::ErrorKind::ConnectionAborted.into()),
            TimedAction::Reset => {
                reset_flag.set();
                return Err(io::ErrorKind::ConnectionReset.into());
            }
        }
    }
    let mut response = Response::builder().status(status(simulated_response.status));
    for (name, value) in &simulated_response.headers {
        response = response.header(name, value);
    }
    let body = TimedBody::new(simulated_response.body_actions, reset_flag);
    response.body(body).map_err(io::Error::other)
}

fn status(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The body was not read to its end, so the connection cannot be reused.
const CONNECTION_CLOSE: [&str; 2] = ["connection", "close"];
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(30);
const BODY_READ_TIMEOUT: Duration = Duration::from_mins(1);
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);
const LISTEN_BACKLOG: u32 = 4096;
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
