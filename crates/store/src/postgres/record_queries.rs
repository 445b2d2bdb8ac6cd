//! SQL statements for records.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use deadpool_postgres::{ClientWrapper, Transaction};
use tokio_postgres::{Error, Row};

use super::delete_range::{DeleteRange, DeletedRows};
use super::query_error::QueryError;
use super::shared_state::SharedState;
use crate::MAX_RECORDS_PER_KEY;
use crate::cache::{KeySnapshot, Removal};
use crate::cache_slots::{StoredList, StoredRecord};
use crate::error::StoreError;
use crate::pack::{content_digest, key_index, owner_index, pack, unpack};
use crate::record::RecordKind;
use crate::session::RowCipher;

/// Inserts records; those that exist already, from any node, are only touched.
pub(super) async fn insert(
    transaction: &Transaction<'_>,
    shared: &SharedState,
    records: &[Arc<StoredRecord>],
) -> Result<(), QueryError> {
    let secret = shared.options.encryption_key.as_ref();
    let with_digest = |record: &Arc<StoredRecord>| {
        (content_digest(secret, record), record.id, Arc::clone(record))
    };
    let mut remaining: Vec<_> = records.iter().map(with_digest).collect();
    // All nodes insert in the same order, which avoids deadlocks.
    remaining.sort_by_key(|(digest, ..)| *digest);
    while !remaining.is_empty() {
        let stored_ids = insert_rows(transaction, shared, &remaining).await?;
        let (mut ids, mut indexes, mut existing) = (Vec::new(), Vec::new(), Vec::new());
        for (digest, id, record) in &remaining {
            match stored_ids.get(&digest[..]) {
                Some(stored) if stored == id => {
                    for key in &record.keys {
                        indexes.push(key_index(secret, record.kind, &record.owner, key));
                        ids.push(*id);
                    }
                }
                Some(stored) => existing.push(*stored),
                None => {}
            }
        }
        let indexes: Vec<&[u8]> = indexes.iter().map(|index| &index[..]).collect();
        let statement = transaction
            .prepare_cached(
                "INSERT INTO interlingua_addresses (address, record) \
                 SELECT * FROM unnest($1::bytea[], $2::bigint[]) ON CONFLICT DO NOTHING",
            )
            .await?;
        transaction.execute(&statement, &[&indexes, &ids]).await?;
        touch(transaction, &existing, crate::id::unix_millis()).await?;
        // The id is taken by another node's record: try the next one.
        remaining.retain(|(digest, ..)| !stored_ids.contains_key(&digest[..]));
        for (_, id, _) in &mut remaining {
            *id += 1;
        }
    }
    Ok(())
}

/// Inserts rows; returns the stored ids by digest, without rows that lost their id to another
/// record.
async fn insert_rows(
    transaction: &Transaction<'_>,
    shared: &SharedState,
    records: &[([u8; 16], i64, Arc<StoredRecord>)],
) -> Result<HashMap<Vec<u8>, i64>, QueryError> {
    let secret = shared.options.encryption_key.as_ref();
    let mut payloads = Vec::with_capacity(records.len());
    for (_, id, record) in records {
        let payload = pack(record, *id, secret);
        payloads.push(payload.ok_or_else(|| StoreError("encryption failed".into()))?);
    }
    let ids: Vec<i64> = records.iter().map(|(_, id, _)| *id).collect();
    let kinds: Vec<i16> = records.iter().map(|row| i16::from(row.2.kind.db_code())).collect();
    let owners: Vec<Vec<u8>> =
        records.iter().map(|row| owner_index(secret, &row.2.owner).to_vec()).collect();
    let used: Vec<i64> =
        records.iter().map(|row| row.2.last_used.load(Ordering::Relaxed)).collect();
    let digests: Vec<&[u8]> = records.iter().map(|row| &row.0[..]).collect();
    let insert = transaction
        .prepare_cached(
            "INSERT INTO interlingua_records (id, kind, owner, used, size, lock, digest, payload) \
             SELECT id, kind, owner, used, octet_length(payload), $1::bytea, digest, payload \
             FROM unnest($2::bigint[], $3::smallint[], $4::bytea[], $5::bigint[], $6::bytea[], \
             $7::bytea[]) AS r (id, kind, owner, used, digest, payload) ON CONFLICT DO NOTHING",
        )
        .await?;
    let key_id = RowCipher(secret).key_id();
    transaction
        .execute(&insert, &[&key_id, &ids, &kinds, &owners, &used, &digests, &payloads])
        .await?;
    let select = transaction
        .prepare_cached("SELECT digest, id FROM interlingua_records WHERE digest = ANY($1)")
        .await?;
    let mut stored_ids = HashMap::new();
    for row in transaction.query(&select, &[&digests]).await? {
        stored_ids.insert(row.try_get(0)?, row.try_get(1)?);
    }
    Ok(stored_ids)
}

