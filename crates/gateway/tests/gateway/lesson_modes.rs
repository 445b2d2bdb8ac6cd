//! Tests of `[lessons]`: lessons that are off or only suggested, and lessons as a file.

use interlingua_gateway::config::LessonMode;
use serde_json::{Value, json};

use crate::client::{get, post, send};
use crate::harness::Harness;
use crate::keys::{auth_header, create_key, key};
use crate::lessons::{ask, harness_with_stub};
use crate::stub_provider::{StubProvider, error_answer, success_answer};

const UNKNOWN_FIELD: &str = "frobnicate: Extra inputs are not permitted";

fn request() -> Value {
    let hello = json!({"role": "user", "content": "hello"});
    json!({"model": "stub/m", "max_tokens": 9, "frobnicate": 1, "messages": [hello]})
}

/// Replaces `lessons.mode` of a running gateway, as a reload does.
fn set_mode(harness: &Harness, mode: LessonMode) {
    let gateway = &harness.gateway.as_ref().unwrap().gateway;
    let mut config = (*gateway.config()).clone();
    config.lessons = mode;
    gateway.reconfigure(config);
}

/// A provider that rejects its first requests, as many as `rejected`, and accepts all others.
fn lab(rejected: usize) -> (Harness, StubProvider) {
    let mut answers = vec![error_answer(UNKNOWN_FIELD); rejected];
    answers.push(success_answer("anthropic"));
    harness_with_stub("anthropic", answers)
}

fn rows(harness: &Harness) -> Value {
    let response = get(harness.addr(), "/api/lessons", "");
    serde_json::from_slice::<Value>(&response.body).unwrap()["lessons"].clone()
}

/// Whether the last request reached the provider with the field.
fn was_sent_with_field(stub: &StubProvider) -> bool {
    stub.requests().last().unwrap().get("frobnicate").is_some()
}

#[test]
fn without_lessons_a_rejection_goes_to_the_client_and_nothing_is_learned() {
    let (harness, stub) = lab(1);
    set_mode(&harness, LessonMode::Off);
    let response = ask(&harness, &request());
    assert_eq!((response.status, response.text()), error_answer(UNKNOWN_FIELD));
    assert_eq!((stub.requests().len(), rows(&harness)), (1, json!([])));
    set_mode(&harness, LessonMode::On);
    assert_eq!(ask(&harness, &request()).status, 200);
}

#[test]
fn what_was_learned_before_does_not_apply_while_lessons_are_off() {
    let (harness, stub) = lab(1);
    assert_eq!(ask(&harness, &request()).status, 200);
    assert!(!was_sent_with_field(&stub), "learned");
    set_mode(&harness, LessonMode::Off);
    assert_eq!(ask(&harness, &request()).status, 200);
    assert!(was_sent_with_field(&stub), "off");
    set_mode(&harness, LessonMode::On);
    assert_eq!(ask(&harness, &request()).status, 200);
    assert!(!was_sent_with_field(&stub), "on again");
}

#[test]
fn a_suggested_lesson_applies_once_it_is_shared() {
    let (harness, stub) = lab(2);
    set_mode(&harness, LessonMode::Suggest);
    for sent in 1..=2 {
        let response = ask(&harness, &request());
        assert_eq!((response.status, response.text()), error_answer(UNKNOWN_FIELD));
        assert_eq!(stub.requests().len(), sent, "it is not tried");
    }
    let suggested = json!({"provider": "stub", "model": "m", "dialect": "anthropic",
        "lessons": ["field=frobnicate"], "seals": 0, "suggested": true});
    assert_eq!(rows(&harness), json!([suggested]));
    assert_eq!(ask(&harness, &request()).status, 200);
    assert!(was_sent_with_field(&stub), "not applied yet");
    let shared = post(harness.addr(), "/api/lessons/stub/m", "", b"");
    assert_eq!(shared.text(), r#"{"shared":1}"#);
    let row = json!({"provider": "stub", "model": "m", "dialect": "anthropic",
        "lessons": ["field=frobnicate"], "seals": 0});
    assert_eq!(rows(&harness), json!([row]));
    assert_eq!(ask(&harness, &request()).status, 200);
    assert!(!was_sent_with_field(&stub), "shared");
}

#[test]
fn lessons_are_exported_and_imported_as_a_file() {
    let (harness, _) = lab(1);
    assert_eq!(ask(&harness, &request()).status, 200);
    let exported = get(harness.addr(), "/api/lessons.jsonl", "");
    assert_eq!(exported.header("content-type"), Some("application/jsonl"));
    let line =
        r#"{"provider":"stub","dialect":"anthropic","model":"m","lesson":"field=frobnicate"}"#;
    assert_eq!(exported.text(), format!("{line}\n"));
    let (other, stub) = lab(0);
    let file = format!("# reviewed\n\n{line}\n{}\n", line.replace("frobnicate", "twiddle"));
    let imported = send(other.addr(), "PUT", "/api/lessons.jsonl", "", file.as_bytes());
    assert_eq!((imported.status, imported.text().as_str()), (200, r#"{"imported":2}"#));
    assert_eq!(ask(&other, &request()).status, 200);
    assert!(!was_sent_with_field(&stub));
    assert_eq!(get(other.addr(), "/api/lessons.jsonl", "").text().lines().count(), 2);
}

#[test]
fn a_file_with_errors_is_refused_whole_and_each_line_is_named() {
    let (harness, _) = lab(0);
    let line = |lesson: &str, dialect: &str| {
        json!({"provider": "p", "dialect": dialect, "model": "m", "lesson": lesson}).to_string()
    };
    let file = [
        line("field=x", "anthropic"),
        line("nonsense", "anthropic"),
        line("field=x", "klingon"),
        line("seal=00ff", "anthropic"),
        "{\"provider\": 1".to_owned(),
        r#"{"provider":"p","dialect":"gemini","model":"m","lesson":"search=none","x":1}"#
            .to_owned(),
    ]
    .join("\n");
    let response = send(harness.addr(), "PUT", "/api/lessons.jsonl", "", file.as_bytes());
    assert_eq!(response.status, 400);
    let text = response.text();
    for expected in [
        "line 2: `nonsense` is no lesson",
        "line 3: there is no provider dialect `klingon`",
        "line 4: a lesson about a seal",
        "line 5: ",
        "line 6: unknown field `x`",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("line 1:"), "{text}");
    assert_eq!(rows(&harness), json!([]), "nothing is imported");
}

#[test]
fn an_issued_key_imports_nothing() {
    let (harness, _) = lab(0);
    let gateway = &harness.gateway.as_ref().unwrap().gateway;
    let mut config = (*gateway.config()).clone();
    config.access.keys = vec![key("operator")];
    gateway.reconfigure(config);
    let rights = json!({"name": "ann", "rights": ["lessons"]});
    let issued = create_key(harness.addr(), "operator", &rights);
    let line = r#"{"provider":"p","dialect":"gemini","model":"m","lesson":"search=none"}"#;
    let import = |secret: &str| {
        let headers = auth_header(secret);
        send(harness.addr(), "PUT", "/api/lessons.jsonl", &headers, line.as_bytes()).status
    };
    assert_eq!((import(&issued), import("operator")), (403, 200));
}
