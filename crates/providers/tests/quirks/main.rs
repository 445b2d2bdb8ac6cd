//! Facts as text: what is printed can be read, and errors name key, word and the nearest known one.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use interlingua_model::{DialectId, Lesson, Lessons};
use interlingua_providers::facts::{FactNode, FactValue};
use interlingua_providers::printed::{References, TracedFact, trace};
use interlingua_providers::quirks::{add_flavor, base_flavor, to_node};
use interlingua_providers::{Layer, PRESETS, PROVIDER_DIALECTS};

/// Models of several families and generations.
const MODELS: &[Option<&str>] = &[
    None,
    Some("claude-opus-5"),
    Some("gpt-4.1"),
    Some("openai/gpt-6"),
    Some("gemini-2.5-pro"),
    Some("amazon.nova-pro-v1:0"),
    Some("open-mistral-nemo"),
    Some("kimi-k2-instruct"),
];

/// Every flavor of a dialect, and the dialect itself.
fn all_flavors(dialect: DialectId) -> impl Iterator<Item = Option<&'static str>> {
    [None]
        .into_iter()
        .chain(interlingua_providers::flavors(dialect).iter().map(|flavor| Some(*flavor)))
}

fn facts(dialect: DialectId, flavor: Option<&'static str>, model: Option<&str>) -> FactNode {
    to_node(dialect, flavor, model, &Lessons::default()).expect("a dialect with providers")
}

fn traced(
    dialect: DialectId,
    flavor: Option<&'static str>,
    model: Option<&str>,
) -> Vec<TracedFact> {
    trace(dialect, flavor, model, &Lessons::default()).expect("a dialect with providers")
}

/// The table of a configuration with these facts.
fn table(traced: &[TracedFact]) -> FactNode {
    let groups: BTreeSet<&str> = traced.iter().map(|fact| fact.group.as_str()).collect();
    let mut node = FactNode::table([]);
    let FactValue::Table(entries) = &mut node.value else { return node };
    for group in groups {
        let mut keys = FactNode::table([]);
        let FactValue::Table(key_entries) = &mut keys.value else { continue };
        for fact in traced.iter().filter(|fact| fact.group == group) {
            let single = FactNode::entry(&fact.key, fact.value.clone());
            key_entries.extend_from_slice(single.entries().expect("a table"));
        }
        entries.extend_from_slice(FactNode::entry(group, keys).entries().expect("a table"));
    }
    node
}

