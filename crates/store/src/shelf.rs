//! The memory before a database, for one kind: what was kept, what was found, and what is not there.

mod anew;
mod bare;
mod removal;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::places::{ByPlace, Places};
use crate::record::{Found, Kind};
use crate::retention::Retention;
use crate::slots::{Kept, Slot, Slots};

use self::bare::Bare;

pub(crate) use self::anew::Recalled;
pub(crate) use self::removal::{Removal, Removals};

/// One shelf for each kind.
#[derive(Debug)]
pub(crate) struct Shelves([Shelf; Kind::ALL.len()]);

/// What a store remembers of one kind. Whether it is all there is, or lies before a database, is the
/// business of who owns it.
#[derive(Debug)]
pub(crate) struct Shelf {
    inside: Mutex<Inside>,
    /// Milliseconds after which what nobody needed is not found any more.
    age: i64,
}

#[derive(Debug)]
struct Inside {
    slots: Slots,
    /// What no database holds yet, by place. Not bounded here: the queue of the writer is.
    waiting: ByPlace<Vec<Arc<Kept>>>,
    removals: Removals,
    /// How many removals have ended.
    removed: u64,
    bare: Bare,
    /// Numbers for loads and removals.
    last: u64,
}

/// What came of looking.
#[derive(Debug, Default)]
pub(crate) struct Look {
    pub(crate) found: Vec<Found>,
    /// Keys of which only a database knows all, with what is known of each.
    pub(crate) missing: Vec<Missing>,
    pub(crate) load: u64,
    /// Found, and not needed for a while before.
    pub(crate) revived: Vec<i64>,
}

/// A key that is loading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Missing {
    pub(crate) key: String,
    /// What waits to be written: whether the load sees it in the database is a matter of luck.
    pub(crate) known: Vec<Arc<Kept>>,
    /// What was being removed when it was asked for.
    going: Removals,
}

impl Shelves {
    /// Not more than so many bytes of each kind, and than it is to be kept.
    pub(crate) fn new(retention: &Retention, bytes: usize) -> Self {
        Self(Kind::ALL.map(|kind| {
            let keep = retention.of(kind);
            Shelf::new(bytes.min(usize::try_from(keep.bytes).unwrap_or(bytes)), keep.age)
        }))
    }

    /// As [`Shelf::forget`], for all.
    pub(crate) fn forget(&self) {
        for shelf in &self.0 {
            shelf.forget();
        }
    }

    pub(crate) fn of(&self, kind: Kind) -> &Shelf {
        &self.0[kind.place()]
    }
}

impl Shelf {
    fn new(bytes: usize, age: Duration) -> Self {
        let inside = Inside {
            slots: Slots::new(bytes),
            waiting: ByPlace::default(),
            removals: Removals::default(),
            removed: 0,
            bare: Bare::default(),
            last: 0,
        };
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        Self { inside: Mutex::new(inside), age }
    }

    /// Takes a record that waits for its database; not if it has the same already.
    pub(crate) fn keep(&self, kept: &Arc<Kept>) -> bool {
        let inside = &mut *self.inside();
        inside.bare.changed();
        let mut places = Places::of(&kept.owner);
        for (nth, key) in kept.keys.iter().enumerate() {
            let place = places.at(key);
            if nth == 0 && inside.has_same(place, kept) {
                return false;
            }
            inside.slots.put(place, kept);
            inside.waiting.entry(place.into()).or_default().push(Arc::clone(kept));
        }
        true
    }

    /// Takes a record that has no other place to be.
    pub(crate) fn hold(&self, kept: &Arc<Kept>) {
        let inside = &mut *self.inside();
        let mut places = Places::of(&kept.owner);
        for key in &kept.keys {
            let place = places.at(key);
            if !inside.slots.put(place, kept) {
                let slot = Slot { kept: vec![Arc::clone(kept)], loading: None };
                inside.slots.insert(place, slot);
            }
        }
    }

