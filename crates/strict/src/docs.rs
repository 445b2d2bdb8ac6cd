//! The table of all rules, as `docs/STRICT.md` shows it.

use crate::{ALL, Judge, Rule};

/// The whole document, in Markdown.
pub fn table() -> String {
    let mut out = String::from(PREFACE);
    for judge in ALL {
        section(judge, &mut out);
    }
    out
}

fn section(judge: &Judge, out: &mut String) {
    let flavors: Vec<_> = judge.flavors.iter().map(|flavor| format!("`{flavor}`")).collect();
    let count = judge.rules.len() + 1;
    line(out, &format!("\n## {}\n", judge.dialect));
    line(out, &format!("{count} rules. Flavors: {}.\n", flavors.join(", ")));
    for flavor in judge.flavors {
        few(judge, flavor, out);
    }
    line(out, "| rule | refused | status | words | evidence |");
    line(out, "|---|---|---|---|---|");
    let unread = (judge.not_json)("{complaint}");
    let first = [
        &anchored(judge, unread.rule),
        "The body is not JSON.",
        &unread.status.to_string(),
        &code(&unread.message),
        "",
    ];
    row(out, first);
    for rule in judge.rules {
        let words: Vec<_> = rule.words.lines().map(code).collect();
        let cells = [
            &anchored(judge, rule.name),
            rule.when,
            &rule.status.to_string(),
            &words.join("<br>"),
            &format!("{}: {}", rule.evidence.word(), rule.source),
        ];
        row(out, cells);
    }
}

/// The rules of a flavor that has not all of them that the inventor has.
fn few(judge: &Judge, flavor: &str, out: &mut String) {
    let has = |flavor| move |rule: &&Rule| (judge.applies)(rule, flavor);
    let lacks = |rule: &&Rule| !has(flavor)(rule);
    if judge.rules.iter().filter(has(judge.flavors[0])).any(|rule| lacks(&rule)) {
        let names: Vec<_> =
            judge.rules.iter().filter(has(flavor)).map(|rule| format!("`{}`", rule.name)).collect();
        line(out, &format!("`{flavor}` has these rules only: {}.\n", names.join(", ")));
    }
}

fn anchored(judge: &Judge, rule: &str) -> String {
    format!("<a id=\"{}-{rule}\"></a>{rule}", judge.dialect)
}

fn row(out: &mut String, cells: [&str; 5]) {
    let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    line(out, format!("| {} |", cells.join(" | ")).replace("|  |", "| |").as_str());
}

/// As code, whatever backticks stand in it.
fn code(words: &str) -> String {
    if words.is_empty() {
        return String::new();
    }
    let longest = words.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("{fence}{words}{fence}") } else { format!("{fence} {words} {fence}") }
}

fn line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

const PREFACE: &str = "\
# What each provider refuses

This page is made from the rules in `crates/strict`; change them, not it (`UPDATE_DOCS=1 cargo test
-p interlingua-strict` writes it anew). Each rule has cases in `corpus/strict`, accepted ones and
refused ones. The rules of a provider stand in the order in which they are checked: the first
violation is what the provider answers.

Words in braces vary. Where a rule has several wordings, each stands in a line of its own. How well
the words are known:

- *documented*: printed in the provider's documentation
- *seen*: verbatim in a public log or probe
- *quoted*: by third-party code only
- *inferred*: the condition is documented, the words are ours

## Switches

Behaviours on which the evidence differs or changes. Left alone, they follow the model.

| switch | values | what it decides | left alone |
|---|---|---|---|
| `empty_text` | `keep`, `space`, `drop` | what is accepted as the empty text between signed thinking | `space`: a blank, but not `\"\"` |
| `prefix_binding` | true, false | whether signatures are bound to everything before them | as the model |
| `system_messages` | true, false | whether instructions may stand among the messages | as the model |
| `prefill` | true, false | whether the conversation may end with the assistant's words | as the model |
| `alternation` | true, false | whether roles must alternate and the user speaks first | as the provider |
| `compaction_tools` | a number | how many tools a summary can record | 1,000, which is ours |
| `available_tools` | a number | how many tools may be available at once where messages change them | 10,000, as many as tool search takes |
";
