//! The PostgreSQL schema and its migrations.

use super::pool::{PooledConnection, QueryError};
use crate::health::StoreError;

/// Migrates the database to this version. An advisory lock lets one node migrate at a time.
pub(super) async fn migrate(lease: &mut PooledConnection) -> Result<(), QueryError> {
    let transaction = lease.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await?;
    transaction
        .batch_execute("CREATE TABLE IF NOT EXISTS interlingua_schema (version bigint NOT NULL)")
        .await?;
    let row = transaction.query_opt("SELECT version FROM interlingua_schema", &[]).await?;
    let current: i64 = row.as_ref().map_or(Ok(0), |row| row.try_get(0))?;
    let current = usize::try_from(current).unwrap_or(usize::MAX);
    if current > MIGRATIONS.len() {
        let message = "it was written by a newer version of this program";
        return Err(QueryError::Database(StoreError(message.into())));
    }
    if current < MIGRATIONS.len() {
        for step in &MIGRATIONS[current..] {
            transaction.batch_execute(step).await?;
        }
        transaction.batch_execute("DELETE FROM interlingua_schema").await?;
        let version = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
        transaction.execute("INSERT INTO interlingua_schema VALUES ($1)", &[&version]).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// Keys of advisory locks (`ILST` in ASCII): for migration, and for pruning.
const MIGRATION_LOCK: i64 = 0x494c_5354;
pub(super) const PRUNE_LOCK: i64 = MIGRATION_LOCK + 1;

/// The step from each version to the next. Steps are never changed, only appended.
const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE interlingua_records (
    id      bigint PRIMARY KEY,
    kind    smallint NOT NULL,
    owner   bytea NOT NULL,
    used    bigint NOT NULL,
    size    bigint NOT NULL,
    lock    bytea NOT NULL,
    digest  bytea NOT NULL UNIQUE,
    payload bytea NOT NULL
);
CREATE INDEX interlingua_records_by_use ON interlingua_records (kind, used);
CREATE INDEX interlingua_records_by_owner ON interlingua_records (kind, owner);

CREATE TABLE interlingua_addresses (
    address bytea NOT NULL,
    record  bigint NOT NULL REFERENCES interlingua_records (id) ON DELETE CASCADE,
    PRIMARY KEY (address, record)
);
CREATE INDEX interlingua_addresses_by_record ON interlingua_addresses (record);

CREATE TABLE interlingua_sessions (
    id      bytea PRIMARY KEY,
    owner   bytea NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    turns   bigint NOT NULL,
    bytes   bigint NOT NULL,
    lock    bytea NOT NULL,
    about   bytea NOT NULL,
    model   bytea NOT NULL
);
CREATE INDEX interlingua_sessions_by_owner ON interlingua_sessions (owner, updated, id);
CREATE INDEX interlingua_sessions_by_time ON interlingua_sessions (updated);

CREATE TABLE interlingua_turns (
    session bytea NOT NULL REFERENCES interlingua_sessions (id) ON DELETE CASCADE,
    number  bigint NOT NULL,
    at      bigint NOT NULL,
    state   bigint NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (session, number)
);
",
    "
CREATE TABLE interlingua_usage (
    day         integer NOT NULL,
    owner       bytea NOT NULL,
    model       bytea NOT NULL,
    lock        bytea NOT NULL,
    label       bytea NOT NULL,
    requests    bigint NOT NULL,
    failures    bigint NOT NULL,
    input       bigint NOT NULL,
    cache_read  bigint NOT NULL,
    cache_write bigint NOT NULL,
    output      bigint NOT NULL,
    reasoning   bigint NOT NULL,
    PRIMARY KEY (day, owner, model)
);

CREATE TABLE interlingua_batches (
    writer bytea PRIMARY KEY,
    number bigint NOT NULL,
    at     bigint NOT NULL
);

CREATE TABLE interlingua_running (
    node    bytea NOT NULL,
    owner   bytea NOT NULL,
    running bigint NOT NULL,
    at      bigint NOT NULL,
    PRIMARY KEY (node, owner)
);

CREATE TABLE interlingua_paces (
    owner bytea PRIMARY KEY,
    empty bigint NOT NULL
);
",
];
