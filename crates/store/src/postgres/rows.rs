//! The statements for records.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use deadpool_postgres::{ClientWrapper, Transaction};
use tokio_postgres::{Error, Row};

use super::Shared;
use super::link::Fault;
use crate::MOST;
use crate::health::Trouble;
use crate::pack::{address, digest, owner_address, pack, unpack};
use crate::record::Kind;
use crate::retention::Keep;
use crate::session::Lock;
use crate::shelf::{Recalled, Removal};
use crate::slots::Kept;

/// Writes these, each once, whoever wrote it first.
pub(super) async fn insert(
    transaction: &Transaction<'_>,
    shared: &Shared,
    records: &[Arc<Kept>],
) -> Result<(), Fault> {
    let secret = shared.options.secret.as_ref();
    let named = |kept: &Arc<Kept>| (digest(secret, kept), kept.id, Arc::clone(kept));
    let mut left: Vec<_> = records.iter().map(named).collect();
    // All nodes in one order, so that none waits for another that waits for it.
    left.sort_by_key(|(digest, ..)| *digest);
    while !left.is_empty() {
        let there = insert_rows(transaction, shared, &left).await?;
        let (mut ids, mut places, mut again) = (Vec::new(), Vec::new(), Vec::new());
        for (digest, id, kept) in &left {
            match there.get(&digest[..]) {
                Some(own) if own == id => {
                    for key in &kept.keys {
                        places.push(address(secret, kept.kind, &kept.owner, key));
                        ids.push(*id);
                    }
                }
                Some(other) => again.push(*other),
                None => {}
            }
        }
        let places: Vec<&[u8]> = places.iter().map(|place| &place[..]).collect();
        let statement = transaction
            .prepare_cached(
                "INSERT INTO interlingua_addresses (address, record) \
                 SELECT * FROM unnest($1::bytea[], $2::bigint[]) ON CONFLICT DO NOTHING",
            )
            .await?;
        transaction.execute(&statement, &[&places, &ids]).await?;
        revive(transaction, &again, crate::id::now()).await?;
        // Another node was given the same identity for another record.
        left.retain(|(digest, ..)| !there.contains_key(&digest[..]));
        for (_, id, _) in &mut left {
            *id += 1;
        }
    }
    Ok(())
}

/// Under which identity each of them is there now; not those whose identity is taken.
async fn insert_rows(
    transaction: &Transaction<'_>,
    shared: &Shared,
    records: &[([u8; 16], i64, Arc<Kept>)],
) -> Result<HashMap<Vec<u8>, i64>, Fault> {
    let secret = shared.options.secret.as_ref();
    let mut payloads = Vec::with_capacity(records.len());
    for (_, id, kept) in records {
        let payload = pack(kept, *id, secret);
        payloads.push(payload.ok_or_else(|| Trouble("it cannot be sealed".into()))?);
    }
    let ids: Vec<i64> = records.iter().map(|(_, id, _)| *id).collect();
    let kinds: Vec<i16> = records.iter().map(|it| i16::from(it.2.kind.number())).collect();
    let owners: Vec<Vec<u8>> =
        records.iter().map(|it| owner_address(secret, &it.2.owner).to_vec()).collect();
    let used: Vec<i64> = records.iter().map(|it| it.2.used.load(Ordering::Relaxed)).collect();
    let digests: Vec<&[u8]> = records.iter().map(|it| &it.0[..]).collect();
    let insert = transaction
        .prepare_cached(
            "INSERT INTO interlingua_records (id, kind, owner, used, size, lock, digest, payload) \
             SELECT id, kind, owner, used, octet_length(payload), $1::bytea, digest, payload \
             FROM unnest($2::bigint[], $3::smallint[], $4::bytea[], $5::bigint[], $6::bytea[], \
             $7::bytea[]) AS r (id, kind, owner, used, digest, payload) ON CONFLICT DO NOTHING",
        )
        .await?;
    let lock = Lock(secret).name();
    transaction
        .execute(&insert, &[&lock, &ids, &kinds, &owners, &used, &digests, &payloads])
        .await?;
    let select = transaction
        .prepare_cached("SELECT digest, id FROM interlingua_records WHERE digest = ANY($1)")
        .await?;
    let mut there = HashMap::new();
    for row in transaction.query(&select, &[&digests]).await? {
        there.insert(row.try_get(0)?, row.try_get(1)?);
    }
    Ok(there)
}

