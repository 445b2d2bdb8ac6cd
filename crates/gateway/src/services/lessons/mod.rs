//! Stores the lessons of each model: request changes that its provider's rejections made necessary.
//! They apply to later requests of the key that learned them, and to those of all keys once a second
//! key has learned the same or the operator has shared them. Suggested ones apply to no request
//! before they are shared.

mod exchange;
mod model;
mod record;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use interlingua_model::{Lesson, Lessons};
use interlingua_store::{RecordKind, RecordStore};
use serde_json::{Value, json};
use tokio::time::timeout;

pub(crate) use self::model::ModelKey;
use self::model::{Models, SHARED_OWNER, SUGGESTION_OWNER, is_seal};
use self::record::{LessonRecord, can_be_stored, stored_keys, to_record};
use crate::client_name::ModelName;
use crate::config::LessonMode;

/// All lessons, cached in memory.
#[derive(Debug)]
pub(crate) struct LessonStore {
    models: RwLock<Models>,
    store: Arc<dyn RecordStore>,
    /// Number of changes made here: what was read before a change must not undo it.
    changes: AtomicU64,
}

/// The models of a request to `/api/lessons`, and of one key if it is named.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LessonFilter<'f> {
    pub(crate) provider: Option<&'f str>,
    pub(crate) model: Option<&'f str>,
    pub(crate) owner: Option<&'f str>,
}

impl LessonStore {
    pub(crate) fn new(store: Arc<dyn RecordStore>) -> Self {
        Self { models: RwLock::default(), store, changes: AtomicU64::default() }
    }

    /// The lessons of a model that apply in this mode, as of the last refresh: no request waits for
    /// the store.
    pub(crate) fn get(&self, model_key: ModelKey<'_>, mode: LessonMode) -> Lessons {
        let models = self.read();
        let Some(known) = models.get(&model_key) else { return Lessons::default() };
        match mode {
            LessonMode::On => known.for_owner(model_key.owner).clone(),
            LessonMode::Suggest => {
                known.own(SHARED_OWNER).map(|own| own.lessons.clone()).unwrap_or_default()
            }
            LessonMode::Off => Lessons::default(),
        }
    }

    /// Reads the store again, because other nodes learn and delete lessons too.
    pub(crate) async fn refresh(&self) {
        // A slow store leaves the cached lessons; it logs its own errors.
        let _ = timeout(REFRESH_TIMEOUT, self.load()).await;
    }

    async fn load(&self) {
        let changes = self.changes.load(Ordering::Acquire);
        let Ok(list) = self.store.load_records(RecordKind::Lesson).await else { return };
        let mut loaded = Vec::new();
        for record in &list.records {
            match LessonRecord::parse(record) {
                Some(parsed) => loaded.push(parsed),
                // Perhaps written by a newer version.
                None if record.body.starts_with(b"{") => {}
                None => {
                    tracing::warn!("a damaged record of lessons was deleted");
                    for key in &record.keys {
                        self.remove_record(&record.owner, key);
                    }
                }
            }
        }
        let mut models = self.write();
        if self.changes.load(Ordering::Acquire) != changes {
            return;
        }
        let stored: HashSet<ModelKey<'_>> = loaded.iter().map(LessonRecord::model_key).collect();
        models.remove_where(|key, own| own.is_stored && !stored.contains(key), |_, _| {});
        // Records are sorted newest first; lessons learned in memory meanwhile are newer still.
        for older in loaded {
            let Some(known) = models.entry(&older.model_key()) else { continue };
            let newer = known.entry(&older.owner);
            newer.is_stored = true;
            if newer.lessons != older.lessons {
                newer.lessons = older.lessons.merged_with(&newer.lessons);
                known.update();
            }
        }
    }

    /// The first candidate that has not failed yet. When all have failed they are cleared, so that
    /// the next request starts over.
    pub(crate) fn next_untried(
        &self,
        model_key: ModelKey<'_>,
        mut candidates: Vec<Vec<Lesson>>,
    ) -> Option<Vec<Lesson>> {
        candidates.retain(|candidate| candidate.iter().all(can_be_stored));
        let mut models = self.write();
        let known = models.get_mut(&model_key);
        let own = known.and_then(|known| known.own_mut(model_key.owner));
        let Some(own) = own else { return candidates.into_iter().next() };
        let is_new =
            |candidate: &&Vec<Lesson>| candidate.iter().any(|lesson| !own.failed.contains(lesson));
        if let Some(candidate) = candidates.iter().find(is_new) {
            return Some(candidate.clone());
        }
        own.failed.clear();
        None
    }

