//! The rules, in groups by what they are about.
//!
//! Each group lists its rules in their order; [`order`] merges the lists.

mod cache;
mod calls;
mod empty;
mod fields;
mod ids;
mod media;
mod order;
mod reasoning;
mod results;
mod roles;
mod settings;
mod tools;

use self::order::{Group, count_rules, execution_order};
use crate::engine::rule::{ConversationRule, EncodedBodyRule, RawBodyRule, RuleKind};

/// A rule of any phase.
#[derive(Clone, Copy, Debug)]
pub struct RuleInfo {
    /// The name of its file, with dashes.
    pub name: &'static str,
    pub kind: RuleKind,
    /// The folder of its file.
    pub group: &'static str,
    /// Rules of other groups that run before it.
    pub after: &'static [&'static str],
}

/// Rules on the body before it is decoded.
pub(crate) const RAW_BODY: &[RawBodyRule] = fields::RAW_BODY_RULES;
/// Rules on the decoded conversation, in the order of execution.
pub(crate) static CONVERSATION: &[ConversationRule] = &in_order();
/// Rules on the body as encoded for the target.
pub(crate) const ENCODED_BODY: &[EncodedBodyRule] = fields::ENCODED_BODY_RULES;

const GROUPS: [Group; 11] = [
    Group { name: "calls", rules: calls::RULES },
    Group { name: "results", rules: results::RULES },
    Group { name: "fields", rules: fields::RULES },
    Group { name: "empty", rules: empty::RULES },
    Group { name: "settings", rules: settings::RULES },
    Group { name: "tools", rules: tools::RULES },
    Group { name: "reasoning", rules: reasoning::RULES },
    Group { name: "roles", rules: roles::RULES },
    Group { name: "media", rules: media::RULES },
    Group { name: "ids", rules: ids::RULES },
    Group { name: "cache", rules: cache::RULES },
];
const COUNT: usize = count_rules(&GROUPS);
const ORDER: [(usize, usize); COUNT] = execution_order(&GROUPS);

const fn in_order() -> [ConversationRule; COUNT] {
    let mut rules = [GROUPS[0].rules[0]; COUNT];
    let mut at = 0;
    while at < COUNT {
        let (group, index) = ORDER[at];
        rules[at] = GROUPS[group].rules[index];
        at += 1;
    }
    rules
}

/// Every rule, in the order of execution.
pub fn all_rules() -> impl Iterator<Item = RuleInfo> {
    let in_fields = |name, kind| RuleInfo { name, kind, group: "fields", after: &[] };
    let raw_body = RAW_BODY.iter().map(move |rule| in_fields(rule.name, rule.kind));
    let conversation = CONVERSATION.iter().zip(ORDER).map(|(rule, (group, _))| {
        let ConversationRule { name, kind, after, .. } = *rule;
        RuleInfo { name, kind, group: GROUPS[group].name, after }
    });
    let encoded_body = ENCODED_BODY.iter().map(move |rule| in_fields(rule.name, rule.kind));
    raw_body.chain(conversation).chain(encoded_body)
}
