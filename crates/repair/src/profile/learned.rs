//! What a target taught by what it refused, put into its rows.

use interlingua_model::{Habit, ImageLimit, Lesson};

use super::Profile;
use super::params::Forced;
use super::thinking::{Budget, Echo, Off, Replay};

impl Profile {
    /// Changes the rows to what was learned.
    pub(super) fn learn(&mut self) {
        for lesson in self.lessons.clone().iter() {
            match lesson {
                Lesson::EmptyText(one) => self.texts.between_reasoning = *one,
                Lesson::Thinking(habit) => self.think(*habit),
                Lesson::Image(ImageLimit::Size(most)) => {
                    let known = self.media.image_size.unwrap_or(usize::MAX);
                    self.media.image_size = Some(known.min(*most));
                }
                Lesson::Image(ImageLimit::Side(most)) => {
                    let known = self.media.image_side.unwrap_or(u32::MAX);
                    self.media.image_side = Some(known.min(*most));
                }
                Lesson::Image(ImageLimit::CrowdSide(most)) => {
                    let (few, known) = self.media.crowd.unwrap_or((MANY, u32::MAX));
                    self.media.crowd = Some((few, known.min(*most)));
                }
                Lesson::Length(most) => {
                    let known = &mut self.params.max_tokens.most;
                    *known = (*known).min(*most);
                }
                // Rules of their own look at these.
                Lesson::Field(_) | Lesson::Alternation | Lesson::NoSearch | Lesson::Seal(_) => {}
            }
        }
    }

    fn think(&mut self, habit: Habit) {
        let row = &mut self.thinking;
        match habit {
            Habit::Budget => {
                row.adaptive = false;
                if matches!(row.budget, Budget::Never | Budget::AsEffort) {
                    row.budget = BUDGET;
                }
            }
            Habit::Adaptive => {
                row.adaptive = true;
                row.budget = Budget::Never;
            }
            Habit::Always => row.off = Off::Never,
            Habit::BetweenTools => row.off = Off::BetweenTools,
            Habit::Least => row.off = Off::Least,
            Habit::Off => row.off = Off::Taken,
            Habit::Redacted => row.replay = Replay::Redacted,
            Habit::First => {
                row.placed = true;
                row.comes_first = true;
            }
            Habit::OpensLoop => row.opens_loop = true,
            Habit::Echo => {
                if row.echo == Echo::Free {
                    row.echo = Echo::Empty;
                }
                if row.echo_field.is_empty() {
                    row.echo_field = ECHO;
                }
                // It thinks where nothing is said of it, or would not ask for it.
                row.unasked = true;
            }
            Habit::Unforced => self.params.choice.forced = Forced::NotWhileThinking,
        }
    }
}

/// Where a model wants a budget and nobody knows which.
const BUDGET: Budget = Budget::Within { least: 1024, most: u64::MAX, below_max_tokens: true };
/// More images than this are many, where nobody says how many are.
const MANY: usize = 20;
/// The field in which most servers give reasoning, and want it back.
const ECHO: &str = "reasoning_content";
