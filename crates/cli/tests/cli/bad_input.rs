//! Bad input gives one clear error with position and reason, and nothing on stdout.

use crate::command::{dialects, run_interlingua};

/// Asserts the same error in every dialect, as a request and as a reply: only on stderr, exit code
/// 1.
fn assert_refused(input: &[u8], position: &str, reason: &str) {
    for dialect in dialects() {
        for form in ["", "--reply"] {
            let output =
                run_interlingua(&format!("translate --from {dialect} --to native {form}"), input);
            assert_eq!(output.code, 1, "{dialect} {form}: {}", output.stderr);
            assert!(output.stdout.is_empty(), "{dialect} {form}");
            let expected = format!("interlingua: stdin:{position}: ");
            assert!(output.stderr.starts_with(&expected), "{dialect} {form}: {}", output.stderr);
            assert!(output.stderr.contains(reason), "{dialect} {form}: {}", output.stderr);
            assert_eq!(output.stderr.lines().count(), 2, "{dialect} {form}: {}", output.stderr);
        }
    }
}

#[test]
fn not_json() {
    assert_refused(b"{\"model\": \"m\",\n \"messages\": oops}", "2:14", "not JSON");
    assert_refused(b"hello", "1:1", "not JSON");
}

#[test]
fn truncated_json() {
    assert_refused(b"{\"model\": \"m\", \"messages\": [", "1:29", "ends too early");
    assert_refused(b"", "1:1", "The input is empty");
}

#[test]
fn not_utf8() {
    assert_refused(b"{\"model\":\n\"m\xff\"}", "2:3", "not UTF-8");
}

#[test]
fn too_deep() {
    let mut body = b"{\"messages\":".to_vec();
    body.extend(std::iter::repeat_n(b'[', 100_000));
    assert_refused(&body, "1:140", "nested deeper than the limit of 128");
}

#[test]
fn wrong_type_at_the_top() {
    assert_refused(b"[1]", "1:1", "expected a JSON object, found an array");
    assert_refused(b" \n 12", "2:2", "expected a JSON object, found a number");
    assert_refused(b"\"text\"", "1:1", "found a string");
    assert_refused(b"null", "1:1", "found null");
    assert_refused(b"true", "1:1", "found a boolean");
}

#[test]
fn too_large() {
    let mut body = b"{\"model\":\"".to_vec();
    body.extend(std::iter::repeat_n(b'm', 64 * 1024 * 1024));
    body.extend(b"\"}");
    let output = run_interlingua("translate --from anthropic --to gemini", &body);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stdout.is_empty());
    assert!(output.stderr.contains("larger than the limit of 67108864 bytes"), "{}", output.stderr);
}

#[test]
fn a_stream_given_as_a_body() {
    let output =
        run_interlingua("translate --from anthropic --to native", b"event: ping\ndata: {}\n\n");
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("--stream"), "{}", output.stderr);
}

#[test]
fn no_such_file() {
    let output =
        run_interlingua("translate --from anthropic --to native nowhere/request.json", b"");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("cannot read nowhere/request.json"), "{}", output.stderr);
}

#[test]
fn no_such_dialect() {
    let output = run_interlingua("translate --from antropic --to native", b"{}");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("'anthropic'"), "{}", output.stderr);
}

#[test]
fn no_such_flavor() {
    let output =
        run_interlingua("translate --from native --to openai-chat --flavor openruter", b"{}");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("did you mean `openrouter`?"), "{}", output.stderr);
    let output =
        run_interlingua("translate --from openai-chat --to native --flavor openrouter", b"{}");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("native has no flavors"), "{}", output.stderr);
}

#[test]
fn wrong_usage() {
    for arguments in ["translate", "translate --from native", "transalte", "case --verbose"] {
        let output = run_interlingua(arguments, b"");
        assert_eq!(output.code, 2, "{arguments}");
        assert!(output.stdout.is_empty(), "{arguments}");
    }
    let both = "translate --from native --to native --reply --stream";
    assert_eq!(run_interlingua(both, b"{}").code, 2);
}
