//! Tests of the redaction of secrets.

use crate::telemetry::capture::redact::redact_secrets;

fn redacted(text: &str) -> String {
    String::from_utf8(redact_secrets(text.as_bytes())).unwrap()
}

#[test]
fn secrets_of_known_forms_are_redacted() {
    for (begin, rest) in [
        ("sk-", "ant-api03-0123456789abcdefghij"),
        ("AIza", "SyA0123456789abcdefghijklmnopqrstuv"),
        ("ghp_", "0123456789abcdefghijABCDEFGHIJ012345"),
        ("AKIA", "IOSFODNN7EXAMPLE"),
        ("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"),
    ] {
        for around in ["KEY", "key is KEY, use it", "\"KEY\"", "a\\nKEY\\nb", "Bearer KEY"] {
            let text = around.replace("KEY", &format!("{begin}{rest}"));
            let expected = around.replace("KEY", &format!("{begin}[blacked out]"));
            assert_eq!(redacted(&text), expected);
        }
    }
    let key = "-----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----\\nrest";
    assert_eq!(redacted(key), "-----BEGIN [blacked out]-----END RSA PRIVATE KEY-----\\nrest");
}

#[test]
fn text_that_resembles_secrets_is_kept() {
    for text in [
        "",
        "a task-list-of-many-words-and-more",
        "sk-short",
        "-----BEGIN CERTIFICATE-----\\nMIIE\\n-----END CERTIFICATE-----",
        "übermäßig",
    ] {
        assert_eq!(redacted(text), text);
    }
}
