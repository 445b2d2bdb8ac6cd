//! Changes a profile according to lessons from rejections.

use interlingua_model::{ImageLimit, Lesson, Lessons, ReasoningConstraint};

use super::Profile;
use super::reasoning::{BudgetSupport, OffMode, ReasoningEcho, ReasoningReplay};
use super::settings::ForcedCall;

impl Profile {
    /// Applies all lessons.
    pub(crate) fn apply_lessons(&mut self, lessons: &Lessons) {
        for lesson in lessons.iter() {
            match lesson {
                Lesson::EmptyText(handling) => self.texts.empty_between_reasoning = *handling,
                Lesson::Reasoning(reasoning_constraint) => {
                    self.apply_reasoning_lesson(*reasoning_constraint);
                }
                Lesson::Image(ImageLimit::Base64Chars(limit)) => {
                    let current = self.media.max_image_base64_chars.unwrap_or(usize::MAX);
                    self.media.max_image_base64_chars = Some(current.min(*limit));
                }
                Lesson::Image(ImageLimit::SidePixels(limit)) => {
                    let current = self.media.max_image_pixels.unwrap_or(u32::MAX);
                    self.media.max_image_pixels = Some(current.min(*limit));
                }
                Lesson::Image(ImageLimit::SidePixelsOfMany(limit)) => {
                    let (count, current) =
                        self.media.many_images_limit.unwrap_or((MANY_IMAGES, u32::MAX));
                    self.media.many_images_limit = Some((count, current.min(*limit)));
                }
                Lesson::MaxTokens(limit) => {
                    let current = &mut self.settings.max_tokens.max;
                    *current = (*current).min(*limit);
                }
                Lesson::NoMedia(kind) => self.media.reject_kind(*kind),
                // Rules of their own handle these.
                Lesson::RejectedField(_)
                | Lesson::AlternateRoles
                | Lesson::NoWebSearch
                | Lesson::RejectedSeal(_) => {}
            }
        }
    }

    fn apply_reasoning_lesson(&mut self, reasoning_constraint: ReasoningConstraint) {
        let row = &mut self.reasoning;
        match reasoning_constraint {
            ReasoningConstraint::BudgetOnly => {
                row.adaptive = false;
                if matches!(row.budget, BudgetSupport::Unsupported | BudgetSupport::EffortInstead) {
                    row.budget = DEFAULT_BUDGET;
                }
            }
            ReasoningConstraint::AdaptiveOnly => {
                row.adaptive = true;
                row.budget = BudgetSupport::Unsupported;
            }
            ReasoningConstraint::CannotDisable => row.off_mode = OffMode::Unsupported,
            ReasoningConstraint::BetweenToolsWhenOff => row.off_mode = OffMode::BetweenTools,
            ReasoningConstraint::MinimumWhenOff => row.off_mode = OffMode::LowestEffort,
            ReasoningConstraint::CanDisable => row.off_mode = OffMode::Supported,
            ReasoningConstraint::OnlyRedacted => row.replay = ReasoningReplay::Redacted,
            ReasoningConstraint::MustComeFirst => {
                row.checks_placement = true;
                row.must_come_first = true;
            }
            ReasoningConstraint::MustOpenToolLoop => row.must_open_loop = true,
            ReasoningConstraint::EchoWithCalls => {
                if row.echo == ReasoningEcho::NotRequired {
                    row.echo = ReasoningEcho::MayBeEmpty;
                }
                if row.echo_field.is_empty() {
                    row.echo_field = DEFAULT_ECHO_FIELD;
                }
                // The model reasons by default, otherwise it would not require this.
                row.reasons_by_default = true;
            }
            ReasoningConstraint::OffWithForcedCall => {
                self.settings.tool_choice.forced_call = ForcedCall::NoObjectWhileReasoning;
            }
        }
    }
}

/// For models that require a budget of unknown range.
const DEFAULT_BUDGET: BudgetSupport =
    BudgetSupport::Range { min: 1024, max: u64::MAX, below_max_tokens: true };
/// Default number of images above which the limit for many images applies.
const MANY_IMAGES: usize = 20;
/// The field in which most servers send reasoning and require it back.
const DEFAULT_ECHO_FIELD: &str = "reasoning_content";
