//! Encodes a record as the bytes of one column, encrypted or with a checksum.

use bytes::Bytes;

use crate::cache_slots::StoredRecord;
use crate::encryption::{EncryptionKey, blind_index, checksum};
use crate::record::RecordKind;

/// Encodes a record. With a key, its kind and id are authenticated, so that a payload decrypts only
/// in its own row.
pub(crate) fn pack(
    record: &StoredRecord,
    id: i64,
    secret: Option<&EncryptionKey>,
) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(record.size_bytes());
    put_bytes(&mut plain, record.owner.as_bytes());
    plain.extend_from_slice(&(record.keys.len() as u64).to_le_bytes());
    record.keys.iter().for_each(|key| put_bytes(&mut plain, key.as_bytes()));
    plain.extend_from_slice(&record.body);
    if let Some(secret) = secret {
        return secret.encrypt(plain, &record_aad(record.kind, id)).ok();
    }
    plain.extend_from_slice(&checksum(&[&plain]));
    Some(plain)
}

/// Decodes a record; `None` if its bytes are damaged.
pub(crate) fn unpack(
    bytes: &[u8],
    kind: RecordKind,
    id: i64,
    last_used: i64,
    secret: Option<&EncryptionKey>,
) -> Option<StoredRecord> {
    let decrypted;
    let plain = if let Some(secret) = secret {
        decrypted = secret.decrypt(bytes, &record_aad(kind, id)).ok()?;
        &*decrypted
    } else {
        let (plain, sum) = bytes.split_last_chunk::<8>()?;
        (checksum(&[plain]) == *sum).then_some(plain)?
    };
    let mut rest = plain;
    let owner = take_string(&mut rest)?;
    let count = take_len(&mut rest)?;
    let mut keys = Vec::new();
    for _ in 0..count {
        keys.push(take_string(&mut rest)?);
    }
    let body = Bytes::copy_from_slice(rest);
    Some(StoredRecord::from_parts(id, kind, owner, keys, body, last_used))
}

/// The value of the address column for a key.
pub(crate) fn key_index(
    secret: Option<&EncryptionKey>,
    kind: RecordKind,
    owner: &str,
    key: &str,
) -> [u8; 16] {
    blind_index(secret, &[b"key", &[kind.db_code()], owner.as_bytes(), key.as_bytes()])
}

/// The value of the owner column.
pub(crate) fn owner_index(secret: Option<&EncryptionKey>, owner: &str) -> [u8; 16] {
    blind_index(secret, &[b"owner", owner.as_bytes()])
}

fn record_aad(kind: RecordKind, id: i64) -> [u8; 9] {
    let mut aad = [kind.db_code(); 9];
    aad[1..].copy_from_slice(&id.to_le_bytes());
    aad
}

pub(crate) fn put_bytes(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text);
}

pub(crate) fn take_string(rest: &mut &[u8]) -> Option<String> {
    let len = take_len(rest)?;
    let (text, tail) = rest.split_at_checked(len)?;
    *rest = tail;
    String::from_utf8(text.to_vec()).ok()
}

pub(crate) fn take_len(rest: &mut &[u8]) -> Option<usize> {
    let (bytes, tail) = rest.split_first_chunk::<8>()?;
    *rest = tail;
    usize::try_from(u64::from_le_bytes(*bytes)).ok()
}

/// A digest of the content, equal on all nodes.
pub(crate) fn content_digest(secret: Option<&EncryptionKey>, record: &StoredRecord) -> [u8; 16] {
    let kind = [record.kind.db_code()];
    let mut parts: Vec<&[u8]> = vec![b"record", &kind, record.owner.as_bytes()];
    parts.extend(record.keys.iter().map(String::as_bytes));
    parts.push(&record.body);
    blind_index(secret, &parts)
}
