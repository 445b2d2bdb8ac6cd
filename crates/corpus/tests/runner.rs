//! The runner itself: it passes what is right, and only that.

use bytes::Bytes;
use interlingua::Json;
use interlingua_corpus::{Case, Verdict, compare, run};

/// Runs a case from the native form into itself, with these further fields.
fn judge(fields: &str) -> Verdict {
    judge_between("native", "native", fields)
}

fn judge_between(from: &str, to: &str, fields: &str) -> Verdict {
    let case = format!(r#"{{"about":"a","source":"b","from":"{from}","to":"{to}",{fields}}}"#);
    match Case::parse(&Bytes::from(case)) {
        Ok(case) => run(&case),
        Err(bad) => unreachable!("{bad}"),
    }
}

fn paths(verdict: &Verdict) -> Vec<&str> {
    verdict.differences.iter().map(|difference| difference.path.as_str()).collect()
}

const REQUEST: &str = r#""request":{"interlingua":1, "model":"m","turns":[{"role":"user","blocks":[{"text":"caf\u00e9"}]}]}"#;
const STREAM: &str = r#""stream":["event: start","data: {\"id\":\"r\"}","","event: stop","data: {\"reason\":\"end\"}","",""]"#;

#[test]
fn bytes_that_stay_the_same_pass() {
    assert!(judge(&format!(r#"{REQUEST},"expect":"same""#)).pass());
}

#[test]
fn bytes_that_change_do_not_pass_as_the_same() {
    let verdict = judge(&format!(r#"{REQUEST},"model":"other","expect":"same""#));
    assert_eq!(verdict.differences.len(), 1);
    assert!(paths(&verdict)[0].starts_with("byte "), "{:?}", paths(&verdict));
}

#[test]
fn a_difference_is_named_by_its_path() {
    let expect = r#""expect":{"model":"n","turns":[{"role":"user","blocks":[{"text":"cafe"}]},{}],"tools":[]}"#;
    let verdict = judge(&format!("{REQUEST},{expect}"));
    assert_eq!(paths(&verdict), ["model", "turns.0.blocks.0.text", "turns.1", "tools"]);
    let said = verdict.differences[0].to_string();
    assert_eq!(said, "at model\n  expected \"n\"\n  got      \"m\"");
}

#[test]
fn a_missing_note_and_a_note_too_many_do_not_pass() {
    let expect = r#""expect":{"model":"m","turns":[{"role":"user","blocks":[{"text":"café"}]}]}"#;
    assert!(judge(&format!("{REQUEST},{expect}")).pass());
    let verdict = judge(&format!(r#"{REQUEST},{expect},"ledger":["odd-input"]"#));
    assert_eq!(paths(&verdict), ["ledger"]);
    let lost = r#""request":{"model":"m","max_tokens":9,"container":"c","messages":[{"role":"user","content":"hi"}]}"#;
    let expect = r#""expect":{"model":"m","max_completion_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#;
    let verdict = judge_between("anthropic", "openai-chat", &format!("{lost},{expect}"));
    assert_eq!(paths(&verdict), ["ledger"]);
    let noted = format!(r#"{lost},{expect},"ledger":["no-such-field"]"#);
    assert!(judge_between("anthropic", "openai-chat", &noted).pass());
}

#[test]
fn a_failure_passes_only_where_it_is_expected() {
    let error = r#""error":{"status":429,"body":{"interlingua":1,"error":{"kind":"rate-limit","status":429,"message":"slow"}}}"#;
    assert!(judge(&format!(r#"{error},"expect":{{"fail":{{"kind":"rate-limit"}}}}"#)).pass());
    let verdict = judge(&format!(r#"{error},"expect":{{"fail":{{"kind":"auth"}}}}"#));
    assert_eq!(paths(&verdict), ["fail.kind"]);
    let verdict = judge(&format!(r#"{REQUEST},"expect":{{"fail":{{"kind":"auth"}}}}"#));
    assert_eq!(paths(&verdict), ["fail.kind"]);
}

#[test]
fn a_stream_is_compared_line_by_line() {
    let verdict = judge(&format!(r#"{STREAM},"expect_stream":["data: nothing"]"#));
    assert_eq!(paths(&verdict), ["stream line 1"]);
    let verdict = judge(&format!(r#"{STREAM},"expect":"same""#));
    assert!(verdict.pass(), "{:?}", verdict.differences);
}

#[test]
fn meaning_is_compared_and_spelling_is_not() {
    let differ = |a: &str, b: &str| {
        !compare(&Json::parse(a).unwrap(), &Json::parse(b).unwrap(), false).is_empty()
    };
    for (a, b) in [
        (r#"{"a":1,"b":[]}"#, r#"{ "b" : [ ], "a" : 1.0 }"#),
        (r#""\u00e9\/""#, "\"é/\""),
        ("1e2", "100"),
        ("1e400", "1e400"),
    ] {
        assert!(!differ(a, b), "{a} and {b} mean the same");
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
        assert!(differ(a, b), "{a} and {b} do not mean the same");
    }
}

#[test]
fn only_the_native_form_has_keys_that_do_not_count() {
    let (a, b) = (r#"{"raw":1,"args":{"raw":1}}"#, r#"{"args":{"raw":2}}"#);
    let (a, b) = (Json::parse(a).unwrap(), Json::parse(b).unwrap());
    let paths = |native| -> Vec<String> {
        compare(&a, &b, native).into_iter().map(|difference| difference.path).collect()
    };
    assert_eq!(paths(true), ["args.raw"]);
    assert_eq!(paths(false), ["raw", "args.raw"]);
}
