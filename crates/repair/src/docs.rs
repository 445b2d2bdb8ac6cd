//! Renders docs/REPAIRS.md from the module documentation of the rules.

use std::fmt::Write as _;

use crate::engine::rule::RuleKind;
use crate::rules::{RuleInfo, all_rules};

/// Module documentation of a rule's source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulePage {
    pub summary: String,
    /// Everything after the first paragraph.
    pub body: String,
}

/// Path of a rule's source file within the crate.
pub fn rule_file(rule: &RuleInfo) -> String {
    format!("src/rules/{}/{}.rs", rule.group, rule.name.replace('-', "_"))
}

/// Parses the module documentation of a rule's source.
pub fn parse_rule_page(source: &str) -> RulePage {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let text: String = lines.fold(String::new(), |mut text, line| {
        text.push_str(line.strip_prefix(' ').unwrap_or(line));
        text.push('\n');
        text
    });
    let (summary, text) = text.split_once("\n\n").unwrap_or((&text, ""));
    RulePage { summary: summary.trim().replace('\n', " "), body: text.trim().to_owned() }
}

/// Renders docs/REPAIRS.md; `read` returns the contents of a source file.
pub fn render_repairs(read: impl Fn(&str) -> String) -> String {
    let mut out = String::from(INTRO);
    for (kind, title) in [(RuleKind::Mend, MEND_TITLE), (RuleKind::Fit, FIT_TITLE)] {
        let _ = write!(out, "\n{title}\n");
        for rule in all_rules().filter(|rule| rule.kind == kind) {
            let page = parse_rule_page(&read(&rule_file(&rule)));
            let text = page.body.replace("\n## ", "\n#### ").replace("\n#### ", "\n\n#### ");
            let text = text.strip_prefix("## ").map_or(text.clone(), |text| format!("#### {text}"));
            let text = text.replace("\n\n\n", "\n\n");
            let _ = write!(out, "\n### {}\n\n{}\n\n{text}\n", rule.name, page.summary);
        }
    }
    let _ = write!(out, "\n{TRANSLATION_NOTES_INTRO}\n");
    for (name, docs) in parse_notes(&read(NOTES_FILE)) {
        let _ = writeln!(out, "| `{name}` | {docs} |");
    }
    out
}

/// Names of the ledger entries of the translation itself, each with its documentation.
pub fn parse_notes(source: &str) -> Vec<(String, String)> {
    let (mut notes, mut docs) = (Vec::new(), Vec::new());
    for line in source.lines() {
        if let Some(text) = line.strip_prefix("/// ") {
            docs.push(text);
        } else if let Some((_, name)) = line.split_once(": &str = \"") {
            notes.push((name.trim_end_matches("\";").to_owned(), docs.join(" ")));
            docs.clear();
        }
    }
    notes
}

const INTRO: &str = "\
# Every repair, by name

This page is generated from the rules in `crates/repair`: edit the rules, then run
`UPDATE_DOCS=1 cargo test -p interlingua-repair`. The name of a rule is in the ledger and in the
header `x-interlingua-repairs`; its file and its cases in `corpus/repair` have the same name. The
rules run in the order of this page. Changes that a translation makes without a rule have names as
well, listed [at the end](#translation-notes).
";

/// The file in which the dialects name their ledger entries.
pub const NOTES_FILE: &str = "../dialects/src/note.rs";

const TRANSLATION_NOTES_INTRO: &str = "\
## Translation notes

These are not rules of repair. They name values that a dialect cannot express, and how they are
expressed instead. Those of a request are in the ledger and in `x-interlingua-repairs`, too; those of
a reply in `reply_repairs` of `/api/turns`. `guard-mend` is there for a reply in which the guard
mended a call ([GUARD.md](GUARD.md)).

| name | what it means |
|---|---|";

const MEND_TITLE: &str = "## For any target";
const FIT_TITLE: &str = "## For targets that need it";
