//! Derives ids from the request, so that equal requests get equal ids.

use sha2::{Digest as _, Sha256};

/// The seed of all ids in a reply. The same request gets the same ids.
#[derive(Clone, Copy, Debug)]
pub struct IdSeed([u8; 32]);

impl IdSeed {
    pub fn new<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The prefix, and `length` letters and digits.
    pub fn id(&self, prefix: &str, index: usize, length: usize) -> String {
        let mut id = String::with_capacity(prefix.len() + length);
        id.push_str(prefix);
        let mut block = 0_u64;
        'full: loop {
            let hash = Self::new([
                &self.0[..],
                prefix.as_bytes(),
                &(index as u64).to_be_bytes(),
                &block.to_be_bytes(),
            ]);
            for byte in hash.0 {
                if id.len() == prefix.len() + length {
                    break 'full;
                }
                id.push(char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
            }
            block += 1;
        }
        id
    }

    /// An id in the form of a UUID.
    pub fn uuid(&self, kind: &str) -> String {
        let hex = hex(&Self::new([&self.0[..], kind.as_bytes()]).0);
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        format!(
            "{}-{}-4{}-a{}-{}",
            part(0, 8),
            part(8, 12),
            part(13, 16),
            part(17, 20),
            part(20, 32)
        )
    }
}

/// The SHA-256 of a text, in hexadecimal.
pub(crate) fn sha256_hex(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing to a string does not fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

const ALPHABET: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
