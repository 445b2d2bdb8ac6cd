//! What was learned of each model from what its provider refused: applied to every request from then
//! on, kept beyond a restart, and to be looked at and forgotten.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use interlingua::model::{Lesson, Lessons};
use interlingua_store::{Kind, Record, Store};
use serde_json::{Value, json};
use tokio::sync::{Mutex, OnceCell};
use tokio::time::timeout;

/// Everything that was learned.
#[derive(Debug)]
pub(crate) struct Learned {
    known: RwLock<Vec<Known>>,
    store: Arc<dyn Store>,
    /// Whether what the store holds was read.
    read: OnceCell<()>,
    /// When it was last looked for what other nodes have learned, or forgotten.
    looked: Mutex<Instant>,
}

/// Who teaches: a model of a provider, asked in a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Teacher<'t> {
    pub(crate) provider: &'t str,
    pub(crate) dialect: &'t str,
    pub(crate) model: &'t str,
}

#[derive(Debug)]
struct Known {
    provider: String,
    dialect: String,
    model: String,
    lessons: Lessons,
    /// It is in the store: who does not find it there any more knows that it was forgotten.
    stored: bool,
    /// What did not help, so that another request tries the next.
    tried: Vec<Lesson>,
}

impl Learned {
    /// What is learned is also kept here.
    pub(crate) fn kept_in(store: Arc<dyn Store>) -> Self {
        let looked = Mutex::new(Instant::now());
        Self { known: RwLock::default(), store, read: OnceCell::new(), looked }
    }

    /// What is known of a model.
    pub(crate) async fn of(&self, teacher: Teacher<'_>) -> Lessons {
        self.remember().await;
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|known| known.teacher() == teacher);
        found.map(|known| known.lessons.clone()).unwrap_or_default()
    }

    /// Reads what the store holds, and again after a while: other nodes learn, too. A store that is in
    /// trouble is asked again later.
    async fn remember(&self) {
        if self.read.get_or_try_init(|| self.look()).await.is_err() {
            return;
        }
        if let Ok(mut looked) = self.looked.try_lock()
            && looked.elapsed() >= AGAIN
        {
            *looked = Instant::now();
            // What is known is good enough for who would have to wait.
            let _ = timeout(PATIENCE, self.look()).await;
        }
    }

    async fn look(&self) -> Result<(), ()> {
        let records = self.store.all(Kind::Lesson).await;
        let is_whole = self.store.health().trouble.is_none();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let read: Vec<Known> = records.iter().filter_map(Known::read).collect();
        if is_whole {
            let is_there = |known: &Known| read.iter().any(|one| one.teacher() == known.teacher());
            known.retain(|known| !known.stored || is_there(known));
        }
        // The newest come first, and hold; what was learned meanwhile is newer still.
        for one in read {
            match known.iter_mut().find(|known| known.teacher() == one.teacher()) {
                Some(newer) => {
                    newer.lessons = one.lessons.and(&newer.lessons);
                    newer.stored = true;
                }
                None => known.push(one),
            }
        }
        if is_whole { Ok(()) } else { Err(()) }
    }

    /// The first rung that was not tried in vain. When none is left, the next request may try all anew.
    pub(crate) fn next(
        &self,
        teacher: Teacher<'_>,
        rungs: Vec<Vec<Lesson>>,
    ) -> Option<Vec<Lesson>> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let tried = known.iter_mut().find(|known| known.teacher() == teacher);
        let Some(known) = tried else { return rungs.into_iter().next() };
        let is_new = |rung: &&Vec<Lesson>| rung.iter().any(|one| !known.tried.contains(one));
        if let Some(rung) = rungs.iter().find(is_new) {
            return Some(rung.clone());
        }
        known.tried.clear();
        None
    }

    /// A rung helped: it holds from now on.
    pub(crate) fn worked(&self, teacher: Teacher<'_>, rung: &[Lesson]) {
        let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let known = entry(&mut all, teacher);
        known.tried.clear();
        // It waits to be written, and is found from now on: gone, it was forgotten by another node.
        known.stored = self.store.is_shared();
        known.lessons = rung.iter().fold(known.lessons.clone(), |all, one| all.with(one.clone()));
        let record = known.record();
        // One takes the place of the other. Nobody waits for the disk here.
        drop(self.store.remove(Kind::Lesson, Some(OWNER), Some(&known.key())));
        self.store.keep(record);
    }

    /// A rung did not help. Seals are of one conversation, and nothing to remember here.
    pub(crate) fn failed(&self, teacher: Teacher<'_>, rung: &[Lesson]) {
        let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let known = entry(&mut all, teacher);
        let lasting = rung.iter().filter(|lesson| !matches!(lesson, Lesson::Seal(_)));
        known.tried.extend(lasting.cloned());
        let surplus = known.tried.len().saturating_sub(MOST_TRIED);
        known.tried.drain(..surplus);
    }

    /// Everything, for a person: seals are only counted.
    pub(crate) async fn shown(&self) -> Value {
        self.remember().await;
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let one = |known: &Known| {
            let is_seal = |lesson: &&Lesson| matches!(lesson, Lesson::Seal(_));
            let lines = known.lessons.iter().filter(|lesson| !is_seal(lesson));
            let lines: Vec<String> = lines.map(ToString::to_string).collect();
            json!({
                "provider": known.provider, "model": known.model, "dialect": known.dialect,
                "lessons": lines, "seals": known.lessons.iter().filter(is_seal).count(),
            })
        };
        let taught = known.iter().filter(|known| !known.lessons.is_empty());
        json!({"lessons": taught.map(one).collect::<Vec<_>>()})
    }

    /// Forgets what was learned of all models, of one provider's, or of one; gives how many were known.
    pub(crate) async fn forget(&self, provider: Option<&str>, model: Option<&str>) -> usize {
        self.remember().await;
        let gone: Vec<Known> = {
            let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
            let is_meant = |known: &mut Known| {
                provider.is_none_or(|name| name == known.provider)
                    && model.is_none_or(|name| name == known.model)
            };
            all.extract_if(.., is_meant).collect()
        };
        for known in &gone {
            // What cannot be removed is said by the store's health.
            drop(self.store.remove(Kind::Lesson, Some(OWNER), Some(&known.key())));
        }
        gone.iter().filter(|known| !known.lessons.is_empty()).count()
    }
}

