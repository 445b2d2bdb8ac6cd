//! `interlingua translate` between all dialects.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use interlingua::{ALL, Dialect, Doc, Exchange, Ledger, Limits, find, unfold};

use crate::command::{dialects, interlingua};

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

/// Translates and gives the result; it must succeed and keep stderr silent.
fn translated(from: &str, to: &str, form: &str, input: &[u8]) -> Vec<u8> {
    let ran = interlingua(&format!("translate --from {from} --to {to} {form}"), input);
    assert_eq!(ran.code, 0, "{from} to {to} {form}: {}\n{}", ran.stderr, ran.text());
    assert!(ran.stderr.is_empty(), "{from} to {to} {form}: {}", ran.stderr);
    ran.stdout
}

/// All words are in the bytes, wherever they stand.
fn has(bytes: &[u8], words: &[&str], what: &str) {
    let text = String::from_utf8_lossy(bytes);
    for word in words {
        assert!(text.contains(word), "{what}: no {word} in {text}");
    }
}

#[test]
fn requests_between_all_pairs() {
    for from in dialects() {
        let written = translated("native", from, "", REQUEST.as_bytes());
        for to in dialects() {
            let out = translated(from, to, "", &written);
            let words = ["be brief", "weather in Oslo?", "call_1", "Oslo", "rain", "the weather"];
            // One dialect has no ids for calls on its wire.
            let pair = format!("{from} to {to}");
            let words: Vec<_> = words
                .into_iter()
                .filter(|word| *word != "call_1" || has_word(&written, "call_1"))
                .collect();
            has(&out, &words, &pair);
            if from == to {
                assert_eq!(out, written, "{pair}");
            }
        }
    }
}

#[test]
fn replies_between_all_pairs() {
    for from in dialects() {
        let written = translated("native", from, "--reply", REPLY.as_bytes());
        for to in dialects() {
            let out = translated(from, to, "--reply", &written);
            has(&out, &["It rains.", "umbrella", "large"], &format!("{from} to {to}"));
            if from == to {
                assert_eq!(out, written, "{from} to {to}");
            }
        }
    }
}

#[test]
fn streams_between_all_pairs() {
    for from in ALL {
        let written = streamed(*from);
        for to in ALL {
            let pair = format!("{} to {}", from.id(), to.id());
            let out = translated(from.id().0, to.id().0, "--stream", &written);
            has(&out, &["It rains.", "umbrella", "large"], &pair);
            if from.id() == to.id() {
                assert_eq!(out, written, "{pair}");
            }
        }
    }
}

/// The reply as a provider of this dialect streams it.
fn streamed(dialect: &dyn Dialect) -> Vec<u8> {
    let (exchange, mut ledger) = (Exchange::default(), Ledger::default());
    let native = find("native").expect("there is a native dialect");
    let body = Doc::parse(REPLY.into(), Limits::default()).expect("the reply is JSON");
    let reply = native.decode_reply(&body, &exchange, &mut ledger).expect("a reply");
    let (mut writer, mut out) = (dialect.writer(&exchange), Vec::new());
    for event in unfold(&reply) {
        writer.write(&event, &mut out, &mut ledger);
    }
    out
}

fn has_word(bytes: &[u8], word: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(word)
}

#[test]
fn a_same_dialect_body_keeps_its_bytes() {
    let body = b" {\"model\" : \"m\",\r\n\"turns\":[ ],\"interlingua\":1 , \"x\":1E2}\n\n";
    assert_eq!(translated("native", "native", "", body), body);
}

#[test]
fn a_model_replaces_the_one_named() {
    let out = translated("native", "anthropic", "--model other", REQUEST.as_bytes());
    has(&out, &["\"other\""], "--model");
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
    let ran = interlingua(&arguments, b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = std::fs::read_to_string(&ledger).expect("the ledger is there");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    has(
        lines.as_bytes(),
        &["\"rule\":\"no-such-field\"", "\"path\":\"body\"", "\"loss\":true"],
        "",
    );
    let to_stderr = "translate --from anthropic --to openai-chat --ledger -";
    assert_eq!(interlingua(to_stderr, body.as_bytes()).stderr, lines);
}

#[test]
fn an_error_in_a_reply_is_translated_and_told() {
    let error = br#"{"type":"error","error":{"type":"overloaded_error","message":"too busy"}}"#;
    let ran = interlingua("translate --from anthropic --to openai-chat --reply", error);
    assert_eq!(ran.code, 1, "{}", ran.text());
    has(&ran.stdout, &["\"error\"", "too busy"], "stdout");
    assert!(ran.stderr.contains("too busy"), "{}", ran.stderr);
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
        // The next event is sent only when the one before has come out.
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
    // The reply never came: the stream ends in an error.
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn a_cut_stream_ends_in_an_error() {
    let ran = interlingua(STREAM_EVENTS, b"");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("ended before the reply was complete"), "{}", ran.stderr);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
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
fn a_ledger_that_cannot_be_written_is_told_before_anything_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = br#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#;
    for form in ["", "--reply", "--stream"] {
        let order = format!(
            "translate --from anthropic --to openai-chat {form} --ledger {}",
            folder.path().display()
        );
        let ran = interlingua(&order, body);
        assert_eq!((ran.code, ran.text().as_str()), (2, ""), "{form}: {}", ran.stderr);
        assert!(ran.stderr.contains("cannot write the ledger to "), "{form}: {}", ran.stderr);
    }
}
