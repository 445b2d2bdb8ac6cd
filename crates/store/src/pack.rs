//! A record as the bytes of one column: whole, or not at all.

use std::sync::atomic::AtomicI64;

use bytes::Bytes;

use crate::record::Kind;
use crate::secret::{Secret, checksum, place};
use crate::slots::Kept;

/// The bytes of a record. Those that are sealed open only in their own row.
pub(crate) fn pack(kept: &Kept, id: i64, secret: Option<&Secret>) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(kept.cost());
    write(&mut plain, kept.owner.as_bytes());
    plain.extend_from_slice(&(kept.keys.len() as u64).to_le_bytes());
    kept.keys.iter().for_each(|key| write(&mut plain, key.as_bytes()));
    plain.extend_from_slice(&kept.body);
    if let Some(secret) = secret {
        return secret.seal(plain, &about(kept.kind, id)).ok();
    }
    plain.extend_from_slice(&checksum(&[&plain]));
    Some(plain)
}

/// The record, if its bytes are what was packed.
pub(crate) fn unpack(
    bytes: &[u8],
    kind: Kind,
    id: i64,
    used: i64,
    secret: Option<&Secret>,
) -> Option<Kept> {
    let opened;
    let plain = if let Some(secret) = secret {
        opened = secret.open(bytes, &about(kind, id)).ok()?;
        &*opened
    } else {
        let (plain, sum) = bytes.split_last_chunk::<8>()?;
        (checksum(&[plain]) == *sum).then_some(plain)?
    };
    let mut rest = plain;
    let owner = read(&mut rest)?;
    let count = number(&mut rest)?;
    let mut keys = Vec::new();
    for _ in 0..count {
        keys.push(read(&mut rest)?);
    }
    let body = Bytes::copy_from_slice(rest);
    Some(Kept { id, kind, owner, keys, body, used: AtomicI64::new(used) })
}

/// Where the database has what lies under a key.
pub(crate) fn address(secret: Option<&Secret>, kind: Kind, owner: &str, key: &str) -> [u8; 16] {
    place(secret, &[b"key", &[kind.number()], owner.as_bytes(), key.as_bytes()])
}

/// How the database knows an owner.
pub(crate) fn owner_address(secret: Option<&Secret>, owner: &str) -> [u8; 16] {
    place(secret, &[b"owner", owner.as_bytes()])
}

fn about(kind: Kind, id: i64) -> [u8; 9] {
    let mut about = [kind.number(); 9];
    about[1..].copy_from_slice(&id.to_le_bytes());
    about
}

pub(crate) fn write(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text);
}

pub(crate) fn read(rest: &mut &[u8]) -> Option<String> {
    let length = number(rest)?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    String::from_utf8(text.to_vec()).ok()
}

pub(crate) fn number(rest: &mut &[u8]) -> Option<usize> {
    let (number, after) = rest.split_first_chunk::<8>()?;
    *rest = after;
    usize::try_from(u64::from_le_bytes(*number)).ok()
}

/// The same for the same record, whoever writes it.
pub(crate) fn digest(secret: Option<&Secret>, kept: &Kept) -> [u8; 16] {
    let kind = [kept.kind.number()];
    let mut parts: Vec<&[u8]> = vec![b"record", &kind, kept.owner.as_bytes()];
    parts.extend(kept.keys.iter().map(String::as_bytes));
    parts.push(&kept.body);
    place(secret, &parts)
}
