//! Describes what a target accepts as data, in groups of facts.

mod apply_lessons;

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

use crate::facts::facts;

facts! {
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
}
