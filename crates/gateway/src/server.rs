//! The gateway on the network: accepting, serving, and stopping in order.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpStream as StdStream};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use http::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::access;
use crate::crew::{Crew, Post};
use crate::crowd::{Crowd, Member};
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
    crew: Crew,
    stop: watch::Receiver<bool>,
    /// Everyone who listens or is connected holds one: when all are gone, nobody does.
    here: mpsc::Sender<Infallible>,
}

/// A connection that was let in, and what it holds until it is over.
struct Guest<S> {
    stream: S,
    peer: SocketAddr,
    post: Post,
    place: (OwnedSemaphorePermit, Member),
}

/// Where a thread gets its connections from.
struct Gate {
    thread: usize,
    /// At one of them everybody knocks.
    listener: Option<TcpListener>,
    sent: mpsc::UnboundedReceiver<Guest<StdStream>>,
    /// How the others get theirs.
    threads: Arc<[mpsc::UnboundedSender<Guest<StdStream>>]>,
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
        let one = NonZero::<usize>::MIN;
        let (listener, door, running) = open(Arc::new(self), listen, one)?;
        let mut listener = Some(listener);
        for mut gate in gates(one) {
            gate.listener = listener.take();
            tokio::spawn(work(gate, Arc::clone(&running.gateway), door.clone()));
        }
        Ok(running)
    }

    /// As [`Gateway::start`], on threads of its own. A request stays on the thread that serves its connection,
    /// with connections to providers that nobody else uses: no token waits for another thread to wake up.
    pub fn start_on(self, listen: SocketAddr, threads: NonZero<usize>) -> io::Result<Running> {
        let (listener, door, running) = open(Arc::new(self), listen, threads)?;
        let mut listener = Some(listener.into_std()?);
        for mut gate in gates(threads) {
            let (listener, door) = (listener.take(), door.clone());
            let gateway = running.gateway.twin();
            let gateway =
                gateway.map_err(|failure| io::Error::other(failure.message.to_string()))?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let work = move || {
                runtime.block_on(async move {
                    // It was one of a runtime before.
                    gate.listener =
                        listener.and_then(|listener| TcpListener::from_std(listener).ok());
                    work(gate, Arc::new(gateway), door).await;
                });
            };
            thread::Builder::new().name("gateway".to_owned()).spawn(work)?;
        }
        Ok(running)
    }
}

/// For each thread one; none of them listens yet.
fn gates(threads: NonZero<usize>) -> Vec<Gate> {
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (0..threads.get()).map(|_| mpsc::unbounded_channel()).unzip();
    let threads: Arc<[_]> = senders.into();
    let gate =
        |(thread, sent)| Gate { thread, listener: None, sent, threads: Arc::clone(&threads) };
    receivers.into_iter().enumerate().map(gate).collect()
}

/// Where others than this machine reach it, there must be keys.
fn open(
    gateway: Arc<Gateway>,
    listen: SocketAddr,
    threads: NonZero<usize>,
) -> io::Result<(TcpListener, Door, Running)> {
    if !access::is_guarded(&gateway.config.load(), listen) {
        let why = "others reach it there, and [access] keys do not say who may use it";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    let listener = listener(listen)?;
    let addr = listener.local_addr()?;
    let (stop, stopped) = watch::channel(false);
    let (here, left) = mpsc::channel(1);
    let room = Arc::new(Semaphore::new(gateway.config.load().limits.connections));
    let (crowd, crew) = (Crowd::default(), Crew::of(threads.get()));
    let door = Door { addr, room, crowd, crew, stop: stopped, here };
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

/// Serves whoever comes until it is told to stop, and goes when everybody it served has gone.
async fn work(mut gate: Gate, gateway: Arc<Gateway>, mut door: Door) {
    let mut connections = JoinSet::new();
    loop {
        let guest = tokio::select! {
            knocked = knocked(gate.listener.as_ref()) => match door.admit(knocked, &gateway) {
                Some(guest) => gate.shown_in(guest),
                None => continue,
            },
            Some(guest) = gate.sent.recv() => guest.here(),
            Some(_) = connections.join_next() => continue,
            _ = door.stop.changed() => break,
        };
        if let Some(guest) = guest {
            let between = Between { here: door.addr, peer: guest.peer };
            connections.spawn(serve(guest, between, Arc::clone(&gateway), door.stop.clone()));
        }
    }
    drop(gate);
    while connections.join_next().await.is_some() {}
    drop(door.here);
}

/// Somebody new. Where nobody listens, nobody ever comes.
async fn knocked(listener: Option<&TcpListener>) -> (TcpStream, SocketAddr) {
    let Some(listener) = listener else { return std::future::pending().await };
    loop {
        match listener.accept().await {
            Ok(knocked) => return knocked,
            // Out of file descriptors, for one: some will be free again.
            Err(_) => sleep(BREATH).await,
        }
    }
}

impl Door {
    /// Lets somebody in, if there is room.
    fn admit(
        &self,
        (stream, peer): (TcpStream, SocketAddr),
        gateway: &Gateway,
    ) -> Option<Guest<TcpStream>> {
        let place = Arc::clone(&self.room).try_acquire_owned().ok()?;
        let most = gateway.config.load().limits.connections_per_address;
        let member = self.crowd.admit(peer.ip(), most)?;
        Some(Guest { stream, peer, post: self.crew.post(), place: (place, member) })
    }
}

impl Gate {
    /// A guest of this thread; one of another is sent there.
    fn shown_in(&self, guest: Guest<TcpStream>) -> Option<Guest<TcpStream>> {
        let thread = guest.post.thread();
        if thread == self.thread {
            return Some(guest);
        }
        let Guest { stream, peer, post, place } = guest;
        let stream = stream.into_std().ok()?;
        // A thread that is gone takes nobody.
        let _ = self.threads[thread].send(Guest { stream, peer, post, place });
        None
    }
}

impl Guest<StdStream> {
    /// On the thread that it is sent to.
    fn here(self) -> Option<Guest<TcpStream>> {
        let Self { stream, peer, post, place } = self;
        let stream = TcpStream::from_std(stream).ok()?;
        Some(Guest { stream, peer, post, place })
    }
}

async fn serve(
    guest: Guest<TcpStream>,
    between: Between,
    gateway: Arc<Gateway>,
    mut stop: watch::Receiver<bool>,
) {
    let Guest { stream, post, place: _place, .. } = guest;
    // A delay, no loss, if it cannot be set.
    let _ = stream.set_nodelay(true);
    let config = gateway.config.load_full();
    let asked = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&asked);
    let (over, recent) = (Arc::clone(&gateway.over), Arc::clone(&gateway.recent));
    let service = service_fn(move |request| {
        heard.store(true, Ordering::Relaxed);
        let answering = front::answer(Arc::clone(&gateway), between, request);
        let is_last = post.is_over();
        async move {
            let mut answer = answering.await;
            if is_last {
                answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(answer)
        }
    });
    let (limits, timeouts) = (&config.limits, &config.timeouts);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.keep_alive)
        .max_buf_size(limits.head.max(BUFFER))
        .half_close(false);
    // For its own limit hyper allocates nothing.
    if limits.headers != HEADERS {
        builder.max_headers(limits.headers);
    }
    let stream = Patient::new(stream, timeouts.write);
    let serving = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(serving);
    let first_head = sleep(timeouts.head);
    tokio::pin!(first_head);
    let mut waits = true;
    // What goes wrong on a connection is the client's business.
    loop {
        tokio::select! {
            biased;
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
/// How many headers hyper takes unless it is told otherwise.
const HEADERS: usize = 100;
