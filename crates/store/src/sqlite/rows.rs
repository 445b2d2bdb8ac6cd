//! The statements.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, Row, params};

use super::{Removal, Shared};
use crate::MOST;
use crate::pack::{address, owner_address, pack, unpack};
use crate::record::Kind;
use crate::retention::Keep;
use crate::slots::Kept;

type Result<T> = rusqlite::Result<T>;

/// Sums over all records.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) records: u64,
    pub(super) bytes: u64,
    pub(super) sessions: u64,
    /// Records and conversations under no lock.
    pub(super) plain: u64,
    /// Those under a lock that is not ours.
    pub(super) foreign: u64,
}

pub(super) fn insert(connection: &Connection, shared: &Shared, kept: &Kept) -> Result<()> {
    let secret = shared.options.secret.as_ref();
    let mut insert = connection.prepare_cached(
        "INSERT INTO records (id, kind, owner, used, size, lock, payload) VALUES (?,?,?,?,?,?,?)",
    )?;
    let owner = owner_address(secret, &kept.owner);
    let used = kept.used.load(Ordering::Relaxed);
    let mut id = kept.id;
    loop {
        let Some(payload) = pack(kept, id, secret) else {
            return Err(rusqlite::Error::ToSqlConversionFailure("it cannot be sealed".into()));
        };
        let size = i64::try_from(payload.len()).unwrap_or(i64::MAX);
        let lock = shared.lock();
        match insert.execute(params![id, kept.kind.number(), owner, used, size, lock, payload]) {
            Ok(_) => break,
            // Another process was given the same.
            Err(error) if is_taken(&error) => id += 1,
            Err(error) => return Err(error),
        }
    }
    let mut place = connection.prepare_cached("INSERT OR IGNORE INTO addresses VALUES (?, ?)")?;
    for key in &kept.keys {
        place.execute(params![address(secret, kept.kind, &kept.owner, key), id])?;
    }
    Ok(())
}

/// Whether nothing but this record lies under one of its keys, as far as that is easily told.
pub(super) fn is_alone(
    connection: &Connection,
    shared: &Shared,
    kept: &Kept,
    key: &str,
) -> Result<bool> {
    if shared.plain.load(Ordering::Relaxed) && shared.options.secret.is_some() {
        return Ok(false);
    }
    let mut select =
        connection.prepare_cached("SELECT record FROM addresses WHERE address = ? LIMIT 2")?;
    let place = address(shared.options.secret.as_ref(), kept.kind, &kept.owner, key);
    let mut rows = select.query([place])?;
    let first: Option<i64> = rows.next()?.map(|row| row.get(0)).transpose()?;
    Ok(first == Some(kept.id) && rows.next()?.is_none())
}

/// What lies under one key, the newest first.
pub(super) fn find(
    connection: &Connection,
    shared: &Shared,
    kind: Kind,
    owner: &str,
    key: &str,
) -> Result<Vec<Arc<Kept>>> {
    let mut select = connection.prepare_cached(
        "SELECT r.id, r.kind, r.used, r.lock, r.payload \
         FROM addresses a JOIN records r ON r.id = a.record \
         WHERE a.address = ? ORDER BY a.record DESC LIMIT ?",
    )?;
    let secret = shared.options.secret.as_ref();
    let plain = secret.is_some() && shared.plain.load(Ordering::Relaxed);
    let places = [Some(secret), plain.then_some(None)];
    let mut found = Vec::new();
    for secret in places.into_iter().flatten() {
        let place = address(secret, kind, owner, key);
        let mut rows = select.query(params![place, MOST as u32])?;
        while let Some(row) = rows.next()? {
            // Whatever the place says, it is found by whom and what it was kept for.
            let kept = read(row, shared)?.filter(|kept| {
                kept.kind == kind && kept.owner == owner && kept.keys.iter().any(|own| own == key)
            });
            found.extend(kept.map(Arc::new));
        }
    }
    Ok(found)
}

/// Whether there is anything of a kind.
pub(super) fn any(connection: &Connection, kind: Kind) -> Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM records WHERE kind = ?)")?
        .query_row([kind.number()], |row| row.get(0))
}

pub(super) fn all(
    connection: &Connection,
    shared: &Shared,
    kind: Kind,
) -> Result<BTreeMap<i64, Arc<Kept>>> {
    let mut all = BTreeMap::new();
    each(connection, shared, kind, |kept| {
        all.insert(kept.id, Arc::new(kept));
    })?;
    Ok(all)
}

fn each(
    connection: &Connection,
    shared: &Shared,
    kind: Kind,
    mut take: impl FnMut(Kept),
) -> Result<()> {
    let mut select = connection
        .prepare_cached("SELECT id, kind, used, lock, payload FROM records WHERE kind = ?")?;
    let mut rows = select.query([kind.number()])?;
    while let Some(row) = rows.next()? {
        read(row, shared)?.map(&mut take);
    }
    Ok(())
}

pub(super) fn remove(
    connection: &Connection,
    shared: &Shared,
    kind: Kind,
    removal: &Removal,
) -> Result<u64> {
    let secret = shared.options.secret.as_ref();
    // Where there is a key, there may still be records from before it.
    let locks = [Some(secret), secret.is_some().then_some(None)];
    let locks = locks.into_iter().flatten();
    let mut gone = 0;
    match (&removal.owner, &removal.key) {
        (Some(owner), Some(key)) => {
            let mut delete = connection.prepare_cached(
                "DELETE FROM records WHERE id IN (SELECT record FROM addresses WHERE address = ?)",
            )?;
            for secret in locks {
                gone += delete.execute([address(secret, kind, owner, key)])?;
            }
        }
        (Some(owner), None) => {
            let mut delete =
                connection.prepare_cached("DELETE FROM records WHERE kind = ? AND owner = ?")?;
            for secret in locks {
                gone += delete.execute(params![kind.number(), owner_address(secret, owner)])?;
            }
        }
        (None, Some(_)) => {
            let mut ids = Vec::new();
            each(connection, shared, kind, |kept| {
                ids.extend(removal.covers(&kept).then_some(kept.id));
            })?;
            let mut delete = connection.prepare_cached("DELETE FROM records WHERE id = ?")?;
            for id in ids {
                gone += delete.execute([id])?;
            }
        }
        (None, None) => {
            gone = connection.execute("DELETE FROM records WHERE kind = ?", [kind.number()])?;
        }
    }
    Ok(gone as u64)
}

