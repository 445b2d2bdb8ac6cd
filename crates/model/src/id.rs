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

/// FNV-1a: small, stable for ever, and no secret is kept by it.
fn fnv(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;
