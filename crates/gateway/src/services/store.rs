//! Opens the configured store, flushes replies to it, and reports its health.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use interlingua::ApiError;
use interlingua_model::ApiErrorKind;
use interlingua_store::{
    EncryptionKey, MemoryStore, NoopStore, PostgresStore, RecordStore, Retention, RetentionLimits,
    SessionError, SessionId, SqliteStore, Store, StoreOptions,
};
use metrics::{counter, gauge};
use secrecy::ExposeSecret as _;
use tokio::time::timeout;

use crate::config::{Config, StoreConfig, StoreLocation};
use crate::http_util::error_response::failure;

/// Opens the store. A file or database that cannot be used now is no error: the store keeps records
/// in memory and reports its health.
pub fn open(config: &Config) -> io::Result<Arc<dyn Store>> {
    let retention = retention(config);
    let config = &config.store;
    let encryption_key = config
        .encryption_key
        .as_ref()
        .map(|key| EncryptionKey::new(key.expose_secret()))
        .transpose();
    let encryption_key = encryption_key.map_err(io::Error::other)?;
    let options = StoreOptions {
        retention,
        encryption_key,
        cache_bytes: CACHE_BYTES_PER_KIND,
        ..StoreOptions::default()
    };
    Ok(match &config.location {
        StoreLocation::Off => Arc::new(NoopStore::default()),
        StoreLocation::Memory => Arc::new(MemoryStore::new(&retention, CACHE_BYTES_PER_KIND)),
        StoreLocation::Sqlite(path) => Arc::new(SqliteStore::open(path.clone(), options)?),
        StoreLocation::Postgres(url) => {
            Arc::new(PostgresStore::open(url.expose_secret(), options)?)
        }
    })
}

fn retention(config: &Config) -> Retention {
    let limits =
        RetentionLimits { max_age: config.store.max_age, max_bytes: config.store.max_bytes };
    let lesson = Retention::default().lesson;
    Retention {
        vault_entry: limits,
        guard_answer: limits,
        response: limits,
        lesson: RetentionLimits { max_age: lesson.max_age.max(limits.max_age), ..lesson },
        capture: RetentionLimits {
            max_age: config.capture.max_age,
            max_bytes: config.capture.max_bytes,
        },
        session: config.store.sessions,
        usage_age: config.store.usage_max_age,
    }
}

/// Writes everything that is pending, or logs that it is not written.
pub(crate) async fn flush_on_shutdown(store: &dyn Store) {
    // Also adds up the used tokens; no load is reported any more.
    let flush = async {
        store.flush().await?;
        match store.sync_load(Vec::new()).await {
            Err(SessionError::Store(error)) => Err(error),
            _ => Ok(()),
        }
    };
    match timeout(SHUTDOWN_FLUSH_TIMEOUT, flush).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::error!(records = store.health().pending_records, "not stored: {error}");
        }
        Err(_) => tracing::error!("not everything is stored: the disk takes too long"),
    }
}

/// Completes when a reply is on disk, or will not be soon.
pub(crate) type FlushFuture = Pin<Box<dyn Future<Output = Result<(), UnstoredReply>> + Send>>;

/// The reply is not in its session yet; it is written later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnstoredReply(pub(crate) SessionId);

impl From<UnstoredReply> for ApiError {
    fn from(UnstoredReply(id): UnstoredReply) -> Self {
        let message = format!(
            "the answer is complete, but it is not stored yet: it will be in the session later, and \
             GET /api/sessions/{id} shows it"
        );
        Self { status: 503, ..failure(ApiErrorKind::ServerError, &message) }
    }
}

/// Flushes what was stored of a reply, so that the next request finds it on any node. If the disk
/// takes too long, the reply is sent anyway and a warning is logged.
pub(crate) fn flush_reply(store: &Arc<dyn RecordStore>) -> FlushFuture {
    let store = Arc::clone(store);
    Box::pin(async move {
        // A store with an error has logged it and retries on its own.
        if store.health().error.is_none()
            && let Ok(Ok(())) = timeout(REPLY_FLUSH_TIMEOUT, store.flush()).await
        {
            return Ok(());
        }
        tracing::warn!("a reply is sent before it is on disk");
        Ok(())
    })
}

/// The text of `/readyz`. Details of an error are logged, not sent.
pub(crate) fn readiness(config: &StoreConfig, store: &dyn RecordStore) -> &'static str {
    if is_unconfigured(config) || store.health().error.is_some() {
        "ready, but nothing is stored\n"
    } else {
        "ready\n"
    }
}

/// Whether everything is lost with the process although the operator has not chosen that.
pub(crate) fn is_unconfigured(config: &StoreConfig) -> bool {
    config.lacks_data_dir && config.location == StoreLocation::Memory
}

/// Updates the store's gauges before metrics are rendered.
pub(crate) fn update_gauges(store: &dyn RecordStore) {
    let health = store.health();
    gauge!("interlingua_store_up").set(if health.error.is_none() { 1.0 } else { 0.0 });
    let gauges = [
        ("interlingua_store_waiting", health.pending_records),
        ("interlingua_store_records", health.records),
        ("interlingua_store_bytes", health.bytes),
        ("interlingua_store_foreign", health.foreign_key_rows),
    ];
    for (name, value) in gauges {
        #[expect(clippy::cast_precision_loss, reason = "a gauge is a float, and exact enough")]
        gauge!(name).set(value as f64);
    }
    counter!("interlingua_store_dropped_total").absolute(health.dropped_records);
    counter!("interlingua_store_damaged_total").absolute(health.damaged_rows);
}

/// Bytes cached in memory per kind of record.
const CACHE_BYTES_PER_KIND: usize = 64 << 20;
pub(crate) const SHUTDOWN_FLUSH_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the end of a reply waits until the reply is on disk.
pub(crate) const REPLY_FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
