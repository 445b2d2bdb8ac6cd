//! Describes what each target accepts as data: rows selected by dialect, flavor and model.
//!
//! A deviation of a provider is a field of a row; rules do not check provider names.

mod apply_lessons;
mod resolve;
mod selector;

pub mod block_description;
pub mod cache;
pub mod calls;
pub mod fields;
pub mod media;
pub mod reasoning;
pub mod roles;
pub mod settings;
pub mod texts;
pub mod tools;
pub mod web_search;

pub use resolve::{PROVIDER_DIALECTS, resolve};
pub use selector::{TargetKey, TargetSelector};

/// What a target accepts, in groups of facts.
#[derive(Clone, Debug)]
pub struct Profile {
    pub cache: cache::CacheProfile,
    pub calls: calls::CallProfile,
    pub fields: fields::FieldProfile,
    pub media: media::MediaProfile,
    pub settings: settings::SettingsProfile,
    pub roles: roles::RoleProfile,
    pub texts: texts::TextProfile,
    pub reasoning: reasoning::ReasoningProfile,
    pub tools: tools::ToolProfile,
}
