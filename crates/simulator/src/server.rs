//! The simulator on the network.

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
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::answer::Answer;
use crate::carriage::LARGEST;
use crate::connection::{Connection, Fate, Performance};
use crate::delivery::Step;
use crate::route::route;
use crate::seed::Seed;
use crate::speak::error::Trouble;
use crate::{Simulator, refuse};

/// A simulator that listens.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub addr: SocketAddr,
    pub simulator: Arc<Simulator>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Running {
    /// Stops listening, lets running replies end for a moment, and ends them.
    pub async fn stop(self) {
        // Nobody listening means that it has stopped.
        let _ = self.stop.send(true);
        let _ = self.task.await;
    }
}

impl Simulator {
    /// Listens at an address; port 0 takes a free one. To be called within a tokio runtime.
    pub fn start(self, listen: SocketAddr) -> io::Result<Running> {
        let listener = listener(listen)?;
        let addr = listener.local_addr()?;
        let simulator = Arc::new(self);
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(accept(listener, Arc::clone(&simulator), stopped));
        Ok(Running { addr, simulator, stop, task })
    }

    /// Answers a request in this process, without a network; what breaks a connection is an error.
    pub async fn respond(&self, request: &Request<Bytes>) -> io::Result<Response<Performance>> {
        perform(self.answer(request), Fate::default()).await
    }
}

/// With room for as many clients as may come at the same moment.
fn listener(listen: SocketAddr) -> io::Result<TcpListener> {
    let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(listen)?;
    socket.listen(QUEUE)
}

async fn accept(listener: TcpListener, simulator: Arc<Simulator>, stop: watch::Receiver<bool>) {
    // Every connection holds a sender: when all are gone, nobody is connected.
    let (connected, mut left) = mpsc::channel::<Infallible>(1);
    let mut stopped = stop.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.changed() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let simulator = Arc::clone(&simulator);
                let (stop, connected) = (stop.clone(), connected.clone());
                tokio::spawn(async move {
                    serve(stream, simulator, stop).await;
                    drop(connected);
                });
            }
            // Out of file descriptors, for one: some will be free again.
            Err(_) => sleep(BREATH).await,
        }
    }
    drop((listener, connected));
    let _ = left.recv().await;
}

async fn serve(stream: TcpStream, simulator: Arc<Simulator>, mut stop: watch::Receiver<bool>) {
    // A delay, no loss, if it cannot be set.
    let _ = stream.set_nodelay(true);
    let fate = Fate::default();
    let connection = Connection::new(stream, fate.clone());
    let service = service_fn(move |request| {
        let (simulator, fate) = (Arc::clone(&simulator), fate.clone());
        async move { respond(&simulator, request, fate).await }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADERS);
    let serving = builder.serve_connection(connection, service);
    tokio::pin!(serving);
    // What goes wrong on a connection is the client's business, or was planned.
    tokio::select! {
        _ = serving.as_mut() => {}
        _ = stop.changed() => {
            serving.as_mut().graceful_shutdown();
            let _ = timeout(GRACE, serving).await;
        }
    }
}

async fn respond(
    simulator: &Simulator,
    request: Request<Incoming>,
    fate: Fate,
) -> io::Result<Response<Performance>> {
    let (head, body) = request.into_parts();
    let collected = timeout(BODY, Limited::new(body, LARGEST).collect()).await;
    let answer = match collected {
        Ok(Ok(body)) => simulator.answer(&Request::from_parts(head, body.to_bytes())),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let path = head.uri.path();
            let seed = Seed::new([path.as_bytes()]);
            let route = route(path, None);
            let mut answer = refuse::trouble(&route, Trouble::TooLarge, &seed);
            // The rest of the body is not read.
            answer.headers.push(("connection".to_owned(), "close".to_owned()));
            answer
        }
        _ => return Err(io::ErrorKind::ConnectionAborted.into()),
    };
    perform(answer, fate).await
}

async fn perform(answer: Answer, fate: Fate) -> io::Result<Response<Performance>> {
    for step in &answer.before {
        match step {
            Step::Send(_) => {}
            Step::Wait(time) => sleep(*time).await,
            Step::Cut => return Err(io::ErrorKind::ConnectionAborted.into()),
            Step::Reset => {
                fate.reset();
                return Err(io::ErrorKind::ConnectionReset.into());
            }
        }
    }
    let mut response = Response::builder().status(status(answer.status));
    for (name, value) in &answer.headers {
        response = response.header(name, value);
    }
    let body = Performance::new(answer.steps, fate);
    response.body(body).map_err(io::Error::other)
}

fn status(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

const HEADERS: Duration = Duration::from_secs(30);
const BODY: Duration = Duration::from_mins(1);
const GRACE: Duration = Duration::from_secs(2);
const QUEUE: u32 = 4096;
const BREATH: Duration = Duration::from_millis(50);
