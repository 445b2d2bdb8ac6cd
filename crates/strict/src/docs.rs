//! Renders the table of all rules for `docs/STRICT.md`.

use crate::judge::Judge;
use crate::judges::ALL;
use crate::rule::Rule;

pub fn markdown() -> String {
    let mut out = String::from(PREFACE);
    for judge in ALL {
        render_judge(judge, &mut out);
    }
    out
}

fn render_judge(judge: &Judge, out: &mut String) {
    let flavors: Vec<_> = judge.flavors.iter().map(|flavor| format!("`{flavor}`")).collect();
    let count = judge.rules.len() + 1;
    push_line(out, &format!("\n## {}\n", judge.dialect));
    push_line(out, &format!("{count} rules. Flavors: {}.\n", flavors.join(", ")));
    for flavor in judge.flavors {
        render_partial_flavor(judge, flavor, out);
    }
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
    for rule in judge.rules {
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

/// Lists the rules of a flavor that has only some of the vendor's.
fn render_partial_flavor(judge: &Judge, flavor: &str, out: &mut String) {
    let has = |flavor| move |rule: &&Rule| (judge.applies)(rule, flavor);
    let is_missing = |rule: &&Rule| !has(flavor)(rule);
    if judge.rules.iter().filter(has(judge.flavors[0])).any(|rule| is_missing(&rule)) {
        let names: Vec<_> =
            judge.rules.iter().filter(has(flavor)).map(|rule| format!("`{}`", rule.name)).collect();
        push_line(out, &format!("`{flavor}` has these rules only: {}.\n", names.join(", ")));
    }
}

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

This page is generated from the rules in `crates/strict`: change the rules, not the page
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
