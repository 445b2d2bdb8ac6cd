//! `interlingua check`.

use crate::command::run_interlingua;

#[test]
fn invalid_json_is_one_violation() {
    for judge in interlingua_strict::ALL {
        let output = run_interlingua(&format!("check --for {}", judge.dialect), b"{\"model\": ");
        assert_eq!(output.code, 1, "{}", output.stderr);
        let violation = judge.parse(b"{\"model\": ").unwrap_err();
        assert_eq!(output.text(), format!("{}\t-\t{}\n", violation.rule, violation.message));
        assert!(output.stderr.contains("400"), "{}", output.stderr);
    }
}

#[test]
fn an_accepted_request_prints_nothing() {
    let body = br#"{"model":"claude-opus-4-8","max_tokens":10,"messages":[{"role":"user","content":"Hi"}]}"#;
    let output = run_interlingua("check --for anthropic --api-version 2023-06-01 --seals -", body);
    assert_eq!((output.code, output.text().as_str(), output.stderr.as_str()), (0, "", ""));
}

#[test]
fn wrong_usage_is_reported() {
    for (arguments, part) in [
        ("check --for nobody", "nobody"),
        ("check", "--for"),
        ("check --for gemini --flavor vertx", "vertex"),
        ("check --for gemini no-such-file.json", "no-such-file.json"),
    ] {
        let output = run_interlingua(arguments, b"{}");
        assert_eq!(output.code, 2, "{arguments}");
        assert!(output.stderr.contains(part), "{arguments}: {}", output.stderr);
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn a_switch_decides_where_the_evidence_differs() {
    let body = br#"{"model":"claude-opus-4-8","max_tokens":10,"messages":[
        {"role":"assistant","content":"Hi."},{"role":"user","content":"Hi."}]}"#;
    for (switch, code) in [("", 0), (" --switch alternation=true", 1), (" --switch alternation", 2)]
    {
        let output = run_interlingua(&format!("check --for anthropic{switch}"), body);
        assert_eq!(output.code, code, "{switch}: {}", output.stderr);
    }
}

#[test]
fn each_violation_is_one_line() {
    let body = br#"{"model":"claude-opus-4-8","max_tokens":10,"we\nird\tkey\r":1,
        "messages":[{"role":"user","content":"Hi."}]}"#;
    let output = run_interlingua("check --for anthropic", body);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let text = output.text();
    assert_eq!((text.lines().count(), text.matches('\t').count()), (1, 2), "{text}");
    assert!(text.contains(r"we\nird\tkey\r"), "{text}");
}

#[test]
#[cfg(unix)]
fn the_exit_code_holds_when_stdout_is_closed() {
    use std::process::Command;
    let shell = format!(
        "printf '{{}}' | ({} check --for anthropic; echo $? >&2) | true",
        env!("CARGO_BIN_EXE_interlingua")
    );
    let ran = Command::new("sh").args(["-c", &shell]).output().expect("a shell");
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(stderr.lines().last(), Some("1"), "{stderr}");
}
