//! Connections to a database, and what goes wrong with them.

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

use super::address::{Address, BadAddress};
use super::schema;
use crate::health::Trouble;
use crate::session::SessionError;

/// A few connections, made when they are needed.
pub(super) struct Link {
    pool: Pool,
    /// The tables are those of this version.
    ready: OnceCell<()>,
    pub(super) name: String,
}

/// A connection for a while. One on which something did not come to its end is not used again.
pub(super) struct Lease(Option<Object>);

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    Said(SessionError),
    Failed(Trouble),
}

impl Link {
    pub(super) fn new(address: Address) -> Result<Self, BadAddress> {
        let Address { config, tls, name } = address;
        // A connection that died meanwhile is noticed before anything depends on it.
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Verified };
        let manager = Manager::from_config(config, MakeRustlsConnect::new(tls), recycling);
        let settle = Hook::async_fn(|client: &mut ClientWrapper, _| {
            Box::pin(
                async move { client.batch_execute(SETTINGS).await.map_err(HookError::Backend) },
            )
        });
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(WAIT))
            .recycle_timeout(Some(RECYCLE))
            .post_create(settle)
            .build()
            .map_err(|error| BadAddress(error.to_string()))?;
        Ok(Self { pool, ready: OnceCell::new(), name })
    }

    /// A connection to a database with our tables in it.
    pub(super) async fn lease(&self) -> Result<Lease, Fault> {
        let mut lease = Lease(Some(self.pool.get().await?));
        self.ready.get_or_try_init(|| schema::migrate(&mut lease)).await?;
        Ok(lease)
    }

    /// Not longer than so long.
    pub(super) async fn within<T>(
        &self,
        patience: Duration,
        work: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, SessionError> {
        match timeout(patience, work).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(Fault::Said(error))) => Err(error),
            Ok(Err(Fault::Failed(Trouble(why)))) => {
                Err(Trouble(format!("{}: {why}", self.name)).into())
            }
            Err(_) => {
                let seconds = patience.as_secs();
                Err(Trouble(format!("{}: no answer within {seconds} s", self.name)).into())
            }
        }
    }
}

impl Lease {
    /// What was done with it has come to its end: others may have it, unless it failed.
    pub(super) fn settle<T>(mut self, done: Result<T, Fault>) -> Result<T, Fault> {
        if !matches!(done, Err(Fault::Failed(_))) {
            drop(self.0.take());
        }
        done
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            drop(Object::take(object));
        }
    }
}

impl Deref for Lease {
    type Target = ClientWrapper;

    #[expect(
        clippy::expect_used,
        reason = "it is there until it is given back, which takes the lease"
    )]
    fn deref(&self) -> &ClientWrapper {
        self.0.as_ref().expect("a lease has its connection")
    }
}

impl DerefMut for Lease {
    #[expect(
        clippy::expect_used,
        reason = "it is there until it is given back, which takes the lease"
    )]
    fn deref_mut(&mut self) -> &mut ClientWrapper {
        self.0.as_mut().expect("a lease has its connection")
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Link").field(&self.name).finish()
    }
}

/// An error with its reasons.
pub(super) fn words(error: &tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return format!("{} ({})", said.message(), said.code().code());
    }
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        words.push_str(": ");
        words.push_str(&cause.to_string());
        source = cause.source();
    }
    words
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Failed(Trouble(words(&error)))
    }
}

impl From<PoolError> for Fault {
    fn from(error: PoolError) -> Self {
        Self::Failed(Trouble(match &error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                words(error)
            }
            PoolError::Timeout(_) => "no connection in time".to_owned(),
            other => other.to_string(),
        }))
    }
}

impl From<Trouble> for Fault {
    fn from(trouble: Trouble) -> Self {
        Self::Failed(trouble)
    }
}

impl From<SessionError> for Fault {
    fn from(error: SessionError) -> Self {
        Self::Said(error)
    }
}

/// What was acknowledged is on disk, whatever the server's settings are; and nothing there outlives those
/// who wait for it by much.
const SETTINGS: &str = "
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off';
    SET statement_timeout = '20s';
    SET idle_in_transaction_session_timeout = '30s';
";
const CONNECTIONS: usize = 8;
/// For one of them.
const WAIT: Duration = Duration::from_secs(4);
/// For a sign of life.
const RECYCLE: Duration = Duration::from_secs(1);
