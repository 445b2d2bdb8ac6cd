//! Resolves the profile of a target, and caches those of recent targets per thread.

use std::cell::RefCell;
use std::sync::Arc;

use interlingua_model::{DialectId, Lessons};
use interlingua_wire::JsonString;

use crate::facts::{Fact as _, FactErrors};
use crate::model_name::ModelName;
use crate::profile::Profile;
use crate::variant::Base;
use crate::{base, custom_flavor, families, registry};

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
        let name = model.map(|model| model.unescape()).unwrap_or_default();
        let custom = flavor.and_then(custom_flavor::find);
        let base = custom.map_or(flavor, |custom| custom.base);
        let mut profile = look_up(dialect, base, &ModelName::new(&name))?;
        if let Some(custom) = custom {
            // A table can be right for the base and not for one of its models; those keys change
            // nothing.
            profile.patch(&custom.profile, &mut FactErrors::default());
        }
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

/// Base, family, provider, its models: each may change what the one before it states. An unknown flavor
/// counts as none.
fn look_up(dialect: DialectId, flavor: Option<&str>, model: &ModelName) -> Option<Profile> {
    let variant = registry::find_variant(dialect.0, flavor.unwrap_or_default());
    let base = variant.map_or(Base::Vendor, |variant| variant.base);
    let mut profile = base::find(dialect.0, base)?.clone();
    if base == Base::Vendor {
        families::apply(dialect.0, model, &mut profile);
    }
    if let Some(variant) = variant {
        (variant.profile)(&mut profile);
        for (_, patch) in variant.models.iter().filter(|(models, _)| model.matches_any(models)) {
            patch(&mut profile);
        }
    }
    Some(profile)
}

thread_local! {
    static RECENT: RefCell<Vec<CachedTarget>> = const { RefCell::new(Vec::new()) };
}

/// Dialects of provider APIs.
pub const PROVIDER_DIALECTS: &[&str] =
    &["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"];

/// As many targets as an agent and its subagents use concurrently.
const MAX_TARGETS: usize = 16;