fn entry<'k>(all: &'k mut Vec<Known>, teacher: Teacher<'_>) -> &'k mut Known {
    let at = all.iter().position(|known| known.teacher() == teacher).unwrap_or_else(|| {
        let Teacher { provider, dialect, model } = teacher;
        if all.len() >= MOST_KNOWN {
            all.remove(0);
        }
        all.push(Known {
            provider: provider.to_owned(),
            dialect: dialect.to_owned(),
            model: model.to_owned(),
            lessons: Lessons::default(),
            stored: false,
            tried: Vec::new(),
        });
        all.len() - 1
    });
    &mut all[at]
}

impl Known {
    fn read(record: &Record) -> Option<Self> {
        let mut lines = std::str::from_utf8(&record.body).ok()?.lines();
        let mut word = || lines.next().map(str::to_owned);
        let (provider, dialect, model) = (word()?, word()?, word()?);
        let lessons = lines.filter_map(|line| line.parse::<Lesson>().ok()).collect();
        Some(Self { provider, dialect, model, lessons, stored: true, tried: Vec::new() })
    }

    fn teacher(&self) -> Teacher<'_> {
        Teacher { provider: &self.provider, dialect: &self.dialect, model: &self.model }
    }

    fn key(&self) -> String {
        format!("{}\n{}\n{}", self.provider, self.dialect, self.model)
    }

    fn record(&self) -> Record {
        let lessons = self.lessons.iter().map(ToString::to_string);
        let lines: Vec<String> = std::iter::once(self.key()).chain(lessons).collect();
        let body = Bytes::from(lines.join("\n"));
        Record { kind: Kind::Lesson, owner: OWNER.to_owned(), keys: vec![self.key()], body }
    }
}

/// What a provider teaches is everybody's.
const OWNER: &str = "";
const MOST_TRIED: usize = 32;
/// How long another node may know better.
const AGAIN: Duration = Duration::from_secs(3);
/// For a store that is slow, before a request goes on without it.
const PATIENCE: Duration = Duration::from_millis(500);
/// Models of which something is known.
const MOST_KNOWN: usize = 1000;
