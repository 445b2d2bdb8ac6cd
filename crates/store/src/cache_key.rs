//! Builds cache keys from owner and key, and the hash maps over them.
//!
//! A lookup happens for every turn of a conversation, so the hash is a fast one; keys come from
//! clients, so its seeds are random.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use foldhash::SharedSeed;
use foldhash::quality::{FoldHasher, SeedableRandomState};

pub(crate) type CacheKeyMap<T> = HashMap<Box<str>, T, SeededHashBuilder>;

/// Builds hashers with seeds as random as those of the standard library.
#[derive(Clone, Debug)]
pub(crate) struct SeededHashBuilder(SeedableRandomState);

impl Default for SeededHashBuilder {
    fn default() -> Self {
        static SHARED: LazyLock<SharedSeed> = LazyLock::new(|| SharedSeed::from_u64(random_u64()));
        Self(SeedableRandomState::with_seed(random_u64(), &SHARED))
    }
}

impl BuildHasher for SeededHashBuilder {
    type Hasher = FoldHasher<'static>;

    #[inline]
    fn build_hasher(&self) -> Self::Hasher {
        self.0.build_hasher()
    }
}

fn random_u64() -> u64 {
    RandomState::new().hash_one(0)
}

/// Joins owner and key to one text (`<owner length>:<owner><key>`, the length in decimal, least
/// significant digit first); no two pairs give the same text.
pub(crate) struct CacheKeyBuilder {
    buffer: String,
    prefix_len: usize,
}

impl CacheKeyBuilder {
    pub(crate) fn for_owner(owner: &str) -> Self {
        let mut buffer = String::with_capacity(owner.len() + KEY_RESERVE_BYTES);
        let mut remaining = owner.len();
        while remaining > 0 {
            buffer.push(char::from(b'0' + (remaining % 10) as u8));
            remaining /= 10;
        }
        buffer.push(':');
        buffer.push_str(owner);
        Self { prefix_len: buffer.len(), buffer }
    }

    pub(crate) fn key(&mut self, key: &str) -> &str {
        self.buffer.truncate(self.prefix_len);
        self.buffer.push_str(key);
        &self.buffer
    }
}

/// Bytes reserved for the length prefix and for most keys.
const KEY_RESERVE_BYTES: usize = 64;