    /// The candidate helped: it applies to the owner's requests from now on.
    pub(crate) fn record_success(&self, model_key: ModelKey<'_>, candidate: &[Lesson]) {
        self.learn(model_key, candidate.iter());
    }

    /// Lists a candidate that was not tried. It applies once the operator has shared it.
    pub(crate) fn suggest(&self, model_key: ModelKey<'_>, candidate: &[Lesson]) {
        let suggested = ModelKey { owner: SUGGESTION_OWNER, ..model_key };
        let lessons = candidate.iter().filter(|lesson| !is_seal(lesson));
        let is_new = |lesson: &&Lesson| {
            let models = self.read();
            let own = models.get(&suggested).and_then(|known| known.own(SUGGESTION_OWNER));
            own.is_none_or(|own| own.lessons.iter().all(|other| other != *lesson))
        };
        let lessons: Vec<&Lesson> = lessons.filter(is_new).collect();
        if !lessons.is_empty() {
            self.learn(suggested, lessons.into_iter());
        }
    }

    fn learn<'l>(&self, model_key: ModelKey<'_>, learned: impl Iterator<Item = &'l Lesson>) {
        let mut models = self.write();
        let changed = self.changes.fetch_add(1, Ordering::Release);
        self.make_room(&mut models, &model_key);
        let Some(known) = models.entry(&model_key) else { return };
        let own = known.entry(model_key.owner);
        own.changed = changed;
        own.failed.clear();
        // With a shared store, a reload that does not find this record means that another node has
        // deleted it.
        own.is_stored = self.store.is_shared();
        own.lessons = learned.fold(own.lessons.clone(), |all, lesson| all.with(lesson.clone()));
        if own.lessons.iter().filter(|lesson| !is_seal(lesson)).count() > MAX_LESSONS {
            own.lessons = own.lessons.iter().skip(1).cloned().collect();
        }
        let record = to_record(&model_key, &own.lessons);
        known.update();
        // The new record replaces the old one.
        self.remove_records(&model_key);
        self.store.put(record);
    }

    /// The provider asks for what this lesson leaves out. Shared lessons of others stay: one key's
    /// requests change only what was learned with it.
    pub(crate) fn unlearn(&self, model_key: ModelKey<'_>, lesson: &Lesson) {
        let mut models = self.write();
        let changed = self.changes.fetch_add(1, Ordering::Release);
        let Some(known) = models.get_mut(&model_key) else { return };
        let Some(own) = known.own_mut(model_key.owner) else { return };
        own.changed = changed;
        own.lessons = own.lessons.iter().filter(|other| *other != lesson).cloned().collect();
        let record = (!own.lessons.is_empty()).then(|| to_record(&model_key, &own.lessons));
        known.update();
        self.remove_records(&model_key);
        if let Some(record) = record {
            self.store.put(record);
        }
    }

    /// The candidate did not help. Rejected seals concern one conversation and are not recorded.
    pub(crate) fn record_failure(&self, model_key: ModelKey<'_>, candidate: &[Lesson]) {
        let mut models = self.write();
        self.make_room(&mut models, &model_key);
        let Some(known) = models.entry(&model_key) else { return };
        let own = known.entry(model_key.owner);
        own.failed.extend(candidate.iter().filter(|lesson| !is_seal(lesson)).cloned());
        let excess = own.failed.len().saturating_sub(MAX_FAILED_LESSONS);
        own.failed.drain(..excess);
    }

    /// All lessons as text; seals are only counted. A row without `key` applies to all keys.
    pub(crate) async fn list(&self) -> Value {
        self.refresh().await;
        let models = self.read();
        let mut rows = Vec::new();
        for known in models.iter() {
            let own = known.owners.iter().filter(|own| own.owner != SHARED_OWNER);
            let own = own.map(|own| (Some(&own.owner), &own.lessons));
            for (owner, lessons) in std::iter::once((None, &known.shared)).chain(own) {
                if !lessons.is_empty() {
                    rows.push(known.row(owner, lessons));
                }
            }
        }
        json!({ "lessons": rows })
    }

    /// Deletes lessons and returns the number of models.
    pub(crate) async fn delete(&self, filter: LessonFilter<'_>) -> usize {
        self.refresh().await;
        if filter.selects_all() {
            // Also records that this version cannot read. The store logs its own errors.
            drop(self.store.remove(RecordKind::Lesson, None, None));
        }
        let mut deleted = HashSet::new();
        let mut models = self.write();
        self.changes.fetch_add(1, Ordering::Release);
        models.remove_where(
            |model_key, _| filter.selects(model_key),
            |model_key, own| {
                self.remove_records(model_key);
                if !own.lessons.is_empty() {
                    let [json_key, _] = stored_keys(model_key);
                    deleted.insert(json_key);
                }
            },
        );
        deleted.len()
    }

    /// Makes lessons of single keys apply to all keys; returns the number of models.
    pub(crate) async fn share(&self, filter: LessonFilter<'_>) -> usize {
        self.refresh().await;
        let mut selected: Vec<(String, String, ModelName, Vec<Lesson>)> = Vec::new();
        for known in self.read().iter() {
            let own = known.owners.iter().filter(|own| own.owner != SHARED_OWNER);
            let own = own.filter(|own| filter.selects(&known.model_key(&own.owner)));
            let lessons = own.flat_map(|own| own.lessons.iter());
            let lessons: Vec<Lesson> = lessons.filter(|one| !is_seal(one)).cloned().collect();
            let (provider, dialect) = (known.provider.clone(), known.dialect.clone());
            if !lessons.is_empty() {
                selected.push((provider, dialect, known.model.clone(), lessons));
            }
        }
        for (provider, dialect, model, lessons) in &selected {
            let model_key = ModelKey { owner: SHARED_OWNER, provider, dialect, model };
            self.learn(model_key, lessons.iter());
        }
        // What is shared is no suggestion any more.
        self.write().remove_where(
            |key, _| key.owner == SUGGESTION_OWNER && filter.selects(key),
            |key, _| self.remove_records(key),
        );
        selected.len()
    }

    /// Before a model is added for an owner with many, forgets the owner's oldest one, so that no
    /// key displaces another one's lessons.
    fn make_room(&self, models: &mut Models, model_key: &ModelKey<'_>) {
        let owner = model_key.owner;
        if models.get(model_key).is_some_and(|known| known.own(owner).is_some()) {
            return;
        }
        let of_owner = models.iter().filter_map(|known| Some((known, known.own(owner)?)));
        let of_owner: Vec<_> = of_owner.collect();
        if of_owner.len() < MAX_MODELS_PER_OWNER {
            return;
        }
        let Some((oldest, _)) = of_owner.iter().min_by_key(|(_, own)| own.changed) else { return };
        let (provider, dialect) = (&oldest.provider.clone(), &oldest.dialect.clone());
        let model = &oldest.model.clone();
        let oldest = ModelKey { owner, provider, dialect, model };
        models.remove_where(|key, _| *key == oldest, |key, _| self.remove_records(key));
    }

    fn remove_records(&self, model_key: &ModelKey<'_>) {
        for key in stored_keys(model_key) {
            self.remove_record(model_key.owner, &key);
        }
    }

    /// Not awaited: requests do not wait for the disk, and the store logs its own errors.
    fn remove_record(&self, owner: &str, key: &str) {
        drop(self.store.remove(RecordKind::Lesson, Some(owner), Some(key)));
    }

    fn read(&self) -> RwLockReadGuard<'_, Models> {
        self.models.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Models> {
        self.models.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LessonFilter<'_> {
    fn selects_all(self) -> bool {
        self.provider.is_none() && self.model.is_none() && self.owner.is_none()
    }

    fn selects(self, model_key: &ModelKey<'_>) -> bool {
        self.provider.is_none_or(|name| name == model_key.provider)
            && self.model.is_none_or(|name| name == &**model_key.model)
            && self.owner.is_none_or(|name| name == model_key.owner)
    }
}

const MAX_FAILED_LESSONS: usize = 32;
const REFRESH_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum lessons of one model and owner, without seals; beyond it the oldest is forgotten.
const MAX_LESSONS: usize = 200;
const MAX_MODELS_PER_OWNER: usize = 500;