    /// What is known under these keys. Those that are missing are from now on loading.
    pub(crate) fn look(&self, owner: &str, keys: &[&str], now: i64) -> Look {
        let mut look = Look::default();
        let inside = &mut *self.inside();
        if inside.bare.is_known() {
            return look;
        }
        let mut places = Places::of(owner);
        for key in keys {
            let place = places.at(key);
            let known = inside.slots.find(place).filter(|slot| slot.loading.is_none());
            if let Some(slot) = known {
                let found = slot.kept.iter().filter(|kept| self.is_fresh(kept, now));
                for kept in found {
                    if self.revives(kept, now) {
                        look.revived.push(kept.id);
                    }
                    look.found.push(Found { key: (*key).to_owned(), body: kept.body.clone() });
                }
            } else {
                look.load = inside.load(place, look.load);
                let known = inside.waiting.get(place).cloned().unwrap_or_default();
                let going = inside.removals.clone();
                look.missing.push(Missing { key: (*key).to_owned(), known, going });
            }
        }
        look
    }

    /// As [`Shelf::look`] where nothing is missing, because nothing lies elsewhere.
    pub(crate) fn look_here(&self, owner: &str, keys: &[&str], now: i64) -> Vec<Found> {
        let inside = &mut *self.inside();
        let mut places = Places::of(owner);
        let mut found = Vec::new();
        for key in keys {
            let place = places.at(key);
            let Some(slot) = inside.slots.find(place) else { continue };
            slot.kept.retain(|kept| self.is_fresh(kept, now));
            for kept in &slot.kept {
                kept.used.store(now, Ordering::Relaxed);
                found.push(Found { key: (*key).to_owned(), body: kept.body.clone() });
            }
        }
        found
    }

    /// The keys of a record of which not all is known; they are from now on loading.
    pub(crate) fn unknown(&self, kept: &Kept) -> (Vec<Missing>, u64) {
        let inside = &mut *self.inside();
        let mut places = Places::of(&kept.owner);
        let (mut unknown, mut load) = (Vec::new(), 0);
        for key in &kept.keys {
            let place = places.at(key);
            if inside.slots.find(place).is_none() {
                load = inside.load(place, load);
                let going = inside.removals.clone();
                unknown.push(Missing { key: key.clone(), known: Vec::new(), going });
            }
        }
        (unknown, load)
    }

    /// Takes what a database has under a key, and gives everything there is.
    pub(crate) fn fill(
        &self,
        owner: &str,
        missing: &Missing,
        load: u64,
        rows: &[Arc<Kept>],
    ) -> Vec<Arc<Kept>> {
        let inside = &mut *self.inside();
        let mut places = Places::of(owner);
        let place = places.at(&missing.key);
        let mut all = Slot::default();
        for row in rows.iter().chain(&missing.known) {
            if !inside.removals.cover(row) && !missing.going.cover(row) {
                all.put(row);
            }
        }
        inside.waiting.get(place).into_iter().flatten().for_each(|kept| all.put(kept));
        let Some(slot) = inside.slots.find(place) else { return all.kept };
        slot.kept.iter().for_each(|kept| all.put(kept));
        let kept = all.kept.clone();
        if slot.loading == Some(load) {
            inside.slots.insert(place, all);
        }
        kept
    }

    /// Nothing came of a load.
    pub(crate) fn abandon(&self, owner: &str, keys: &[Missing], load: u64) {
        let inside = &mut *self.inside();
        let mut places = Places::of(owner);
        for Missing { key, .. } in keys {
            let place = places.at(key);
            if inside.slots.find(place).is_some_and(|slot| slot.loading == Some(load)) {
                inside.slots.remove(place);
            }
        }
    }

    /// This record waits no longer.
    pub(crate) fn settle(&self, kept: &Kept) {
        let inside = &mut *self.inside();
        inside.bare.changed();
        let mut places = Places::of(&kept.owner);
        for key in &kept.keys {
            let place = places.at(key);
            if let Some(waiting) = inside.waiting.get_mut(place) {
                waiting.retain(|other| other.id != kept.id);
                if waiting.is_empty() {
                    inside.waiting.remove(place);
                }
            }
        }
    }

