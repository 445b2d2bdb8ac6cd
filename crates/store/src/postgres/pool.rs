//! Pools connections to PostgreSQL.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use deadpool_postgres::{
    ClientWrapper, Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime,
};
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};
use tokio::time::timeout;
use tokio_postgres::Config;
use tokio_postgres::error::SqlState;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connect_config::{ConnectConfig, InvalidDatabaseUrl};
use super::query_error::QueryError;
use super::schema;
use crate::error::StoreError;
use crate::session::SessionError;

/// A pool of up to 8 connections, opened on demand.
pub(super) struct ConnectionPool {
    pool: Pool,
    /// Of requests: slow ones of one kind leave connections to the other, and to the writer.
    lookup_permits: Semaphore,
    session_permits: Semaphore,
    /// For [`ConnectionPool::ping`].
    config: Config,
    tls: MakeRustlsConnect,
    /// Set once the schema is up to date.
    migrated: OnceCell<()>,
    pub(super) name: String,
}

/// A connection lent by the pool. If an operation on it was cancelled or failed, it is closed
/// rather than reused.
pub(super) struct PooledConnection<'p> {
    object: Option<Object>,
    _permit: Option<SemaphorePermit<'p>>,
}

/// What a connection is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Lookup,
    Session,
    /// Writing records, and work for which no request waits.
    Background,
}

/// Whether work runs for the first time, or again on another connection; then the first run may
/// have been committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    First,
    Retry,
}

impl ConnectionPool {
    pub(super) fn new(connect_config: ConnectConfig) -> Result<Self, InvalidDatabaseUrl> {
        let ConnectConfig { config, tls, display_name: name } = connect_config;
        // Dead connections are detected when they are taken from the pool.
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Verified };
        let tls = MakeRustlsConnect::new(tls);
        let manager = Manager::from_config(config.clone(), tls.clone(), recycling);
        let apply_settings = Hook::async_fn(|client: &mut ClientWrapper, _| {
            Box::pin(async move {
                client.batch_execute(SESSION_SETTINGS).await.map_err(HookError::Backend)
            })
        });
        let pool = Pool::builder(manager)
            .max_size(MAX_CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(ACQUIRE_TIMEOUT))
            .create_timeout(Some(ACQUIRE_TIMEOUT))
            .recycle_timeout(Some(RECYCLE_TIMEOUT))
            .post_create(apply_settings)
            .build()
            .map_err(|error| InvalidDatabaseUrl(error.to_string()))?;
        Ok(Self {
            pool,
            lookup_permits: Semaphore::new(MAX_LOOKUPS),
            session_permits: Semaphore::new(MAX_SESSION_OPERATIONS),
            config,
            tls,
            migrated: OnceCell::new(),
            name,
        })
    }

    /// Takes a connection, after the schema has been migrated.
    pub(super) async fn get(&self, purpose: Purpose) -> Result<PooledConnection<'_>, QueryError> {
        let permits = match purpose {
            Purpose::Lookup => Some(&self.lookup_permits),
            Purpose::Session => Some(&self.session_permits),
            Purpose::Background => None,
        };
        let permit = match permits {
            Some(permits) => permits.acquire().await.ok(),
            None => None,
        };
        let object = Some(self.pool.get().await?);
        let mut lease = PooledConnection { object, _permit: permit };
        self.migrated.get_or_try_init(|| schema::migrate(&mut lease)).await?;
        Ok(lease)
    }

    /// Runs `work` with a timeout, and once more at once if its connection was lost: the pool checks
    /// connections before it lends them.
    pub(super) async fn run<T, F>(
        &self,
        max_wait: Duration,
        work: impl Fn(Attempt) -> F,
    ) -> Result<T, SessionError>
    where
        F: Future<Output = Result<T, QueryError>>,
    {
        let attempts = async {
            match work(Attempt::First).await {
                Err(QueryError::Disconnected(_)) => work(Attempt::Retry).await,
                result => result,
            }
        };
        self.with_timeout(max_wait, attempts).await
    }

    /// Whether the database can be reached, on a connection outside the pool, which may be
    /// exhausted.
    pub(super) async fn ping(&self) -> Result<(), SessionError> {
        self.with_timeout(PING_TIMEOUT, async {
            let connected = self.config.connect(self.tls.clone()).await;
            if connected
                .as_ref()
                .is_err_and(|error| error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS))
            {
                return Ok(());
            }
            let (client, connection) = connected?;
            tokio::select! {
                result = client.batch_execute("") => result.map_err(QueryError::from),
                result = connection => result.map_err(QueryError::from),
            }
        })
        .await
    }

    /// Runs `work` with a timeout and names the database in its errors.
    pub(super) async fn with_timeout<T>(
        &self,
        max_wait: Duration,
        work: impl Future<Output = Result<T, QueryError>>,
    ) -> Result<T, SessionError> {
        match timeout(max_wait, work).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(QueryError::Session(error))) => Err(error),
            Ok(Err(
                QueryError::Database(StoreError(message))
                | QueryError::Disconnected(StoreError(message)),
            )) => Err(StoreError(format!("{}: {message}", self.name)).into()),
            Err(_) => {
                let seconds = max_wait.as_secs();
                Err(StoreError(format!("{}: no reply within {seconds} s", self.name)).into())
            }
        }
    }
}

impl PooledConnection<'_> {
    /// Returns the connection to the pool, unless the database failed.
    pub(super) fn release<T>(mut self, result: Result<T, QueryError>) -> Result<T, QueryError> {
        if !matches!(result, Err(QueryError::Database(_) | QueryError::Disconnected(_))) {
            drop(self.object.take());
        }
        result
    }
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            drop(Object::take(object));
        }
    }
}

impl Deref for PooledConnection<'_> {
    type Target = ClientWrapper;

    #[expect(
        clippy::expect_used,
        reason = "the connection is present until release, which consumes self"
    )]
    fn deref(&self) -> &ClientWrapper {
        self.object.as_ref().expect("a lease has a connection")
    }
}

impl DerefMut for PooledConnection<'_> {
    #[expect(
        clippy::expect_used,
        reason = "the connection is present until release, which consumes self"
    )]
    fn deref_mut(&mut self) -> &mut ClientWrapper {
        self.object.as_mut().expect("a lease has a connection")
    }
}

impl fmt::Debug for ConnectionPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ConnectionPool").field(&self.name).finish()
    }
}

/// Commits are acknowledged when they are on disk, whatever the server's default is; and statements
/// and transactions on the server do not outlive our timeouts by much. Where the server can, it ends
/// a query whose connection was closed: before version 14, and on some systems, it has no such
/// setting.
const SESSION_SETTINGS: &str = "
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off';
    SET statement_timeout = '20s';
    SET idle_in_transaction_session_timeout = '30s';
    DO $$ BEGIN
        PERFORM set_config('client_connection_check_interval', '1s', false);
    EXCEPTION WHEN OTHERS THEN NULL;
    END $$;
";
const MAX_CONNECTIONS: usize = 8;
const MAX_LOOKUPS: usize = 4;
const MAX_SESSION_OPERATIONS: usize = 3;
const PING_TIMEOUT: Duration = Duration::from_secs(1);
/// To wait for a connection, and to open one.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(4);
/// To check that a connection is alive.
const RECYCLE_TIMEOUT: Duration = Duration::from_secs(1);
