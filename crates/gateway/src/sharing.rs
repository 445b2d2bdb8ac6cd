//! Synchronizes the nodes of a shared store about once a second: usage of limited keys, and the
//! list of issued keys. Requests wait only for the first synchronization.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
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
    pub(crate) fn start(gateway: Arc<Gateway>) -> io::Result<Self> {
        let (stop, stopped) = oneshot::channel();
        let (completion, stopped_receiver) = oneshot::channel();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let sync = move || {
            runtime.block_on(async move {
                tokio::select! {
                    () = run(gateway) => {}
                    _ = stopped => {}
                }
            });
            drop((runtime, completion));
        };
        thread::Builder::new().name("gateway sharing".to_owned()).spawn(sync)?;
        Ok(Self { stop, stopped: stopped_receiver })
    }

    /// Stops the thread and waits for its end.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        // Completes with an error when the thread has ended.
        let _ = self.stopped.await;
    }
}

async fn run(gateway: Arc<Gateway>) {
    gateway.await_first_sync().await;
    for round in 1_u64.. {
        sleep(SYNC_INTERVAL).await;
        gateway.sync_usage().await;
        if round.is_multiple_of(SYNCS_PER_KEYRING_REFRESH) {
            gateway.keyring.refresh().await;
        }
    }
}

impl Gateway {
    /// Waits for the first synchronization, at most [`FIRST_SYNC_TIMEOUT`].
    pub(crate) async fn await_first_sync(&self) {
        let sync_once = || async {
            let sync = async {
                self.keyring.refresh().await;
                self.sync_usage().await;
            };
            // The background thread repeats it soon.
            let _ = timeout(FIRST_SYNC_TIMEOUT, sync).await;
        };
        self.first_sync.get_or_init(sync_once).await;
    }

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

const SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// Synchronizations between two reloads of the keys.
const SYNCS_PER_KEYRING_REFRESH: u64 = 2;
const FIRST_SYNC_TIMEOUT: Duration = Duration::from_secs(1);
