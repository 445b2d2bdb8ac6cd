//! Renders the table of all rules for `docs/STRICT.md`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::judge::Judge;
use crate::judges::ALL;
use crate::request::Request;
use crate::switches::Switches;

pub fn markdown() -> String {
    let mut out = String::from(PREFACE);
    for judge in ALL {
        render_judge(judge, &mut out);
    }
    out
}

/// The fields that each judge knows, as JSON: the providers' packages are compared with it.
pub fn object_fields() -> String {
    let fields: BTreeMap<_, _> =
        ALL.iter().map(|judge| (judge.dialect, (judge.object_fields)())).collect();
    format!("{:#}\n", json!(fields))
}

fn render_judge(judge: &Judge, out: &mut String) {
    let flavors: Vec<_> = judge.flavors.iter().map(|flavor| format!("`{flavor}`")).collect();
    let count = judge.rules.len() + 1;
    push_line(out, &format!("\n## {}\n", judge.dialect));
    push_line(out, &format!("{count} rules. Flavors: {}.\n", flavors.join(", ")));
    render_partial_flavors(judge, out);
    push_line(out, "| rule | condition | status | error message | evidence |");
    push_line(out, "|---|---|---|---|---|");
    let violation = (judge.not_json)("{complaint}");
    let first_row = [
        &rule_anchor(judge, violation.rule),
        "The body is not JSON.",
        &violation.status.to_string(),
        &code_span(&violation.message),
        "",
    ];
    push_row(out, first_row);
    for rule in judge.rules.iter() {
        let messages: Vec<_> = rule.error_message.lines().map(code_span).collect();
        let cells = [
            &rule_anchor(judge, rule.name),
            rule.condition,
            &rule.status.to_string(),
            &messages.join("<br>"),
            &format!("{}: {}", rule.evidence.as_str(), rule.source),
        ];
        push_row(out, cells);
    }
}

/// Lists the rules of flavors that have only some of the vendor's.
fn render_partial_flavors(judge: &Judge, out: &mut String) {
    let switches = Switches::default();
    let names_of = |flavor| {
        let request = Request::new(&Value::Null, flavor, &switches);
        let rules = judge.rules.iter().filter(move |rule| (judge.applies)(rule, &request));
        rules.map(|rule| rule.name).collect::<Vec<_>>()
    };
    let vendor_rules = names_of(judge.flavors[0]);
    let flavors = judge.flavors.iter().map(|flavor| (flavor, names_of(flavor)));
    let partial: Vec<_> = flavors
        .filter(|(_, names)| vendor_rules.iter().any(|rule| !names.contains(rule)))
        .collect();
    if partial.len() > MAX_LISTED_FLAVORS {
        push_line(out, "Each flavor has its own: `crates/strict/providers` has a file for each.\n");
        return;
    }
    for (flavor, names) in partial {
        let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        push_line(out, &format!("`{flavor}` has these rules only: {}.\n", names.join(", ")));
    }
}

const MAX_LISTED_FLAVORS: usize = 3;

fn rule_anchor(judge: &Judge, rule: &str) -> String {
    format!("<a id=\"{}-{rule}\"></a>{rule}", judge.dialect)
}

fn push_row(out: &mut String, cells: [&str; 5]) {
    let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    push_line(out, format!("| {} |", cells.join(" | ")).replace("|  |", "| |").as_str());
}

/// Formats a text as inline code, with a fence longer than any run of backticks in it.
fn code_span(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("{fence}{text}{fence}") } else { format!("{fence} {text} {fence}") }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

const PREFACE: &str = "\
# Requests that each provider rejects

This page is generated from `crates/strict/rules` and `crates/strict/providers`: change those, not the page
(`UPDATE_DOCS=1 cargo test -p interlingua-strict` writes it). Each rule has cases in
`corpus/strict`, accepted and rejected ones. A provider's rules are listed in the order in which
they are checked: the first violation is the provider's error.

Text in braces varies. Where a rule has several error messages, each is on its own line. The
evidence for an error message:

- *documented*: printed in the provider's documentation
- *seen*: verbatim in a public log or probe
- *quoted*: by third-party code only
- *inferred*: the condition is documented, the error message is ours

## Switches

Behaviours on which the evidence differs or changes. Unset switches follow the model.

| switch | values | effect | unset |
|---|---|---|---|
| `empty_text` | `keep`, `space`, `drop` | the accepted form of an empty text between signed thinking blocks | `space`: a blank, but not `\"\"` |
| `prefix_binding` | true, false | whether signatures are bound to everything before them | as the model |
| `system_messages` | true, false | whether `messages` may contain system messages | as the model |
| `prefill` | true, false | whether the conversation may end with an assistant message | as the model |
| `alternation` | true, false | whether roles must alternate, starting with the user | as the provider |
| `compaction_tools` | a number | how many tools a compaction summary can record | 1,000, our estimate |
| `available_tools` | a number | how many tools may be available at the same time where messages change them | 10,000, the limit of tool search |
";
