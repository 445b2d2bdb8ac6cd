//! Describes what each target accepts as data: rows selected by dialect, flavor and model.
//!
//! A deviation of a provider is a field of a row; rules do not check provider names.

mod apply_lessons;
mod selector;

pub mod block_description;
pub mod cache;
pub mod calls;
pub mod fields;
pub mod media;
pub mod reasoning;
pub mod roles;
mod row;
mod row_cache;
pub mod settings;
pub mod texts;
pub mod tools;
pub mod web_search;

use interlingua_model::{DialectId, Lessons, StopFlag, Target};
use interlingua_wire::JsonString;

pub use row::ProfileRow;
pub use selector::{TargetKey, TargetSelector};

use self::row_cache::ProfileRows;
use self::texts::StringContent;
use crate::shape::ShapeChecker;

/// Everything about a target on which rules depend.
#[derive(Debug)]
pub struct TargetProfile {
    pub dialect: DialectId,
    /// The model as it is sent to the target.
    pub model: Option<JsonString>,
    /// Beta features that the client requested.
    pub betas: Vec<JsonString>,
    /// Fields that no row has are passed on.
    pub pass_unknown_fields: bool,
    /// The server's chat template may read only the first text of instructions.
    pub joins_instructions: bool,
    /// The caller stores replies.
    pub keeps_replies: bool,
    /// Lessons from earlier rejections; they change the rows below.
    pub lessons: Lessons,
    /// Larger schemas are sent without checks.
    pub max_schema_bytes: usize,
    /// Set once the client does not wait for the result any more.
    pub stop: StopFlag,
    pub cache: &'static cache::CacheProfile,
    pub calls: &'static calls::CallProfile,
    pub fields: &'static fields::FieldProfile,
    pub media: ProfileRow<media::MediaProfile>,
    pub settings: ProfileRow<settings::SettingsProfile>,
    pub roles: &'static roles::RoleProfile,
    pub texts: ProfileRow<texts::TextProfile>,
    pub reasoning: ProfileRow<reasoning::ReasoningProfile>,
    pub tools: &'static tools::ToolProfile,
}

impl TargetProfile {
    /// The profile of a target; `None` for dialects without providers, in which conversations are
    /// only stored.
    pub fn resolve(
        dialect: DialectId,
        target: &Target,
        model: Option<&JsonString>,
    ) -> Option<Self> {
        if !Self::is_provider_dialect(dialect) {
            return None;
        }
        let model = target.model.as_ref().or(model).cloned();
        let rows = ProfileRows::cached(dialect, target.flavor, model.as_ref())?;
        let ProfileRows { cache, calls, fields, media, settings, roles, texts, reasoning, tools } =
            rows;
        let (media, settings) = (ProfileRow::Static(media), ProfileRow::Static(settings));
        let (texts, reasoning) = (ProfileRow::Static(texts), ProfileRow::Static(reasoning));
        let Target { betas, pass_unknown_fields, keeps_replies, lessons, .. } = target;
        let (betas, lessons) = (betas.clone(), lessons.clone());
        let (pass_unknown_fields, keeps_replies) = (*pass_unknown_fields, *keeps_replies);
        let joins_instructions = target.joins_instructions;
        let (max_schema_bytes, stop) =
            (target.max_schema_bytes.unwrap_or(usize::MAX), target.stop.clone());
        #[rustfmt::skip]
        let mut profile = Self {
            dialect, model, betas, pass_unknown_fields, joins_instructions, keeps_replies, lessons,
            max_schema_bytes, stop,
            cache, calls, fields, media, settings, roles, texts, reasoning, tools,
        };
        profile.apply_lessons();
        Some(profile)
    }

    /// The messages that must have a string as content.
    pub fn string_content(&self) -> StringContent {
        match self.texts.string_content {
            StringContent::NotRequired if self.joins_instructions => StringContent::Instructions,
            required => required,
        }
    }

    pub fn is_provider_dialect(dialect: DialectId) -> bool {
        PROVIDER_DIALECTS.contains(&dialect.0)
    }

    /// Parses and checks fields as the target does.
    pub fn shape_checker(&self) -> ShapeChecker<'_> {
        ShapeChecker {
            proto_json: self.fields.proto_json,
            ignores_unknown: self.fields.ignores_unknown,
            betas: &self.betas,
            pass_unknown_fields: self.pass_unknown_fields && self.fields.can_pass_unknown,
            exact_integers: self.settings.number_format == settings::NumberFormat::PlainIntegers,
        }
    }
}

/// Dialects of provider APIs.
const PROVIDER_DIALECTS: &[&str] =
    &["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"];
