//! Law 6: a seal goes back whole, to who made it, or not at all; what it seals is never shown.
//!
//! Conversations with genuine seals are judged with verification on: no seal that leaves is found
//! broken. What was broken when it came is not held against the translation.

use interlingua_strict::Violation;
use interlingua_strict::seal::Key;
use serde_json::Value;

use super::kept::{self, Marked};
use super::{Broken, Case, Law, Sent, judged, judged_with};
use crate::marks;
use crate::targets::{Aim, Provider};

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    genuine(sent, broken);
    hidden(sent, broken);
}

/// No seal that leaves is broken.
fn genuine(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let Sent { case, aim, .. } = sent;
    let Some(maker) = &case.maker else { return };
    if case.named().is_some_and(|named| named != maker.model) {
        return;
    }
    if case.from.id() == aim.provider.to.id() {
        // Nothing in a body says for which of several endpoints its seals are.
        let known = case.named().is_some() || aim.model == maker.model;
        if aim.provider.flavor != maker.flavor || !known {
            return;
        }
    }
    let faults = faults(&sent.value, aim);
    if faults.is_empty() || !was_genuine(case) {
        return;
    }
    for fault in faults {
        broken.push(Broken::new(Law::Seals, fault.rule, fault.path, fault.message));
    }
}

/// What only verification finds.
fn faults(body: &Value, aim: &Aim) -> Vec<Violation> {
    let key = Key::default();
    let verified = judged_with(body, aim, Some(&key));
    if verified.is_accepted() {
        return Vec::new();
    }
    let unverified = judged(body, aim).violations;
    let new = |one: &Violation| {
        !unverified.iter().any(|other| other.rule == one.rule && other.path == one.path)
    };
    verified.violations.into_iter().filter(new).collect()
}

fn was_genuine(case: &Case) -> bool {
    *case.facts.genuine.get_or_init(|| {
        let (Some(maker), Some(body)) = (&case.maker, case.read()) else { return false };
        let Some(judge) = interlingua_strict::find(case.from.id().0) else { return false };
        let provider = Provider { to: case.from, judge, flavor: maker.flavor, models: &[] };
        faults(body, &Aim { provider, model: maker.model.clone() }).is_empty()
    })
}

/// What was thought does not leave as something said.
fn hidden(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let Sent { case, aim, translated, .. } = sent;
    if translated.body == case.bytes {
        return;
    }
    let thoughts = marked(case).iter().filter(|one| one.is("thinking")).map(|one| one.number);
    let thoughts: Vec<usize> = thoughts.filter(|one| sent.has(*one)).collect();
    if thoughts.is_empty() {
        return;
    }
    let said =
        |number: usize| marked(case).iter().any(|one| one.number == number && one.is("text"));
    for one in kept::marks_in(aim.provider.to, &translated.body) {
        if one.is("text") && thoughts.contains(&one.number) && !said(one.number) {
            let message = format!("{} was thought and is said", marks::mark(one.number));
            broken.push(Broken::new(Law::Seals, "shown", one.path(), message));
        }
    }
}

fn marked(case: &Case) -> &[Marked] {
    case.facts.marked.get_or_init(|| kept::marks_in(case.from, &case.bytes))
}
