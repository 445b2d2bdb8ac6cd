//! Stores the lessons of each model: request changes that its provider's rejections made necessary.
//! They apply to every later request and survive a restart.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use interlingua::model::{Lesson, Lessons};
use interlingua_store::{Record, RecordKind, RecordStore};
use serde_json::{Value, json};
use tokio::time::timeout;

/// All lessons, cached in memory.
#[derive(Debug)]
pub(crate) struct LessonStore {
    models: RwLock<Vec<ModelLessons>>,
    store: Arc<dyn RecordStore>,
}

/// A model of a provider, called in a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModelKey<'t> {
    pub(crate) provider: &'t str,
    pub(crate) dialect: &'t str,
    pub(crate) model: &'t str,
}

#[derive(Debug)]
struct ModelLessons {
    provider: String,
    dialect: String,
    model: String,
    lessons: Lessons,
    /// The lessons were in the store. If a reload does not find them, another node has deleted
    /// them.
    is_stored: bool,
    /// Lessons that did not help: the next request tries other candidates.
    failed: Vec<Lesson>,
}

impl LessonStore {
    pub(crate) fn new(store: Arc<dyn RecordStore>) -> Self {
        Self { models: RwLock::default(), store }
    }

    /// The lessons of a model, as of the last refresh: no request waits for the store.
    pub(crate) fn get(&self, model_key: ModelKey<'_>) -> Lessons {
        let models = self.models.read().unwrap_or_else(PoisonError::into_inner);
        let entry = models.iter().find(|entry| entry.model_key() == model_key);
        entry.map(|entry| entry.lessons.clone()).unwrap_or_default()
    }

    /// Reads the store again, because other nodes learn and delete lessons too.
    pub(crate) async fn refresh(&self) {
        // A slow store leaves the cached lessons; it logs its own errors.
        let _ = timeout(REFRESH_TIMEOUT, self.load()).await;
    }

    async fn load(&self) {
        let Ok(list) = self.store.load_records(RecordKind::Lesson).await else { return };
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        let loaded: Vec<ModelLessons> =
            list.records.iter().filter_map(ModelLessons::from_record).collect();
        let is_loaded = |entry: &ModelLessons| {
            loaded.iter().any(|other| other.model_key() == entry.model_key())
        };
        models.retain(|entry| !entry.is_stored || is_loaded(entry));
        // Records are sorted newest first; lessons learned in memory meanwhile are newer still.
        for older in loaded {
            match models.iter_mut().find(|entry| entry.model_key() == older.model_key()) {
                Some(newer) => {
                    newer.lessons = older.lessons.merged_with(&newer.lessons);
                    newer.is_stored = true;
                }
                None => models.push(older),
            }
        }
    }

    /// The first candidate that has not failed yet. When all have failed they are cleared, so that
    /// the next request starts over.
    pub(crate) fn next_untried(
        &self,
        model_key: ModelKey<'_>,
        candidates: Vec<Vec<Lesson>>,
    ) -> Option<Vec<Lesson>> {
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        let known = models.iter_mut().find(|entry| entry.model_key() == model_key);
        let Some(model_lessons) = known else { return candidates.into_iter().next() };
        let is_new = |candidate: &&Vec<Lesson>| {
            candidate.iter().any(|lesson| !model_lessons.failed.contains(lesson))
        };
        if let Some(candidate) = candidates.iter().find(is_new) {
            return Some(candidate.clone());
        }
        model_lessons.failed.clear();
        None
    }

    /// The candidate helped: it applies to every request from now on.
    pub(crate) fn record_success(&self, model_key: ModelKey<'_>, candidate: &[Lesson]) {
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        let model_lessons = entry(&mut models, model_key);
        model_lessons.failed.clear();
        // With a shared store, a reload that does not find this record means that another node has
        // deleted it.
        model_lessons.is_stored = self.store.is_shared();
        model_lessons.lessons = candidate
            .iter()
            .fold(model_lessons.lessons.clone(), |lessons, lesson| lessons.with(lesson.clone()));
        let record = model_lessons.to_record();
        // The new record replaces the old one. The removal is not awaited: requests do not wait for
        // the disk.
        drop(self.store.remove(
            RecordKind::Lesson,
            Some(SHARED_OWNER),
            Some(&model_lessons.store_key()),
        ));
        self.store.put(record);
    }

