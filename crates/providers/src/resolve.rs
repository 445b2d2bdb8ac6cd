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
        let profile =
            apply_layers(dialect, flavor, &ModelName::new(&name), lessons, &mut |_, _| {})?;
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

/// What a fact comes from. A later layer overrides an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The API of the dialect's vendor.
    Dialect,
    /// The generation of the model, where the dialect's vendor serves it.
    Family,
    /// The vendor of the model, behind a relay.
    Vendor,
    /// The provider.
    Provider,
    /// The model at this provider.
    Model,
    /// The user's configuration.
    Configuration,
    /// Rejections of the provider.
    Lesson,
}

/// The profile of a target. Each layer may change what those before it state; `visit` gets the profile after
/// each of them. An unknown flavor counts as none.
pub(crate) fn apply_layers(
    dialect: DialectId,
    flavor: Option<&str>,
    model: &ModelName,
    lessons: &Lessons,
    visit: &mut dyn FnMut(Layer, &Profile),
) -> Option<Profile> {
    let custom = flavor.and_then(custom_flavor::find);
    let flavor = custom.map_or(flavor, |custom| custom.base);
    let variant = registry::find_variant(dialect.0, flavor.unwrap_or_default());
    let mut profile = base::find(dialect.0, Base::Vendor)?.clone();
    visit(Layer::Dialect, &profile);
    let vendor = variant
        .and_then(|variant| variant.vendors.iter().find(|vendor| model.matches_any(vendor.models)));
    if variant.is_some_and(|variant| variant.base == Base::Copy) {
        profile.clone_from(base::find(dialect.0, Base::Copy)?);
        if vendor.is_some() {
            visit(Layer::Provider, &profile);
        }
    } else {
        families::apply(dialect.0, model, &mut profile);
        visit(Layer::Family, &profile);
    }
    if let Some(vendor) = vendor {
        (vendor.patch)(&mut profile);
        if let Some(api) = vendor.api {
            let (dialect, lessons) = (DialectId(api.dialect), Lessons::default());
            let own = apply_layers(dialect, api.flavor, model, &lessons, &mut |_, _| {})?;
            (api.carry)(&own, &mut profile);
        }
        visit(Layer::Vendor, &profile);
    }
    if let Some(variant) = variant {
        (variant.profile)(&mut profile);
        visit(Layer::Provider, &profile);
        for (_, patch) in variant.models.iter().filter(|(models, _)| model.matches_any(models)) {
            patch(&mut profile);
        }
        visit(Layer::Model, &profile);
    }
    if let Some(custom) = custom {
        // A table can be right for the base and not for one of its models; those keys change nothing.
        profile.patch(&custom.profile, &mut FactErrors::default());
    }
    visit(Layer::Configuration, &profile);
    profile.apply_lessons(lessons);
    visit(Layer::Lesson, &profile);
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
