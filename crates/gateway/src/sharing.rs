//! What the nodes of one store tell each other, about once a second: what happens to keys that have limits, and
//! which keys there are. No request waits for it, but those that come before the first time.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::state::Gateway;

/// Goes on until this is dropped, on a thread of its own: whoever has started the gateway may have other things to
/// do than to drive its tasks.
#[derive(Debug)]
pub(crate) struct Sharing {
    stop: oneshot::Sender<Infallible>,
    ended: oneshot::Receiver<Infallible>,
}

impl Sharing {
    pub(crate) fn begin(gateway: Arc<Gateway>) -> io::Result<Self> {
        let (stop, stopped) = oneshot::channel();
        let (here, ended) = oneshot::channel();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let work = move || {
            runtime.block_on(async move {
                tokio::select! {
                    () = go_on(gateway) => {}
                    _ = stopped => {}
                }
            });
            drop((runtime, here));
        };
        thread::Builder::new().name("gateway sharing".to_owned()).spawn(work)?;
        Ok(Self { stop, ended })
    }

    /// Ends it, and is over when that has happened.
    pub(crate) async fn end(self) {
        drop(self.stop);
        // Nobody answers who has gone.
        let _ = self.ended.await;
    }
}

async fn go_on(gateway: Arc<Gateway>) {
    gateway.known().await;
    for turn in 1_u64.. {
        sleep(EVERY).await;
        gateway.share().await;
        if turn.is_multiple_of(KEYS) {
            gateway.keyring.look().await;
        }
    }
}

impl Gateway {
    /// What the store knows of keys was read once, or could not be read soon.
    pub(crate) async fn known(&self) {
        let first = || async {
            let both = async {
                self.keyring.look().await;
                self.share().await;
            };
            // It is tried again soon, beside the requests.
            let _ = timeout(PATIENCE, both).await;
        };
        self.known.get_or_init(first).await;
    }

    /// Says what happens here with keys that have limits, and hears what happens elsewhere. Where nobody can be
    /// asked, what happens here is all that counts.
    async fn share(&self) {
        let (config, ring) = (self.config.load_full(), self.keyring.keys());
        let keys = config.access.keys.iter().chain(ring.iter().map(|made| &made.key));
        let shared = self.store.is_shared();
        let told = if shared {
            self.quotas.shares(keys)
        } else {
            // Only what is used outlives this process, or is known to another.
            self.quotas.shares(keys.filter(|key| key.tokens_per_day.is_some()))
        };
        if told.is_empty() {
            return;
        }
        match self.store.exchange(told.clone()).await {
            Ok(said) if shared => self.quotas.heard(&told, &said, Instant::now()),
            Ok(_) => {}
            // The store says what is wrong with it.
            Err(_) => self.quotas.unheard(&told),
        }
    }
}

const EVERY: Duration = Duration::from_secs(1);
/// Every so many times it is looked which keys there are.
const KEYS: u64 = 2;
/// For the first time.
const PATIENCE: Duration = Duration::from_secs(1);