    /// The candidate did not help. Rejected seals concern one conversation and are not recorded.
    pub(crate) fn record_failure(&self, model_key: ModelKey<'_>, candidate: &[Lesson]) {
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        let model_lessons = entry(&mut models, model_key);
        let lasting = candidate.iter().filter(|lesson| !matches!(lesson, Lesson::RejectedSeal(_)));
        model_lessons.failed.extend(lasting.cloned());
        let excess = model_lessons.failed.len().saturating_sub(MAX_FAILED_LESSONS);
        model_lessons.failed.drain(..excess);
    }

    /// All lessons as text; seals are only counted.
    pub(crate) async fn list(&self) -> Value {
        self.refresh().await;
        let models = self.models.read().unwrap_or_else(PoisonError::into_inner);
        let to_json = |model_lessons: &ModelLessons| {
            let is_seal = |lesson: &&Lesson| matches!(lesson, Lesson::RejectedSeal(_));
            let lines = model_lessons.lessons.iter().filter(|lesson| !is_seal(lesson));
            let lines: Vec<String> = lines.map(ToString::to_string).collect();
            json!({
                "provider": model_lessons.provider, "model": model_lessons.model, "dialect": model_lessons.dialect,
                "lessons": lines, "seals": model_lessons.lessons.iter().filter(is_seal).count(),
            })
        };
        let learned = models.iter().filter(|entry| !entry.lessons.is_empty());
        json!({"lessons": learned.map(to_json).collect::<Vec<_>>()})
    }

    /// Deletes the lessons of all models, of one provider, or of one model, and returns the number
    /// of models.
    pub(crate) async fn delete(&self, provider: Option<&str>, model: Option<&str>) -> usize {
        self.refresh().await;
        let deleted: Vec<ModelLessons> = {
            let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
            let is_selected = |model_lessons: &mut ModelLessons| {
                provider.is_none_or(|name| name == model_lessons.provider)
                    && model.is_none_or(|name| name == model_lessons.model)
            };
            models.extract_if(.., is_selected).collect()
        };
        for model_lessons in &deleted {
            // The store logs its own errors.
            drop(self.store.remove(
                RecordKind::Lesson,
                Some(SHARED_OWNER),
                Some(&model_lessons.store_key()),
            ));
        }
        deleted.iter().filter(|entry| !entry.lessons.is_empty()).count()
    }
}

fn entry<'k>(models: &'k mut Vec<ModelLessons>, model_key: ModelKey<'_>) -> &'k mut ModelLessons {
    let at = models.iter().position(|entry| entry.model_key() == model_key).unwrap_or_else(|| {
        let ModelKey { provider, dialect, model } = model_key;
        if models.len() >= MAX_MODELS {
            models.remove(0);
        }
        models.push(ModelLessons {
            provider: provider.to_owned(),
            dialect: dialect.to_owned(),
            model: model.to_owned(),
            lessons: Lessons::default(),
            is_stored: false,
            failed: Vec::new(),
        });
        models.len() - 1
    });
    &mut models[at]
}

impl ModelLessons {
    fn from_record(record: &Record) -> Option<Self> {
        let mut lines = std::str::from_utf8(&record.body).ok()?.lines();
        let mut next_line = || lines.next().map(str::to_owned);
        let (provider, dialect, model) = (next_line()?, next_line()?, next_line()?);
        let lessons = lines.filter_map(|line| line.parse::<Lesson>().ok()).collect();
        Some(Self { provider, dialect, model, lessons, is_stored: true, failed: Vec::new() })
    }

    fn model_key(&self) -> ModelKey<'_> {
        ModelKey { provider: &self.provider, dialect: &self.dialect, model: &self.model }
    }

    fn store_key(&self) -> String {
        format!("{}\n{}\n{}", self.provider, self.dialect, self.model)
    }

    fn to_record(&self) -> Record {
        let lessons = self.lessons.iter().map(ToString::to_string);
        let lines: Vec<String> = std::iter::once(self.store_key()).chain(lessons).collect();
        let body = Bytes::from(lines.join("\n"));
        Record {
            kind: RecordKind::Lesson,
            owner: SHARED_OWNER.to_owned(),
            keys: vec![self.store_key()],
            body,
        }
    }
}

/// Lessons about a provider are shared by all keys.
const SHARED_OWNER: &str = "";
const MAX_FAILED_LESSONS: usize = 32;
const REFRESH_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_MODELS: usize = 1000;
