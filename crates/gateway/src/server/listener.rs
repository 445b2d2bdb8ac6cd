//! Accepts connections, serves them on worker threads, and shuts down gracefully.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpStream as StdStream};
use std::num::NonZero;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::http_util::access;
use crate::http_util::body::ResponseBody;
use crate::http_util::websocket_handshake::AcceptedUpgrade;
use crate::server::balance::{ConnectionSlot, WorkerPool};
use crate::server::client_stream::{ClientStream, ConnectionActivity, TrackedBody};
use crate::server::node_sync::NodeSync;
use crate::server::per_ip_limit::{IpPermit, PerIpLimit};
use crate::server::router;
use crate::server::router::ConnectionAddrs;
use crate::server::websocket;
use crate::services::store;
use crate::state::Gateway;
use crate::telemetry::otel::Exporter;

/// A running gateway. Dropping it starts a shutdown as [`ServerHandle::stop`] does, without waiting
/// for it.
#[derive(Debug)]
pub struct ServerHandle {
    /// The listen address.
    pub addr: SocketAddr,
    pub gateway: Arc<Gateway>,
    shutdown: watch::Sender<bool>,
    /// Closed when all workers and connections have ended.
    shutdown_complete: mpsc::Receiver<Infallible>,
    exporter: Option<Exporter>,
    node_sync: NodeSync,
}

/// State shared by all workers.
#[derive(Clone)]
struct Listener {
    addr: SocketAddr,
    connection_slots: Arc<Semaphore>,
    per_ip_limit: PerIpLimit,
    pool: WorkerPool,
    shutdown: watch::Receiver<bool>,
    /// Every worker holds a clone until its connections have ended.
    shutdown_complete: mpsc::Sender<Infallible>,
}

/// An accepted connection with its permits.
struct Connection<S> {
    stream: S,
    peer: SocketAddr,
    slot: ConnectionSlot,
    permits: (OwnedSemaphorePermit, IpPermit),
}

/// One worker thread and its inbox of connections.
struct Worker {
    index: usize,
    /// Only one worker owns the listener.
    socket: Option<TcpListener>,
    inbox: mpsc::UnboundedReceiver<Connection<StdStream>>,
    /// The inboxes of all workers.
    inboxes: Arc<[mpsc::UnboundedSender<Connection<StdStream>>]>,
}

impl ServerHandle {
    /// Stops accepting, waits for running responses during the configured drain time, and then ends
    /// them.
    pub async fn stop(mut self) {
        self.gateway.draining.store(true, Ordering::Relaxed);
        // An error means that all workers have stopped.
        let _ = self.shutdown.send(true);
        let _ = self.shutdown_complete.recv().await;
        self.node_sync.stop().await;
        store::flush_on_shutdown(&*self.gateway.store).await;
        if let Some(exporter) = self.exporter {
            exporter.shutdown().await;
        }
    }
}

impl Gateway {
    /// Listens at an address; port 0 takes a free one. Must be called within a tokio runtime, which
    /// runs all tasks.
    pub fn start(self, listen: SocketAddr) -> io::Result<ServerHandle> {
        let single = NonZero::<usize>::MIN;
        let (socket, listener, handle) = bind(Arc::new(self), listen, single)?;
        let mut socket = Some(socket);
        for mut worker in new_workers(single) {
            worker.socket = socket.take();
            tokio::spawn(run_worker(worker, Arc::clone(&handle.gateway), listener.clone()));
        }
        Ok(handle)
    }

    /// As [`Gateway::start`], on worker threads of its own. A request stays on the thread of its
    /// connection and uses provider connections of that thread, so no token waits for another
    /// thread to wake up.
    pub fn start_on_threads(
        self,
        listen: SocketAddr,
        threads: NonZero<usize>,
    ) -> io::Result<ServerHandle> {
        let (socket, listener, handle) = bind(Arc::new(self), listen, threads)?;
        let mut socket = Some(socket.into_std()?);
        for mut worker in new_workers(threads) {
            let listener = listener.clone();
            let gateway = handle.gateway.for_worker();
            let gateway = gateway.map_err(|error| io::Error::other(error.message.to_string()))?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            if let Some(socket) = socket.take() {
                // Registers the socket with the reactor of this worker's thread.
                let _context = runtime.enter();
                worker.socket = Some(TcpListener::from_std(socket)?);
            }
            let serve = move || runtime.block_on(run_worker(worker, Arc::new(gateway), listener));
            thread::Builder::new().name("gateway".to_owned()).spawn(serve)?;
        }
        Ok(handle)
    }
}

/// One worker per thread, without a socket yet.
fn new_workers(thread_count: NonZero<usize>) -> Vec<Worker> {
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (0..thread_count.get()).map(|_| mpsc::unbounded_channel()).unzip();
    let inboxes: Arc<[_]> = senders.into();
    let new_worker =
        |(index, inbox)| Worker { index, socket: None, inbox, inboxes: Arc::clone(&inboxes) };
    receivers.into_iter().enumerate().map(new_worker).collect()
}

