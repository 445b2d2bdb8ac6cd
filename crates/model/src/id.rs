//! Derives ids from other ids, deterministically.

use interlingua_wire::JsonString;

/// Derives an id with this prefix from `from` and `number` alone, so that the same conversation
/// gets the same ids in every request. The prefix must not need escaping.
pub fn derive_id(prefix: &str, from: &JsonString, number: usize) -> JsonString {
    let contents = from.unescape();
    let mut high = fnv1a(FNV_OFFSET_BASIS, contents.as_bytes());
    high = fnv1a(high, &number.to_le_bytes());
    let low = fnv1a(high ^ FNV_OFFSET_BASIS, contents.as_bytes());
    JsonString::new(&format!("{prefix}{high:016x}{:08x}", low >> 32))
}

/// As [`derive_id`], with a checksum in the last digits, so that [`is_checksummed_id`] recognizes
/// the id later. For ids of items that look as if a provider stored them, and none did.
pub fn derive_checksummed_id(prefix: &str, from: &JsonString, number: usize) -> JsonString {
    let derived = derive_id(prefix, from, number);
    let head: String = derived.raw().chars().take(prefix.len() + DERIVED_DIGITS).collect();
    JsonString::new(&format!("{head}{:08x}", checksum(&head)))
}

/// Whether [`derive_checksummed_id`] made this id.
pub fn is_checksummed_id(id: &JsonString) -> bool {
    let Some(at) = id.raw().len().checked_sub(CHECKSUM_DIGITS) else { return false };
    match (id.raw().get(..at), id.raw().get(at..)) {
        (Some(head), Some(tail)) => tail == format!("{:08x}", checksum(head)),
        _ => false,
    }
}

fn checksum(head: &str) -> u64 {
    fnv1a(!FNV_OFFSET_BASIS, head.as_bytes()) >> 32
}

/// FNV-1a: small, and its output will not change. It needs no resistance to collisions by an
/// attacker.
fn fnv1a(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME))
}

/// Hexadecimal digits after the prefix: the derived ones, and the checksum.
const DERIVED_DIGITS: usize = 16;
const CHECKSUM_DIGITS: usize = 8;
const FNV_OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;
