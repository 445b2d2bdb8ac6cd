//! Resolves the profile of a target, and caches those of recent targets per thread.

use std::cell::RefCell;
use std::sync::Arc;

use interlingua_model::{DialectId, Lessons};
use interlingua_wire::JsonString;

use super::{
    Profile, TargetKey, cache, calls, fields, media, reasoning, roles, selector, settings, texts,
    tools,
};

/// A target and its profile.
struct CachedTarget {
    dialect: DialectId,
    flavor: Option<&'static str>,
    model: Option<JsonString>,
    lessons: Lessons,
    profile: Arc<Profile>,
}

/// The profile of a target; `None` for dialects without providers, in which conversations are only
/// stored.
pub fn resolve(
    dialect: DialectId,
    flavor: Option<&'static str>,
    model: Option<&JsonString>,
    lessons: &Lessons,
) -> Option<Arc<Profile>> {
    RECENT.with_borrow_mut(|recent| {
        let is_match = |entry: &CachedTarget| {
            entry.dialect == dialect
                && entry.flavor == flavor
                && entry.model.as_ref() == model
                && entry.lessons == *lessons
        };
        if let Some(entry) = recent.iter().find(|entry| is_match(entry)) {
            return Some(Arc::clone(&entry.profile));
        }
        let mut profile = look_up(&TargetKey::new(dialect, flavor, model))?;
        profile.apply_lessons(lessons);
        let profile = Arc::new(profile);
        if recent.len() == MAX_TARGETS {
            recent.remove(0);
        }
        // A detached copy: a slice would keep the whole request in memory.
        let model = model.map(|model| JsonString::new(&model.unescape()));
        let entry = CachedTarget { dialect, flavor, model, lessons: lessons.clone(), profile };
        let profile = Arc::clone(&entry.profile);
        recent.push(entry);
        Some(profile)
    })
}

fn look_up(target_key: &TargetKey) -> Option<Profile> {
    Some(Profile {
        cache: *selector::find_row(cache::ROWS, target_key)?,
        calls: *selector::find_row(calls::ROWS, target_key)?,
        fields: *selector::find_row(fields::ROWS, target_key)?,
        media: *selector::find_row(media::ROWS, target_key)?,
        settings: *selector::find_row(settings::ROWS, target_key)?,
        roles: *selector::find_row(roles::ROWS, target_key)?,
        texts: *selector::find_row(texts::ROWS, target_key)?,
        reasoning: *selector::find_row(reasoning::ROWS, target_key)?,
        tools: *selector::find_row(tools::ROWS, target_key)?,
    })
}

thread_local! {
    static RECENT: RefCell<Vec<CachedTarget>> = const { RefCell::new(Vec::new()) };
}

/// Dialects of provider APIs.
pub const PROVIDER_DIALECTS: &[&str] =
    &["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"];

/// As many targets as an agent and its subagents use concurrently.
const MAX_TARGETS: usize = 16;