/// Fails off loopback without API keys.
fn bind(
    gateway: Arc<Gateway>,
    listen: SocketAddr,
    threads: NonZero<usize>,
) -> io::Result<(TcpListener, Listener, ServerHandle)> {
    if !access::is_protected(&gateway.config.load(), listen) {
        let reason = "other machines can reach it, and no [access] keys are configured";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    if store::is_unconfigured(&gateway.config.load().store) {
        tracing::warn!(
            "nothing is stored: the user has no data directory (neither XDG_DATA_HOME nor HOME is \
             set). Configure store.url"
        );
    }
    // Before the first request: it needs the keys in the store.
    let node_sync = NodeSync::start(Arc::clone(&gateway))?;
    let config = gateway.config.load();
    gateway.key_policy(&config, listen).log_rejection(&config);
    drop(config);
    let socket = bind_socket(listen)?;
    let addr = socket.local_addr()?;
    let (shutdown, shutdown_receiver) = watch::channel(false);
    let (completion, shutdown_complete) = mpsc::channel(1);
    let connection_slots = Arc::new(Semaphore::new(gateway.config.load().limits.connections));
    let (per_ip_limit, pool) = (PerIpLimit::default(), WorkerPool::new(threads.get()));
    let listener = Listener {
        addr,
        connection_slots,
        per_ip_limit,
        pool,
        shutdown: shutdown_receiver,
        shutdown_complete: completion,
    };
    // The exporter's thread gets connections of its own.
    let exporter = gateway.span_channel.as_ref().and_then(|channel| {
        let upstream = gateway.for_worker().ok()?.upstream;
        Exporter::start(channel, gateway.config.load().telemetry.clone(), upstream)
    });
    Ok((
        socket,
        listener,
        ServerHandle { addr, gateway, shutdown, shutdown_complete, exporter, node_sync },
    ))
}

fn bind_socket(listen: SocketAddr) -> io::Result<TcpListener> {
    let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(listen)?;
    socket.listen(ACCEPT_BACKLOG)
}

/// Serves connections until shutdown, then waits until they have ended and their replies are stored.
async fn run_worker(mut worker: Worker, gateway: Arc<Gateway>, mut listener: Listener) {
    let mut connections = JoinSet::new();
    loop {
        let connection = tokio::select! {
            accepted = accept(worker.socket.as_ref()) => match listener.admit(accepted, &gateway) {
                Some(connection) => worker.dispatch(connection),
                None => continue,
            },
            Some(connection) = worker.inbox.recv() => connection.register(),
            Some(_) = connections.join_next() => continue,
            _ = listener.shutdown.changed() => break,
        };
        if let Some(connection) = connection {
            let connection_addrs = ConnectionAddrs { local: listener.addr, peer: connection.peer };
            connections.spawn(serve_connection(
                connection,
                connection_addrs,
                Arc::clone(&gateway),
                listener.shutdown.clone(),
            ));
        }
    }
    drop(worker);
    while connections.join_next().await.is_some() {}
    gateway.session_writes.finish().await;
    drop(listener.shutdown_complete);
}

/// The next connection; never completes on workers without the socket.
async fn accept(socket: Option<&TcpListener>) -> (TcpStream, SocketAddr) {
    let Some(socket) = socket else { return std::future::pending().await };
    loop {
        match socket.accept().await {
            Ok(accepted) => return accepted,
            // Such as EMFILE: descriptors become free again.
            Err(_) => sleep(ACCEPT_ERROR_DELAY).await,
        }
    }
}

impl Listener {
    /// Admits a connection if the limits allow it.
    fn admit(
        &self,
        (stream, peer): (TcpStream, SocketAddr),
        gateway: &Gateway,
    ) -> Option<Connection<TcpStream>> {
        let connection_permit = Arc::clone(&self.connection_slots).try_acquire_owned().ok()?;
        let max = gateway.config.load().limits.connections_per_address;
        let ip_permit = self.per_ip_limit.try_acquire(peer.ip(), max)?;
        Some(Connection {
            stream,
            peer,
            slot: self.pool.assign(),
            permits: (connection_permit, ip_permit),
        })
    }
}

impl Worker {
    /// Keeps a connection of this worker, or sends it to its own.
    fn dispatch(&self, connection: Connection<TcpStream>) -> Option<Connection<TcpStream>> {
        let index = connection.slot.worker();
        if index == self.index {
            return Some(connection);
        }
        let Connection { stream, peer, slot, permits } = connection;
        let stream = stream.into_std().ok()?;
        // An error means that the worker has stopped: the connection is closed.
        let _ = self.inboxes[index].send(Connection { stream, peer, slot, permits });
        None
    }
}

impl Connection<StdStream> {
    /// Registers the connection with the reactor of its worker thread.
    fn register(self) -> Option<Connection<TcpStream>> {
        let Self { stream, peer, slot, permits } = self;
        let stream = TcpStream::from_std(stream).ok()?;
        Some(Connection { stream, peer, slot, permits })
    }
}

async fn serve_connection(
    connection: Connection<TcpStream>,
    connection_addrs: ConnectionAddrs,
    gateway: Arc<Gateway>,
    mut shutdown: watch::Receiver<bool>,
) {
    let Connection { stream, slot, permits: _permits, .. } = connection;
    // Failure only adds latency.
    let _ = stream.set_nodelay(true);
    let config = gateway.config.load_full();
    let activity = Arc::new(ConnectionActivity::default());
    let request_activity = Arc::clone(&activity);
    let drain_expired = Arc::clone(&gateway.drain_expired);
    let (request_gateway, upgrade) = (Arc::clone(&gateway), Arc::new(OnceLock::new()));
    let request_upgrade = Arc::clone(&upgrade);
    let service = service_fn(move |request| {
        let (activity, upgrade) = (Arc::clone(&request_activity), Arc::clone(&request_upgrade));
        activity.begin_request();
        let gateway = Arc::clone(&request_gateway);
        let response_future = router::handle(gateway, connection_addrs, request);
        let closes = slot.should_close();
        async move {
            let mut response = response_future.await;
            prepare_response(&mut response, &activity, &upgrade, closes);
            Ok::<_, Infallible>(response.map(|body| TrackedBody::new(body, activity)))
        }
    });
    let (limits, timeouts) = (&config.limits, &config.timeouts);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.keep_alive)
        .max_buf_size(limits.head.max(READ_BUFFER_BYTES))
        .half_close(false);
    // With its default limit hyper allocates no header table.
    if limits.headers != HYPER_MAX_HEADERS {
        builder.max_headers(limits.headers);
    }
    let stream = ClientStream::new(stream, Arc::clone(&activity), (timeouts.write, timeouts.head));
    let mut http = builder.serve_connection(TokioIo::new(stream), service);
    let first_head = sleep(timeouts.head);
    tokio::pin!(first_head);
    let mut awaits_first_head = true;
    // Connection errors concern only the client and are not logged.
    let has_ended = loop {
        tokio::select! {
            biased;
            _ = &mut http => break true,
            () = first_head.as_mut(), if awaits_first_head => {
                awaits_first_head = false;
                if !activity.has_had_request() {
                    return;
                }
            }
            _ = shutdown.changed() => break false,
        }
    };
    if !has_ended {
        Pin::new(&mut http).graceful_shutdown();
        gateway.recent_turns.close();
        if timeout(timeouts.drain, &mut http).await.is_err() {
            drain_expired.store(true, Ordering::Relaxed);
            let _ = timeout(ABORT_GRACE, http).await;
            return;
        }
    }
    if let Some(upgrade) = upgrade.get() {
        let parts = http.into_parts();
        activity.begin_upgrade();
        let stream = (parts.io.into_inner(), parts.read_buf);
        let session = serve_upgraded((&gateway, connection_addrs), upgrade, stream, shutdown);
        return Box::pin(session).await;
    }
    if activity.has_unread_body.load(Ordering::Relaxed) {
        // After a request to upgrade, hyper ends without shutting the stream down.
        let _ = http.into_parts().io.into_inner().shutdown().await;
    }
}