/// Finds the records of each key, newest first. Bodies of cached records are not read.
pub(super) async fn find(
    client: &ClientWrapper,
    shared: &SharedState,
    kind: RecordKind,
    owner: &str,
    keys: &[KeySnapshot],
) -> Result<Vec<Vec<Arc<StoredRecord>>>, QueryError> {
    let secret = shared.options.encryption_key.as_ref();
    let plain = shared.has_plaintext.load(Ordering::Relaxed);
    let ciphers: Vec<_> = RowCipher::candidates(secret)
        .filter(|row_cipher| plain || row_cipher.0.is_some() == secret.is_some())
        .collect();
    let indexes: Vec<[u8; 16]> = ciphers
        .iter()
        .flat_map(|row_cipher| {
            keys.iter().map(|snapshot| key_index(row_cipher.0, kind, owner, &snapshot.key))
        })
        .collect();
    let indexes: Vec<&[u8]> = indexes.iter().map(|index| &index[..]).collect();
    let select = client
        .prepare_cached(
            "SELECT k.nth - 1, r.id, r.used \
             FROM unnest($1::bytea[]) WITH ORDINALITY AS k (address, nth) \
             CROSS JOIN LATERAL (SELECT record FROM interlingua_addresses a \
             WHERE a.address = k.address ORDER BY record DESC LIMIT $2) AS a \
             JOIN interlingua_records r ON r.id = a.record",
        )
        .await?;
    let limit = i64::try_from(MAX_RECORDS_PER_KEY).unwrap_or(i64::MAX);
    let mut matches: Vec<(usize, i64, i64)> = Vec::new();
    for row in client.query(&select, &[&indexes, &limit]).await? {
        let nth = usize::try_from(row.try_get::<_, i64>(0)?).unwrap_or(0);
        matches.push((nth % keys.len().max(1), row.try_get(1)?, row.try_get(2)?));
    }
    let cached = keys
        .iter()
        .flat_map(|snapshot| &snapshot.cached)
        .map(|record| (record.id, Arc::clone(record)));
    let mut bodies: HashMap<i64, Arc<StoredRecord>> = cached.collect();
    let mut missing: Vec<i64> = matches.iter().map(|(_, id, _)| *id).collect();
    missing.retain(|id| !bodies.contains_key(id));
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        let select = client
            .prepare_cached(
                "SELECT id, kind, used, lock, payload FROM interlingua_records WHERE id = ANY($1)",
            )
            .await?;
        for row in client.query(&select, &[&missing]).await? {
            bodies.extend(parse_row(&row, shared)?.map(|record| (record.id, Arc::new(record))));
        }
    }
    let mut records = vec![Vec::new(); keys.len()];
    for (nth, id, used) in matches {
        let Some(record) = bodies.get(&id) else { continue };
        // The index value alone is not trusted: kind, owner and key must match.
        if record.kind == kind && record.owner == owner && record.keys.contains(&keys[nth].key) {
            record.touch(used);
            records[nth].push(Arc::clone(record));
        }
    }
    Ok(records)
}

pub(super) async fn list_records(
    client: &ClientWrapper,
    shared: &SharedState,
    kind: RecordKind,
) -> Result<StoredList, QueryError> {
    let select = client.prepare_cached(SELECT_BY_KIND).await?;
    let mut list = StoredList::default();
    for row in client.query(&select, &[&i16::from(kind.db_code())]).await? {
        match parse_row(&row, shared)? {
            Some(record) => drop(list.records.insert(record.id, Arc::new(record))),
            None => list.unreadable += 1,
        }
    }
    Ok(list)
}

pub(super) async fn remove(
    transaction: &Transaction<'_>,
    shared: &SharedState,
    kind: RecordKind,
    removal: &Removal,
) -> Result<u64, QueryError> {
    let kind_code = i16::from(kind.db_code());
    let ciphers = || RowCipher::candidates(shared.options.encryption_key.as_ref());
    Ok(match (&removal.owner, &removal.key) {
        (Some(owner), Some(key)) => {
            let indexes: Vec<Vec<u8>> = ciphers()
                .map(|row_cipher| key_index(row_cipher.0, kind, owner, key).to_vec())
                .collect();
            let delete = "DELETE FROM interlingua_records WHERE id IN \
                          (SELECT record FROM interlingua_addresses WHERE address = ANY($1))";
            transaction.execute(delete, &[&indexes]).await?
        }
        (Some(owner), None) => {
            let owners: Vec<Vec<u8>> =
                ciphers().map(|row_cipher| row_cipher.owner_index(owner).to_vec()).collect();
            let delete = "DELETE FROM interlingua_records WHERE kind = $1 AND owner = ANY($2)";
            transaction.execute(delete, &[&kind_code, &owners]).await?
        }
        (None, Some(_)) => {
            // Other nodes' clocks may differ, so ids do not limit the removal.
            let removal = Removal { before_id: i64::MAX, ..removal.clone() };
            let mut ids = Vec::new();
            for row in transaction.query(SELECT_BY_KIND, &[&kind_code]).await? {
                ids.extend(
                    parse_row(&row, shared)?
                        .filter(|record| removal.covers(record))
                        .map(|record| record.id),
                );
            }
            let delete = "DELETE FROM interlingua_records WHERE id = ANY($1)";
            transaction.execute(delete, &[&ids]).await?
        }
        (None, None) => {
            let delete = "DELETE FROM interlingua_records WHERE kind = $1";
            transaction.execute(delete, &[&kind_code]).await?
        }
    })
}

