//! Other names for tools, where a target does not take theirs.

use std::collections::HashMap;

use interlingua_model::{Tool, Verbatim, derive_id};
use interlingua_wire::Text;

use crate::profile::tools::{Names, Tools};

/// A name that the target takes: as much of the old one as it takes, and eight digits that only this
/// name has, so that two long names with one beginning stay two. The same each time. The word stands for
/// a name of which nothing is left.
pub(crate) fn alias(name: &Text, word: &str, rules: &Names, number: usize) -> Text {
    let most = rules.most.map_or(MOST, |most| most.min(MOST)) - DIGITS - 1;
    let marks = rules.marks.unwrap_or("_-");
    let fits = |c: char| c.is_ascii_alphanumeric() || marks.contains(c);
    let contents = name.contents();
    let spelled = contents.chars().map(|c| if fits(c) { c } else { '_' });
    let mut alias: String = spelled.take(most).collect();
    if alias.trim_matches('_').is_empty() {
        word.clone_into(&mut alias);
    }
    if rules.letter_first && !alias.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        alias.insert(0, '_');
        alias.truncate(most);
    }
    let digits = derive_id("", name, number);
    alias.push('_');
    alias.extend(digits.contents().chars().take(DIGITS));
    Text::new(&alias)
}

/// The names that tools have, for who makes new ones.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// How many have each name.
    names: HashMap<String, usize>,
    /// Of each name, the first number that was not found taken.
    next: HashMap<String, usize>,
}

impl Taken {
    pub(crate) fn of(tools: &[Verbatim<Tool>]) -> Self {
        let mut taken = Self::default();
        for tool in tools {
            taken.take(&tool.name);
        }
        taken
    }

    /// As [`alias`], but no name that is taken. Whoever gets it is told of by [`Taken::rename`].
    pub(crate) fn free_alias(&mut self, name: &Text, rules: &Names) -> Text {
        let next = self.next.entry(name.contents().into_owned()).or_default();
        loop {
            let alias = alias(name, "tool", rules, *next);
            if !self.names.contains_key(&*alias.contents()) {
                return alias;
            }
            *next += 1;
        }
    }

    /// A tool has another name now.
    pub(crate) fn rename(&mut self, from: &Text, to: &Text) {
        if let Some(count) = self.names.get_mut(&*from.contents()) {
            *count -= 1;
            if *count == 0 {
                self.names.remove(&*from.contents());
            }
        }
        self.take(to);
    }

    fn take(&mut self, name: &Text) {
        *self.names.entry(name.contents().into_owned()).or_default() += 1;
    }
}

/// The name under which the target is told of a tool: within its group, where it has groups.
pub(crate) fn told(tool: &Tool, profile: &Tools) -> Text {
    match &tool.namespace {
        Some(group) if profile.groups => within(group, &tool.name),
        _ => tool.name.clone(),
    }
}

/// A name without that of its group.
pub(crate) fn within(group: &Text, name: &Text) -> Text {
    let group = group.contents();
    let rest = name.strip_prefix(group.strip_suffix(BETWEEN).unwrap_or(&group));
    let rest =
        rest.and_then(|rest| rest.strip_prefix(BETWEEN).or_else(|| rest.strip_prefix(APART)));
    rest.unwrap_or_else(|| name.clone())
}

/// A name with that of its group before it.
pub(crate) fn among(group: &Text, short: &Text) -> Text {
    if group.is_empty() || group.raw().ends_with(BETWEEN) {
        Text::concat([group, short])
    } else {
        Text::join([group, short], BETWEEN)
    }
}

const BETWEEN: &str = "__";
/// Between the name of a group and that of a tool which would otherwise have the name of another.
const APART: &str = ".";
const DIGITS: usize = 8;
/// Calls may have shorter names than tools: a new name is short enough for both.
const MOST: usize = 64;
