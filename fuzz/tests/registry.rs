//! Tests of the property list, the seeds and the mutations.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use interlingua_fuzz::rng::Rng;
use interlingua_fuzz::seeds::{self, SeedKind, Seeds};
use interlingua_fuzz::{PROPERTIES, mutate};

#[test]
fn every_property_has_a_libfuzzer_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("libfuzzer");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("its manifest");
    for property in PROPERTIES {
        let target = folder.join("fuzz_targets").join(format!("{}.rs", property.name));
        let text = fs::read_to_string(&target).expect(property.name);
        assert!(text.contains(&format!("properties::{}(data)", property.name)), "{text}");
        assert!(manifest.contains(&format!("name = \"{}\"", property.name)), "{}", property.name);
    }
}

#[test]
fn every_property_holds_for_the_seeds() {
    let seeds = Seeds::with_corpus(&seeds::corpus_dir());
    for property in PROPERTIES {
        for seed in seeds.for_kind(property.seed_kind) {
            for choice in [0, 1, 2, 128, 129, 130] {
                let choices = vec![choice; property.selector_bytes];
                (property.check)(&[choices.as_slice(), seed].concat());
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_inputs() {
    let seeds = Seeds::built_in();
    let inputs = |seed| {
        let mut rng = Rng::new(seed);
        (0..500)
            .map(|_| mutate::mutate(seeds.for_kind(SeedKind::Json), &mut rng))
            .collect::<Vec<_>>()
    };
    assert_eq!(inputs(7), inputs(7));
    assert_ne!(inputs(7), inputs(8));
}

/// Only invalid or only valid JSON would reach half of the code.
#[test]
fn inputs_differ_and_many_are_still_json() {
    let seeds = Seeds::built_in();
    let mut rng = Rng::new(1);
    let inputs: BTreeSet<_> =
        (0..2000).map(|_| mutate::mutate(seeds.for_kind(SeedKind::Json), &mut rng)).collect();
    let valid = inputs
        .iter()
        .filter(|data| serde_json::from_slice::<&serde_json::value::RawValue>(data).is_ok());
    let valid = valid.count();
    assert!(inputs.len() > 1000, "{} different inputs", inputs.len());
    assert!((inputs.len() / 10..inputs.len() * 9 / 10).contains(&valid), "{valid} are JSON");
}

#[test]
fn the_parts_of_a_case_are_seeds() {
    let folder = std::env::temp_dir().join(format!("interlingua-seeds-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let case = r#"{"about":"a","request":{"x":1},"stream":["data: 1","",""],"frames":[{"event":"e","data":{}}]}"#;
    fs::write(folder.join("case.json"), case).expect("a file");
    let seeds = Seeds::with_corpus(&folder);
    fs::remove_dir_all(&folder).expect("the folder is removed");
    assert!(seeds.for_kind(SeedKind::Json).contains(&br#"{"x":1}"#.to_vec()));
    assert!(seeds.for_kind(SeedKind::Streams).contains(&b"data: 1\n\n".to_vec()));
    assert_eq!(
        seeds.for_kind(SeedKind::Streams).len(),
        Seeds::built_in().for_kind(SeedKind::Streams).len() + 2
    );
}