pub(super) fn revive(connection: &Connection, ids: &[i64], now: i64) -> Result<()> {
    let mut update = connection.prepare_cached("UPDATE records SET used = ? WHERE id = ?")?;
    ids.iter().try_for_each(|id| update.execute(params![now, id]).map(|_| ()))
}

/// Seals some of the records that are not. Says how many.
pub(super) fn seal_plain(connection: &Connection, shared: &Shared) -> Result<usize> {
    let mut select = connection.prepare_cached(
        "SELECT id, kind, used, lock, payload FROM records WHERE lock = x'' LIMIT ?",
    )?;
    let mut plain = Vec::new();
    let mut rows = select.query([STEP])?;
    while let Some(row) = rows.next()? {
        // What is damaged cannot be sealed, nor stay as it is.
        plain.push((row.get::<_, i64>(0)?, read(row, shared)?));
    }
    let mut delete = connection.prepare_cached("DELETE FROM records WHERE id = ?")?;
    for (id, kept) in &plain {
        delete.execute([id])?;
        if let Some(kept) = kept {
            insert(connection, shared, kept)?;
        }
    }
    Ok(plain.len())
}

/// One small step: some of what is too old, or too much. Says how many records went.
pub(super) fn tidy(connection: &Connection, kind: Kind, keep: Keep, now: i64) -> Result<usize> {
    let age = i64::try_from(keep.age.as_millis()).unwrap_or(i64::MAX);
    let mut old = connection.prepare_cached(
        "DELETE FROM records WHERE id IN \
         (SELECT id FROM records WHERE kind = ? AND used < ? ORDER BY used LIMIT ?)",
    )?;
    let gone = old.execute(params![kind.number(), now.saturating_sub(age), STEP])?;
    let mut sum =
        connection.prepare_cached("SELECT ifnull(sum(bytes), 0) FROM totals WHERE kind = ?")?;
    let bytes: i64 = sum.query_row([kind.number()], |row| row.get(0))?;
    let most = i64::try_from(keep.bytes).unwrap_or(i64::MAX);
    if bytes <= most {
        return Ok(gone);
    }
    // Some more than needed, so that it is not needed again at once.
    let mut excess = bytes - (most - most / 16);
    let mut select = connection
        .prepare_cached("SELECT id, size FROM records WHERE kind = ? ORDER BY used LIMIT ?")?;
    let oldest = select.query_map(params![kind.number(), STEP], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
    })?;
    let mut delete = connection.prepare_cached("DELETE FROM records WHERE id = ?")?;
    let mut more = 0;
    for row in oldest.collect::<Result<Vec<_>>>()? {
        if excess <= 0 {
            break;
        }
        more += delete.execute([row.0])?;
        excess -= row.1;
    }
    Ok(gone + more)
}

pub(super) fn totals(connection: &Connection, shared: &Shared) -> Result<Totals> {
    let mut select = connection.prepare_cached("SELECT lock, records, bytes, kind FROM totals")?;
    let mut rows = select.query([])?;
    let mut totals = Totals::default();
    while let Some(row) = rows.next()? {
        let lock: Vec<u8> = row.get(0)?;
        let records = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
        if row.get::<_, i64>(3)? == SESSIONS {
            totals.sessions += records;
        } else {
            totals.records += records;
            totals.bytes += u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
        }
        if lock.is_empty() {
            totals.plain += records;
        } else if lock != shared.lock() {
            totals.foreign += records;
        }
    }
    Ok(totals)
}

pub(super) fn newest(connection: &Connection) -> Result<i64> {
    connection.query_row("SELECT ifnull(max(id), 0) FROM records", [], |row| row.get(0))
}

/// A record, if it can be read; one that is damaged is noted.
fn read(row: &Row<'_>, shared: &Shared) -> Result<Option<Kept>> {
    let (id, kind, used) = (row.get(0)?, row.get::<_, u8>(1)?, row.get(2)?);
    let (ValueRef::Blob(lock), ValueRef::Blob(payload)) = (row.get_ref(3)?, row.get_ref(4)?) else {
        return Ok(None);
    };
    let Some(kind) = Kind::ALL.into_iter().find(|known| known.number() == kind) else {
        return Ok(None);
    };
    let secret = match &shared.options.secret {
        _ if lock.is_empty() => None,
        Some(secret) if lock == secret.id => Some(secret),
        _ => return Ok(None),
    };
    let kept = unpack(payload, kind, id, used, secret);
    if kept.is_none() {
        shared.pulse.spoilt();
    }
    Ok(kept)
}

fn is_taken(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}

impl Shared {
    /// How the database knows the key that records are sealed with.
    pub(super) fn lock(&self) -> &[u8] {
        self.options.secret.as_ref().map_or(&[], |secret| &secret.id)
    }
}

/// The kind under which conversations are counted.
pub(super) const SESSIONS: i64 = 100;
/// Records that are forgotten in one commit.
const STEP: i64 = 512;
