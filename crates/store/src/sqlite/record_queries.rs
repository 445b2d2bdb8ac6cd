//! SQL statements for records.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, Row, params};

use super::shared_state::SharedState;
use crate::MAX_RECORDS_PER_KEY;
use crate::cache::Removal;
use crate::cache_slots::{StoredList, StoredRecord};
use crate::pack::{key_index, owner_index, pack, unpack};
use crate::record::RecordKind;
use crate::retention::RetentionLimits;

type SqlResult<T> = rusqlite::Result<T>;

/// Counts for the health report.
#[derive(Debug, Default)]
pub(super) struct StoreCounts {
    pub(super) records: u64,
    pub(super) bytes: u64,
    pub(super) sessions: u64,
    /// Unencrypted records and sessions.
    pub(super) plaintext: u64,
    /// Records and sessions encrypted with another key.
    pub(super) other_key: u64,
}

pub(super) fn insert(
    connection: &Connection,
    shared: &SharedState,
    record: &StoredRecord,
) -> SqlResult<()> {
    let secret = shared.options.encryption_key.as_ref();
    let mut insert = connection.prepare_cached(
        "INSERT INTO records (id, kind, owner, used, size, lock, payload) VALUES (?,?,?,?,?,?,?)",
    )?;
    let owner = owner_index(secret, &record.owner);
    let last_used = record.last_used.load(Ordering::Relaxed);
    let mut id = record.id;
    loop {
        let Some(payload) = pack(record, id, secret) else {
            return Err(rusqlite::Error::ToSqlConversionFailure("encryption failed".into()));
        };
        let size = i64::try_from(payload.len()).unwrap_or(i64::MAX);
        let key_id = shared.key_id();
        match insert.execute(params![
            id,
            record.kind.db_code(),
            owner,
            last_used,
            size,
            key_id,
            payload
        ]) {
            Ok(_) => break,
            // The id is taken by another process's record: try the next one.
            Err(error) if is_duplicate_id(&error) => id += 1,
            Err(error) => return Err(error),
        }
    }
    let mut insert_address =
        connection.prepare_cached("INSERT OR IGNORE INTO addresses VALUES (?, ?)")?;
    for key in &record.keys {
        insert_address.execute(params![key_index(secret, record.kind, &record.owner, key), id])?;
    }
    Ok(())
}

/// Whether this is the only record under the key. May return false if there are unencrypted rows.
pub(super) fn is_only_record(
    connection: &Connection,
    shared: &SharedState,
    record: &StoredRecord,
    key: &str,
) -> SqlResult<bool> {
    if shared.has_plaintext.load(Ordering::Relaxed) && shared.options.encryption_key.is_some() {
        return Ok(false);
    }
    let mut select =
        connection.prepare_cached("SELECT record FROM addresses WHERE address = ? LIMIT 2")?;
    let index = key_index(shared.options.encryption_key.as_ref(), record.kind, &record.owner, key);
    let mut rows = select.query([index])?;
    let first: Option<i64> = rows.next()?.map(|row| row.get(0)).transpose()?;
    Ok(first == Some(record.id) && rows.next()?.is_none())
}

/// Finds the records of a key, newest first.
pub(super) fn find(
    connection: &Connection,
    shared: &SharedState,
    kind: RecordKind,
    owner: &str,
    key: &str,
) -> SqlResult<Vec<Arc<StoredRecord>>> {
    let mut select = connection.prepare_cached(
        "SELECT r.id, r.kind, r.used, r.lock, r.payload \
         FROM addresses a JOIN records r ON r.id = a.record \
         WHERE a.address = ? ORDER BY a.record DESC LIMIT ?",
    )?;
    let secret = shared.options.encryption_key.as_ref();
    let has_plaintext = secret.is_some() && shared.has_plaintext.load(Ordering::Relaxed);
    let secrets = [Some(secret), has_plaintext.then_some(None)];
    let mut records = Vec::new();
    for secret in secrets.into_iter().flatten() {
        let index = key_index(secret, kind, owner, key);
        let mut rows = select.query(params![index, MAX_RECORDS_PER_KEY as u32])?;
        while let Some(row) = rows.next()? {
            // The index value alone is not trusted: kind, owner and key must match.
            let record = parse_row(row, shared)?.filter(|record| {
                record.kind == kind
                    && record.owner == owner
                    && record.keys.iter().any(|record_key| record_key == key)
            });
            records.extend(record.map(Arc::new));
        }
    }
    Ok(records)
}

