//! Reads from the store what requests need, in the background: the issued keys, the lessons, and the
//! load of other nodes. Requests use the last snapshot and never wait for the store here.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::state::Gateway;

/// The background thread of synchronization. It has a runtime of its own because the caller's may
/// be blocked.
#[derive(Debug)]
pub(crate) struct NodeSync {
    stop: oneshot::Sender<Infallible>,
    stopped: oneshot::Receiver<Infallible>,
}

impl NodeSync {
    /// Returns when everything was read once, or after [`FIRST_SYNC_TIMEOUT`].
    pub(crate) fn start(gateway: Arc<Gateway>) -> io::Result<Self> {
        let (first_sync_tx, first_sync_rx) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let (completion, stopped_receiver) = oneshot::channel();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let sync = move || {
            runtime.block_on(async move {
                tokio::select! {
                    () = run(gateway, first_sync_tx) => {}
                    _ = stopped => {}
                }
            });
            drop((runtime, completion));
        };
        thread::Builder::new().name("gateway sharing".to_owned()).spawn(sync)?;
        // An error means that it has ended, or takes longer.
        let _ = first_sync_rx.recv_timeout(FIRST_SYNC_TIMEOUT);
        Ok(Self { stop, stopped: stopped_receiver })
    }

    /// Stops the thread and waits for its end.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        // Completes with an error when the thread has ended.
        let _ = self.stopped.await;
    }
}

async fn run(gateway: Arc<Gateway>, first_sync_tx: mpsc::Sender<()>) {
    let first_sync = async {
        let keys_and_usage = async {
            gateway.keyring.refresh().await;
            gateway.sync_usage().await;
        };
        tokio::join!(keys_and_usage, gateway.lessons.refresh());
    };
    // What is missing is read by the loops.
    let _ = timeout(FIRST_SYNC_TIMEOUT, first_sync).await;
    // The receiver may have timed out.
    let _ = first_sync_tx.send(());
    // Each has its own loop: none waits for the time-out of another.
    tokio::join!(
        repeat(USAGE_SYNC_INTERVAL, || gateway.sync_usage()),
        repeat(KEYRING_REFRESH_INTERVAL, || gateway.keyring.refresh()),
        repeat(LESSONS_REFRESH_INTERVAL, || gateway.lessons.refresh()),
    );
}

async fn repeat<F: Future<Output = ()>>(interval: Duration, work: impl Fn() -> F) {
    loop {
        sleep(interval).await;
        work().await;
    }
}

impl Gateway {
    /// Reports the usage of limited keys and applies that of other nodes. Without a reachable store
    /// only local usage counts.
    async fn sync_usage(&self) {
        let (config, issued_keys) = (self.config.load_full(), self.keyring.keys());
        let keys =
            config.access.keys.iter().chain(issued_keys.iter().map(|issued_key| &issued_key.key));
        let is_shared = self.store.is_shared();
        let local = if is_shared {
            self.quotas.take_local_usage(keys)
        } else {
            // Without other nodes, only token budgets need the store: they outlive the process.
            self.quotas.take_local_usage(keys.filter(|key| key.tokens_per_day.is_some()))
        };
        if local.is_empty() {
            return;
        }
        match self.store.sync_load(local.clone()).await {
            Ok(remote) if is_shared => {
                self.quotas.apply_remote_usage(&local, &remote, Instant::now());
            }
            Ok(_) => {}
            // The store logs its own errors.
            Err(_) => self.quotas.restore_local_usage(&local),
        }
    }
}

const USAGE_SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// How long an issued or removed key of another node may be unknown here.
const KEYRING_REFRESH_INTERVAL: Duration = Duration::from_secs(2);
/// How long lessons of another node may be missing here.
const LESSONS_REFRESH_INTERVAL: Duration = Duration::from_secs(3);
const FIRST_SYNC_TIMEOUT: Duration = Duration::from_secs(1);
