//! Maps by place, in memory. They are asked once for everything that was ever said in a conversation, so
//! their hash is a quick one; and keys come from clients, so nobody can know its seeds.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use foldhash::SharedSeed;
use foldhash::quality::{FoldHasher, SeedableRandomState};

pub(crate) type ByPlace<T> = HashMap<Box<str>, T, Seeded>;

/// A hash whose seeds are as random as those of the standard library.
#[derive(Clone, Debug)]
pub(crate) struct Seeded(SeedableRandomState);

impl Default for Seeded {
    fn default() -> Self {
        static SHARED: LazyLock<SharedSeed> = LazyLock::new(|| SharedSeed::from_u64(random()));
        Self(SeedableRandomState::with_seed(random(), &SHARED))
    }
}

impl BuildHasher for Seeded {
    type Hasher = FoldHasher<'static>;

    #[inline]
    fn build_hasher(&self) -> Self::Hasher {
        self.0.build_hasher()
    }
}

fn random() -> u64 {
    RandomState::new().hash_one(0)
}

/// Where the keys of one owner are: owner and key as one text; no two pairs make the same.
pub(crate) struct Places {
    text: String,
    owner: usize,
}

impl Places {
    pub(crate) fn of(owner: &str) -> Self {
        let mut text = String::with_capacity(owner.len() + ROOM);
        let mut rest = owner.len();
        while rest > 0 {
            text.push(char::from(b'0' + (rest % 10) as u8));
            rest /= 10;
        }
        text.push(':');
        text.push_str(owner);
        Self { owner: text.len(), text }
    }

    pub(crate) fn at(&mut self, key: &str) -> &str {
        self.text.truncate(self.owner);
        self.text.push_str(key);
        &self.text
    }
}

/// For a length, and for most keys.
const ROOM: usize = 64;
