//! Random tools and schemas.

use serde_json::{Value, json};

use super::draft::Tool;
use super::generator::Generator;

impl Generator {
    pub(super) fn tool(&mut self, name: String) -> Tool {
        let canary = self.canary();
        let description = if self.roll_odd() {
            self.rng.pick(&[None, Some(String::new()), Some("x".repeat(1100))])
        } else {
            Some(format!("what it does {canary}"))
        };
        let schema = if self.roll_odd() && self.rng.one_in(4) { None } else { Some(self.schema()) };
        let extra_field = self.roll_odd().then(|| {
            self.rng.pick(&[
                ("strict", json!(true)),
                ("strict", json!(null)),
                ("cache_control", json!({"type": "ephemeral"})),
                ("defer_loading", json!(true)),
                ("eager_input_streaming", json!(true)),
                ("input_examples", json!([{"path": "a"}])),
                ("x_unknown", json!({"deep": 1})),
                ("type", json!("custom")),
                ("type", json!("from_the_future")),
                ("annotations", json!({"readOnlyHint": true})),
            ])
        });
        Tool { name, description, schema, extra_field }
    }

    pub(super) fn schema(&mut self) -> Value {
        if self.roll_odd() {
            let index = self.rng.below(ODD_SCHEMAS.len());
            return serde_json::from_str(ODD_SCHEMAS[index]).unwrap_or_default();
        }
        match self.rng.below(4) {
            0 => json!({"type": "object", "properties": {}}),
            1 => json!({
                "type": "object",
                "properties": {"path": {"type": "string", "description": "where"}, "n": {"type": "integer"}},
                "required": ["path"],
            }),
            2 => json!({
                "type": "object",
                "properties": {
                    "mode": {"type": "string", "enum": ["a", "b"]},
                    "list": {"type": "array", "items": {"type": "string"}},
                    "deep": {"type": "object", "properties": {"q": {"type": "number"}}},
                },
            }),
            _ => json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        }
    }
}

/// Schemas that clients send and some provider rejects.
const ODD_SCHEMAS: &[&str] = &[
    "null",
    "{}",
    "[]",
    "\"object\"",
    "true",
    r#"{"type":"object"}"#,
    r#"{"properties":{"a":{"type":"string"}}}"#,
    r#"{"type":"string"}"#,
    r#"{"type":null,"properties":{}}"#,
    r#"{"type":"object","properties":[]}"#,
    r#"{"type":"object","properties":null}"#,
    r#"{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["string","integer"]}}}"#,
    r#"{"type":"object","properties":{"a":{"type":"array"}}}"#,
    r#"{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}}"#,
    r#"{"type":"object","properties":{"a":{"type":"array","items":{}}}}"#,
    r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"b":{"type":"string"}}}]}"#,
    r#"{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}"#,
    r##"{"type":"object","allOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"type":"object","properties":{"a":{"type":"string"}}}}}"##,
    r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}"##,
    r##"{"type":"object","properties":{"a":{"$ref":"#/definitions/Tree"}},"definitions":{"Tree":{"type":"object","properties":{"next":{"$ref":"#/definitions/Tree"}}}}}"##,
    r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/Nowhere"}}}"##,
    r##"{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"a":{"type":"string"}}}}}"##,
    r#"{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}"#,
    r#"{"type":"object","properties":{"a":{"const":"x"},"b":{"type":"string","pattern":"^(?=x).*$","minLength":1,"maxLength":9,"format":"uri"},"c":{"type":"number","exclusiveMinimum":0,"multipleOf":0.5}}}"#,
    r#"{"type":"object","patternProperties":{"^a":{"type":"string"}},"additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^a"}}"#,
    r#"{"type":"object","properties":{"a":{"type":"string","default":null,"examples":["x"],"title":"A","deprecated":true,"nullable":true,"readOnly":true}}}"#,
    r#"{"type":"object","properties":{"a":{"type":"string","enum":["",null,1]},"b":{"type":"integer","enum":[1,2]}}}"#,
    r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a","missing"]}"#,
    r#"{"type":"object","properties":{"a":{"type":"string","required":true}},"required":true}"#,
    r#"{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"not":{"type":"null"}}},"if":{},"then":{},"else":{}}}}"#,
    r#"{"type":"object","properties":{"odd key!":{"type":"string"},"":{"type":"string"},"$x":{"type":"string"}}}"#,
    r#"{"type":"object","properties":{"a":true,"b":{},"c":null}}"#,
    r#"{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}"#,
    r#"{"type":"object","properties":{"a":{"type":"any"},"b":{"type":"file"},"c":{"type":"date"}}}"#,
    r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"type":"string","anyOf":[{"format":"date"},{"format":"time"}]}},"unevaluatedProperties":false}"#,
];
