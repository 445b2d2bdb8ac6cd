//! JSON Schema, keyword by keyword: what fits, what does not, and what is left open.

use interlingua_guard::schema::{Limits, Schema};
use interlingua_wire::Json;

/// What is wrong with a value: the first of it, "" if nothing.
fn wrong(schema: &str, value: &str) -> String {
    let schema = Schema::compile(&Json::parse(schema).unwrap(), &Limits::default()).unwrap();
    let value = Json::parse(value).unwrap();
    let checked = schema.check(value.doc().root()).unwrap();
    checked.violations.first().map(|violation| violation.what.clone()).unwrap_or_default()
}

fn all(schema: &str, fits: &[&str], does_not: &[&str]) {
    for value in fits {
        assert_eq!(wrong(schema, value), "", "{schema} {value}");
    }
    for value in does_not {
        assert_ne!(wrong(schema, value), "", "{schema} {value}");
    }
}

#[test]
fn types() {
    all(r#"{"type":"integer"}"#, &["1", "1.0", "1e3", "-0", "10e-1"], &["1.5", "\"1\"", "1e-1"]);
    all(r#"{"type":["string","null"]}"#, &["\"\"", "null"], &["0", "[]", "{}", "false"]);
    // As some providers write them.
    all(r#"{"type":"STRING","nullable":true}"#, &["\"\"", "null"], &["1"]);
    all(r#"{"type":"file"}"#, &["1", "{}"], &[]);
    all("true", &["1"], &[]);
    all("false", &[], &["1"]);
    all("{}", &["1", "null"], &[]);
}

#[test]
fn values_are_equal_however_they_are_spelled() {
    let schema = r#"{"enum":["caf\u00e9",1,{"a":1,"b":[2.0]}]}"#;
    all(schema, &["\"café\"", "1.00", r#"{"b":[2],"a":1e0}"#], &["\"cafe\"", "2", "{}"]);
    all(r#"{"const":null}"#, &["null"], &["0", "\"null\""]);
    all(r#"{"enum":["a"],"nullable":true}"#, &["\"a\"", "null"], &["\"b\""]);
    all(r#"{"uniqueItems":true}"#, &["[1,2]", "[1,\"1\"]"], &["[1,1.0]", r#"["a","\u0061"]"#]);
}

#[test]
fn numbers_are_compared_without_rounding() {
    let large = "9007199254740993";
    all(r#"{"maximum":9007199254740992}"#, &["9007199254740992"], &[large]);
    all(r#"{"minimum":-1,"maximum":2}"#, &["-1", "2.0", "0"], &["-1.01", "3", "1e400"]);
    all(r#"{"exclusiveMinimum":0}"#, &["1e-400"], &["0", "-1"]);
    all(r#"{"minimum":0,"exclusiveMinimum":true}"#, &["1"], &["0"]);
    all(r#"{"multipleOf":0.01}"#, &["19.99", "0"], &["0.001"]);
    all(r#"{"minimum":"1"}"#, &["1"], &["0"]);
}

#[test]
fn strings() {
    all(r#"{"minLength":2,"maxLength":3}"#, &["\"aü\"", "\"😀😀😀\"", "1"], &["\"a\"", "\"abcd\""]);
    all(r#"{"pattern":"^\\d{2}$"}"#, &["\"12\"", "5"], &["\"1a\"", "\"١٢\""]);
    all(r#"{"pattern":"^[\\w./-]+$"}"#, &["\"a/b.c\""], &["\"a b\"", "\"ü\""]);
    all(r#"{"pattern":"^[^[\\]&]+$"}"#, &["\"a\""], &["\"[\"", "\"a&b\""]);
    // Beyond what takes linear time: nobody knows.
    all(r#"{"pattern":"^(?=a)b"}"#, &["\"x\""], &[]);
    all(r#"{"not":{"pattern":"(a)\\1"}}"#, &["\"aa\"", "\"b\""], &[]);
}

#[test]
fn objects() {
    let schema = r#"{"properties":{"a":{"type":"string"}},"patternProperties":{"^x-":{"type":"number"}},
        "additionalProperties":{"type":"boolean"},"required":["a"]}"#;
    all(
        schema,
        &[r#"{"a":"","x-1":2,"b":true}"#, "[]"],
        &[r#"{"a":1}"#, r#"{"a":"","x-1":""}"#, r#"{"a":"","b":1}"#, "{}"],
    );
    all(r#"{"propertyNames":{"maxLength":1}}"#, &[r#"{"a":1}"#], &[r#"{"ab":1}"#]);
    all(r#"{"minProperties":1,"maxProperties":2}"#, &[r#"{"a":1}"#], &["{}"]);
    all(r#"{"dependentRequired":{"a":["b"]}}"#, &["{}", r#"{"a":1,"b":1}"#], &[r#"{"a":1}"#]);
    all(r#"{"dependencies":{"a":{"required":["b"]}}}"#, &["{}"], &[r#"{"a":1}"#]);
    // A pattern that cannot be read may take any field.
    let unreadable = r#"{"patternProperties":{"(?!a)":{}},"additionalProperties":false}"#;
    all(unreadable, &[r#"{"a":1}"#], &[]);
    // Which of the two counts is the reader's choice.
    all(r#"{"properties":{"a":{"type":"string"}}}"#, &[r#"{"a":1,"a":""}"#], &[]);
}

#[test]
fn arrays() {
    all(r#"{"items":{"type":"string"}}"#, &["[]", r#"["a"]"#], &["[1]"]);
    let tuple = r#"{"prefixItems":[{"type":"string"}],"items":{"type":"number"}}"#;
    all(tuple, &[r#"["a",1,2]"#], &["[1]", r#"["a","b"]"#]);
    let old = r#"{"items":[{"type":"string"}],"additionalItems":false}"#;
    all(old, &[r#"["a"]"#], &["[1]", r#"["a","b"]"#]);
    all(
        r#"{"contains":{"type":"string"},"maxContains":1}"#,
        &[r#"["a",1]"#],
        &["[]", r#"["a","b"]"#],
    );
    all(r#"{"minItems":1,"maxItems":2}"#, &["[1]"], &["[]", "[1,2,3]"]);
}

#[test]
fn combinations() {
    let any = r#"{"anyOf":[{"type":"string"},{"type":"object","required":["id"]}]}"#;
    all(any, &["\"a\"", r#"{"id":1}"#], &["1", "{}"]);
    assert_eq!(wrong(any, "{}"), "parameter 'id' is required, but missing");
    assert_eq!(wrong(any, "1"), "the arguments must be a string or an object, but is an integer");
    all(r#"{"oneOf":[{"minimum":1},{"maximum":5}]}"#, &["0", "9"], &["3"]);
    all(r#"{"allOf":[{"minimum":1},{"maximum":5}]}"#, &["3"], &["0", "9"]);
    all(r#"{"not":{"type":"string"}}"#, &["1"], &["\"\""]);
    let conditional =
        r#"{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}"#;
    all(conditional, &[r#"{"a":1,"b":1}"#, r#"{"c":1}"#], &[r#"{"a":1}"#, "{}"]);
}

#[test]
fn references() {
    let tree = r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["v"],
        "properties":{"next":{"$ref":"#/$defs/node"}}}}}"##;
    all(tree, &[r#"{"v":1,"next":{"v":2}}"#], &[r#"{"v":1,"next":{}}"#]);
    all(r##"{"items":{"$ref":"#"},"type":"array"}"##, &["[[[]]]"], &["[[1]]"]);
    all(r##"{"$ref":"#/$defs/a~1b%25","$defs":{"a/b%":{"type":"string"}}}"##, &["\"\""], &["1"]);
    all(r##"{"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"string"}}}"##, &["\"\""], &["1"]);
    let named =
        r#"{"$id":"https://e.org/s","$ref":"https://e.org/s#/$defs/a","$defs":{"a":false}}"#;
    all(named, &[], &["1"]);
    // In older drafts nothing counts beside a reference.
    let old = r##"{"definitions":{"a":{}},"properties":{"x":{"$ref":"#/definitions/a","type":"string"}}}"##;
    all(old, &[r#"{"x":1}"#], &[]);
    // What is elsewhere is never looked up, and neither true nor false.
    for elsewhere in
        ["https://e.org/other", "file:///etc/passwd", "#/nowhere", "other.json#/a", "#%"]
    {
        all(&format!(r#"{{"$ref":"{elsewhere}"}}"#), &["1"], &[]);
        all(&format!(r#"{{"not":{{"$ref":"{elsewhere}"}}}}"#), &["1"], &[]);
        all(&format!(r#"{{"oneOf":[{{"$ref":"{elsewhere}"}},{{"type":"string"}}]}}"#), &["1"], &[]);
    }
    all(r#"{"unevaluatedProperties":false}"#, &[r#"{"a":1}"#], &[]);
}

#[test]
fn paths_lead_to_the_value() {
    let schema = r#"{"properties":{"edits":{"items":{"properties":{"text":{"type":"string"}}}}}}"#;
    let value = r#"{"edits":[{},{"text":1}]}"#;
    assert_eq!(
        wrong(schema, value),
        "parameter 'edits[1].text' must be a string, but is an integer"
    );
}

#[test]
fn words_are_not_schemas() {
    for written in ["1", "null", "\"a\"", "[]"] {
        let json = Json::parse(written).unwrap();
        assert!(Schema::compile(&json, &Limits::default()).is_err(), "{written}");
    }
}
