//! Generated arguments match their schemas.

use interlingua_simulator::model::arguments::generate_arguments;
use serde_json::{Value, json};

#[test]
fn every_kind_of_schema_gets_matching_arguments() {
    for (schema, expected) in [
        (json!({"type": "string"}), json!("p 1")),
        (json!({"type": "STRING"}), json!("p 1")),
        (json!({"type": "string", "enum": ["b", "a"]}), json!("b")),
        (json!({"const": {"a": 1}}), json!({"a": 1})),
        (json!({"type": "string", "format": "date"}), json!("2026-01-31")),
        (json!({"type": "string", "minLength": 6}), json!("p 1xxx")),
        (json!({"type": "string", "maxLength": 2}), json!("p ")),
        (json!({"type": "string", "pattern": "^x+$", "default": "xx"}), json!("xx")),
        (json!({"type": "string", "pattern": "^[a-z]{3}-\\d+$"}), json!("aaa-1")),
        (json!({"type": "string", "pattern": "^(?:GET|POST) /[^/]*$"}), json!("GET /")),
        (json!({"type": "string", "pattern": "^[A-Z][\\w.]+$", "minLength": 4}), json!("Aaaa")),
        (json!({"type": "string", "pattern": "^#(x|y)?$", "minLength": 2}), json!("#x")),
        (json!({"type": "string", "pattern": "(?=not read)x"}), json!("p 1")),
        (json!({"type": "integer"}), json!(1)),
        (json!({"type": "integer", "minimum": 5}), json!(5)),
        (json!({"type": "integer", "maximum": -3}), json!(-3)),
        (json!({"type": "integer", "exclusiveMinimum": 5}), json!(6)),
        (json!({"type": "integer", "minimum": 5, "exclusiveMinimum": true}), json!(6)),
        (json!({"type": "integer", "minimum": 5, "multipleOf": 4}), json!(8)),
        (json!({"type": "number", "minimum": 0.5, "maximum": 0.7}), json!(0.7)),
        (json!({"type": "number", "exclusiveMinimum": 0, "maximum": 0.5}), json!(0.25)),
        (json!({"type": "boolean"}), json!(true)),
        (json!({"type": ["null", "integer"]}), json!(1)),
        (json!({"type": "null"}), json!(null)),
        (json!({"anyOf": [{"type": "null"}, {"type": "boolean"}]}), json!(true)),
        (json!({"oneOf": [{"type": "integer"}]}), json!(1)),
        (json!({"type": "array", "items": {"type": "integer"}, "minItems": 2}), json!([1, 2])),
        (
            json!({"type": "array", "prefixItems": [{"type": "boolean"}, {"const": 3}]}),
            json!([true, 3]),
        ),
        (json!({"items": {"type": "boolean"}}), json!([true])),
        (json!({"$ref": "#/$defs/one"}), json!(7)),
        (
            json!({"allOf": [
                {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
                {"properties": {"b": {"type": "boolean"}}, "required": ["b"]},
            ]}),
            json!({"a": 1, "b": true}),
        ),
        (
            json!({"type": "object", "required": ["q"], "properties": {
                "q": {"type": "object", "required": ["city"], "properties": {
                    "city": {"type": "string"}, "free": {"type": "string"},
                }},
            }}),
            json!({"q": {"city": "Paris"}}),
        ),
    ] {
        let root = json!({
            "type": "object", "properties": {"p": schema}, "required": ["p"],
            "$defs": {"one": {"const": 7}},
        });
        assert_eq!(generate_arguments(&root, 0), json!({"p": expected}), "{schema}");
    }
}

#[test]
fn optional_properties_are_not_generated() {
    for schema in [json!(null), json!({}), json!({"type": "object"}), json!({"type": "string"})] {
        assert_eq!(generate_arguments(&schema, 0), json!({}), "{schema}");
    }
}

#[test]
fn a_recursive_schema_ends() {
    let schema = json!({
        "type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"],
    });
    assert!(generate_arguments(&schema, 0).is_object());
}

#[test]
fn variants_differ() {
    let schema = json!({
        "type": "object", "required": ["city", "n", "e"], "properties": {
            "city": {"type": "string"}, "n": {"type": "integer"}, "e": {"enum": ["x", "y"]},
        },
    });
    let variants: Vec<Value> = (0..3).map(|variant| generate_arguments(&schema, variant)).collect();
    assert_eq!(variants[1], json!({"city": "Oslo", "n": 2, "e": "y"}));
    assert_eq!(variants[2], json!({"city": "Lima", "n": 3, "e": "x"}));
}
