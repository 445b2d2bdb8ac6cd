//! `interlingua case` and the help texts.

use crate::command::interlingua;

const CASE: &str = r#"{"about": "a model is a name", "source": "this test", "from": "native",
"request": {"interlingua":1,"model":"MODEL"}, "expect": {"model":"m"}}"#;

#[test]
fn a_case_that_passes() {
    let ran = interlingua("case", CASE.replace("MODEL", "m").as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.text().starts_with(r#"{"pass":true,"expected":{"model":"m"},"got":{"#));
    assert!(ran.text().ends_with("\"ledger\":[]}\n"), "{}", ran.text());
    assert!(ran.stderr.is_empty());
}

#[test]
fn a_case_that_does_not_pass() {
    let ran = interlingua("case", CASE.replace("MODEL", "other").as_bytes());
    assert_eq!(ran.code, 1);
    assert!(ran.text().starts_with(r#"{"pass":false,"#), "{}", ran.text());
    let difference = r#""differences":[{"path":"model","expected":"m","got":"other"}]"#;
    assert!(ran.text().contains(difference), "{}", ran.text());
}

#[test]
fn what_is_no_case() {
    for (input, reason) in [
        ("{", "line 1, column 2"),
        ("[]", "a case is a JSON object"),
        (r#"{"about":"x","source":"y"}"#, "no `from`"),
        (r#"{"about":"x","source":"y","from":"nobody"}"#, "known are anthropic"),
        (r#"{"about":"x","source":"y","from":"native","expect":{}}"#, "has no input"),
        (r#"{"abuot":"x"}"#, "`abuot` is no field"),
    ] {
        let ran = interlingua("case", input.as_bytes());
        assert_eq!(ran.code, 2, "{input}");
        assert!(ran.stderr.contains(reason), "{input}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{input}");
    }
}

#[test]
fn help_is_given() {
    let ran = interlingua("--help", b"");
    assert_eq!(ran.code, 0);
    assert!(ran.text().contains("translate") && ran.text().contains("case"), "{}", ran.text());
    for command in
        ["serve", "run", "translate", "case", "check", "doctor", "simulate", "config check"]
    {
        let ran = interlingua(&format!("{command} --help"), b"");
        assert_eq!(ran.code, 0, "{command}");
        assert!(ran.text().contains("Example"), "{command}: {}", ran.text());
    }
}
