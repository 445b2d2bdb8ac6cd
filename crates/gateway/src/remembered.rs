//! What the gateway remembers beyond a request: the store that the configuration names, and its health.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use interlingua_store::{
    Keep, Keeper, Memory, Nothing, Options, Postgres, Retention, Secret, SessionError, Sqlite,
    Store,
};
use metrics::{counter, gauge};
use secrecy::ExposeSecret as _;
use tokio::time::timeout;

use crate::config::{Config, Place};

/// The store of this configuration. A file or a database that cannot be used now is no failure: its store
/// says so and remembers in memory.
pub fn open(config: &Config) -> io::Result<Arc<dyn Keeper>> {
    let retention = retention(config);
    let config = &config.store;
    let secret = config.key.as_ref().map(|key| Secret::new(key.expose_secret())).transpose();
    let secret = secret.map_err(io::Error::other)?;
    let options = Options { retention, secret, cache: MEMORY, ..Options::default() };
    Ok(match &config.place {
        Place::Off => Arc::new(Nothing::default()),
        Place::Memory => Arc::new(Memory::new(&retention, MEMORY)),
        Place::Sqlite(path) => Arc::new(Sqlite::open(path.clone(), options)?),
        Place::Postgres(url) => Arc::new(Postgres::open(url.expose_secret(), options)?),
    })
}

fn retention(config: &Config) -> Retention {
    let keep = Keep { age: config.store.keep, bytes: config.store.size };
    let lesson = Retention::default().lesson;
    Retention {
        sealed: keep,
        answer: keep,
        response: keep,
        lesson: Keep { age: lesson.age.max(keep.age), ..lesson },
        capture: Keep { age: config.capture.keep, bytes: config.capture.size },
        session: config.store.sessions,
        usage: config.store.usage,
    }
}

/// What is to be remembered is on disk, or it is said that it is not.
pub(crate) async fn settle(store: &dyn Keeper) {
    // What was used is added up; nobody is watched any more.
    let settled = async {
        store.flush().await?;
        match store.exchange(Vec::new()).await {
            Err(SessionError::Trouble(trouble)) => Err(trouble),
            _ => Ok(()),
        }
    };
    match timeout(PATIENCE, settled).await {
        Ok(Ok(())) => {}
        Ok(Err(trouble)) => {
            tracing::error!(records = store.health().waiting, "not stored: {trouble}");
        }
        Err(_) => tracing::error!("not everything is stored: the disk takes too long"),
    }
}

/// Something is being written down: over when it is on disk, or is not going to be there soon.
pub(crate) type Settling = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Everything that was kept of a reply is on disk when this is over, unless the disk takes too long: then the
/// log says so, and nobody waits. Whoever asks next, at whatever node, finds it.
pub(crate) fn settling(store: &Arc<dyn Store>) -> Settling {
    let store = Arc::clone(store);
    Box::pin(async move {
        // A store that is in trouble has said so, and tries again by itself.
        if store.health().trouble.is_none()
            && let Ok(Ok(())) = timeout(MOMENT, store.flush()).await
        {
            return;
        }
        tracing::warn!("a reply is given out, and what is to be kept of it is not on disk yet");
    })
}

/// Whether it does what it should; what is wrong is for the log, not for whoever asks.
pub(crate) fn ready(store: &dyn Store) -> &'static str {
    match store.health().trouble {
        None => "ready\n",
        Some(_) => "ready, but nothing is stored\n",
    }
}

/// Its state, for those who read metrics.
pub(crate) fn measure(store: &dyn Store) {
    let health = store.health();
    gauge!("interlingua_store_up").set(if health.trouble.is_none() { 1.0 } else { 0.0 });
    let sums = [
        ("interlingua_store_waiting", health.waiting),
        ("interlingua_store_records", health.records),
        ("interlingua_store_bytes", health.bytes),
        ("interlingua_store_foreign", health.foreign),
    ];
    for (name, sum) in sums {
        #[expect(clippy::cast_precision_loss, reason = "a gauge is a float, and exact enough")]
        gauge!(name).set(sum as f64);
    }
    counter!("interlingua_store_dropped_total").absolute(health.dropped);
    counter!("interlingua_store_damaged_total").absolute(health.damaged);
}

/// Bytes of each kind that are held in memory.
const MEMORY: usize = 64 << 20;
/// For a disk, when the gateway stops.
const PATIENCE: Duration = Duration::from_secs(5);
/// For a disk, before the end of a reply.
const MOMENT: Duration = Duration::from_secs(2);
