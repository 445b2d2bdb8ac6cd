//! Property tests with arbitrary schemas and arguments: no panic, no stall, no false finding.

use std::time::{Duration, Instant};

use interlingua_guard::schema::{Schema, ValidationLimits};
use interlingua_guard::{AnswerRecord, GuardMode};
use interlingua_wire::RawJson;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{call, call_checker};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-100..100_i64).prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |number| serde_json::Number::from_f64(number)
            .map(Value::Number)),
        "[a-c]{0,3}".prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-c]{1,2}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Valid schemas and meaningless ones.
fn schema() -> impl Strategy<Value = Value> {
    let types = ["string", "integer", "number", "boolean", "array", "object", "null", "any"];
    let leaf = prop_oneof![
        prop::sample::select(types.to_vec()).prop_map(|name| json!({ "type": name })),
        value().prop_map(|value| json!({ "const": value })),
        prop::collection::vec(value(), 0..4).prop_map(|values| json!({ "enum": values })),
        prop::sample::select(vec![
            "#",
            "#/$defs/a",
            "#/$defs/b",
            "#/properties/a",
            "https://e.org",
            "#/x/~2%"
        ])
        .prop_map(|target| json!({ "$ref": target })),
        ".{0,10}".prop_map(|pattern| json!({ "pattern": pattern })),
        prop::sample::select(vec!["(a+)+$", "^[a-c]{1,3}$", "(?=a)", "\\\\w", "[[a]", "a{9999}"])
            .prop_map(
                |pattern| json!({ "pattern": pattern, "patternProperties": { pattern: false } })
            ),
        (-5..5_i64, any::<i64>()).prop_map(|(low, high)| json!({
            "minimum": low, "maximum": high, "multipleOf": low, "minLength": low, "maxItems": low,
        })),
        any::<bool>().prop_map(Value::from),
        value(),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4);
        let named = prop::collection::btree_map("[a-c]{1,2}", inner.clone(), 0..4);
        (list, named, inner, 0..12_usize).prop_map(|(list, named, one, which)| match which {
            0 => json!({ "anyOf": list }),
            1 => json!({ "oneOf": list }),
            2 => json!({ "allOf": list }),
            3 => json!({ "not": one }),
            4 => json!({ "if": one, "then": list.first(), "else": list.last() }),
            5 => json!({ "items": one, "prefixItems": list, "contains": list.first() }),
            6 => json!({ "items": list, "additionalItems": one, "uniqueItems": true }),
            7 => json!({ "propertyNames": one, "dependentSchemas": named }),
            8 => json!({ "$defs": named, "$ref": "#/$defs/a", "type": "object" }),
            9 => json!({ "properties": named, "additionalProperties": one }),
            10 => json!({ "properties": named, "additionalProperties": false, "required": ["a", "b"] }),
            _ => json!({ "properties": named, "required": one, "dependencies": { "a": ["b"], "b": one } }),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_schema_and_any_value_are_decided_or_given_up(schema in schema(), value in value()) {
        let started = Instant::now();
        let schema = RawJson::parse(schema.to_string()).unwrap();
        let value = RawJson::parse(value.to_string()).unwrap();
        if let Ok(schema) = Schema::compile(&schema, &ValidationLimits::default()) {
            let first = schema.check(value.to_doc().root());
            prop_assert_eq!(first, schema.check(value.to_doc().root()));
            let _ = schema.required();
        }
        prop_assert!(started.elapsed() < Duration::from_secs(2));
    }

    #[test]
    fn a_value_fits_the_schema_that_allows_just_it(value in value()) {
        let written = RawJson::parse(value.to_string()).unwrap();
        for schema in [
            json!({ "const": value }),
            json!({ "enum": [1, value] }),
            json!({ "not": { "not": { "const": value } } }),
            json!({ "anyOf": [false, { "const": value }] }),
        ] {
            let schema = RawJson::parse(schema.to_string()).unwrap();
            let schema = Schema::compile(&schema, &ValidationLimits::default()).unwrap();
            let checked = schema.check(written.to_doc().root()).unwrap();
            prop_assert!(checked.violations.is_empty(), "{:?}", checked.violations);
        }
    }

    #[test]
    fn any_text_is_checked_in_every_mode(
        schema in schema(), name in "[a-z_.]{0,6}|read", text in "\\PC{0,40}|[\\[\\]{}\",:a\\\\0-9 ]{0,40}",
    ) {
        let schema = schema.to_string();
        for mode in [GuardMode::Observe, GuardMode::Answer, GuardMode::Mend] {
            let checker = call_checker(mode, &[("read", &schema), ("a.b", "{}")]);
            let call = call(&name, &text);
            if let Some(finding) = checker.check_call(&call) {
                let record = AnswerRecord::from_finding(&finding);
                prop_assert_eq!(record.is_none(), finding.answer_message().is_none());
                let decoded = record.as_ref().and_then(|record| AnswerRecord::from_json(record.to_json().as_str().as_bytes()));
                prop_assert_eq!(decoded, record);
            }
        }
    }
}
