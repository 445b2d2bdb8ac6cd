//! Pools connections to PostgreSQL and maps their errors.

use std::error::Error as _;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use deadpool_postgres::{
    ClientWrapper, Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError,
    RecyclingMethod, Runtime,
};
use tokio::sync::OnceCell;
use tokio::time::timeout;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connect_config::{ConnectConfig, InvalidDatabaseUrl};
use super::schema;
use crate::health::StoreError;
use crate::session::SessionError;

/// A pool of up to 8 connections, opened on demand.
pub(super) struct ConnectionPool {
    pool: Pool,
    /// Set once the schema is up to date.
    migrated: OnceCell<()>,
    pub(super) name: String,
}

/// A connection lent by the pool. If an operation on it was cancelled or failed, it is closed
/// rather than reused.
pub(super) struct PooledConnection(Option<Object>);

#[derive(Debug)]
pub(super) enum QueryError {
    Session(SessionError),
    Database(StoreError),
}

impl ConnectionPool {
    pub(super) fn new(connect_config: ConnectConfig) -> Result<Self, InvalidDatabaseUrl> {
        let ConnectConfig { config, tls, display_name: name } = connect_config;
        // Dead connections are detected when they are taken from the pool.
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Verified };
        let manager = Manager::from_config(config, MakeRustlsConnect::new(tls), recycling);
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
        Ok(Self { pool, migrated: OnceCell::new(), name })
    }

    /// Takes a connection, after the schema has been migrated.
    pub(super) async fn get(&self) -> Result<PooledConnection, QueryError> {
        let mut lease = PooledConnection(Some(self.pool.get().await?));
        self.migrated.get_or_try_init(|| schema::migrate(&mut lease)).await?;
        Ok(lease)
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
            Ok(Err(QueryError::Database(StoreError(message)))) => {
                Err(StoreError(format!("{}: {message}", self.name)).into())
            }
            Err(_) => {
                let seconds = max_wait.as_secs();
                Err(StoreError(format!("{}: no reply within {seconds} s", self.name)).into())
            }
        }
    }
}

impl PooledConnection {
    /// Returns the connection to the pool, unless the database failed.
    pub(super) fn release<T>(mut self, result: Result<T, QueryError>) -> Result<T, QueryError> {
        if !matches!(result, Err(QueryError::Database(_))) {
            drop(self.0.take());
        }
        result
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            drop(Object::take(object));
        }
    }
}

impl Deref for PooledConnection {
    type Target = ClientWrapper;

    #[expect(
        clippy::expect_used,
        reason = "the connection is present until release, which consumes self"
    )]
    fn deref(&self) -> &ClientWrapper {
        self.0.as_ref().expect("a lease has a connection")
    }
}

impl DerefMut for PooledConnection {
    #[expect(
        clippy::expect_used,
        reason = "the connection is present until release, which consumes self"
    )]
    fn deref_mut(&mut self) -> &mut ClientWrapper {
        self.0.as_mut().expect("a lease has a connection")
    }
}

impl fmt::Debug for ConnectionPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ConnectionPool").field(&self.name).finish()
    }
}

/// The error with its causes.
pub(super) fn describe_error(error: &tokio_postgres::Error) -> String {
    if let Some(db_error) = error.as_db_error() {
        return format!("{} ({})", db_error.message(), db_error.code().code());
    }
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message.push_str(": ");
        message.push_str(&cause.to_string());
        source = cause.source();
    }
    message
}

impl From<tokio_postgres::Error> for QueryError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(StoreError(describe_error(&error)))
    }
}

impl From<PoolError> for QueryError {
    fn from(error: PoolError) -> Self {
        Self::Database(StoreError(match &error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                describe_error(error)
            }
            PoolError::Timeout(_) => "timed out waiting for a connection".to_owned(),
            other => other.to_string(),
        }))
    }
}

impl From<StoreError> for QueryError {
    fn from(error: StoreError) -> Self {
        Self::Database(error)
    }
}

impl From<SessionError> for QueryError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

/// Commits are acknowledged when they are on disk, whatever the server's default is; and statements
/// and transactions on the server do not outlive our timeouts by much.
const SESSION_SETTINGS: &str = "
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off';
    SET statement_timeout = '20s';
    SET idle_in_transaction_session_timeout = '30s';
";
const MAX_CONNECTIONS: usize = 8;
/// To wait for a connection, and to open one.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(4);
/// To check that a connection is alive.
const RECYCLE_TIMEOUT: Duration = Duration::from_secs(1);
