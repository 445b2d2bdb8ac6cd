//! JSON Schema, keyword by keyword: valid, invalid and undecided values.

use interlingua_guard::schema::{Schema, ValidationLimits};
use interlingua_wire::RawJson;

/// The message of the first violation, "" if there is none.
fn first_violation(schema: &str, value: &str) -> String {
    let schema =
        Schema::compile(&RawJson::parse(schema).unwrap(), &ValidationLimits::default()).unwrap();
    let value = RawJson::parse(value).unwrap();
    let report = schema.check(value.to_doc().root()).unwrap();
    report.violations.first().map(|violation| violation.message.clone()).unwrap_or_default()
}

fn assert_values(schema: &str, valid: &[&str], invalid: &[&str]) {
    for value in valid {
        assert_eq!(first_violation(schema, value), "", "{schema} {value}");
    }
    for value in invalid {
        assert_ne!(first_violation(schema, value), "", "{schema} {value}");
    }
}

#[test]
fn types() {
    assert_values(
        r#"{"type":"integer"}"#,
        &["1", "1.0", "1e3", "-0", "10e-1"],
        &["1.5", "\"1\"", "1e-1"],
    );
    assert_values(r#"{"type":["string","null"]}"#, &["\"\"", "null"], &["0", "[]", "{}", "false"]);
    // Gemini's spelling of types.
    assert_values(r#"{"type":"STRING","nullable":true}"#, &["\"\"", "null"], &["1"]);
    assert_values(r#"{"type":"file"}"#, &["1", "{}"], &[]);
    assert_values("true", &["1"], &[]);
    assert_values("false", &[], &["1"]);
    assert_values("{}", &["1", "null"], &[]);
}

#[test]
fn values_are_equal_however_they_are_spelled() {
    let schema = r#"{"enum":["caf\u00e9",1,{"a":1,"b":[2.0]}]}"#;
    assert_values(schema, &["\"café\"", "1.00", r#"{"b":[2],"a":1e0}"#], &["\"cafe\"", "2", "{}"]);
    assert_values(r#"{"const":null}"#, &["null"], &["0", "\"null\""]);
    assert_values(r#"{"enum":["a"],"nullable":true}"#, &["\"a\"", "null"], &["\"b\""]);
    assert_values(
        r#"{"uniqueItems":true}"#,
        &["[1,2]", "[1,\"1\"]"],
        &["[1,1.0]", r#"["a","\u0061"]"#],
    );
}

#[test]
fn numbers_are_compared_without_rounding() {
    let large = "9007199254740993";
    assert_values(r#"{"maximum":9007199254740992}"#, &["9007199254740992"], &[large]);
    assert_values(r#"{"minimum":-1,"maximum":2}"#, &["-1", "2.0", "0"], &["-1.01", "3", "1e400"]);
    assert_values(r#"{"exclusiveMinimum":0}"#, &["1e-400"], &["0", "-1"]);
    assert_values(r#"{"minimum":0,"exclusiveMinimum":true}"#, &["1"], &["0"]);
    assert_values(r#"{"multipleOf":0.01}"#, &["19.99", "0"], &["0.001"]);
    assert_values(r#"{"minimum":"1"}"#, &["1"], &["0"]);
}

#[test]
fn strings() {
    assert_values(
        r#"{"minLength":2,"maxLength":3}"#,
        &["\"aü\"", "\"😀😀😀\"", "1"],
        &["\"a\"", "\"abcd\""],
    );
    assert_values(r#"{"pattern":"^\\d{2}$"}"#, &["\"12\"", "5"], &["\"1a\"", "\"١٢\""]);
    assert_values(r#"{"pattern":"^[\\w./-]+$"}"#, &["\"a/b.c\""], &["\"a b\"", "\"ü\""]);
    assert_values(r#"{"pattern":"^[^[\\]&]+$"}"#, &["\"a\""], &["\"[\"", "\"a&b\""]);
    // Lookahead and backreferences need more than linear time: the result is unknown.
    assert_values(r#"{"pattern":"^(?=a)b"}"#, &["\"x\""], &[]);
    assert_values(r#"{"not":{"pattern":"(a)\\1"}}"#, &["\"aa\"", "\"b\""], &[]);
}

#[test]
fn objects() {
    let schema = r#"{"properties":{"a":{"type":"string"}},"patternProperties":{"^x-":{"type":"number"}},
        "additionalProperties":{"type":"boolean"},"required":["a"]}"#;
    assert_values(
        schema,
        &[r#"{"a":"","x-1":2,"b":true}"#, "[]"],
        &[r#"{"a":1}"#, r#"{"a":"","x-1":""}"#, r#"{"a":"","b":1}"#, "{}"],
    );
    assert_values(r#"{"propertyNames":{"maxLength":1}}"#, &[r#"{"a":1}"#], &[r#"{"ab":1}"#]);
    assert_values(r#"{"minProperties":1,"maxProperties":2}"#, &[r#"{"a":1}"#], &["{}"]);
    assert_values(
        r#"{"dependentRequired":{"a":["b"]}}"#,
        &["{}", r#"{"a":1,"b":1}"#],
        &[r#"{"a":1}"#],
    );
    assert_values(r#"{"dependencies":{"a":{"required":["b"]}}}"#, &["{}"], &[r#"{"a":1}"#]);
    // A pattern that cannot be compiled may match any field.
    let unreadable = r#"{"patternProperties":{"(?!a)":{}},"additionalProperties":false}"#;
    assert_values(unreadable, &[r#"{"a":1}"#], &[]);
    // Parsers differ in which of the two they use.
    assert_values(r#"{"properties":{"a":{"type":"string"}}}"#, &[r#"{"a":1,"a":""}"#], &[]);
}

#[test]
fn arrays() {
    assert_values(r#"{"items":{"type":"string"}}"#, &["[]", r#"["a"]"#], &["[1]"]);
    let tuple = r#"{"prefixItems":[{"type":"string"}],"items":{"type":"number"}}"#;
    assert_values(tuple, &[r#"["a",1,2]"#], &["[1]", r#"["a","b"]"#]);
    let old = r#"{"items":[{"type":"string"}],"additionalItems":false}"#;
    assert_values(old, &[r#"["a"]"#], &["[1]", r#"["a","b"]"#]);
    assert_values(
        r#"{"contains":{"type":"string"},"maxContains":1}"#,
        &[r#"["a",1]"#],
        &["[]", r#"["a","b"]"#],
    );
    assert_values(r#"{"minItems":1,"maxItems":2}"#, &["[1]"], &["[]", "[1,2,3]"]);
}

#[test]
fn combinations() {
    let any = r#"{"anyOf":[{"type":"string"},{"type":"object","required":["id"]}]}"#;
    assert_values(any, &["\"a\"", r#"{"id":1}"#], &["1", "{}"]);
    assert_eq!(first_violation(any, "{}"), "parameter 'id' is required, but missing");
    assert_eq!(
        first_violation(any, "1"),
        "the arguments must be a string or an object, but is an integer"
    );
    assert_values(r#"{"oneOf":[{"minimum":1},{"maximum":5}]}"#, &["0", "9"], &["3"]);
    assert_values(r#"{"allOf":[{"minimum":1},{"maximum":5}]}"#, &["3"], &["0", "9"]);
    assert_values(r#"{"not":{"type":"string"}}"#, &["1"], &["\"\""]);
    let conditional =
        r#"{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}"#;
    assert_values(conditional, &[r#"{"a":1,"b":1}"#, r#"{"c":1}"#], &[r#"{"a":1}"#, "{}"]);
}

#[test]
fn references() {
    let tree = r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["v"],
        "properties":{"next":{"$ref":"#/$defs/node"}}}}}"##;
    assert_values(tree, &[r#"{"v":1,"next":{"v":2}}"#], &[r#"{"v":1,"next":{}}"#]);
    assert_values(r##"{"items":{"$ref":"#"},"type":"array"}"##, &["[[[]]]"], &["[[1]]"]);
    assert_values(
        r##"{"$ref":"#/$defs/a~1b%25","$defs":{"a/b%":{"type":"string"}}}"##,
        &["\"\""],
        &["1"],
    );
    assert_values(
        r##"{"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"string"}}}"##,
        &["\"\""],
        &["1"],
    );
    let named =
        r#"{"$id":"https://e.org/s","$ref":"https://e.org/s#/$defs/a","$defs":{"a":false}}"#;
    assert_values(named, &[], &["1"]);
    // Older drafts ignore the keywords next to `$ref`.
    let old = r##"{"definitions":{"a":{}},"properties":{"x":{"$ref":"#/definitions/a","type":"string"}}}"##;
    assert_values(old, &[r#"{"x":1}"#], &[]);
    // Other documents are never loaded, so that the result is unknown.
    for elsewhere in
        ["https://e.org/other", "file:///etc/passwd", "#/nowhere", "other.json#/a", "#%"]
    {
        assert_values(&format!(r#"{{"$ref":"{elsewhere}"}}"#), &["1"], &[]);
        assert_values(&format!(r#"{{"not":{{"$ref":"{elsewhere}"}}}}"#), &["1"], &[]);
        assert_values(
            &format!(r#"{{"oneOf":[{{"$ref":"{elsewhere}"}},{{"type":"string"}}]}}"#),
            &["1"],
            &[],
        );
    }
    assert_values(r#"{"unevaluatedProperties":false}"#, &[r#"{"a":1}"#], &[]);
}

#[test]
fn paths_lead_to_the_value() {
    let schema = r#"{"properties":{"edits":{"items":{"properties":{"text":{"type":"string"}}}}}}"#;
    let value = r#"{"edits":[{},{"text":1}]}"#;
    assert_eq!(
        first_violation(schema, value),
        "parameter 'edits[1].text' must be a string, but is an integer"
    );
}

#[test]
fn scalars_and_arrays_are_not_schemas() {
    for written in ["1", "null", "\"a\"", "[]"] {
        let json = RawJson::parse(written).unwrap();
        assert!(Schema::compile(&json, &ValidationLimits::default()).is_err(), "{written}");
    }
}