pub(super) fn exists(connection: &Connection, kind: RecordKind) -> SqlResult<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM records WHERE kind = ?)")?
        .query_row([kind.db_code()], |row| row.get(0))
}

pub(super) fn list_records(
    connection: &Connection,
    shared: &SharedState,
    kind: RecordKind,
) -> SqlResult<StoredList> {
    let mut list = StoredList::default();
    for_each(connection, shared, kind, |record| match record {
        Some(record) => drop(list.records.insert(record.id, Arc::new(record))),
        None => list.unreadable += 1,
    })?;
    Ok(list)
}

/// Visits all rows of a kind; `None` is a row that cannot be decoded.
fn for_each(
    connection: &Connection,
    shared: &SharedState,
    kind: RecordKind,
    mut visit: impl FnMut(Option<StoredRecord>),
) -> SqlResult<()> {
    let mut select = connection
        .prepare_cached("SELECT id, kind, used, lock, payload FROM records WHERE kind = ?")?;
    let mut rows = select.query([kind.db_code()])?;
    while let Some(row) = rows.next()? {
        visit(parse_row(row, shared)?);
    }
    Ok(())
}

pub(super) fn remove(
    connection: &Connection,
    shared: &SharedState,
    kind: RecordKind,
    removal: &Removal,
) -> SqlResult<u64> {
    let secret = shared.options.encryption_key.as_ref();
    // With a key, rows from before it may still be unencrypted.
    let secrets = [Some(secret), secret.is_some().then_some(None)];
    let secrets = secrets.into_iter().flatten();
    let mut deleted = 0;
    match (&removal.owner, &removal.key) {
        (Some(owner), Some(key)) => {
            let mut delete = connection.prepare_cached(
                "DELETE FROM records WHERE id IN (SELECT record FROM addresses WHERE address = ?)",
            )?;
            for secret in secrets {
                deleted += delete.execute([key_index(secret, kind, owner, key)])?;
            }
        }
        (Some(owner), None) => {
            let mut delete =
                connection.prepare_cached("DELETE FROM records WHERE kind = ? AND owner = ?")?;
            for secret in secrets {
                deleted += delete.execute(params![kind.db_code(), owner_index(secret, owner)])?;
            }
        }
        (None, Some(_)) => {
            let mut ids = Vec::new();
            for_each(connection, shared, kind, |record| {
                ids.extend(record.filter(|record| removal.covers(record)).map(|record| record.id));
            })?;
            let mut delete = connection.prepare_cached("DELETE FROM records WHERE id = ?")?;
            for id in ids {
                deleted += delete.execute([id])?;
            }
        }
        (None, None) => {
            deleted = connection.execute("DELETE FROM records WHERE kind = ?", [kind.db_code()])?;
        }
    }
    Ok(deleted as u64)
}

pub(super) fn touch(connection: &Connection, ids: &[i64], now: i64) -> SqlResult<()> {
    let mut update = connection.prepare_cached("UPDATE records SET used = ? WHERE id = ?")?;
    ids.iter().try_for_each(|id| update.execute(params![now, id]).map(|_| ()))
}

/// Encrypts a batch of unencrypted records; returns their number.
pub(super) fn encrypt_plaintext(connection: &Connection, shared: &SharedState) -> SqlResult<usize> {
    let mut select = connection.prepare_cached(
        "SELECT id, kind, used, lock, payload FROM records WHERE lock = x'' LIMIT ?",
    )?;
    let mut rows_to_encrypt = Vec::new();
    let mut rows = select.query([PRUNE_BATCH])?;
    while let Some(row) = rows.next()? {
        // Damaged records are deleted, as they cannot be encrypted.
        rows_to_encrypt.push((row.get::<_, i64>(0)?, parse_row(row, shared)?));
    }
    let mut delete = connection.prepare_cached("DELETE FROM records WHERE id = ?")?;
    for (id, record) in &rows_to_encrypt {
        delete.execute([id])?;
        if let Some(record) = record {
            insert(connection, shared, record)?;
        }
    }
    Ok(rows_to_encrypt.len())
}

