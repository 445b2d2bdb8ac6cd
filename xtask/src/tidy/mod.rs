//! `cargo xtask tidy`: checks the rules of the code base that no compiler knows, each in its own file.

mod corpus;
mod crate_graph;
mod diagnostic;
mod extras_keys;
mod forbidden_text;
mod links;
mod modules;
mod naming;
mod provider_names;
mod public_items;
mod size;
mod strip;
#[cfg(test)]
mod tests;
mod unit_tests;
mod whitespace;

use self::diagnostic::Diagnostic;
use crate::outcome::{Outcome, expect_no_arguments};
use crate::process::workspace_root;
use crate::source_files::{SourceFile, files};

struct Rule {
    name: &'static str,
    check: fn(&[SourceFile]) -> Vec<Diagnostic>,
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    expect_no_arguments(arguments)?;
    let files = files(&workspace_root())?;
    let mut count = 0;
    for rule in RULES {
        let diagnostics = (rule.check)(&files);
        for diagnostic in diagnostics.iter().take(MAX_SHOWN) {
            println!("{diagnostic} [{}]", rule.name);
        }
        if diagnostics.len() > MAX_SHOWN {
            println!("… and {} more [{}]", diagnostics.len() - MAX_SHOWN, rule.name);
        }
        count += diagnostics.len();
    }
    for warning in size::warnings(&files) {
        println!("warning: {warning}");
    }
    match count {
        0 => {
            println!("{} rules hold for {} files", RULES.len(), files.len());
            Ok(())
        }
        1 => Err("One place breaks a rule; it is named above.".into()),
        _ => Err(format!("{count} places break a rule; they are named above.")),
    }
}

/// Places shown per rule; the rest is only counted.
const MAX_SHOWN: usize = 40;

const RULES: &[Rule] = &[
    Rule { name: "file-size", check: size::check_files },
    Rule { name: "function-size", check: size::check_functions },
    Rule { name: "first-line", check: size::check_first_lines },
    Rule { name: "marks", check: forbidden_text::check },
    Rule { name: "naming", check: naming::check },
    Rule { name: "extras-keys", check: extras_keys::check },
    Rule { name: "provider-names", check: provider_names::check },
    Rule { name: "spaces", check: whitespace::check },
    Rule { name: "corpus", check: corpus::check },
    Rule { name: "directions", check: crate_graph::check },
    Rule { name: "public-items", check: public_items::check },
    Rule { name: "cycles", check: modules::check },
    Rule { name: "layers", check: modules::directions::check },
    Rule { name: "module-files", check: modules::file_layout::check },
    Rule { name: "unit-tests", check: unit_tests::check },
    Rule { name: "links", check: links::check },
    Rule { name: "readme-commands", check: links::commands },
];
