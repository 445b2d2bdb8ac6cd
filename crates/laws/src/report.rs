//! Prints the breaches of a run in groups, each with one example as a corpus case.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::laws::translate;
use crate::run::{BreachExample, BreachGroup, BreachKey, RunReport};

/// The whole report.
pub fn report(outcome: &RunReport, seed: u64) -> String {
    examples(outcome, seed) + &summary(outcome)
}

/// One example of each group, ordered by law, then by frequency.
pub fn examples(outcome: &RunReport, seed: u64) -> String {
    let mut out = String::new();
    for (key, group) in sorted_groups(outcome) {
        let BreachExample { breach, destination, .. } = &group.example;
        let _ = writeln!(out, "\n== {} × {}", group_title(key, group), group.count);
        let _ = writeln!(out, "  at {:?}: {}", breach.path, breach.message);
        let _ =
            writeln!(out, "  from {}, to {destination:?}", reproduce_command(&group.example, seed));
        let _ = writeln!(out, "  {}", to_case_file(key, &group.example, seed));
        out += &describe_translation(&group.example);
    }
    out
}

/// The translation of an example, and its ledger.
fn describe_translation(example: &BreachExample) -> String {
    let Ok(sent) = translate(&example.request.bytes, example.request.dialect, &example.destination)
    else {
        return String::new();
    };
    let mut out = format!("  gives {}\n", String::from_utf8_lossy(&sent.body));
    for entry in &sent.ledger.entries {
        let _ = writeln!(out, "    {} at {}: {}", entry.rule, entry.path, entry.description);
    }
    out
}

/// Counts of each group; the last line is the total.
pub fn summary(outcome: &RunReport) -> String {
    let mut out = String::new();
    let groups = sorted_groups(outcome);
    if !groups.is_empty() {
        let _ = writeln!(out, "\n{:>9}  law and rule", "times");
    }
    for (key, group) in &groups {
        let _ = writeln!(out, "{:>9}  {}", group.count, group_title(key, group));
    }
    let breaches: u64 = groups.iter().map(|(_, group)| group.count).sum();
    let rate = u128::from(outcome.conversations) * 1000 / outcome.time.as_millis().max(1);
    let _ = writeln!(
        out,
        "\n{} conversations, {} translations in {:.1} s: {rate} conversations per second; \
         {breaches} breaches in {} groups",
        outcome.conversations,
        outcome.translations,
        outcome.time.as_secs_f64(),
        groups.len(),
    );
    out
}

fn sorted_groups(outcome: &RunReport) -> Vec<(&BreachKey, &BreachGroup)> {
    let mut groups: Vec<_> = outcome.groups.iter().collect();
    groups.sort_by_key(|(key, group)| (key.law, std::cmp::Reverse(group.count)));
    groups
}

/// How to reproduce a conversation: a command, or its path in the corpus.
fn reproduce_command(example: &BreachExample, seed: u64) -> String {
    let origin = &example.origin;
    match example.sample_number {
        Some(number) => format!("cargo xtask laws --seed {seed} --only {number} ({origin})"),
        None => format!("corpus/{origin}"),
    }
}

fn group_title(key: &BreachKey, group: &BreachGroup) -> String {
    let flavors: Vec<String> = match group.flavors.len() {
        0 | 1 => group.flavors.keys().map(|flavor| (*flavor).to_owned()).collect(),
        _ => group.flavors.iter().map(|(flavor, count)| format!("{flavor} {count}")).collect(),
    };
    format!("{} {} {} ({})", key.law.name(), key.to, key.rule, flavors.join(", "))
}

/// The example as a case file without an expectation.
pub fn to_case_file(key: &BreachKey, example: &BreachExample, seed: u64) -> String {
    let about = format!("{}: {} {}", key.law.name(), key.to, key.rule);
    let source = reproduce_command(example, seed);
    let mut case = json!({
        "about": about,
        "source": source,
        "from": example.request.dialect.id().0,
        "to": example.destination.provider.to.id().0,
        "model": example.destination.model,
    });
    if let Some(flavor) = example.destination.target().flavor {
        case["flavor"] = flavor.into();
    }
    // The bytes of the body are inserted, because a parsed value cannot represent all of them.
    case["request"] = Value::Null;
    let body = String::from_utf8_lossy(&example.request.bytes);
    case.to_string().replace("\"request\":null", &format!("\"request\":{body}"))
}
