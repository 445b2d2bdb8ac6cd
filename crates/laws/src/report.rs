//! What a run found, for a person: groups, each with one small example as a case for the corpus.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::laws::translate;
use crate::run::{Example, Group, Key, Outcome};

/// The whole report.
pub fn report(outcome: &Outcome, seed: u64) -> String {
    examples(outcome, seed) + &summary(outcome)
}

/// One example of each group, the laws in order and the most frequent first.
pub fn examples(outcome: &Outcome, seed: u64) -> String {
    let mut out = String::new();
    for (key, group) in sorted(outcome) {
        let Example { broken, aim, .. } = &group.example;
        let _ = writeln!(out, "\n== {} × {}", line(key, group), group.count);
        let _ = writeln!(out, "  at {:?}: {}", broken.path, broken.message);
        let _ = writeln!(out, "  from {}, to {aim:?}", found(&group.example, seed));
        let _ = writeln!(out, "  {}", case(key, &group.example, seed));
        out += &outcome_of(&group.example);
    }
    out
}

/// What left of an example, and what was noted.
fn outcome_of(example: &Example) -> String {
    let Ok(sent) = translate(&example.case.bytes, example.case.from, &example.aim) else {
        return String::new();
    };
    let mut out = format!("  gives {}\n", String::from_utf8_lossy(&sent.body));
    for entry in &sent.ledger.entries {
        let _ = writeln!(out, "    {} at {}: {}", entry.rule, entry.place, entry.what);
    }
    out
}

/// How often what was found; the last line is the sum.
pub fn summary(outcome: &Outcome) -> String {
    let mut out = String::new();
    let groups = sorted(outcome);
    if !groups.is_empty() {
        let _ = writeln!(out, "\n{:>9}  law and rule", "times");
    }
    for (key, group) in &groups {
        let _ = writeln!(out, "{:>9}  {}", group.count, line(key, group));
    }
    let faults: u64 = groups.iter().map(|(_, group)| group.count).sum();
    let rate = u128::from(outcome.conversations) * 1000 / outcome.time.as_millis().max(1);
    let _ = writeln!(
        out,
        "\n{} conversations, {} translations in {:.1} s: {rate} conversations per second; \
         {faults} violations in {} groups",
        outcome.conversations,
        outcome.translations,
        outcome.time.as_secs_f64(),
        groups.len(),
    );
    out
}

fn sorted(outcome: &Outcome) -> Vec<(&Key, &Group)> {
    let mut groups: Vec<_> = outcome.groups.iter().collect();
    groups.sort_by_key(|(key, group)| (key.law, std::cmp::Reverse(group.count)));
    groups
}

/// Where a conversation is from, so that it is found again.
fn found(example: &Example, seed: u64) -> String {
    let origin = &example.origin;
    match example.number {
        Some(number) => format!("cargo xtask laws --seed {seed} --only {number} ({origin})"),
        None => format!("corpus/{origin}"),
    }
}

fn line(key: &Key, group: &Group) -> String {
    let flavors: Vec<String> = match group.flavors.len() {
        0 | 1 => group.flavors.keys().map(|flavor| (*flavor).to_owned()).collect(),
        _ => group.flavors.iter().map(|(flavor, count)| format!("{flavor} {count}")).collect(),
    };
    format!("{} {} {} ({})", key.law.name(), key.to, key.rule, flavors.join(", "))
}

/// The example as a case file: what is expected is for a person to say.
pub fn case(key: &Key, example: &Example, seed: u64) -> String {
    let about = format!("{}: {} {}", key.law.name(), key.to, key.rule);
    let source = found(example, seed);
    let mut case = json!({
        "about": about,
        "source": source,
        "from": example.case.from.id().0,
        "to": example.aim.provider.to.id().0,
        "model": example.aim.model,
    });
    if let Some(flavor) = example.aim.target().flavor {
        case["flavor"] = flavor.into();
    }
    // The body keeps its spelling, which a parsed value cannot hold.
    case["request"] = Value::Null;
    let body = String::from_utf8_lossy(&example.case.bytes);
    case.to_string().replace("\"request\":null", &format!("\"request\":{body}"))
}