    /// What waits, the newest last.
    pub(crate) fn waiting(&self) -> BTreeMap<i64, Arc<Kept>> {
        let inside = self.inside();
        let all = inside.waiting.values().flatten();
        all.map(|kept| (kept.id, Arc::clone(kept))).collect()
    }

    /// Everything it holds, the newest last.
    pub(crate) fn held(&self) -> BTreeMap<i64, Arc<Kept>> {
        let inside = &mut *self.inside();
        let all = inside.slots.each().flat_map(|slot| &slot.kept);
        all.map(|kept| (kept.id, Arc::clone(kept))).collect()
    }

    pub(crate) fn holds_nothing(&self) -> bool {
        self.inside().slots.are_none()
    }

    /// Lets go what nothing else holds.
    pub(crate) fn drop_held(&self, removal: &Removal) {
        let inside = &mut *self.inside();
        inside.slots.each().for_each(|slot| slot.kept.retain(|kept| !removal.covers(kept)));
    }

    /// From now on these are not found; a database is asked to remove them.
    pub(crate) fn remove(&self, removal: Removal) -> u64 {
        let inside = &mut *self.inside();
        inside.waiting.retain(|_, waiting| {
            waiting.retain(|kept| !removal.covers(kept));
            !waiting.is_empty()
        });
        inside.slots.clear();
        inside.last += 1;
        inside.removals.begin(inside.last, removal);
        inside.last
    }

    /// The database has removed them. What was read before that is not to be believed.
    pub(crate) fn removed(&self, number: u64) {
        let inside = &mut *self.inside();
        inside.removals.end(number);
        inside.removed += 1;
        inside.slots.clear();
    }

    /// What is being removed.
    pub(crate) fn going(&self) -> Removals {
        self.inside().removals.clone()
    }

    /// The records among these that are not being removed, and were not when they were asked for.
    pub(crate) fn remaining(&self, rows: &mut BTreeMap<i64, Arc<Kept>>, going: &Removals) {
        let inside = self.inside();
        rows.retain(|_, row| !inside.removals.cover(row) && !going.cover(row));
    }

    /// What lies in the database is not known any more: somebody else has changed it.
    pub(crate) fn forget(&self) {
        let inside = &mut *self.inside();
        inside.bare.changed();
        inside.slots.clear();
    }

    fn is_fresh(&self, kept: &Kept, now: i64) -> bool {
        now.saturating_sub(kept.used.load(Ordering::Relaxed)) <= self.age
    }

    /// Notes that it is needed; says so when that is worth writing down.
    fn revives(&self, kept: &Kept, now: i64) -> bool {
        let old = now.saturating_sub(kept.used.load(Ordering::Relaxed)) > self.age / 16;
        if old {
            kept.used.store(now, Ordering::Relaxed);
        }
        old
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    fn has_same(&mut self, place: &str, kept: &Kept) -> bool {
        let waits = self.waiting.get(place).into_iter().flatten().any(|other| other.is_same(kept));
        let slot = self.slots.find(place);
        waits || slot.is_some_and(|slot| slot.kept.iter().any(|other| other.is_same(kept)))
    }

    /// A slot that knows what waits, and that a load is to complete.
    fn load(&mut self, place: &str, load: u64) -> u64 {
        let load = if load == 0 {
            self.last += 1;
            self.last
        } else {
            load
        };
        if self.slots.find(place).is_none() {
            let mut slot = Slot { loading: Some(load), ..Slot::default() };
            self.waiting.get(place).into_iter().flatten().for_each(|kept| slot.put(kept));
            self.slots.insert(place, slot);
        }
        load
    }
}

impl Missing {
    /// What can be said of it without a database.
    pub(crate) fn found(&self) -> impl Iterator<Item = Found> {
        found(&self.key, self.known.iter().rev())
    }
}

pub(crate) fn found<'k>(
    key: &str,
    kept: impl Iterator<Item = &'k Arc<Kept>>,
) -> impl Iterator<Item = Found> {
    kept.map(move |kept| Found { key: key.to_owned(), body: kept.body.clone() })
}
