//! The PostgreSQL schema and its migrations.

use deadpool_postgres::{ClientWrapper, Transaction};

use super::query_error::QueryError;
use crate::error::StoreError;

/// Migrates the database to this version. An advisory lock lets one node migrate at a time.
pub(super) async fn migrate(client: &mut ClientWrapper) -> Result<(), QueryError> {
    let transaction = client.transaction().await?;
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
    add_missing(&transaction).await?;
    transaction.commit().await?;
    Ok(())
}

/// Adds what versions without it neither need nor notice: the schema version stays the same, so that
/// they can still use the database.
async fn add_missing(transaction: &Transaction<'_>) -> Result<(), QueryError> {
    transaction
        .batch_execute("CREATE TABLE IF NOT EXISTS interlingua_additions (name text PRIMARY KEY)")
        .await?;
    for (name, step) in ADDITIONS {
        let insert = "INSERT INTO interlingua_additions VALUES ($1) ON CONFLICT DO NOTHING";
        if transaction.execute(insert, &[name]).await? > 0 {
            transaction.batch_execute(step).await?;
        }
    }
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

/// Steps that are made once, each by its name. Steps are never changed, only appended.
const ADDITIONS: &[(&str, &str)] = &[(
    "sums",
    "
CREATE TABLE interlingua_sums (
    backend integer NOT NULL,
    kind    smallint NOT NULL,
    lock    bytea NOT NULL,
    records bigint NOT NULL,
    bytes   bigint NOT NULL,
    PRIMARY KEY (backend, kind, lock)
) WITH (fillfactor = 50);

CREATE FUNCTION interlingua_count_records() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$ BEGIN
    INSERT INTO interlingua_sums AS s (backend, kind, lock, records, bytes)
    SELECT pg_backend_pid(), kind, lock, sign * count(*), sign * sum(size)
    FROM changed, (SELECT CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END AS sign) AS signs
    GROUP BY kind, lock, sign
    ON CONFLICT (backend, kind, lock) DO UPDATE
    SET records = s.records + excluded.records, bytes = s.bytes + excluded.bytes;
    RETURN NULL;
END $$;
CREATE TRIGGER interlingua_records_added AFTER INSERT ON interlingua_records
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION interlingua_count_records();
CREATE TRIGGER interlingua_records_removed AFTER DELETE ON interlingua_records
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION interlingua_count_records();

CREATE FUNCTION interlingua_count_sessions() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$ BEGIN
    INSERT INTO interlingua_sums AS s (backend, kind, lock, records, bytes)
    SELECT pg_backend_pid(), 100, lock, sign * count(*), sign * sum(changed.bytes)
    FROM changed, (SELECT CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END AS sign) AS signs
    GROUP BY lock, sign
    ON CONFLICT (backend, kind, lock) DO UPDATE
    SET records = s.records + excluded.records, bytes = s.bytes + excluded.bytes;
    RETURN NULL;
END $$;
CREATE FUNCTION interlingua_count_changes() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$ BEGIN
    INSERT INTO interlingua_sums AS s (backend, kind, lock, records, bytes)
    SELECT pg_backend_pid(), 100, lock, sum(sign), sum(size) FROM (
        SELECT lock, 1 AS sign, bytes AS size FROM added
        UNION ALL SELECT lock, -1, -bytes FROM removed) AS changes
    GROUP BY lock HAVING sum(sign) <> 0 OR sum(size) <> 0
    ON CONFLICT (backend, kind, lock) DO UPDATE
    SET records = s.records + excluded.records, bytes = s.bytes + excluded.bytes;
    RETURN NULL;
END $$;
CREATE TRIGGER interlingua_sessions_added AFTER INSERT ON interlingua_sessions
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION interlingua_count_sessions();
CREATE TRIGGER interlingua_sessions_removed AFTER DELETE ON interlingua_sessions
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION interlingua_count_sessions();
CREATE TRIGGER interlingua_sessions_changed AFTER UPDATE ON interlingua_sessions
REFERENCING OLD TABLE AS removed NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION interlingua_count_changes();

INSERT INTO interlingua_additions SELECT 'counted'
WHERE NOT EXISTS (SELECT FROM interlingua_records)
AND NOT EXISTS (SELECT FROM interlingua_sessions);
",
)];
