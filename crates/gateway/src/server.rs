//! The gateway on the network: accepting, serving, and stopping in order.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::access;
use crate::crowd::Crowd;
use crate::front::{self, Between};
use crate::otel::Exporter;
use crate::patient::Patient;
use crate::remembered;
use crate::sharing::Sharing;
use crate::state::Gateway;

/// A gateway that listens; dropped, it stops as [`Running::stop`] does, and nobody waits for that.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub addr: SocketAddr,
    pub gateway: Arc<Gateway>,
    stop: watch::Sender<bool>,
    /// Closed when nobody listens any more and nobody is connected.
    left: mpsc::Receiver<Infallible>,
    exporter: Option<Exporter>,
    sharing: Sharing,
}

/// What all who accept share.
#[derive(Clone)]
struct Door {
    addr: SocketAddr,
    room: Arc<Semaphore>,
    crowd: Crowd,
    stop: watch::Receiver<bool>,
    /// Everyone who listens or is connected holds one: when all are gone, nobody does.
    here: mpsc::Sender<Infallible>,
}

impl Running {
    /// Stops listening at once, lets running answers end for as long as the configuration says, and
    /// ends them then.
    pub async fn stop(mut self) {
        self.gateway.draining.store(true, Ordering::Relaxed);
        // Nobody listening means that it has stopped.
        let _ = self.stop.send(true);
        let _ = self.left.recv().await;
        self.gateway.floors.all_settled().await;
        self.sharing.end().await;
        remembered::settle(&*self.gateway.store).await;
        if let Some(exporter) = self.exporter {
            exporter.end().await;
        }
    }
}

impl Gateway {
    /// Listens at an address; port 0 takes a free one. To be called within a tokio runtime, which
    /// does all the work.
    pub fn start(self, listen: SocketAddr) -> io::Result<Running> {
        let (listener, door, running) = open(Arc::new(self), listen)?;
        tokio::spawn(accept(listener, Arc::clone(&running.gateway), door));
        Ok(running)
    }

    /// As [`Gateway::start`], on threads of its own. A request stays on the thread that accepted its
    /// connection, with connections to providers that nobody else uses: no token waits for another
    /// thread to wake up.
    pub fn start_on(self, listen: SocketAddr, threads: NonZero<usize>) -> io::Result<Running> {
        let (listener, door, running) = open(Arc::new(self), listen)?;
        let listener = listener.into_std()?;
        for _ in 0..threads.get() {
            let (listener, door) = (listener.try_clone()?, door.clone());
            let gateway = running.gateway.twin();
            let gateway =
                gateway.map_err(|failure| io::Error::other(failure.message.to_string()))?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let work = move || {
                runtime.block_on(async move {
                    // It was one of a runtime before.
                    if let Ok(listener) = TcpListener::from_std(listener) {
                        accept(listener, Arc::new(gateway), door).await;
                    }
                });
            };
            thread::Builder::new().name("gateway".to_owned()).spawn(work)?;
        }
        Ok(running)
    }
}

/// Where others than this machine reach it, there must be keys.
fn open(gateway: Arc<Gateway>, listen: SocketAddr) -> io::Result<(TcpListener, Door, Running)> {
    if !access::is_guarded(&gateway.config.load(), listen) {
        let why = "others reach it there, and [access] keys do not say who may use it";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    let listener = listener(listen)?;
    let addr = listener.local_addr()?;
    let (stop, stopped) = watch::channel(false);
    let (here, left) = mpsc::channel(1);
    let room = Arc::new(Semaphore::new(gateway.config.load().limits.connections));
    let door = Door { addr, room, crowd: Crowd::default(), stop: stopped, here };
    let exporter = Exporter::start(&gateway);
    let sharing = Sharing::begin(Arc::clone(&gateway))?;
    Ok((listener, door, Running { addr, gateway, stop, left, exporter, sharing }))
}

/// With room for as many clients as may come at the same moment.
fn listener(listen: SocketAddr) -> io::Result<TcpListener> {
    let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(listen)?;
    socket.listen(QUEUE)
}

/// Accepts until it is told to stop, and goes when everybody it accepted has gone.
async fn accept(listener: TcpListener, gateway: Arc<Gateway>, mut door: Door) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            _ = door.stop.changed() => break,
        };
        let Ok((stream, peer)) = accepted else {
            // Out of file descriptors, for one: some will be free again.
            sleep(BREATH).await;
            continue;
        };
        let Ok(place) = Arc::clone(&door.room).try_acquire_owned() else { continue };
        let most = gateway.config.load().limits.connections_per_address;
        let Some(member) = door.crowd.admit(peer.ip(), most) else { continue };
        let (gateway, stop) = (Arc::clone(&gateway), door.stop.clone());
        let between = Between { here: door.addr, peer };
        connections.spawn(async move {
            serve(stream, between, gateway, stop).await;
            drop((place, member));
        });
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
    drop(door.here);
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
    let (over, recent) = (Arc::clone(&gateway.over), Arc::clone(&gateway.recent));
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
        .max_buf_size(limits.head.max(BUFFER))
        .half_close(false);
    let stream = Patient::new(stream, timeouts.write);
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
    recent.close();
    if timeout(timeouts.drain, serving.as_mut()).await.is_err() {
        over.store(true, Ordering::Relaxed);
        let _ = timeout(LAST_WORDS, serving).await;
    }
}

const QUEUE: u32 = 4096;
const BREATH: Duration = Duration::from_millis(50);
/// Time to tell a client that its answer ends here.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Large bodies are read in pieces of up to this size. A head may be as large for a moment.
const BUFFER: usize = 64 * 1024;
