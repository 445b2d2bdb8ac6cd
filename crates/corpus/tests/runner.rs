//! Tests the runner: correct output passes, and other output fails.

use bytes::Bytes;
use interlingua::RawJson;
use interlingua_corpus::{Case, CaseResult, compare, run_case};

/// Runs a native-to-native case with these fields.
fn run_native(fields: &str) -> CaseResult {
    run_between("native", "native", fields)
}

fn run_between(from: &str, to: &str, fields: &str) -> CaseResult {
    let case = format!(r#"{{"about":"a","source":"b","from":"{from}","to":"{to}",{fields}}}"#);
    match Case::parse(&Bytes::from(case)) {
        Ok(case) => run_case(&case),
        Err(error) => unreachable!("{error}"),
    }
}

fn paths(result: &CaseResult) -> Vec<&str> {
    result.differences.iter().map(|difference| difference.path.as_str()).collect()
}

const REQUEST: &str = r#""request":{"interlingua":1, "model":"m","turns":[{"role":"user","blocks":[{"text":"caf\u00e9"}]}]}"#;
const STREAM: &str = r#""stream":["event: start","data: {\"id\":\"r\"}","","event: stop","data: {\"reason\":\"end\"}","",""]"#;

#[test]
fn equal_bytes_pass() {
    assert!(run_native(&format!(r#"{REQUEST},"expect":"same""#)).passed());
}

#[test]
fn changed_bytes_fail() {
    let result = run_native(&format!(r#"{REQUEST},"model":"other","expect":"same""#));
    assert_eq!(result.differences.len(), 1);
    assert!(paths(&result)[0].starts_with("byte "), "{:?}", paths(&result));
}

#[test]
fn a_difference_is_named_by_its_path() {
    let expect = r#""expect":{"model":"n","turns":[{"role":"user","blocks":[{"text":"cafe"}]},{}],"tools":[]}"#;
    let result = run_native(&format!("{REQUEST},{expect}"));
    assert_eq!(paths(&result), ["model", "turns.0.blocks.0.text", "turns.1", "tools"]);
    let message = result.differences[0].to_string();
    assert_eq!(message, "at model\n  expected \"n\"\n  got      \"m\"");
}

#[test]
fn missing_and_extra_ledger_entries_fail() {
    let expect = r#""expect":{"model":"m","turns":[{"role":"user","blocks":[{"text":"café"}]}]}"#;
    assert!(run_native(&format!("{REQUEST},{expect}")).passed());
    let result = run_native(&format!(r#"{REQUEST},{expect},"ledger":["odd-input"]"#));
    assert_eq!(paths(&result), ["ledger"]);
    let lossy_request = r#""request":{"model":"m","max_tokens":9,"container":"c","messages":[{"role":"user","content":"hi"}]}"#;
    let expect = r#""expect":{"model":"m","max_completion_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#;
    let result = run_between("anthropic", "openai-chat", &format!("{lossy_request},{expect}"));
    assert_eq!(paths(&result), ["ledger"]);
    let with_ledger = format!(r#"{lossy_request},{expect},"ledger":["no-such-field"]"#);
    assert!(run_between("anthropic", "openai-chat", &with_ledger).passed());
}

#[test]
fn a_failure_passes_only_where_it_is_expected() {
    let error = r#""error":{"status":429,"body":{"interlingua":1,"error":{"kind":"rate-limit","status":429,"message":"slow"}}}"#;
    assert!(
        run_native(&format!(r#"{error},"expect":{{"fail":{{"kind":"rate-limit"}}}}"#)).passed()
    );
    let result = run_native(&format!(r#"{error},"expect":{{"fail":{{"kind":"auth"}}}}"#));
    assert_eq!(paths(&result), ["fail.kind"]);
    let result = run_native(&format!(r#"{REQUEST},"expect":{{"fail":{{"kind":"auth"}}}}"#));
    assert_eq!(paths(&result), ["fail.kind"]);
}

#[test]
fn a_stream_is_compared_line_by_line() {
    let result = run_native(&format!(r#"{STREAM},"expect_stream":["data: nothing"]"#));
    assert_eq!(paths(&result), ["stream line 1"]);
    let result = run_native(&format!(r#"{STREAM},"expect":"same""#));
    assert!(result.passed(), "{:?}", result.differences);
}

#[test]
fn meaning_is_compared_and_spelling_is_not() {
    let is_different = |a: &str, b: &str| {
        !compare(&RawJson::parse(a).unwrap(), &RawJson::parse(b).unwrap(), false).is_empty()
    };
    for (a, b) in [
        (r#"{"a":1,"b":[]}"#, r#"{ "b" : [ ], "a" : 1.0 }"#),
        (r#""\u00e9\/""#, "\"é/\""),
        ("1e2", "100"),
        ("1e400", "1e400"),
    ] {
        assert!(!is_different(a, b), "{a} and {b} mean the same");
    }
    for (a, b) in [
        ("1", "2"),
        ("12345678901234567890", "12345678901234567891"),
        ("1", "\"1\""),
        ("null", "false"),
        ("[]", "{}"),
        (r#"{"a":null}"#, "{}"),
        ("{}", r#"{"a":null}"#),
        (r#"{"a":1}"#, r#"{"a":2,"a":1}"#),
        ("[1]", "[1,1]"),
        ("1e400", "2e400"),
    ] {
        assert!(is_different(a, b), "{a} and {b} do not mean the same");
    }
}

#[test]
fn only_the_native_form_has_keys_that_do_not_count() {
    let (a, b) = (r#"{"raw":1,"args":{"raw":1}}"#, r#"{"args":{"raw":2}}"#);
    let (a, b) = (RawJson::parse(a).unwrap(), RawJson::parse(b).unwrap());
    let paths = |native| -> Vec<String> {
        compare(&a, &b, native).into_iter().map(|difference| difference.path).collect()
    };
    assert_eq!(paths(true), ["args.raw"]);
    assert_eq!(paths(false), ["raw", "args.raw"]);
}
