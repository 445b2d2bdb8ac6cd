//! `interlingua check`.

use crate::command::interlingua;

#[test]
fn what_is_no_json_is_one_violation() {
    for judge in interlingua_strict::ALL {
        let ran = interlingua(&format!("check --for {}", judge.dialect), b"{\"model\": ");
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let said = judge.parse(b"{\"model\": ").unwrap_err();
        assert_eq!(ran.text(), format!("{}\t-\t{}\n", said.rule, said.message));
        assert!(ran.stderr.contains("400"), "{}", ran.stderr);
    }
}

#[test]
fn an_accepted_request_prints_nothing() {
    let body = br#"{"model":"claude-opus-4-8","max_tokens":10,"messages":[{"role":"user","content":"Hi"}]}"#;
    let ran = interlingua("check --for anthropic --api-version 2023-06-01 --seals -", body);
    assert_eq!((ran.code, ran.text().as_str(), ran.stderr.as_str()), (0, "", ""));
}

#[test]
fn wrong_usage_is_told() {
    for (arguments, part) in [
        ("check --for nobody", "nobody"),
        ("check", "--for"),
        ("check --for gemini --flavor vertx", "vertex"),
        ("check --for gemini no-such-file.json", "no-such-file.json"),
    ] {
        let ran = interlingua(arguments, b"{}");
        assert_eq!(ran.code, 2, "{arguments}");
        assert!(ran.stderr.contains(part), "{arguments}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn a_switch_decides_where_the_evidence_differs() {
    let body = br#"{"model":"claude-opus-4-8","max_tokens":10,"messages":[
        {"role":"assistant","content":"Hi."},{"role":"user","content":"Hi."}]}"#;
    for (switch, code) in [("", 0), (" --switch alternation=true", 1), (" --switch alternation", 2)]
    {
        let ran = interlingua(&format!("check --for anthropic{switch}"), body);
        assert_eq!(ran.code, code, "{switch}: {}", ran.stderr);
    }
}

#[test]
fn a_line_stays_a_line() {
    let body = br#"{"model":"claude-opus-4-8","max_tokens":10,"we\nird\tkey\r":1,
        "messages":[{"role":"user","content":"Hi."}]}"#;
    let ran = interlingua("check --for anthropic", body);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let text = ran.text();
    assert_eq!((text.lines().count(), text.matches('\t').count()), (1, 2), "{text}");
    assert!(text.contains(r"we\nird\tkey\r"), "{text}");
}

#[test]
#[cfg(unix)]
fn a_verdict_holds_when_nobody_reads_why() {
    use std::process::Command;
    let shell = format!(
        "printf '{{}}' | ({} check --for anthropic; echo $? >&2) | true",
        env!("CARGO_BIN_EXE_interlingua")
    );
    let ran = Command::new("sh").args(["-c", &shell]).output().expect("a shell");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(said.lines().last(), Some("1"), "{said}");
}
