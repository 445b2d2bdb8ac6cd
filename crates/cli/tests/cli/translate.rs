//! `interlingua translate` between all dialects.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use interlingua::{DIALECTS, Dialect, JsonDoc, JsonLimits, Ledger, ReplyContext, find_dialect};
use interlingua_model::unfold;

use crate::command::{dialects, run_interlingua};

const REQUEST: &str = r#"{"interlingua":1,"model":"m","system":[{"text":"be brief"}],
"turns":[{"role":"user","blocks":[{"text":"weather in Oslo?"}]},
{"role":"assistant","blocks":[{"call":{"id":"call_1","name":"weather","args":{"city":"Oslo"}}}]},
{"role":"user","blocks":[{"result":{"call":"call_1","name":"weather","content":[{"text":"rain"}]}}]}],
"tools":[{"name":"weather","description":"the weather","schema":{"type":"object","properties":{"city":{"type":"string"}}}}],
"settings":{"max_tokens":100}}"#;

const REPLY: &str = r#"{"interlingua":1,"id":"r_1","model":"m","blocks":[{"text":"It rains."},
{"call":{"id":"call_2","name":"umbrella","args":{"size":"large"}}}],
"usage":{"input":10,"output":5},"stop":{"reason":"tool-use"}}"#;

const STREAM_EVENTS: &str = "translate --from native --to native --stream";

/// Translates and returns the result; asserts success and an empty stderr.
fn translate_ok(from: &str, to: &str, form: &str, input: &[u8]) -> Vec<u8> {
    let output = run_interlingua(&format!("translate --from {from} --to {to} {form}"), input);
    assert_eq!(output.code, 0, "{from} to {to} {form}: {}\n{}", output.stderr, output.text());
    assert!(output.stderr.is_empty(), "{from} to {to} {form}: {}", output.stderr);
    output.stdout
}

/// Asserts that the bytes contain all these texts.
fn assert_contains_all(bytes: &[u8], texts: &[&str], what: &str) {
    let text = String::from_utf8_lossy(bytes);
    for word in texts {
        assert!(text.contains(word), "{what}: no {word} in {text}");
    }
}

#[test]
fn requests_between_all_pairs() {
    for from in dialects() {
        let written = translate_ok("native", from, "", REQUEST.as_bytes());
        for to in dialects() {
            let out = translate_ok(from, to, "", &written);
            let texts = ["be brief", "weather in Oslo?", "call_1", "Oslo", "rain", "the weather"];
            // One dialect has no call ids on its wire.
            let pair = format!("{from} to {to}");
            let texts: Vec<_> = texts
                .into_iter()
                .filter(|text| *text != "call_1" || has_word(&written, "call_1"))
                .collect();
            assert_contains_all(&out, &texts, &pair);
            if from == to {
                assert_eq!(out, written, "{pair}");
            }
        }
    }
}

#[test]
fn replies_between_all_pairs() {
    for from in dialects() {
        let written = translate_ok("native", from, "--reply", REPLY.as_bytes());
        for to in dialects() {
            let out = translate_ok(from, to, "--reply", &written);
            assert_contains_all(
                &out,
                &["It rains.", "umbrella", "large"],
                &format!("{from} to {to}"),
            );
            if from == to {
                assert_eq!(out, written, "{from} to {to}");
            }
        }
    }
}

#[test]
fn streams_between_all_pairs() {
    for from in DIALECTS {
        let written = stream_of(*from);
        for to in DIALECTS {
            let pair = format!("{} to {}", from.id(), to.id());
            let out = translate_ok(from.id().0, to.id().0, "--stream", &written);
            assert_contains_all(&out, &["It rains.", "umbrella", "large"], &pair);
            if from.id() == to.id() {
                assert_eq!(out, written, "{pair}");
            }
        }
    }
}

