//! Merges the rules of all groups into the order in which they run.
//!
//! A rule runs after the rule above it in its group and after the rules that it names; otherwise as
//! early as possible, and among the rules that could run next, the rule of the first group does.

use crate::engine::rule::ConversationRule;

/// The rules of one folder.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) rules: &'static [ConversationRule],
}

pub(super) const fn count_rules(groups: &[Group]) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < groups.len() {
        count += groups[at].rules.len();
        at += 1;
    }
    count
}

/// For each rule in the order of execution: the index of its group, and its index there. Fails to
/// compile if rules wait for each other or for a rule that does not exist.
#[expect(clippy::panic, reason = "evaluated by the compiler")]
pub(super) const fn execution_order<const COUNT: usize, const GROUPS: usize>(
    groups: &[Group; GROUPS],
) -> [(usize, usize); COUNT] {
    let mut order = [(0, 0); COUNT];
    let mut next_in_group = [0; GROUPS];
    let mut count = 0;
    while count < COUNT {
        let (done, _) = order.split_at(count);
        let Some(group) = find_ready_group(groups, &next_in_group, done) else {
            panic!("rules wait for each other, or for a rule that does not exist");
        };
        order[count] = (group, next_in_group[group]);
        next_in_group[group] += 1;
        count += 1;
    }
    order
}

/// The first group whose next rule waits for no other rule.
const fn find_ready_group<const GROUPS: usize>(
    groups: &[Group; GROUPS],
    next_in_group: &[usize; GROUPS],
    done: &[(usize, usize)],
) -> Option<usize> {
    let mut group = 0;
    while group < GROUPS {
        let (rules, next) = (groups[group].rules, next_in_group[group]);
        if next < rules.len() && are_done(groups, done, rules[next].after) {
            return Some(group);
        }
        group += 1;
    }
    None
}

const fn are_done(groups: &[Group], done: &[(usize, usize)], names: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() {
        if !is_done(groups, done, names[at]) {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_done(groups: &[Group], done: &[(usize, usize)], name: &str) -> bool {
    let mut at = done.len();
    while at > 0 {
        at -= 1;
        let (group, index) = done[at];
        if is_same(groups[group].rules[index].name, name) {
            return true;
        }
    }
    false
}

/// `==` on strings is not usable in constants.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Group, execution_order};
    use crate::engine::rule::{ConversationRule, fit};

    const fn rule(name: &'static str) -> ConversationRule {
        fit(name, |_| ())
    }

    /// The names of two groups in the order of execution.
    fn names<const COUNT: usize>(
        first: &'static [ConversationRule],
        second: &'static [ConversationRule],
    ) -> [&'static str; COUNT] {
        let groups =
            [Group { name: "first", rules: first }, Group { name: "second", rules: second }];
        execution_order::<COUNT, 2>(&groups).map(|(group, index)| groups[group].rules[index].name)
    }

    #[test]
    fn a_rule_waits_for_those_above_it_and_those_that_it_names() {
        let first = const { &[rule("a"), rule("b").after(&["y"]), rule("c")] };
        assert_eq!(
            names(first, const { &[rule("x"), rule("y"), rule("z")] }),
            ["a", "x", "y", "b", "c", "z"]
        );
    }

    #[test]
    #[should_panic(expected = "rules wait for each other")]
    fn rules_that_wait_for_each_other_have_no_order() {
        let first = const { &[rule("a").after(&["x"])] };
        let _: [&str; 2] = names(first, const { &[rule("x").after(&["a"])] });
    }

    #[test]
    #[should_panic(expected = "a rule that does not exist")]
    fn rules_that_wait_for_an_unknown_rule_have_no_order() {
        let _: [&str; 2] =
            names(const { &[rule("a").after(&["nothing"])] }, const { &[rule("x")] });
    }
}
