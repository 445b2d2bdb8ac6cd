//! What a target takes, as data: rows by dialect, flavor and model. A quirk is a field of a row,
//! never a name asked for in a rule.

mod learned;
mod scope;

pub mod cache;
pub mod calls;
pub mod fields;
pub mod media;
mod media_bedrock;
mod media_words;
mod names;
pub mod params;
pub mod roles;
mod row;
mod rows;
pub mod searches;
pub mod texts;
pub mod thinking;
pub mod told;
pub mod tool_keys;
mod tool_words;
pub mod tools;

use interlingua_model::{DialectId, Lessons, Target};
use interlingua_wire::Text;

pub use row::Row;
pub use scope::{Aim, Scope};

use self::rows::Rows;
use crate::shape::Reading;

/// Everything the rules ask about a target.
#[derive(Debug)]
pub struct Profile {
    pub dialect: DialectId,
    /// The model asked for, as the target is told.
    pub model: Option<Text>,
    /// Features beyond the usual that the client asked for.
    pub betas: Vec<Text>,
    /// Fields that are known nowhere here may be there.
    pub trusting: bool,
    /// Whoever asks keeps what comes back.
    pub remembers: bool,
    /// What the target itself taught by refusing it; it changes the rows below.
    pub lessons: Lessons,
    pub cache: &'static cache::Cache,
    pub calls: &'static calls::Calls,
    pub fields: &'static fields::Fields,
    pub media: Row<media::Media>,
    pub params: Row<params::Params>,
    pub roles: &'static roles::Roles,
    pub texts: Row<texts::Texts>,
    pub thinking: Row<thinking::Thinking>,
    pub tools: &'static tools::Tools,
}

impl Profile {
    /// The profile of a target; `None` for a dialect that is no provider's: what is only kept is
    /// kept as it is.
    pub fn of(dialect: DialectId, target: &Target, model: Option<&Text>) -> Option<Self> {
        if !Self::is_for(dialect) {
            return None;
        }
        let model = target.model.as_ref().or(model).cloned();
        let rows = Rows::remembered(dialect, target.flavor, model.as_ref())?;
        let Rows { cache, calls, fields, media, params, roles, texts, thinking, tools } = rows;
        let (media, params) = (Row::Known(media), Row::Known(params));
        let (texts, thinking) = (Row::Known(texts), Row::Known(thinking));
        let Target { betas, trusting, remembers, lessons, .. } = target;
        let (betas, lessons) = (betas.clone(), lessons.clone());
        let (trusting, remembers) = (*trusting, *remembers);
        #[rustfmt::skip]
        let mut profile = Self {
            dialect, model, betas, trusting, remembers, lessons,
            cache, calls, fields, media, params, roles, texts, thinking, tools,
        };
        profile.learn();
        Some(profile)
    }

    /// Whether providers speak the dialect.
    pub fn is_for(dialect: DialectId) -> bool {
        PROVIDERS.contains(&dialect.0)
    }

    /// How the target reads fields.
    pub fn reading(&self) -> Reading<'_> {
        Reading {
            either_case: self.fields.either_case,
            open: self.fields.open,
            betas: &self.betas,
            trusting: self.trusting && self.fields.trusts,
            exact: self.params.spelling == params::Spelling::Exact,
        }
    }
}

/// The dialects that providers speak.
const PROVIDERS: &[&str] = &["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"];