/// Deletes a batch of records that are too old or beyond the size limit; returns their number.
pub(super) fn prune(
    connection: &Connection,
    kind: RecordKind,
    limits: RetentionLimits,
    now: i64,
) -> SqlResult<usize> {
    let age = i64::try_from(limits.max_age.as_millis()).unwrap_or(i64::MAX);
    let mut delete_expired = connection.prepare_cached(
        "DELETE FROM records WHERE id IN \
         (SELECT id FROM records WHERE kind = ? AND used < ? ORDER BY used LIMIT ?)",
    )?;
    let deleted =
        delete_expired.execute(params![kind.db_code(), now.saturating_sub(age), PRUNE_BATCH])?;
    let mut sum =
        connection.prepare_cached("SELECT ifnull(sum(bytes), 0) FROM totals WHERE kind = ?")?;
    let bytes: i64 = sum.query_row([kind.db_code()], |row| row.get(0))?;
    let max_bytes = i64::try_from(limits.max_bytes).unwrap_or(i64::MAX);
    if bytes <= max_bytes {
        return Ok(deleted);
    }
    // Frees 1/16 more than needed, so that pruning is not due again immediately.
    let mut excess = bytes - (max_bytes - max_bytes / 16);
    let mut select = connection
        .prepare_cached("SELECT id, size FROM records WHERE kind = ? ORDER BY used LIMIT ?")?;
    let oldest = select.query_map(params![kind.db_code(), PRUNE_BATCH], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
    })?;
    let mut delete = connection.prepare_cached("DELETE FROM records WHERE id = ?")?;
    let mut pruned = 0;
    for row in oldest.collect::<SqlResult<Vec<_>>>()? {
        if excess <= 0 {
            break;
        }
        pruned += delete.execute([row.0])?;
        excess -= row.1;
    }
    Ok(deleted + pruned)
}

pub(super) fn count(connection: &Connection, shared: &SharedState) -> SqlResult<StoreCounts> {
    let mut select = connection.prepare_cached("SELECT lock, records, bytes, kind FROM totals")?;
    let mut rows = select.query([])?;
    let mut totals = StoreCounts::default();
    while let Some(row) = rows.next()? {
        let key_id: Vec<u8> = row.get(0)?;
        let records = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
        if row.get::<_, i64>(3)? == SESSION_KIND_CODE {
            totals.sessions += records;
        } else {
            totals.records += records;
            totals.bytes += u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
        }
        if key_id.is_empty() {
            totals.plaintext += records;
        } else if key_id != shared.key_id() {
            totals.other_key += records;
        }
    }
    Ok(totals)
}

pub(super) fn newest_id(connection: &Connection) -> SqlResult<i64> {
    connection.query_row("SELECT ifnull(max(id), 0) FROM records", [], |row| row.get(0))
}

/// Decodes a record; counts it if it is damaged.
fn parse_row(row: &Row<'_>, shared: &SharedState) -> SqlResult<Option<StoredRecord>> {
    let (id, kind, used) = (row.get(0)?, row.get::<_, u8>(1)?, row.get(2)?);
    let (ValueRef::Blob(key_id), ValueRef::Blob(payload)) = (row.get_ref(3)?, row.get_ref(4)?)
    else {
        return Ok(None);
    };
    let Some(kind) = RecordKind::ALL.into_iter().find(|known| known.db_code() == kind) else {
        return Ok(None);
    };
    let secret = match &shared.options.encryption_key {
        _ if key_id.is_empty() => None,
        Some(secret) if key_id == secret.key_id => Some(secret),
        _ => return Ok(None),
    };
    let record = unpack(payload, kind, id, used, secret);
    if record.is_none() {
        shared.health_tracker.count_damaged_record();
    }
    Ok(record)
}

fn is_duplicate_id(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}

impl SharedState {
    /// The value of the column `lock`.
    pub(super) fn key_id(&self) -> &[u8] {
        self.options.encryption_key.as_ref().map_or(&[], |secret| &secret.key_id)
    }
}

/// The kind of sessions in the table `totals`.
pub(super) const SESSION_KIND_CODE: i64 = 100;
/// Records deleted per commit.
const PRUNE_BATCH: i64 = 512;
