//! New ids as functions of old ones.

use interlingua_wire::Text;

/// An id with this prefix that depends on `from` and `number` alone, so that the same conversation
/// gets the same ids each time. The prefix must need no escaping.
pub fn derive_id(prefix: &str, from: &Text, number: usize) -> Text {
    let contents = from.contents();
    let mut high = fnv(OFFSET, contents.as_bytes());
    high = fnv(high, &number.to_le_bytes());
    let low = fnv(high ^ OFFSET, contents.as_bytes());
    Text::new(&format!("{prefix}{high:016x}{:08x}", low >> 32))
}

/// As [`derive_id`], and known again by itself: for what is named as if a provider kept it, and none does.
pub fn derive_own_id(prefix: &str, from: &Text, number: usize) -> Text {
    let derived = derive_id(prefix, from, number);
    let head: String = derived.raw().chars().take(prefix.len() + HEAD).collect();
    Text::new(&format!("{head}{:08x}", mark(&head)))
}

/// Whether [`derive_own_id`] made it.
pub fn is_own_id(id: &Text) -> bool {
    let Some(at) = id.raw().len().checked_sub(TAIL) else { return false };
    match (id.raw().get(..at), id.raw().get(at..)) {
        (Some(head), Some(tail)) => tail == format!("{:08x}", mark(head)),
        _ => false,
    }
}

fn mark(head: &str) -> u64 {
    fnv(!OFFSET, head.as_bytes()) >> 32
}

/// FNV-1a: small, stable for ever, and no secret is kept by it.
fn fnv(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

/// Digits that are derived, and those that tell who made them.
const HEAD: usize = 16;
const TAIL: usize = 8;
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;
