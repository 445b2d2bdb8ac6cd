//! Encodes usage totals as database rows, with owner and model encrypted if there is a key.

use std::collections::BTreeMap;

use super::{
    DailyUsage, Day, MAX_MODELS_PER_DAY, OTHER_MODELS, UsageBatch, UsageKey, UsageTotals,
    has_own_row,
};
use crate::encryption::{EncryptionKey, blind_index};
use crate::error::StoreError;
use crate::health::HealthTracker;
use crate::pack;
use crate::session::RowCipher;

pub(crate) struct UsageRow {
    pub(crate) day: Day,
    pub(crate) owner_index: [u8; 16],
    pub(crate) model_index: [u8; 16],
    /// Owner and model, encrypted or with a checksum.
    pub(crate) names: Vec<u8>,
    pub(crate) totals: UsageTotals,
}

impl UsageRow {
    /// Encodes a batch. All nodes write rows in the same order, which avoids deadlocks.
    pub(crate) fn from_batch(
        row_cipher: RowCipher<'_>,
        batch: &UsageBatch,
    ) -> Result<Vec<Self>, StoreError> {
        let rows = batch.entries.iter().map(|(key, totals)| Self::new(row_cipher, key, totals));
        let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
        rows.sort_by_key(|row| (row.day, row.owner_index, row.model_index));
        Ok(rows)
    }

    pub(crate) fn new(
        row_cipher: RowCipher<'_>,
        key: &UsageKey,
        totals: &UsageTotals,
    ) -> Result<Self, StoreError> {
        let (day, owner_index) = (key.day, row_cipher.owner_index(&key.owner));
        let model_index = blind_index(row_cipher.0, &[b"model", key.model.as_bytes()]);
        let mut plain = Vec::new();
        pack::put_bytes(&mut plain, key.owner.as_bytes());
        pack::put_bytes(&mut plain, key.model.as_bytes());
        let names = row_cipher.encrypt(plain, &usage_aad(day, &owner_index, &model_index))?;
        Ok(Self { day, owner_index, model_index, names, totals: *totals })
    }
}

/// Decodes owner and model of a row; `None` if it is encrypted with another key or damaged.
pub(crate) fn decrypt_usage_key(
    (day, owner, model): (Day, &[u8], &[u8]),
    (key_id, names): (&[u8], &[u8]),
    secret: Option<&EncryptionKey>,
    health_tracker: &HealthTracker,
) -> Option<UsageKey> {
    let row_cipher = RowCipher::by_key_id(key_id, secret)?;
    let decrypted = row_cipher.decrypt(names, &usage_aad(day, owner, model));
    let names_read = decrypted.and_then(|plain| {
        let mut rest = &*plain;
        Some((pack::take_string(&mut rest)?, pack::take_string(&mut rest)?))
    });
    if names_read.is_none() {
        health_tracker.count_damaged_record();
    }
    let (owner, model) = names_read?;
    Some(UsageKey { day, owner, model })
}

/// Merges rows with equal keys: they may exist both encrypted and unencrypted. Beyond the maximum of
/// models, which several nodes can exceed together, the rest of a day is one row.
pub(crate) fn merge_by_key(
    rows: impl IntoIterator<Item = (UsageKey, UsageTotals)>,
) -> Vec<DailyUsage> {
    let mut totals_by_key: BTreeMap<UsageKey, UsageTotals> = BTreeMap::new();
    for (mut key, totals) in rows {
        if !has_own_row(&key.model) {
            OTHER_MODELS.clone_into(&mut key.model);
        }
        *totals_by_key.entry(key).or_default() += &totals;
    }
    let (mut merged, mut day_start) = (Vec::<DailyUsage>::new(), 0);
    for (key, totals) in &totals_by_key {
        let first = merged.get(day_start);
        if first.is_none_or(|first| (first.day, &first.owner) != (key.day, &key.owner)) {
            day_start = merged.len();
        }
        let day = &mut merged[day_start..];
        if day.len() <= MAX_MODELS_PER_DAY {
            merged.push(DailyUsage::new(key, totals));
        } else if let Some(other) = day.iter_mut().find(|row| row.model == OTHER_MODELS) {
            other.totals += totals;
        } else {
            let key = UsageKey { model: OTHER_MODELS.to_owned(), ..key.clone() };
            merged.insert(day_start, DailyUsage::new(&key, totals));
        }
    }
    merged
}

fn usage_aad(day: Day, owner: &[u8], model: &[u8]) -> Vec<u8> {
    [b"u", &day.0.to_le_bytes()[..], owner, model].concat()
}
