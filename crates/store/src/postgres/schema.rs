//! The tables, and how those of older versions become those of this one.

use super::link::{Fault, Lease};
use crate::health::Trouble;

/// Brings the database to this version. Of several nodes that start at once, one does.
pub(super) async fn migrate(lease: &mut Lease) -> Result<(), Fault> {
    let transaction = lease.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    transaction
        .batch_execute("CREATE TABLE IF NOT EXISTS interlingua_schema (version bigint NOT NULL)")
        .await?;
    let row = transaction.query_opt("SELECT version FROM interlingua_schema", &[]).await?;
    let done: i64 = row.as_ref().map_or(Ok(0), |row| row.try_get(0))?;
    let done = usize::try_from(done).unwrap_or(usize::MAX);
    if done > VERSIONS.len() {
        let why = "it was written by a newer version of this program";
        return Err(Fault::Failed(Trouble(why.into())));
    }
    if done < VERSIONS.len() {
        for step in &VERSIONS[done..] {
            transaction.batch_execute(step).await?;
        }
        transaction.batch_execute("DELETE FROM interlingua_schema").await?;
        let version = i64::try_from(VERSIONS.len()).unwrap_or(i64::MAX);
        transaction.execute("INSERT INTO interlingua_schema VALUES ($1)", &[&version]).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// `ILST`: who migrates, and who tidies.
const LOCK: i64 = 0x494c_5354;
pub(super) const TIDY: i64 = LOCK + 1;

/// What leads from each version to the next. Never changed, only added to.
const VERSIONS: &[&str] = &[
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
