//! A shelf before a database that others write too. The database is asked each time; what is known already
//! need not be read again, and serves while the database cannot be asked.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Removals, Shelf};
use crate::places::Places;
use crate::slots::{Kept, Slot};

/// A key that the database is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Recalled {
    pub(crate) key: String,
    /// What waits to be written: whether the database has it already is a matter of luck.
    waiting: Vec<Arc<Kept>>,
    /// What the database had when it was asked last.
    pub(crate) known: Vec<Arc<Kept>>,
    /// What was being removed then, and how many removals had ended.
    going: Removals,
    removed: u64,
}

impl Shelf {
    /// Takes a record that waits for its database; not if the same waits already.
    pub(crate) fn accept(&self, kept: &Arc<Kept>) -> bool {
        let inside = &mut *self.inside();
        let mut places = Places::of(&kept.owner);
        for (nth, key) in kept.keys.iter().enumerate() {
            let place = places.at(key);
            let waiting = inside.waiting.entry(place.into()).or_default();
            if nth == 0 && waiting.iter().any(|other| other.is_same(kept)) {
                return false;
            }
            waiting.push(Arc::clone(kept));
        }
        true
    }

    /// What is known of these keys.
    pub(crate) fn recall(&self, owner: &str, keys: &[&str]) -> Vec<Recalled> {
        let inside = &mut *self.inside();
        let mut places = Places::of(owner);
        let mut recalled = Vec::with_capacity(keys.len());
        for key in keys {
            let place = places.at(key);
            let known = inside.slots.find(place).map(|slot| slot.kept.clone());
            recalled.push(Recalled {
                key: (*key).to_owned(),
                waiting: inside.waiting.get(place).cloned().unwrap_or_default(),
                known: known.unwrap_or_default(),
                going: inside.removals.clone(),
                removed: inside.removed,
            });
        }
        recalled
    }

    /// Takes what the database has under a key, and gives everything there is. Those that were not needed
    /// for a while go to `revived`.
    pub(crate) fn renew(
        &self,
        owner: &str,
        recalled: &Recalled,
        rows: &[Arc<Kept>],
        now: i64,
        revived: &mut Vec<i64>,
    ) -> Vec<Arc<Kept>> {
        let inside = &mut *self.inside();
        let mut places = Places::of(owner);
        let place = places.at(&recalled.key);
        let mut all = Slot::default();
        for row in rows.iter().chain(&recalled.waiting) {
            if !inside.removals.cover(row) && !recalled.going.cover(row) {
                all.put(row);
            }
        }
        inside.waiting.get(place).into_iter().flatten().for_each(|kept| all.put(kept));
        all.kept.retain(|kept| self.is_fresh(kept, now));
        revived.extend(all.kept.iter().filter(|kept| self.revives(kept, now)).map(|kept| kept.id));
        let ids = |slot: &Slot| slot.kept.iter().map(|kept| kept.id).collect::<Vec<_>>();
        let same = inside.slots.find(place).is_some_and(|slot| ids(slot) == ids(&all));
        let found = all.kept.clone();
        // What was read before something was removed is not to be remembered.
        if !same && inside.removed == recalled.removed {
            inside.slots.insert(place, all);
        }
        found
    }

    /// What can be said of a key without a database.
    pub(crate) fn remembered(&self, recalled: &Recalled, now: i64) -> Vec<Arc<Kept>> {
        let mut all = Slot::default();
        recalled.known.iter().chain(&recalled.waiting).for_each(|kept| all.put(kept));
        all.kept.retain(|kept| self.is_fresh(kept, now));
        all.kept
    }
}

impl Kept {
    /// Somebody needed it at this time.
    pub(crate) fn needed(&self, used: i64) {
        self.used.fetch_max(used, Ordering::Relaxed);
    }
}