/// What lies under each of these keys, the newest first. Bodies that are known are not read again.
pub(super) async fn find(
    client: &ClientWrapper,
    shared: &Shared,
    kind: Kind,
    owner: &str,
    keys: &[Recalled],
) -> Result<Vec<Vec<Arc<Kept>>>, Fault> {
    let secret = shared.options.secret.as_ref();
    let plain = shared.plain.load(Ordering::Relaxed);
    let locks: Vec<_> =
        Lock::all(secret).filter(|lock| plain || lock.0.is_some() == secret.is_some()).collect();
    let places: Vec<[u8; 16]> = locks
        .iter()
        .flat_map(|lock| keys.iter().map(|it| address(lock.0, kind, owner, &it.key)))
        .collect();
    let places: Vec<&[u8]> = places.iter().map(|place| &place[..]).collect();
    let select = client
        .prepare_cached(
            "SELECT k.nth - 1, r.id, r.used \
             FROM unnest($1::bytea[]) WITH ORDINALITY AS k (address, nth) \
             CROSS JOIN LATERAL (SELECT record FROM interlingua_addresses a \
             WHERE a.address = k.address ORDER BY record DESC LIMIT $2) AS a \
             JOIN interlingua_records r ON r.id = a.record",
        )
        .await?;
    let most = i64::try_from(MOST).unwrap_or(i64::MAX);
    let mut there: Vec<(usize, i64, i64)> = Vec::new();
    for row in client.query(&select, &[&places, &most]).await? {
        let nth = usize::try_from(row.try_get::<_, i64>(0)?).unwrap_or(0);
        there.push((nth % keys.len().max(1), row.try_get(1)?, row.try_get(2)?));
    }
    let known = keys.iter().flat_map(|it| &it.known).map(|kept| (kept.id, Arc::clone(kept)));
    let mut bodies: HashMap<i64, Arc<Kept>> = known.collect();
    let mut unknown: Vec<i64> = there.iter().map(|(_, id, _)| *id).collect();
    unknown.retain(|id| !bodies.contains_key(id));
    unknown.sort_unstable();
    unknown.dedup();
    if !unknown.is_empty() {
        let select = client
            .prepare_cached(
                "SELECT id, kind, used, lock, payload FROM interlingua_records WHERE id = ANY($1)",
            )
            .await?;
        for row in client.query(&select, &[&unknown]).await? {
            bodies.extend(read(&row, shared)?.map(|kept| (kept.id, Arc::new(kept))));
        }
    }
    let mut found = vec![Vec::new(); keys.len()];
    for (nth, id, used) in there {
        let Some(kept) = bodies.get(&id) else { continue };
        // Whatever the place says, it is found by whom and what it was kept for.
        if kept.kind == kind && kept.owner == owner && kept.keys.contains(&keys[nth].key) {
            kept.needed(used);
            found[nth].push(Arc::clone(kept));
        }
    }
    Ok(found)
}

pub(super) async fn all(
    client: &ClientWrapper,
    shared: &Shared,
    kind: Kind,
) -> Result<BTreeMap<i64, Arc<Kept>>, Fault> {
    let select = client.prepare_cached(ALL).await?;
    let mut all = BTreeMap::new();
    for row in client.query(&select, &[&i16::from(kind.number())]).await? {
        all.extend(read(&row, shared)?.map(|kept| (kept.id, Arc::new(kept))));
    }
    Ok(all)
}

pub(super) async fn remove(
    transaction: &Transaction<'_>,
    shared: &Shared,
    kind: Kind,
    removal: &Removal,
) -> Result<u64, Fault> {
    let number = i16::from(kind.number());
    let locks = || Lock::all(shared.options.secret.as_ref());
    Ok(match (&removal.owner, &removal.key) {
        (Some(owner), Some(key)) => {
            let places: Vec<Vec<u8>> =
                locks().map(|lock| address(lock.0, kind, owner, key).to_vec()).collect();
            let delete = "DELETE FROM interlingua_records WHERE id IN \
                          (SELECT record FROM interlingua_addresses WHERE address = ANY($1))";
            transaction.execute(delete, &[&places]).await?
        }
        (Some(owner), None) => {
            let owners: Vec<Vec<u8>> = locks().map(|lock| lock.owner(owner).to_vec()).collect();
            let delete = "DELETE FROM interlingua_records WHERE kind = $1 AND owner = ANY($2)";
            transaction.execute(delete, &[&number, &owners]).await?
        }
        (None, Some(_)) => {
            // What another node has written is there now, whatever its clock says.
            let removal = Removal { before: i64::MAX, ..removal.clone() };
            let mut ids = Vec::new();
            for row in transaction.query(ALL, &[&number]).await? {
                ids.extend(read(&row, shared)?.filter(|kept| removal.covers(kept)).map(|it| it.id));
            }
            let delete = "DELETE FROM interlingua_records WHERE id = ANY($1)";
            transaction.execute(delete, &[&ids]).await?
        }
        (None, None) => {
            let delete = "DELETE FROM interlingua_records WHERE kind = $1";
            transaction.execute(delete, &[&number]).await?
        }
    })
}

