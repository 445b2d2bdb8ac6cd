//! Checks docs/SIMULATOR.md against the faults and phrases; `UPDATE_DOCS=1` rewrites the table.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use interlingua_simulator::fault::FAULTS;
use interlingua_simulator::model::MISBEHAVIORS;
use interlingua_simulator::route::PROVIDERS;

const HEAD: &str = "| fault | value | what happens |\n|---|---|---|\n";

#[test]
fn the_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/SIMULATOR.md");
    let text = fs::read_to_string(&path).unwrap();
    let mut table = String::new();
    for fault in FAULTS {
        writeln!(table, "| `{}` | {} | {} |", fault.name, fault.value_name, fault.description)
            .unwrap();
    }
    let (before, rest) = text.split_once(HEAD).unwrap();
    let (old, after) = rest.split_once("\n\n").unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{before}{HEAD}{table}\n{after}")).unwrap();
    } else {
        assert_eq!(format!("{old}\n"), table, "UPDATE_DOCS=1 cargo test rewrites the table");
    }
    for (phrase, _, description) in MISBEHAVIORS {
        assert!(text.contains(&format!("| `{phrase}` | {description} |")), "{phrase}");
    }
    for provider in PROVIDERS.iter() {
        assert!(
            text.contains(&format!("`/{}{}`", provider.name, provider.base_path)),
            "{provider:?}"
        );
    }
}
