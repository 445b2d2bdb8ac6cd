//! `interlingua case` and the help texts.

use crate::command::run_interlingua;

const CASE: &str = r#"{"about": "a model is a name", "source": "this test", "from": "native",
"request": {"interlingua":1,"model":"MODEL"}, "expect": {"model":"m"}}"#;

#[test]
fn a_case_that_passes() {
    let output = run_interlingua("case", CASE.replace("MODEL", "m").as_bytes());
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.text().starts_with(r#"{"pass":true,"expected":{"model":"m"},"got":{"#));
    assert!(output.text().ends_with("\"ledger\":[]}\n"), "{}", output.text());
    assert!(output.stderr.is_empty());
}

#[test]
fn a_case_that_does_not_pass() {
    let output = run_interlingua("case", CASE.replace("MODEL", "other").as_bytes());
    assert_eq!(output.code, 1);
    assert!(output.text().starts_with(r#"{"pass":false,"#), "{}", output.text());
    let difference = r#""differences":[{"path":"model","expected":"m","got":"other"}]"#;
    assert!(output.text().contains(difference), "{}", output.text());
}

#[test]
fn an_invalid_case() {
    for (input, reason) in [
        ("{", "line 1, column 2"),
        ("[]", "a case is a JSON object"),
        (r#"{"about":"x","source":"y"}"#, "no `from`"),
        (r#"{"about":"x","source":"y","from":"nobody"}"#, "known are anthropic"),
        (r#"{"about":"x","source":"y","from":"native","expect":{}}"#, "has no input"),
        (r#"{"abuot":"x"}"#, "`abuot` is not a field"),
    ] {
        let output = run_interlingua("case", input.as_bytes());
        assert_eq!(output.code, 2, "{input}");
        assert!(output.stderr.contains(reason), "{input}: {}", output.stderr);
        assert!(output.stdout.is_empty(), "{input}");
    }
}

#[test]
fn help_is_given() {
    let output = run_interlingua("--help", b"");
    assert_eq!(output.code, 0);
    assert!(
        output.text().contains("translate") && output.text().contains("case"),
        "{}",
        output.text()
    );
    for command in
        ["serve", "run", "translate", "case", "check", "doctor", "simulate", "config check"]
    {
        let output = run_interlingua(&format!("{command} --help"), b"");
        assert_eq!(output.code, 0, "{command}");
        assert!(output.text().contains("Example"), "{command}: {}", output.text());
    }
}