/// The reply as a provider of this dialect streams it.
fn stream_of(dialect: &dyn Dialect) -> Vec<u8> {
    let (cx, mut ledger) = (ReplyContext::default(), Ledger::default());
    let native = find_dialect("native").expect("there is a native dialect");
    let body = JsonDoc::parse(REPLY.into(), JsonLimits::default()).expect("the reply is JSON");
    let reply = native.decode_reply(&body, &cx, &mut ledger).expect("a reply");
    let (mut writer, mut out) = (dialect.writer(&cx), Vec::new());
    for event in unfold(&reply) {
        writer.write(&event, &mut out, &mut ledger);
    }
    out
}

fn has_word(bytes: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(text)
}

#[test]
fn a_same_dialect_body_keeps_its_bytes() {
    let body = b" {\"model\" : \"m\",\r\n\"turns\":[ ],\"interlingua\":1 , \"x\":1E2}\n\n";
    assert_eq!(translate_ok("native", "native", "", body), body);
}

#[test]
fn the_model_option_replaces_the_model() {
    let out = translate_ok("native", "anthropic", "--model other", REQUEST.as_bytes());
    assert_contains_all(&out, &["\"other\""], "--model");
}

#[test]
fn a_file_is_read_and_the_ledger_written() {
    let folder = std::env::temp_dir().join(format!("interlingua-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let (file, ledger) = (folder.join("request.json"), folder.join("ledger.jsonl"));
    let body = r#"{"model":"m","max_tokens":9,"container":"c","messages":[{"role":"user","content":"hi"}]}"#;
    std::fs::write(&file, body).expect("the request is written");
    let arguments = format!(
        "translate --from anthropic --to openai-chat --ledger {} {}",
        ledger.display(),
        file.display()
    );
    let output = run_interlingua(&arguments, b"");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let lines = std::fs::read_to_string(&ledger).expect("the ledger is there");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    assert_contains_all(
        lines.as_bytes(),
        &["\"rule\":\"no-such-field\"", "\"path\":\"body\"", "\"loss\":true"],
        "",
    );
    let to_stderr = "translate --from anthropic --to openai-chat --ledger -";
    assert_eq!(run_interlingua(to_stderr, body.as_bytes()).stderr, lines);
}

#[test]
fn an_error_in_a_reply_is_translated_and_reported() {
    let error = br#"{"type":"error","error":{"type":"overloaded_error","message":"too busy"}}"#;
    let output = run_interlingua("translate --from anthropic --to openai-chat --reply", error);
    assert_eq!(output.code, 1, "{}", output.text());
    assert_contains_all(&output.stdout, &["\"error\"", "too busy"], "stdout");
    assert!(output.stderr.contains("too busy"), "{}", output.stderr);
}

#[test]
fn a_stream_is_translated_while_it_runs() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_interlingua"))
        .args("translate --from anthropic --to anthropic --stream".split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("stdin is a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
    for turn in 0..3 {
        // The next event is sent only after the previous one was written.
        write!(input, "event: ping\ndata: {{\"type\":\"ping\",\"n\":{turn}}}\n\n")
            .expect("it reads");
        input.flush().expect("it reads");
        let mut event = String::new();
        for _ in 0..3 {
            output.read_line(&mut event).expect("it writes");
        }
        assert!(event.contains(&format!("\"n\":{turn}")), "{event}");
    }
    drop(input);
    // The stream is incomplete and ends in an error.
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn a_truncated_stream_ends_in_an_error() {
    let output = run_interlingua(STREAM_EVENTS, b"");
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("ended before the reply was complete"), "{}", output.stderr);
}

#[test]
fn a_closed_stdout_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_interlingua"))
        .args("translate --from native --to native".split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("stdin is a pipe");
    let body = format!("{{\"model\":\"{}\"}}", "m".repeat(1_000_000));
    input.write_all(body.as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_unwritable_ledger_is_reported_before_any_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = br#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#;
    for form in ["", "--reply", "--stream"] {
        let order = format!(
            "translate --from anthropic --to openai-chat {form} --ledger {}",
            folder.path().display()
        );
        let output = run_interlingua(&order, body);
        assert_eq!((output.code, output.text().as_str()), (2, ""), "{form}: {}", output.stderr);
        assert!(output.stderr.contains("cannot write the ledger to "), "{form}: {}", output.stderr);
    }
}
