//! Bad input gives one clear error with position and reason, and nothing on stdout.

use crate::command::{dialects, interlingua};

/// In every dialect, as a request and as a reply: the same error, on stderr alone, exit code 1.
fn refused(input: &[u8], position: &str, reason: &str) {
    for dialect in dialects() {
        for form in ["", "--reply"] {
            let ran = interlingua(&format!("translate --from {dialect} --to native {form}"), input);
            assert_eq!(ran.code, 1, "{dialect} {form}: {}", ran.stderr);
            assert!(ran.stdout.is_empty(), "{dialect} {form}");
            let expected = format!("interlingua: stdin:{position}: ");
            assert!(ran.stderr.starts_with(&expected), "{dialect} {form}: {}", ran.stderr);
            assert!(ran.stderr.contains(reason), "{dialect} {form}: {}", ran.stderr);
            assert_eq!(ran.stderr.lines().count(), 2, "{dialect} {form}: {}", ran.stderr);
        }
    }
}

#[test]
fn not_json() {
    refused(b"{\"model\": \"m\",\n \"messages\": oops}", "2:14", "not JSON");
    refused(b"hello", "1:1", "not JSON");
}

#[test]
fn cut_off() {
    refused(b"{\"model\": \"m\", \"messages\": [", "1:29", "ends too early");
    refused(b"", "1:1", "The input is empty");
}

#[test]
fn not_utf8() {
    refused(b"{\"model\":\n\"m\xff\"}", "2:3", "not UTF-8");
}

#[test]
fn too_deep() {
    let mut body = b"{\"messages\":".to_vec();
    body.extend(std::iter::repeat_n(b'[', 100_000));
    refused(&body, "1:140", "nested deeper than the limit of 128");
}

#[test]
fn wrong_type_at_the_top() {
    refused(b"[1]", "1:1", "expected a JSON object, found an array");
    refused(b" \n 12", "2:2", "expected a JSON object, found a number");
    refused(b"\"text\"", "1:1", "found a string");
    refused(b"null", "1:1", "found null");
    refused(b"true", "1:1", "found a boolean");
}

#[test]
fn too_large() {
    let mut body = b"{\"model\":\"".to_vec();
    body.extend(std::iter::repeat_n(b'm', 64 * 1024 * 1024));
    body.extend(b"\"}");
    let ran = interlingua("translate --from anthropic --to gemini", &body);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.is_empty());
    assert!(ran.stderr.contains("larger than the limit of 67108864 bytes"), "{}", ran.stderr);
}

#[test]
fn a_stream_given_as_a_body() {
    let ran = interlingua("translate --from anthropic --to native", b"event: ping\ndata: {}\n\n");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("--stream"), "{}", ran.stderr);
}

#[test]
fn no_such_file() {
    let ran = interlingua("translate --from anthropic --to native nowhere/request.json", b"");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("cannot read nowhere/request.json"), "{}", ran.stderr);
}

#[test]
fn no_such_dialect() {
    let ran = interlingua("translate --from antropic --to native", b"{}");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("'anthropic'"), "{}", ran.stderr);
}

#[test]
fn no_such_flavor() {
    let ran = interlingua("translate --from native --to openai-chat --flavor openruter", b"{}");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("did you mean `openrouter`?"), "{}", ran.stderr);
    let ran = interlingua("translate --from openai-chat --to native --flavor openrouter", b"{}");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("native has no flavors"), "{}", ran.stderr);
}

#[test]
fn wrong_usage() {
    for arguments in ["translate", "translate --from native", "transalte", "case --verbose"] {
        let ran = interlingua(arguments, b"");
        assert_eq!(ran.code, 2, "{arguments}");
        assert!(ran.stdout.is_empty(), "{arguments}");
    }
    let both = "translate --from native --to native --reply --stream";
    assert_eq!(interlingua(both, b"{}").code, 2);
}
