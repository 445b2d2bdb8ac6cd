//! Every case parses and says what it shows and where it comes from.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::{Fault, File};

const REQUIRED: &[&str] = &["about", "source"];

pub(super) fn check(files: &[File]) -> Vec<Fault> {
    files.iter().filter(|file| is_case(file)).flat_map(faults).collect()
}

/// A JSON file in a folder of the corpus; those beside the folders describe the corpus itself.
fn is_case(file: &File) -> bool {
    file.has_ending("json") && file.under("corpus") && file.path.matches('/').count() > 1
}

/// Values stay raw: cases hold what a stricter reader refuses, such as lone surrogates.
pub(super) fn faults(file: &File) -> Vec<Fault> {
    let case: BTreeMap<String, Box<RawValue>> = match serde_json::from_str(&file.text) {
        Ok(case) => case,
        Err(error) => {
            let what = format!("not a JSON object: {error}");
            return vec![Fault::new(file, error.line().max(1), what)];
        }
    };
    let says = |key: &str| {
        let value = case.get(key).map_or("", |value| value.get());
        value.starts_with('"') && !value.trim_matches(['"', ' ']).is_empty()
    };
    let lacking = REQUIRED.iter().filter(|key| !says(key));
    lacking.map(|key| Fault::new(file, 1, format!("add \"{key}\": a sentence"))).collect()
}
