//! The gateway on the network: accepting, serving, and stopping in order.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::access;
use crate::front::{self, Between};
use crate::state::Gateway;

/// A gateway that listens; dropped, it stops as [`Running::stop`] does, and nobody waits for that.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub addr: SocketAddr,
    pub gateway: Arc<Gateway>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Running {
    /// Stops listening at once, lets running answers end for as long as the configuration says, and
    /// ends them then.
    pub async fn stop(self) {
        self.gateway.draining.store(true, Ordering::Relaxed);
        // Nobody listening means that it has stopped.
        let _ = self.stop.send(true);
        let _ = self.task.await;
    }
}

impl Gateway {
    /// Listens at an address; port 0 takes a free one. To be called within a tokio runtime. Where
    /// others than this machine reach it, there must be keys.
    pub fn start(self, listen: SocketAddr) -> io::Result<Running> {
        if !access::is_guarded(&self.config.load(), listen) {
            let why = "others reach it there, and [access] keys do not say who may use it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let listener = listener(listen)?;
        let addr = listener.local_addr()?;
        let gateway = Arc::new(self);
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(accept(listener, addr, Arc::clone(&gateway), stopped));
        Ok(Running { addr, gateway, stop, task })
    }
}

/// With room for as many clients as may come at the same moment.
fn listener(listen: SocketAddr) -> io::Result<TcpListener> {
    let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(listen)?;
    socket.listen(QUEUE)
}

async fn accept(
    listener: TcpListener,
    addr: SocketAddr,
    gateway: Arc<Gateway>,
    stop: watch::Receiver<bool>,
) {
    // Every connection holds a sender: when all are gone, nobody is connected.
    let (connected, mut left) = mpsc::channel::<Infallible>(1);
    let room = Arc::new(Semaphore::new(gateway.config.load().limits.connections));
    let mut stopped = stop.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.changed() => break,
        };
        let Ok((stream, peer)) = accepted else {
            // Out of file descriptors, for one: some will be free again.
            sleep(BREATH).await;
            continue;
        };
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
        let (gateway, stop, connected) = (Arc::clone(&gateway), stop.clone(), connected.clone());
        let between = Between { here: addr, peer };
        tokio::spawn(async move {
            serve(stream, between, gateway, stop).await;
            drop((place, connected));
        });
    }
    drop((listener, connected));
    let _ = left.recv().await;
}

async fn serve(
    stream: TcpStream,
    between: Between,
    gateway: Arc<Gateway>,
    mut stop: watch::Receiver<bool>,
) {
    // A delay, no loss, if it cannot be set.
    let _ = stream.set_nodelay(true);
    let config = gateway.config.load_full();
    let asked = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&asked);
    let service = service_fn(move |request| {
        heard.store(true, Ordering::Relaxed);
        let answering = front::answer(Arc::clone(&gateway), between, request);
        async move { Ok::<_, Infallible>(answering.await) }
    });
    let (limits, timeouts) = (&config.limits, &config.timeouts);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.keep_alive)
        .max_headers(limits.headers)
        .max_buf_size(limits.head.max(SMALLEST_BUFFER))
        .half_close(false);
    let serving = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(serving);
    let first_head = sleep(timeouts.head);
    tokio::pin!(first_head);
    let mut waits = true;
    // What goes wrong on a connection is the client's business.
    loop {
        tokio::select! {
            _ = serving.as_mut() => return,
            () = first_head.as_mut(), if waits => {
                waits = false;
                if !asked.load(Ordering::Relaxed) {
                    return;
                }
            }
            _ = stop.changed() => break,
        }
    }
    serving.as_mut().graceful_shutdown();
    let _ = timeout(timeouts.drain, serving).await;
}

const QUEUE: u32 = 4096;
const BREATH: Duration = Duration::from_millis(50);
/// What hyper needs at least.
const SMALLEST_BUFFER: usize = 8192;
