//! Rules as data, with one type for each form of a request that they edit.

use interlingua_wire::JsonDoc;

use super::survey::Feature;
use super::work::Work;
use crate::profile::TargetProfile;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Applies to any target.
    Mend,
    /// Depends on the target's profile.
    Fit,
}

/// A rule on the body before it is decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawBodyRule {
    /// The name of its file, with dashes.
    pub name: &'static str,
    pub kind: RuleKind,
    /// Returns the body to decode instead and a description of the change, or `None` if nothing
    /// changes.
    pub apply: fn(&JsonDoc) -> Option<(String, String)>,
}

/// A rule on the decoded conversation, with its preconditions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConversationRule {
    /// The name of its file, with dashes.
    pub name: &'static str,
    pub kind: RuleKind,
    /// Rules of other groups that run before it.
    pub after: &'static [&'static str],
    /// Feature that the conversation must have for the rule to run; `None` if the rule always runs.
    pub requires: Option<Feature>,
    /// Runs a second time if turns changed: a later rule may have left a turn that is empty or in
    /// an invalid position.
    pub reruns: bool,
    pub apply: Apply,
}

/// What a rule on the conversation depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Apply {
    Conversation(fn(&mut Work<'_>)),
    /// Does not depend on the turns, unless they have foreign blocks.
    Settings(fn(&mut Work<'_>)),
    /// First the settings part, then the part for the turns.
    SettingsThenTurns(fn(&mut Work<'_>), fn(&mut Work<'_>)),
}

/// A rule on the body as encoded for the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EncodedBodyRule {
    /// The name of its file, with dashes.
    pub name: &'static str,
    pub kind: RuleKind,
    /// Returns the body to send instead and a description of the loss, or `None` if nothing
    /// changes.
    pub apply: fn(&JsonDoc, &TargetProfile) -> Option<(String, String)>,
}

pub(crate) const fn mend(name: &'static str, apply: fn(&mut Work<'_>)) -> ConversationRule {
    ConversationRule::new(name, RuleKind::Mend, Apply::Conversation(apply))
}

pub(crate) const fn fit(name: &'static str, apply: fn(&mut Work<'_>)) -> ConversationRule {
    ConversationRule::new(name, RuleKind::Fit, Apply::Conversation(apply))
}

/// A fit rule that depends on settings, tools and instructions only.
pub(crate) const fn settings_rule(
    name: &'static str,
    apply: fn(&mut Work<'_>),
) -> ConversationRule {
    ConversationRule::new(name, RuleKind::Fit, Apply::Settings(apply))
}

/// A fit rule of two parts: one that depends on settings only, and one for the turns.
pub(crate) const fn two_part_rule(
    name: &'static str,
    apply_settings: fn(&mut Work<'_>),
    apply_turns: fn(&mut Work<'_>),
) -> ConversationRule {
    let apply = Apply::SettingsThenTurns(apply_settings, apply_turns);
    ConversationRule::new(name, RuleKind::Fit, apply)
}

impl ConversationRule {
    const fn new(name: &'static str, kind: RuleKind, apply: Apply) -> Self {
        Self { name, kind, after: &[], requires: None, reruns: false, apply }
    }

    /// Runs only if the conversation has this feature.
    pub(crate) const fn requires(self, feature: Feature) -> Self {
        Self { requires: Some(feature), ..self }
    }

    pub(crate) const fn reruns(self) -> Self {
        Self { reruns: true, ..self }
    }

    pub(crate) const fn after(self, names: &'static [&'static str]) -> Self {
        Self { after: names, ..self }
    }
}