/// Updates the last use. Rows locked by another node are skipped.
pub(super) async fn touch(
    transaction: &Transaction<'_>,
    ids: &[i64],
    now: i64,
) -> Result<(), Error> {
    if ids.is_empty() {
        return Ok(());
    }
    let update = "UPDATE interlingua_records SET used = greatest(used, $1) WHERE id IN \
                  (SELECT id FROM interlingua_records WHERE id = ANY($2) FOR UPDATE SKIP LOCKED)";
    transaction.execute(update, &[&now, &ids]).await.map(drop)
}

/// Encrypts the unencrypted records among the next ones after `cursor`, and advances it; returns
/// whether there may be more.
pub(super) async fn encrypt_plaintext(
    transaction: &Transaction<'_>,
    shared: &SharedState,
    cursor: &mut i64,
) -> Result<bool, QueryError> {
    let page = "SELECT id, lock = '' FROM interlingua_records WHERE id > $1 ORDER BY id LIMIT $2";
    let page = transaction.query(page, &[&*cursor, &WALK_ROWS]).await?;
    let has_more = i64::try_from(page.len()).is_ok_and(|rows| rows == WALK_ROWS);
    let mut ids: Vec<i64> = Vec::new();
    for row in &page {
        *cursor = row.try_get(0)?;
        if row.try_get(1)? {
            ids.push(*cursor);
        }
        if ids.len() == MAX_ENCRYPTED_ROWS {
            break;
        }
    }
    let is_page_cut = ids.len() == MAX_ENCRYPTED_ROWS;
    let select = "SELECT id, kind, used, lock, payload FROM interlingua_records \
                  WHERE id = ANY($1) AND lock = '' FOR UPDATE SKIP LOCKED";
    let (mut found, mut records) = (Vec::new(), Vec::new());
    for row in transaction.query(select, &[&ids]).await? {
        found.push(row.try_get::<_, i64>(0)?);
        // Damaged records are deleted, as they cannot be encrypted.
        records.extend(parse_row(&row, shared)?.map(Arc::new));
    }
    transaction.execute("DELETE FROM interlingua_records WHERE id = ANY($1)", &[&found]).await?;
    insert(transaction, shared, &records).await?;
    Ok(has_more || is_page_cut)
}

/// Deletes a batch of the least recently used records of a kind.
pub(super) async fn delete_oldest(
    transaction: &Transaction<'_>,
    kind: i16,
    range: DeleteRange,
    max_rows: i64,
) -> Result<DeletedRows, QueryError> {
    let delete = transaction
        .prepare_cached(
            "WITH deleted AS (DELETE FROM interlingua_records WHERE id = ANY(ARRAY(\
             SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY used, id) - size AS before FROM \
             (SELECT id, used, size FROM interlingua_records \
             WHERE kind = $1 AND used >= $2 AND used < $3 \
             ORDER BY used LIMIT $4 FOR UPDATE SKIP LOCKED) AS oldest) AS summed \
             WHERE before < $5::bigint)) RETURNING used, size) \
             SELECT count(*), coalesce(sum(size), 0)::bigint, coalesce(max(used), 0) FROM deleted",
        )
        .await?;
    let DeleteRange { from, before, max_bytes } = range;
    let row =
        transaction.query_one(&delete, &[&kind, &from, &before, &max_rows, &max_bytes]).await?;
    Ok(DeletedRows { rows: row.try_get(0)?, bytes: row.try_get(1)?, last_use: row.try_get(2)? })
}

/// Decodes a record; counts it if it is damaged.
fn parse_row(row: &Row, shared: &SharedState) -> Result<Option<StoredRecord>, Error> {
    let (id, kind, used): (_, i16, _) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let (key_id, payload): (&[u8], &[u8]) = (row.try_get(3)?, row.try_get(4)?);
    let Some(kind) = RecordKind::ALL.into_iter().find(|known| i16::from(known.db_code()) == kind)
    else {
        return Ok(None);
    };
    let Some(row_cipher) = RowCipher::by_key_id(key_id, shared.options.encryption_key.as_ref())
    else {
        return Ok(None);
    };
    let record = unpack(payload, kind, id, used, row_cipher.0);
    if record.is_none() {
        shared.health_tracker.count_damaged_record();
    }
    Ok(record)
}

const SELECT_BY_KIND: &str =
    "SELECT id, kind, used, lock, payload FROM interlingua_records WHERE kind = $1";
/// Records searched, and encrypted, per commit.
const WALK_ROWS: i64 = 2048;
const MAX_ENCRYPTED_ROWS: usize = 256;
