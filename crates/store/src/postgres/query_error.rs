//! Errors of queries: the session's own, the database's, and lost connections.

use std::error::Error as _;

use deadpool_postgres::{HookError, PoolError};
use tokio_postgres::error::SqlState;

use crate::error::StoreError;
use crate::session::SessionError;

#[derive(Debug)]
pub(super) enum QueryError {
    Session(SessionError),
    Database(StoreError),
    /// The connection was lost; another one may work.
    Disconnected(StoreError),
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
        let message = StoreError(describe_error(&error));
        if is_disconnect(&error) { Self::Disconnected(message) } else { Self::Database(message) }
    }
}

/// Whether the connection was lost, or the server has closed it: classes 08 (connection exception)
/// and 57P (operator intervention, as by `pg_terminate_backend`).
fn is_disconnect(error: &tokio_postgres::Error) -> bool {
    let by_server = error.code().map(SqlState::code);
    let by_server = by_server.is_some_and(|code| code.starts_with("08") || code.starts_with("57P"));
    let is_io = matches!(error.source(), Some(source) if source.is::<std::io::Error>());
    by_server || is_io || error.is_closed()
}

impl From<PoolError> for QueryError {
    fn from(error: PoolError) -> Self {
        Self::Database(StoreError(match error {
            PoolError::PostCreateHook(HookError::Backend(error)) => return error.into(),
            // No disconnection: no other connection can be opened either.
            PoolError::Backend(error) => describe_error(&error),
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
