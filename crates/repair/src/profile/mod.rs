//! What a target accepts, together with what the request says about it.

pub(crate) mod reasoning;

use std::ops::Deref;
use std::sync::Arc;

use interlingua_model::{DialectId, Lessons};
use interlingua_providers::profile::Profile;
use interlingua_providers::profile::settings::NumberFormat;
use interlingua_providers::profile::texts::StringContent;
use interlingua_providers::{PROVIDER_DIALECTS, RuleSet, StopFlag, Target, resolve};
use interlingua_wire::JsonString;

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
    /// Lessons from earlier rejections.
    pub lessons: Lessons,
    /// Rules that do not run.
    pub disabled_rules: RuleSet,
    /// Larger schemas are sent without checks.
    pub max_schema_bytes: usize,
    /// Set once the client does not wait for the result any more.
    pub stop: StopFlag,
    /// What the target accepts, with the lessons.
    pub facts: Arc<Profile>,
}

impl TargetProfile {
    /// The profile of a target; `None` for dialects without providers, in which conversations are
    /// only stored.
    pub fn resolve(
        dialect: DialectId,
        target: &Target,
        model: Option<&JsonString>,
    ) -> Option<Self> {
        let model = target.model.as_ref().or(model).cloned();
        let facts = resolve(dialect, target.flavor, model.as_ref(), &target.lessons)?;
        Some(Self {
            dialect,
            model,
            betas: target.betas.clone(),
            pass_unknown_fields: target.pass_unknown_fields,
            joins_instructions: target.joins_instructions,
            keeps_replies: target.keeps_replies,
            lessons: target.lessons.clone(),
            disabled_rules: if target.is_verbatim {
                RuleSet::all()
            } else {
                target.disabled_rules.clone()
            },
            max_schema_bytes: target.max_schema_bytes.unwrap_or(usize::MAX),
            stop: target.stop.clone(),
            facts,
        })
    }

    pub fn is_provider_dialect(dialect: DialectId) -> bool {
        PROVIDER_DIALECTS.contains(&dialect.0)
    }

    /// The messages that must have a string as content.
    pub fn string_content(&self) -> StringContent {
        match self.texts.string_content {
            StringContent::NotRequired if self.joins_instructions => StringContent::Instructions,
            required => required,
        }
    }

    /// Checks the settings of the dialect: their values have the type that the dialect defines, also
    /// where the target's parser converts others.
    pub fn setting_checker(&self) -> ShapeChecker<'_> {
        ShapeChecker {
            either_case: self.fields.proto_json,
            proto_json: false,
            ignores_unknown: false,
            betas: &[],
            pass_unknown_fields: false,
            exact_integers: true,
        }
    }

    /// Parses and checks fields as the target does.
    pub fn shape_checker(&self) -> ShapeChecker<'_> {
        ShapeChecker {
            either_case: self.fields.proto_json,
            proto_json: self.fields.proto_json,
            ignores_unknown: self.fields.ignores_unknown,
            betas: &self.betas,
            pass_unknown_fields: self.pass_unknown_fields && self.fields.can_pass_unknown,
            exact_integers: self.settings.number_format == NumberFormat::PlainIntegers,
        }
    }
}

impl Deref for TargetProfile {
    type Target = Profile;

    #[inline]
    fn deref(&self) -> &Profile {
        &self.facts
    }
}
