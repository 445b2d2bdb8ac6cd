//! The page about all repairs, made from the documentation of the rules themselves.

use std::fmt::Write as _;

use crate::{ALL, Stage};

/// What a rule's file says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub summary: String,
    /// Everything after the first paragraph.
    pub text: String,
}

/// Where a rule's file stands in the crate.
pub fn file(name: &str, stage: Stage) -> String {
    let room = match stage {
        Stage::Mend => "mend",
        Stage::Fit => "fit",
    };
    format!("src/{room}/{}.rs", name.replace('-', "_"))
}

/// Reads the documentation at the beginning of a rule's source.
pub fn page(source: &str) -> Page {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let text: String = lines.fold(String::new(), |mut text, line| {
        text.push_str(line.strip_prefix(' ').unwrap_or(line));
        text.push('\n');
        text
    });
    let (summary, text) = text.split_once("\n\n").unwrap_or((&text, ""));
    Page { summary: summary.trim().replace('\n', " "), text: text.trim().to_owned() }
}

/// The whole page, given how to read a rule's source.
pub fn repairs(read: impl Fn(&str) -> String) -> String {
    let mut out = String::from(HEAD);
    for (stage, title) in [(Stage::Mend, MEND), (Stage::Fit, FIT)] {
        let _ = write!(out, "\n{title}\n");
        for rule in ALL.iter().filter(|rule| rule.stage == stage) {
            let page = page(&read(&file(rule.name, stage)));
            let text = page.text.replace("\n## ", "\n#### ").replace("\n#### ", "\n\n#### ");
            let text = text.strip_prefix("## ").map_or(text.clone(), |text| format!("#### {text}"));
            let text = text.replace("\n\n\n", "\n\n");
            let _ = write!(out, "\n### {}\n\n{}\n\n{text}\n", rule.name, page.summary);
        }
    }
    let _ = write!(out, "\n{SAID}\n");
    for (name, about) in notes(&read(NOTES)) {
        let _ = writeln!(out, "| `{name}` | {about} |");
    }
    out
}

/// The names under which translating itself notes what it changes, each with what is said about it.
pub fn notes(source: &str) -> Vec<(String, String)> {
    let (mut notes, mut about) = (Vec::new(), Vec::new());
    for line in source.lines() {
        if let Some(text) = line.strip_prefix("/// ") {
            about.push(text);
        } else if let Some((_, name)) = line.split_once(": &str = \"") {
            notes.push((name.trim_end_matches("\";").to_owned(), about.join(" ")));
            about.clear();
        }
    }
    notes
}

const HEAD: &str = "\
# Every repair, by name

This page is made from the rules in `crates/repair`; change them, not it (`UPDATE_DOCS=1 cargo test
-p interlingua-repair` writes it anew). A rule's name is what the ledger says, what the header
`x-interlingua-repairs` lists, and the name of its file and of its cases in `corpus/repair`. The
rules run in the order in which they stand here. What a translation says differently has names, too:
they are [at the end](#said-differently).
";

/// Where the dialects name what they note.
pub const NOTES: &str = "../dialects/src/note.rs";

const SAID: &str = "\
## Said differently

No rule of repair, but what dialects have no words for, and how it is said instead. These names stand
in the ledger and in `x-interlingua-repairs` beside those above. `guard-mend` is there for a whole
reply in which a call was mended ([GUARD.md](GUARD.md)).

| name | what it means |
|---|---|";

const MEND: &str = "## For any target";
const FIT: &str = "## For targets that need it";
