//! The lessons of each model: who learned them, and to whom they apply.

use std::collections::{BTreeMap, HashMap};

use interlingua_model::{Lesson, Lessons};
use serde_json::{Value, json};

use crate::client_name::ModelName;

/// A model of a provider, called in a dialect, with an owner's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ModelKey<'t> {
    /// Whose lessons they are: the name of a key, or [`SHARED_OWNER`].
    pub(crate) owner: &'t str,
    pub(crate) provider: &'t str,
    pub(crate) dialect: &'t str,
    pub(crate) model: &'t ModelName,
}

/// All models by name; a list has those of several providers and dialects.
#[derive(Debug, Default)]
pub(super) struct Models(BTreeMap<ModelName, Vec<ModelLessons>>);

#[derive(Debug)]
pub(super) struct ModelLessons {
    pub(super) provider: String,
    pub(super) dialect: String,
    pub(super) model: ModelName,
    /// For every owner: those of [`SHARED_OWNER`], and those that two others have learned.
    pub(super) shared: Lessons,
    pub(super) owners: Vec<OwnerLessons>,
}

/// What was learned with one owner's key.
#[derive(Debug)]
pub(super) struct OwnerLessons {
    pub(super) owner: String,
    pub(super) lessons: Lessons,
    /// The owner's lessons and the shared ones.
    in_force: Lessons,
    /// The lessons were in the store. If a reload does not find them, another node has deleted
    /// them.
    pub(super) is_stored: bool,
    /// Lessons that did not help: the next request tries other candidates.
    pub(super) failed: Vec<Lesson>,
    /// A number that is larger for later changes.
    pub(super) changed: u64,
}

impl Models {
    pub(super) fn get(&self, model_key: &ModelKey<'_>) -> Option<&ModelLessons> {
        self.0.get(model_key.model)?.iter().find(|known| known.matches(model_key))
    }

    pub(super) fn get_mut(&mut self, model_key: &ModelKey<'_>) -> Option<&mut ModelLessons> {
        self.0.get_mut(model_key.model)?.iter_mut().find(|known| known.matches(model_key))
    }

    /// The owner's entry of a model; `None` if there are too many models.
    pub(super) fn entry(&mut self, model_key: &ModelKey<'_>) -> Option<&mut ModelLessons> {
        if self.0.len() >= MAX_MODELS && !self.0.contains_key(model_key.model) {
            return None;
        }
        let named = self.0.entry(model_key.model.clone()).or_default();
        let at = named.iter().position(|known| known.matches(model_key));
        let at = at.unwrap_or_else(|| {
            named.push(ModelLessons {
                provider: model_key.provider.to_owned(),
                dialect: model_key.dialect.to_owned(),
                model: model_key.model.clone(),
                shared: Lessons::default(),
                owners: Vec::new(),
            });
            named.len() - 1
        });
        named.get_mut(at)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ModelLessons> {
        self.0.values().flatten()
    }

    /// Removes the selected owners' lessons, and calls `removed` for each.
    pub(super) fn remove_where(
        &mut self,
        is_selected: impl Fn(&ModelKey<'_>, &OwnerLessons) -> bool,
        mut removed: impl FnMut(&ModelKey<'_>, &OwnerLessons),
    ) {
        self.0.retain(|_, named| {
            for known in &mut *named {
                let ModelLessons { provider, dialect, model, owners, .. } = known;
                let before = owners.len();
                owners.retain(|own| {
                    let model_key = ModelKey { owner: &own.owner, provider, dialect, model };
                    let is_removed = is_selected(&model_key, own);
                    if is_removed {
                        removed(&model_key, own);
                    }
                    !is_removed
                });
                if owners.len() < before {
                    known.update();
                }
            }
            named.retain(|known| !known.owners.is_empty());
            !named.is_empty()
        });
    }
}

impl ModelLessons {
    fn matches(&self, model_key: &ModelKey<'_>) -> bool {
        self.model_key(model_key.owner) == *model_key
    }

    pub(super) fn model_key<'k>(&'k self, owner: &'k str) -> ModelKey<'k> {
        let Self { provider, dialect, model, .. } = self;
        ModelKey { owner, provider, dialect, model }
    }

    pub(super) fn own(&self, owner: &str) -> Option<&OwnerLessons> {
        self.owners.iter().find(|own| own.owner == owner)
    }

    pub(super) fn for_owner(&self, owner: &str) -> &Lessons {
        self.own(owner).map_or(&self.shared, |own| &own.in_force)
    }

    pub(super) fn own_mut(&mut self, owner: &str) -> Option<&mut OwnerLessons> {
        self.owners.iter_mut().find(|own| own.owner == owner)
    }

    pub(super) fn entry(&mut self, owner: &str) -> &mut OwnerLessons {
        let at = self.owners.iter().position(|own| own.owner == owner);
        let at = at.unwrap_or_else(|| {
            self.owners.push(OwnerLessons {
                owner: owner.to_owned(),
                lessons: Lessons::default(),
                in_force: self.shared.clone(),
                is_stored: false,
                failed: Vec::new(),
                changed: 0,
            });
            self.owners.len() - 1
        });
        &mut self.owners[at]
    }

    /// Computes what applies to whom, after a change. A provider that rejected the requests of two
    /// keys in the same way, and accepted both after the same change, confirms the lesson.
    pub(super) fn update(&mut self) {
        let (of_all, of_keys): (Vec<&OwnerLessons>, Vec<_>) = self
            .owners
            .iter()
            .filter(|own| own.owner != SUGGESTION_OWNER)
            .partition(|own| own.owner == SHARED_OWNER);
        let learned =
            || of_keys.iter().flat_map(|own| own.lessons.iter()).filter(|one| !is_seal(one));
        let mut counts: HashMap<String, usize> = HashMap::new();
        for lesson in learned() {
            *counts.entry(lesson.to_string()).or_default() += 1;
        }
        let confirmed = learned().filter(|lesson| counts[&lesson.to_string()] > 1);
        let confirmed: Lessons = confirmed.cloned().collect();
        let shared = of_all.iter().fold(confirmed, |all, own| merge(&all, &own.lessons));
        for own in &mut self.owners {
            own.in_force = merge(&shared, &own.lessons);
        }
        self.shared = shared;
    }

    pub(super) fn row(&self, owner: Option<&String>, lessons: &Lessons) -> Value {
        let lines = lessons.iter().filter(|lesson| !is_seal(lesson)).map(ToString::to_string);
        let mut row = json!({
            "provider": self.provider, "model": &*self.model, "dialect": self.dialect,
            "lessons": lines.collect::<Vec<String>>(),
            "seals": lessons.iter().filter(|lesson| is_seal(lesson)).count(),
        });
        match owner.map(String::as_str) {
            Some(SUGGESTION_OWNER) => row["suggested"] = true.into(),
            Some(owner) => row["key"] = owner.into(),
            None => {}
        }
        row
    }
}

pub(super) fn is_seal(lesson: &Lesson) -> bool {
    matches!(lesson, Lesson::RejectedSeal(_))
}

/// As [`Lessons::merged_with`], which copies both.
fn merge(older: &Lessons, newer: &Lessons) -> Lessons {
    if older.is_empty() { newer.clone() } else { older.merged_with(newer) }
}

const MAX_MODELS: usize = 10_000;
/// The owner of lessons that apply to all keys: callers without a key, and the operator's choice.
pub(super) const SHARED_OWNER: &str = "";
/// The owner of lessons that are only suggested. No key has such a name.
pub(super) const SUGGESTION_OWNER: &str = "\u{1}suggested";
