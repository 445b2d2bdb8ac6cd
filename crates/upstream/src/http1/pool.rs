//! Pool of idle HTTP/1 connections.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use http::uri::Authority;
use tokio::time::sleep;

use super::connection::Connection;

#[derive(Default)]
pub(super) struct IdlePool {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By authority, most recently used last. There are few authorities, so comparing them is
    /// faster than hashing.
    idle: Vec<(Authority, Vec<IdleConnection>)>,
    /// Number of sweeps so far, which serves as a clock for idle times.
    sweeps: u32,
    /// A task that closes expired connections is running.
    is_sweeper_running: bool,
}

/// A connection, and the sweep count when it became idle.
struct IdleConnection {
    idle_since: u32,
    connection: Connection,
}

/// The pool, and the key under which a connection is returned to it.
pub(super) type PoolHandle = (Arc<IdlePool>, Authority);

impl IdlePool {
    /// Takes an idle connection to this authority that is still open.
    pub(super) fn take(&self, to: &Authority) -> Option<Connection> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, connections) = state.idle.iter_mut().find(|(authority, _)| authority == to)?;
        std::iter::from_fn(|| connections.pop())
            .map(|idle_connection| idle_connection.connection)
            .find(Connection::is_reusable)
    }

    /// Adds an idle connection.
    pub(super) fn put(self: Arc<Self>, to: Authority, mut connection: Connection) {
        connection.reset_buffer();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let idle_connection = IdleConnection { idle_since: state.sweeps, connection };
        match state.idle.iter_mut().find(|(authority, _)| *authority == to) {
            Some((_, connections)) if connections.len() < MAX_IDLE_PER_HOST => {
                connections.push(idle_connection);
            }
            Some(_) => {}
            None => state.idle.push((to, vec![idle_connection])),
        }
        if !std::mem::replace(&mut state.is_sweeper_running, true) {
            tokio::spawn(sweep(Arc::downgrade(&self)));
        }
    }

    /// Closes connections that were idle too long; returns false if the pool is empty.
    fn close_expired(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.sweeps = state.sweeps.wrapping_add(1);
        let sweeps = state.sweeps;
        let is_fresh = |idle_connection: &IdleConnection| {
            sweeps.wrapping_sub(idle_connection.idle_since) < MAX_IDLE_SWEEPS
        };
        state.idle.retain_mut(|(_, connections)| {
            connections.retain(|idle_connection| {
                is_fresh(idle_connection) && idle_connection.connection.is_reusable()
            });
            !connections.is_empty()
        });
        state.is_sweeper_running = !state.idle.is_empty();
        state.is_sweeper_running
    }
}

async fn sweep(idle_pool: Weak<IdlePool>) {
    loop {
        sleep(SWEEP_INTERVAL).await;
        if !idle_pool.upgrade().is_some_and(|idle_pool| idle_pool.close_expired()) {
            return;
        }
    }
}

/// Number of sweeps after which an idle connection is closed: 55 s, less than servers keep theirs.
const MAX_IDLE_SWEEPS: u32 = 11;
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
const MAX_IDLE_PER_HOST: usize = 256;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::uri::Authority;
    use tokio::net::{TcpListener, TcpStream};

    use super::{IdlePool, MAX_IDLE_SWEEPS};
    use crate::http1::connection::Connection;

    #[tokio::test]
    async fn an_idle_connection_is_closed_after_some_sweeps() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let to: Authority = addr.to_string().parse().unwrap();
        let idle_pool = Arc::new(IdlePool::default());
        let (client, server) = tokio::join!(TcpStream::connect(addr), listener.accept());
        let _server = server.unwrap();
        Arc::clone(&idle_pool).put(to.clone(), Connection::new(client.unwrap()));
        for _ in 1..MAX_IDLE_SWEEPS {
            assert!(idle_pool.close_expired(), "it has not expired");
        }
        let connection = idle_pool.take(&to).unwrap();
        assert!(idle_pool.take(&to).is_none(), "it serves one at a time");
        Arc::clone(&idle_pool).put(to.clone(), connection);
        for _ in 1..MAX_IDLE_SWEEPS {
            assert!(idle_pool.close_expired(), "its idle time began again");
        }
        assert!(!idle_pool.close_expired());
        assert!(idle_pool.take(&to).is_none());
    }
}