/// Notes that these were needed. What another node is noting meanwhile is left to it.
pub(super) async fn revive(
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

/// Seals some of the records that are not. Says how many.
pub(super) async fn seal_plain(
    transaction: &Transaction<'_>,
    shared: &Shared,
) -> Result<usize, Fault> {
    let select = "SELECT id, kind, used, lock, payload FROM interlingua_records \
                  WHERE lock = '' LIMIT $1 FOR UPDATE SKIP LOCKED";
    let (mut ids, mut plain) = (Vec::new(), Vec::new());
    for row in transaction.query(select, &[&STEP]).await? {
        ids.push(row.try_get::<_, i64>(0)?);
        // What is damaged cannot be sealed, nor stay as it is.
        plain.extend(read(&row, shared)?.map(Arc::new));
    }
    transaction.execute("DELETE FROM interlingua_records WHERE id = ANY($1)", &[&ids]).await?;
    insert(transaction, shared, &plain).await?;
    Ok(ids.len())
}

/// One small step: some of what is too old, or too much. Says how many records went.
pub(super) async fn tidy(
    transaction: &Transaction<'_>,
    kind: Kind,
    keep: Keep,
    now: i64,
) -> Result<u64, Fault> {
    let kind = i16::from(kind.number());
    let age = i64::try_from(keep.age.as_millis()).unwrap_or(i64::MAX);
    let old = "DELETE FROM interlingua_records WHERE id IN (SELECT id FROM interlingua_records \
               WHERE kind = $1 AND used < $2 ORDER BY used LIMIT $3 FOR UPDATE SKIP LOCKED)";
    let gone = transaction.execute(old, &[&kind, &now.saturating_sub(age), &STEP]).await?;
    let sum = "SELECT coalesce(sum(size), 0)::bigint FROM interlingua_records WHERE kind = $1";
    let bytes: i64 = transaction.query_one(sum, &[&kind]).await?.try_get(0)?;
    let most = i64::try_from(keep.bytes).unwrap_or(i64::MAX);
    if bytes <= most {
        return Ok(gone);
    }
    // Some more than needed, so that it is not needed again at once.
    let excess = bytes - (most - most / 16);
    let much = "DELETE FROM interlingua_records WHERE id IN (SELECT id FROM (SELECT id, \
                sum(size) OVER (ORDER BY used, id) - size AS before FROM (SELECT id, used, size \
                FROM interlingua_records WHERE kind = $1 ORDER BY used, id LIMIT $2) AS oldest) \
                AS summed WHERE before < $3::bigint)";
    Ok(gone + transaction.execute(much, &[&kind, &STEP, &excess]).await?)
}

/// A record, if it can be read; one that is damaged is noted.
fn read(row: &Row, shared: &Shared) -> Result<Option<Kept>, Error> {
    let (id, kind, used): (_, i16, _) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let (lock, payload): (&[u8], &[u8]) = (row.try_get(3)?, row.try_get(4)?);
    let Some(kind) = Kind::ALL.into_iter().find(|known| i16::from(known.number()) == kind) else {
        return Ok(None);
    };
    let Some(lock) = Lock::named(lock, shared.options.secret.as_ref()) else { return Ok(None) };
    let kept = unpack(payload, kind, id, used, lock.0);
    if kept.is_none() {
        shared.pulse.spoilt();
    }
    Ok(kept)
}

const ALL: &str = "SELECT id, kind, used, lock, payload FROM interlingua_records WHERE kind = $1";
/// Records that are forgotten in one commit.
const STEP: i64 = 512;
