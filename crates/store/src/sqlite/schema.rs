//! Opens and checks the SQLite file; its settings, schema and migrations.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::{file, salvage};
use crate::error::StoreError;

enum OpenError {
    /// Not a database, or a damaged one.
    Corrupt(String),
    Other(StoreError),
}

/// Opens the file for writing: creates it if missing, migrates it, and moves a damaged one aside.
pub(super) fn open(path: &Path, force_check: bool) -> Result<Connection, StoreError> {
    let to_store_error = |error: std::io::Error| StoreError(format!("{}: {error}", path.display()));
    let lock = file::lock_for_open(path).map_err(to_store_error)?;
    let opened = match file::lost_content(path, &lock) {
        Some(reason) => Err(OpenError::Corrupt(reason.into())),
        None => create_and_open(path, force_check),
    };
    let reason = match opened {
        Ok(connection) => return Ok(connection),
        Err(OpenError::Other(error)) => return Err(error),
        Err(OpenError::Corrupt(reason)) => reason,
    };
    let moved_to = file::move_aside(path).map_err(to_store_error)?;
    let mut connection = create_and_open(path, false).map_err(|open_error| match open_error {
        OpenError::Corrupt(reason) => StoreError(format!("{}: {reason}", path.display())),
        OpenError::Other(error) => error,
    })?;
    let sessions = salvage::salvage(&moved_to, &mut connection);
    tracing::error!(
        "{} is damaged ({reason}) and was moved to {}; a new file has its {sessions} readable sessions, \
         API keys and usage",
        path.display(),
        moved_to.display()
    );
    Ok(connection)
}

/// Limits the size of the file.
pub(super) fn set_max_bytes(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    let page_size: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page_size.max(1);
    // The pragma returns the limit in force.
    connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))
}

/// Opens an existing file for reading.
pub(super) fn open_read_only(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_SIZE);
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    });
    opened.map_err(|error| store_error(path, &error))
}

fn create_and_open(path: &Path, force_check: bool) -> Result<Connection, OpenError> {
    let is_new = file::create_private(path)
        .map_err(|error| OpenError::Other(StoreError(format!("{}: {error}", path.display()))))?;
    let opened = open_checked(path, force_check);
    if is_new && opened.is_err() {
        file::remove_if_empty(path);
    }
    opened
}

fn open_checked(path: &Path, force_check: bool) -> Result<Connection, OpenError> {
    let to_open_error = |error: rusqlite::Error| open_error(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(to_open_error)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(to_open_error)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_SIZE);
    let version = check_version(&connection, path)?;
    apply_pragmas(&connection).map_err(to_open_error)?;
    let is_small = std::fs::metadata(path).is_ok_and(|file| file.len() <= QUICK_CHECK_MAX_BYTES);
    if version > 0 && (force_check || is_small) {
        let result: String = connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(to_open_error)?;
        if result != "ok" {
            return Err(OpenError::Corrupt(result));
        }
    }
    migrate(&mut connection).map_err(to_open_error)?;
    let altered = altered_object(&connection).map_err(to_open_error)?;
    altered.map_or(Ok(connection), |name| {
        Err(OpenError::Corrupt(format!("{name} differs from the schema")))
    })
}