/// Takes the upgrade out of a response, or decides whether its connection is closed after it.
fn prepare_response(
    response: &mut Response<ResponseBody>,
    activity: &ConnectionActivity,
    upgrade: &OnceLock<AcceptedUpgrade>,
    closes: bool,
) {
    if let Some(accepted) = response.extensions_mut().remove::<AcceptedUpgrade>() {
        // The connection carries no requests after it, so it is the only one.
        let _ = upgrade.set(accepted);
    } else if response.headers().contains_key(CONNECTION) {
        activity.has_unread_body.store(true, Ordering::Relaxed);
    } else if closes {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
}

/// Serves a WebSocket; at a shutdown, a running turn has the same time as a response.
async fn serve_upgraded(
    (gateway, connection_addrs): (&Arc<Gateway>, ConnectionAddrs),
    upgrade: &AcceptedUpgrade,
    stream: (ClientStream<TcpStream>, Bytes),
    mut shutdown: watch::Receiver<bool>,
) {
    let drain = gateway.config.load().timeouts.drain;
    let session = websocket::serve((gateway, connection_addrs), upgrade, stream, shutdown.clone());
    tokio::pin!(session);
    tokio::select! {
        () = &mut session => return,
        // An error means that the gateway has stopped.
        _ = shutdown.wait_for(|is_stopping| *is_stopping) => {}
    }
    if timeout(drain, &mut session).await.is_err() {
        gateway.drain_expired.store(true, Ordering::Relaxed);
        let _ = timeout(ABORT_GRACE + websocket::CLOSE_TIMEOUT, session).await;
    }
}

const ACCEPT_BACKLOG: u32 = 4096;
const ACCEPT_ERROR_DELAY: Duration = Duration::from_millis(50);
/// Time to send the error event after the drain time.
const ABORT_GRACE: Duration = Duration::from_secs(1);
/// Read buffer of hyper: bodies are read in chunks of up to this size.
const READ_BUFFER_BYTES: usize = 64 * 1024;
/// Default of hyper.
const HYPER_MAX_HEADERS: usize = 100;
