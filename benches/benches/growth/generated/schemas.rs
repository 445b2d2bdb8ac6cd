//! Schemas of tools: properties of every kind.

use super::Item;
use super::blocks::fill_template;
use crate::spelling::fill;

/// A schema of about this many bytes.
pub(super) fn schema<'p>(bytes: usize, item: impl Fn(usize) -> Item<'p>) -> String {
    let properties = fill(bytes, |at| {
        let Item { kind, id, .. } = item(at);
        let value = fill_template(VALUES[kind % VALUES.len()], id, at, "");
        format!(r#""p{at}":{value}"#)
    });
    let required = fill(bytes / 4, |at| format!(r#""p{}""#, item(at).id));
    format!(
        r##"{{"type":"object","properties":{{{properties}}},"required":[{required}],"$defs":{{"d":{{"type":"string"}},"e":{{"$ref":"#/$defs/d"}},"f":{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/f"}}}}}}}}}}"##
    )
}

const VALUES: &[&str] = &[
    r#"{"type":"string","description":"d","minLength":1,"pattern":"^a{ID}$","format":"date"}"#,
    r#"{"type":["string","null"],"default":null}"#,
    r#"{"enum":["a","b",ID,null]}"#,
    r#"{"const":ID}"#,
    r##"{"$ref":"#/$defs/d"}"##,
    r##"{"$ref":"#/$defs/e","description":"AT"}"##,
    r##"{"$ref":"#/$defs/f"}"##,
    r##"{"$ref":"#/properties/pID"}"##,
    r##"{"$ref":"#"}"##,
    r#"{"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}]}"#,
    r#"{"oneOf":[{"type":"string"},{"type":"null"}]}"#,
    r#"{"allOf":[{"type":"object","properties":{"a":{}}},{"properties":{"b":{}},"required":["b"]}]}"#,
    r#"{"type":"array","items":{"type":"object","properties":{"a":{"type":"array","items":{}}}},"minItems":1,"uniqueItems":true}"#,
    r#"{"type":"object","additionalProperties":{"type":"number","exclusiveMinimum":0}}"#,
    r#"{"type":"object","patternProperties":{"^x":{}},"propertyNames":{"pattern":"a"}}"#,
    r#"{"if":{"type":"string"},"then":{"minLength":1},"else":{"type":"integer"}}"#,
    r#"{"not":{"type":"null"}}"#,
    r#"{"xAT":1}"#,
    "true",
    "{}",
];