/// Finds a table, index or trigger that differs from the schema. SQLite parses a flipped byte in a
/// stored statement without an error.
fn altered_object(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut reference = Connection::open_in_memory()?;
    migrate(&mut reference)?;
    let mut select_reference =
        reference.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    let mut count_equal =
        connection.prepare("SELECT count(*) FROM sqlite_schema WHERE (name, sql) = (?, ?)")?;
    let mut rows = select_reference.query([])?;
    while let Some(row) = rows.next()? {
        let (name, sql): (String, String) = (row.get(0)?, row.get(1)?);
        if count_equal.query_row([&name, &sql], |row| row.get::<_, i64>(0))? == 0 {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Reads the schema version, 0 for a new file. Files of other programs and newer versions are
/// errors, and left untouched.
fn check_version(connection: &Connection, path: &Path) -> Result<usize, OpenError> {
    let query_i64 = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let header = (|| {
        let tables = query_i64("SELECT count(*) FROM sqlite_schema")?;
        Ok((query_i64("PRAGMA application_id")?, query_i64("PRAGMA user_version")?, tables))
    })();
    let (application, version, tables) = header.map_err(|error| open_error(path, &error))?;
    let reject =
        |reason: &str| Err(OpenError::Other(StoreError(format!("{} {reason}", path.display()))));
    if application != APPLICATION_ID && tables > 0 {
        return reject("is the database of another program");
    }
    match usize::try_from(version) {
        Ok(version) if version <= MIGRATIONS.len() => Ok(version),
        _ => reject("was written by a newer version of this program"),
    }
}

fn apply_pragmas(connection: &Connection) -> rusqlite::Result<()> {
    // Takes effect only on a new file, before the first write.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "journal_size_limit", 16 << 20)
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    for (nth, step) in MIGRATIONS.iter().enumerate().skip(version as usize) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", nth as u32 + 1)?;
    }
    transaction.commit()
}

fn open_error(path: &Path, error: &rusqlite::Error) -> OpenError {
    if is_corrupt(error) {
        return OpenError::Corrupt(error.to_string());
    }
    OpenError::Other(store_error(path, error))
}

/// Whether the error means a damaged file.
pub(super) fn is_corrupt(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

pub(super) fn store_error(path: &Path, error: &rusqlite::Error) -> StoreError {
    StoreError(format!("{}: {error}", path.display()))
}

/// `ILST` in ASCII; identifies our files.
const APPLICATION_ID: i64 = 0x494c_5354;
/// How long to wait for another process's write lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// More than the number of statements, so that each is prepared once.
const STATEMENT_CACHE_SIZE: usize = 64;
/// Files up to this size are checked when they are opened; larger ones only after a corruption
/// error.
const QUICK_CHECK_MAX_BYTES: u64 = 32 << 20;

/// The step from each version to the next. Steps are never changed, only appended.
const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE records (
    id      INTEGER PRIMARY KEY,
    kind    INTEGER NOT NULL,
    owner   BLOB NOT NULL,
    used    INTEGER NOT NULL,
    size    INTEGER NOT NULL,
    lock    BLOB NOT NULL,
    payload BLOB NOT NULL
) STRICT;
CREATE INDEX records_by_use ON records (kind, used);
CREATE INDEX records_by_owner ON records (kind, owner);

CREATE TABLE addresses (
    address BLOB NOT NULL,
    record  INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    PRIMARY KEY (address, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX addresses_by_record ON addresses (record);

CREATE TABLE totals (
    kind    INTEGER NOT NULL,
    lock    BLOB NOT NULL,
    records INTEGER NOT NULL,
    bytes   INTEGER NOT NULL,
    PRIMARY KEY (kind, lock)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER record_added AFTER INSERT ON records BEGIN
    INSERT INTO totals VALUES (new.kind, new.lock, 1, new.size)
    ON CONFLICT DO UPDATE SET records = records + 1, bytes = bytes + new.size;
END;
CREATE TRIGGER record_removed AFTER DELETE ON records BEGIN
    UPDATE totals SET records = records - 1, bytes = bytes - old.size
    WHERE kind = old.kind AND lock = old.lock;
END;
",
    "
CREATE TABLE sessions (
    id      BLOB PRIMARY KEY,
    owner   BLOB NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    turns   INTEGER NOT NULL,
    bytes   INTEGER NOT NULL,
    lock    BLOB NOT NULL,
    about   BLOB NOT NULL,
    model   BLOB NOT NULL
) STRICT;
CREATE INDEX sessions_by_owner ON sessions (owner, updated, id);
CREATE INDEX sessions_by_time ON sessions (updated);

CREATE TABLE turns (
    session BLOB NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number  INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    state   INTEGER NOT NULL,
    payload BLOB NOT NULL,
    PRIMARY KEY (session, number)
) STRICT;

CREATE TRIGGER session_added AFTER INSERT ON sessions BEGIN
    INSERT INTO totals VALUES (100, new.lock, 1, new.bytes)
    ON CONFLICT DO UPDATE SET records = records + 1, bytes = bytes + new.bytes;
END;
CREATE TRIGGER session_removed AFTER DELETE ON sessions BEGIN
    UPDATE totals SET records = records - 1, bytes = bytes - old.bytes
    WHERE kind = 100 AND lock = old.lock;
END;
CREATE TRIGGER session_changed AFTER UPDATE OF lock, bytes ON sessions BEGIN
    UPDATE totals SET records = records - 1, bytes = bytes - old.bytes
    WHERE kind = 100 AND lock = old.lock;
    INSERT INTO totals VALUES (100, new.lock, 1, new.bytes)
    ON CONFLICT DO UPDATE SET records = records + 1, bytes = bytes + new.bytes;
END;
",
    "
CREATE TABLE usage (
    day         INTEGER NOT NULL,
    owner       BLOB NOT NULL,
    model       BLOB NOT NULL,
    lock        BLOB NOT NULL,
    label       BLOB NOT NULL,
    requests    INTEGER NOT NULL,
    failures    INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    reasoning   INTEGER NOT NULL,
    PRIMARY KEY (day, owner, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE batches (
    writer BLOB PRIMARY KEY,
    number INTEGER NOT NULL,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
",
];
