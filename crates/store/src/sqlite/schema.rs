//! Opening the database: its settings, its tables, and what is done when it cannot be used.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::{file, salvage};
use crate::health::Trouble;

/// Why a database cannot be used.
enum Unfit {
    /// It is no database, or a damaged one.
    Broken(String),
    Other(Trouble),
}

/// Opens it for writing: made if there is none, brought to this version, moved aside if it is broken.
pub(super) fn open(path: &Path, suspect: bool) -> Result<Connection, Trouble> {
    let named = |error: std::io::Error| Trouble(format!("{}: {error}", path.display()));
    file::prepare(path).map_err(named)?;
    let _alone = file::lock(path).map_err(named)?;
    let why = match fitted(path, suspect) {
        Ok(connection) => return Ok(connection),
        Err(Unfit::Other(trouble)) => return Err(trouble),
        Err(Unfit::Broken(why)) => why,
    };
    let aside = file::set_aside(path).map_err(named)?;
    file::prepare(path).map_err(named)?;
    let mut connection = fitted(path, false).map_err(|unfit| match unfit {
        Unfit::Broken(why) => Trouble(format!("{}: {why}", path.display())),
        Unfit::Other(trouble) => trouble,
    })?;
    let saved = salvage::conversations(&aside, &mut connection);
    tracing::error!(
        "{} is damaged ({why}); it was moved to {}, and a new one is begun with the {saved} sessions that \
         can be read, and the keys and what they have used",
        path.display(),
        aside.display()
    );
    Ok(connection)
}

/// Lets the file have so many bytes, and no more.
pub(super) fn limit(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    let page: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page.max(1);
    // It answers with what is in force.
    connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))
}

/// Opens it for reading; it must be there.
pub(super) fn open_to_read(path: &Path) -> Result<Connection, Trouble> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.busy_timeout(PATIENCE)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    });
    opened.map_err(|error| trouble(path, &error))
}

fn fitted(path: &Path, suspect: bool) -> Result<Connection, Unfit> {
    let unfit = |error: rusqlite::Error| unfit(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(unfit)?;
    connection.busy_timeout(PATIENCE).map_err(unfit)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let version = version(&connection, path)?;
    settings(&connection).map_err(unfit)?;
    let small = std::fs::metadata(path).is_ok_and(|file| file.len() <= SMALL);
    if version > 0 && (suspect || small) {
        let found: String =
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(unfit)?;
        if found != "ok" {
            return Err(Unfit::Broken(found));
        }
    }
    migrate(&mut connection).map_err(unfit)?;
    let strange = strange(&connection).map_err(unfit)?;
    strange.map_or(Ok(connection), |name| Err(Unfit::Broken(format!("{name} is not what it was"))))
}

/// A table, index or trigger that is not what it was made as: who reads it by its text finds nothing damaged.
fn strange(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut made = Connection::open_in_memory()?;
    migrate(&mut made)?;
    let mut all = made.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    let mut there =
        connection.prepare("SELECT count(*) FROM sqlite_schema WHERE (name, sql) = (?, ?)")?;
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        let (name, sql): (String, String) = (row.get(0)?, row.get(1)?);
        if there.query_row([&name, &sql], |row| row.get::<_, i64>(0))? == 0 {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Its version; 0 for one that is new. Whatever is not ours is left alone.
fn version(connection: &Connection, path: &Path) -> Result<usize, Unfit> {
    let ask = |what: &str| connection.query_row(what, [], |row| row.get::<_, i64>(0));
    let asked = (|| {
        let tables = ask("SELECT count(*) FROM sqlite_schema")?;
        Ok((ask("PRAGMA application_id")?, ask("PRAGMA user_version")?, tables))
    })();
    let (application, version, tables) = asked.map_err(|error| unfit(path, &error))?;
    let refused = |why: &str| Err(Unfit::Other(Trouble(format!("{} {why}", path.display()))));
    if application != APPLICATION && tables > 0 {
        return refused("is the database of another program");
    }
    match usize::try_from(version) {
        Ok(version) if version <= VERSIONS.len() => Ok(version),
        _ => refused("was written by a newer version of this program"),
    }
}

fn settings(connection: &Connection) -> rusqlite::Result<()> {
    // Only a new file takes it, and only before anything is written.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "journal_size_limit", 16 << 20)
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    for (nth, step) in VERSIONS.iter().enumerate().skip(done as usize) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", nth as u32 + 1)?;
    }
    transaction.commit()
}

fn unfit(path: &Path, error: &rusqlite::Error) -> Unfit {
    if is_broken(error) {
        return Unfit::Broken(error.to_string());
    }
    Unfit::Other(trouble(path, error))
}

/// Whether the file itself is bad.
pub(super) fn is_broken(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

pub(super) fn trouble(path: &Path, error: &rusqlite::Error) -> Trouble {
    Trouble(format!("{}: {error}", path.display()))
}

/// `ILST`, by which the file is known to be ours.
const APPLICATION: i64 = 0x494c_5354;
/// For another process that writes.
const PATIENCE: Duration = Duration::from_secs(5);
/// More than there are, so that none is read twice.
const STATEMENTS: usize = 64;
/// Checked whole before it is used; larger ones when something is found to be wrong.
const SMALL: u64 = 32 << 20;

/// What leads from each version to the next. Never changed, only added to.
const VERSIONS: &[&str] = &[
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