#[test]
fn what_is_printed_is_short_and_resolves_equal_under_another_base() {
    let mut checked = 0;
    for dialect in PROVIDER_DIALECTS.iter().map(|dialect| DialectId(dialect)) {
        for model in MODELS {
            let references = References::new(dialect, *model);
            for flavor in all_flavors(dialect) {
                let mut traced = traced(dialect, flavor, *model);
                references.shorten(&mut traced);
                for fact in &traced {
                    let length = fact.value.to_string().len();
                    assert!(length < 600, "{}.{} = {}", fact.group, fact.key, fact.value);
                }
                let copy = match add_flavor(dialect, None, &table(&traced)) {
                    Ok(copy) => copy,
                    Err(errors) => panic!("{dialect:?} {flavor:?} {model:?}: {errors:#?}"),
                };
                assert_eq!(base_flavor(Some(copy)), None);
                let (copied, original) =
                    (facts(dialect, Some(copy), *model), facts(dialect, flavor, *model));
                assert_eq!(copied, original, "{dialect:?} {flavor:?} {model:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 200, "{checked}");
}

#[test]
fn every_fact_names_its_layer() {
    let chat = DialectId("openai-chat");
    let layer = |flavor, model, group: &str, key: &str| {
        let lessons = Lessons::default().with(Lesson::MaxTokens(100));
        let traced = trace(chat, flavor, model, &lessons).expect("a dialect with providers");
        let fact = traced.into_iter().find(|fact| fact.group == group && fact.key == key);
        fact.expect("a fact").layer
    };
    let large = Some("mistral-large-latest");
    let mistral = Some("mistral");
    assert_eq!(layer(mistral, large, "roles", "messages_field"), Layer::Dialect);
    assert_eq!(layer(mistral, large, "spelling", "required_choice"), Layer::Provider);
    assert_eq!(
        layer(mistral, Some("open-mistral-7b"), "roles", "allows_text_with_calls"),
        Layer::Model
    );
    let openrouter = Some("openrouter");
    let claude = Some("anthropic/claude-opus-5");
    assert_eq!(layer(openrouter, claude, "reasoning", "seal_issuers"), Layer::Vendor);
    assert_eq!(layer(openrouter, claude, "reasoning", "formats_needing_seal"), Layer::Provider);
    let gpt = Some("gpt-4.1");
    assert_eq!(layer(Some("openai"), gpt, "settings", "verbosities"), Layer::Family);
    assert_eq!(layer(Some("openai"), gpt, "settings", "max_tokens"), Layer::Lesson);
    let quirks = FactNode::entry(
        "roles",
        FactNode::entry("has_developer_role", FactValue::Bool(true).into()),
    );
    let custom = add_flavor(chat, mistral, &quirks).expect("valid");
    assert_eq!(layer(Some(custom), large, "roles", "has_developer_role"), Layer::Configuration);
    assert_eq!(layer(Some(custom), large, "spelling", "required_choice"), Layer::Provider);
}

#[test]
fn the_same_quirks_are_the_same_flavor() {
    let chat = DialectId("openai-chat");
    let quirks = |name: &str| {
        let field = FactNode::entry("field", FactNode::text(name));
        FactNode::entry("spelling", FactNode::entry("reasoning_history", field))
    };
    let flavor = add_flavor(chat, Some("groq"), &quirks("reasoning")).expect("valid");
    assert_eq!(add_flavor(chat, Some("groq"), &quirks("reasoning")), Ok(flavor));
    assert_ne!(add_flavor(chat, Some("groq"), &quirks("thoughts")), Ok(flavor));
    assert_ne!(add_flavor(chat, Some("xai"), &quirks("reasoning")), Ok(flavor));
    assert_eq!(base_flavor(Some(flavor)), Some("groq"));
}

#[test]
fn errors_name_the_key_and_the_known_ones() {
    let chat = DialectId("openai-chat");
    let errors = |group: &str, key: &str, value: FactNode| {
        let table = FactNode::entry(group, FactNode::entry(key, value));
        let error = add_flavor(chat, None, &table).expect_err("an error").remove(0);
        let known = error.unknown.map(|(_, known)| known).unwrap_or_default();
        (format!("{}: {}", error.path, error.message), known)
    };
    let (message, known) = errors("callz", "id_format", FactNode::text("x"));
    assert_eq!(message, ": has no key `callz`");
    assert!(known.contains(&"calls".to_owned()));
    let (message, known) = errors("calls", "id_fromat", FactNode::text("x"));
    assert_eq!(message, "calls: has no key `id_fromat`");
    assert!(known.contains(&"id_format".to_owned()));
    let (message, known) = errors("calls", "result_placement", FactNode::text("next-tern"));
    assert_eq!(message, "calls.result_placement: cannot be `next-tern`");
    assert!(known.contains(&"next-turn".to_owned()));
    let (message, _) = errors("calls", "freeform", FactNode::text("yes"));
    assert_eq!(message, "calls.freeform: must be true or false");
    let (message, known) = errors("spelling", "name", FactNode::text("x"));
    assert_eq!((message.as_str(), known.len()), ("spelling: has no key `name`", 0));
    let (message, _) = errors("spelling", "seed_feld", FactNode::text("x"));
    assert_eq!(message, "spelling: has no key `seed_feld`");
}

#[test]
fn a_provider_can_be_named_in_place_of_a_table() {
    let chat = DialectId("openai-chat");
    for (name, flavor, model) in [
        ("mistral", "mistral", None),
        ("mistral/open-mistral-7b", "mistral", Some("open-mistral-7b")),
    ] {
        let table = FactNode::entry("calls", FactNode::entry("id_format", FactNode::text(name)));
        let custom = add_flavor(chat, Some("openai"), &table).expect("valid");
        let value = |flavor, model| {
            let facts = facts(chat, flavor, model);
            facts.get("calls").and_then(|calls| calls.get("id_format")).expect("a fact").to_string()
        };
        assert_eq!(value(Some(custom), None), value(Some(flavor), model));
        assert_ne!(value(Some(custom), None), value(Some("openai"), None));
    }
    assert!(PRESETS.iter().any(|preset| preset.name == "mistral"));
}
