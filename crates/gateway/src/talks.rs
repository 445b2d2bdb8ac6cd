//! The conversations that go on: known again by what was said so far, where nobody names them.

use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, PoisonError};

use interlingua_vault::{History, Link, hash};

/// Conversations of the last while, by what was said in them. Those that are silent for long are
/// forgotten: when the young ones are many they become the old ones.
#[derive(Debug, Default)]
pub(crate) struct Talks(Mutex<Ages>);

#[derive(Debug, Default)]
struct Ages {
    young: HashMap<u64, Vec<Place>>,
    old: HashMap<u64, Vec<Place>>,
}

/// A conversation at one point of it.
#[derive(Clone, Copy, Debug)]
struct Place {
    conversation: u64,
    /// With what it went on from there.
    next: Option<u64>,
}

impl Talks {
    /// The conversation that this is a part of. Of several that are the same so far, it is one that did
    /// not go on yet, or the one that went on like this.
    pub(crate) fn of(&self, owner: &str, history: &History, previous: Option<&str>) -> Option<u64> {
        let ages = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = history.asked();
        let spans = history.spans.iter().rev().take(FURTHEST);
        let named = previous.map(|reply| key(owner, b'r', reply.as_bytes()));
        let mut said = named.into_iter().chain(spans.flat_map(|span| keys(owner, span.link)));
        said.find_map(|key| ages.claim(key, asked))
    }

    /// A conversation goes on with this.
    pub(crate) fn heard(&self, owner: &str, link: Link, reply: Option<&str>, conversation: u64) {
        let ages = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let named = reply.map(|reply| key(owner, b'r', reply.as_bytes()));
        for key in named.into_iter().chain(keys(owner, link)) {
            let places = ages.at(key);
            if places.iter().all(|place| place.conversation != conversation) {
                places.insert(0, Place { conversation, next: None });
                places.truncate(MOST_ALIKE);
            }
        }
    }
}

impl Ages {
    fn claim(&mut self, key: u64, asked: u64) -> Option<u64> {
        if !self.young.contains_key(&key) && !self.old.contains_key(&key) {
            return None;
        }
        let places = self.at(key);
        let same = places.iter().position(|place| place.next == Some(asked));
        let free = same.or_else(|| places.iter().position(|place| place.next.is_none()));
        let place = places.get_mut(free.unwrap_or(0))?;
        place.next = Some(asked);
        Some(place.conversation)
    }

    fn at(&mut self, key: u64) -> &mut Vec<Place> {
        if self.young.len() >= MOST {
            self.old = mem::take(&mut self.young);
        }
        let before = self.old.remove(&key);
        self.young.entry(key).or_insert_with(|| before.unwrap_or_default())
    }
}

/// After the same history, and near the same words where those are said nowhere else.
fn keys(owner: &str, link: Link) -> impl Iterator<Item = u64> {
    let near = || key(owner, b'n', &link.near.to_le_bytes());
    [key(owner, b'a', &link.after.to_le_bytes())].into_iter().chain(link.sure.then(near))
}

fn key(owner: &str, kind: u8, of: &[u8]) -> u64 {
    hash([owner.as_bytes(), &[kind], of])
}

/// How far back a history is looked at: what is edited is mostly at its end, what is cut at its beginning.
const FURTHEST: usize = 8;
/// Conversations that are the same so far.
const MOST_ALIKE: usize = 16;
/// Points of conversations, of which twice as many are remembered.
const MOST: usize = 65_536;
