//! `cargo xtask tidy`: the rules of the house that no compiler knows, each in its own file.

mod code;
mod corpus;
mod directions;
mod functions;
mod links;
mod marks;
mod names;
mod sizes;
mod spaces;
#[cfg(test)]
mod tests;
mod units;

use std::fmt;

use crate::run::root;
use crate::tree::{File, files};
use crate::{Outcome, takes_nothing};

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    path: String,
    line: usize,
    /// What is wrong, and what to do.
    what: String,
}

struct Rule {
    name: &'static str,
    check: fn(&[File]) -> Vec<Fault>,
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    takes_nothing(arguments)?;
    let files = files(&root())?;
    let mut count = 0;
    for rule in RULES {
        let faults = (rule.check)(&files);
        for fault in faults.iter().take(SHOWN) {
            println!("{fault} [{}]", rule.name);
        }
        if faults.len() > SHOWN {
            println!("… and {} more [{}]", faults.len() - SHOWN, rule.name);
        }
        count += faults.len();
    }
    match count {
        0 => {
            println!("{} rules hold for {} files", RULES.len(), files.len());
            Ok(())
        }
        1 => Err("One place breaks a rule of the house; it is named above.".into()),
        _ => Err(format!("{count} places break a rule of the house; they are named above.")),
    }
}

impl Fault {
    fn new(file: &File, line: usize, what: impl Into<String>) -> Self {
        Self { path: file.path.clone(), line, what: what.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// How many places of one rule are shown.
const SHOWN: usize = 40;

const RULES: &[Rule] = &[
    Rule { name: "file-size", check: sizes::check },
    Rule { name: "function-size", check: functions::check },
    Rule { name: "first-line", check: sizes::first_line },
    Rule { name: "marks", check: marks::check },
    Rule { name: "provider-names", check: names::check },
    Rule { name: "spaces", check: spaces::check },
    Rule { name: "corpus", check: corpus::check },
    Rule { name: "directions", check: directions::check },
    Rule { name: "unit-tests", check: units::check },
    Rule { name: "links", check: links::check },
    Rule { name: "readme-commands", check: links::commands },
];
