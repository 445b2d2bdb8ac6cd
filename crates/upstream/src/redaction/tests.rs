//! Tests of the redaction of provider secrets, in every form and at every split.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use http::header::HeaderValue;
use interlingua::{ApiError, find_dialect};
use interlingua_wire::{FrameReader, Framing, frame};
use secrecy::SecretString;

use super::{BodyRedactor, Redactor};
use crate::{AwsCredentials, Provider};

const KEY: &str = "sk-live-0123456789abcdef";
/// A secret access key, with characters that JSON encoders escape.
const AWS_SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

fn redactor(secrets: &[&str]) -> Arc<Redactor> {
    Arc::new(Redactor::new(secrets.iter().map(|secret| secret.as_bytes())).unwrap())
}

fn redacted(secrets: &[&str], text: &str) -> String {
    let text = redactor(secrets).redact(Bytes::copy_from_slice(text.as_bytes()));
    String::from_utf8(text.to_vec()).unwrap()
}

/// Text of the secret's length that replaces it.
fn mark(length: usize) -> String {
    format!("[redacted]{}", "*".repeat(length - 10))
}

/// All forms in which a server may write the secret.
fn forms(secret: &str) -> Vec<String> {
    let slashes = secret.replace('/', r"\/");
    let lower = secret.replace('/', r"\u002f").replace('+', r"\u002b");
    let upper = secret.replace('/', r"\u002F").replace('+', r"\u002B");
    let nested = [escape_json(&slashes), escape_json(&lower), escape_json(&escape_json(secret))];
    let mut forms = vec![secret.to_owned(), escape_json(secret), slashes, lower, upper];
    forms.extend(nested);
    forms
}

/// The text as it stands between the quotes of a JSON string.
fn escape_json(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', "\\\"")
}

/// The pieces that leave for each chunk, and at the end.
fn stream(redactor: &Arc<Redactor>, has_aws_messages: bool, chunks: &[&[u8]]) -> Vec<Vec<Bytes>> {
    let mut body = BodyRedactor::new(Arc::clone(redactor), has_aws_messages);
    let mut pieces = Vec::new();
    for chunk in chunks {
        let first = body.push(Bytes::copy_from_slice(chunk));
        pieces.push(first.into_iter().chain(std::iter::from_fn(|| body.pop())).collect());
    }
    body.finish(Ok(()));
    pieces.push(std::iter::from_fn(|| body.pop()).collect());
    assert!(body.take_end().unwrap().is_ok() && body.is_empty());
    pieces
}

fn joined(pieces: &[Vec<Bytes>]) -> String {
    String::from_utf8(pieces.concat().concat()).unwrap()
}

#[test]
fn every_form_of_a_secret_is_overwritten() {
    for secret in [KEY, AWS_SECRET, "a\"b\"c\"d\"e\"f\"", "=begins=and=ends="] {
        for form in forms(secret) {
            for around in
                ["KEY", "{\"a\":\"KEY\"}\n", "x KEY, KEY", r#""\\KEY\"""#, "\"\\n KEY\\\\\""]
            {
                let text = around.replace("KEY", &form);
                let clean = redacted(&[secret], &text);
                assert_eq!(clean.len(), text.len(), "{text}");
                let expected = around.replace("KEY", &mark(form.len()));
                // A backslash of the text before a secret may be taken for one of its own.
                let eaten = around.replace(r"\\KEY", &mark(form.len() + 2));
                assert!(
                    [expected, eaten.replace("KEY", &mark(form.len()))].contains(&clean),
                    "{text} {clean}"
                );
            }
        }
    }
    assert_eq!(redacted(&["/+/=/+/=/+/="], "a /+/=/+/=/+/= b"), format!("a {} b", mark(12)));
    let (first, second) = (KEY, AWS_SECRET);
    let text = redacted(&[first, second], &format!("{second}{first}{first}"));
    assert_eq!(text, [mark(second.len()), mark(first.len()), mark(first.len())].concat());
    let longer = format!("{KEY}-and-more");
    assert_eq!(redacted(&[KEY, &longer], &longer), mark(longer.len()));
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "",
        "sk-live-0123456789abcde",
        "sk-live-0123456789abcdeF",
        r"sk\/live-0123456789abcdef",
        r"sk-live\u002f0123456789abcdef",
        r"wJalrXUtnFEMI\\\\\/K7MDENG+bPxRfiCYEXAMPLEKEY",
        r"wJalrXUtnFEMI\u002eK7MDENG+bPxRfiCYEXAMPLEKEY",
        "K7MDENG K7MDENG bPxRfiCYEXAMPLEKEY",
    ] {
        assert_eq!(redacted(&[KEY, AWS_SECRET], text), text);
    }
}

#[test]
fn a_secret_that_is_split_between_chunks_is_overwritten() {
    let redactor = redactor(&[KEY, AWS_SECRET]);
    for form in forms(AWS_SECRET).into_iter().chain([KEY.to_owned()]) {
        let text =
            format!("event: a\ndata: {{\"key\":\"{form}\",\"n\":1}}\n\nevent: s\ndata: {form}\n\n");
        let whole = redactor.redact(Bytes::copy_from_slice(text.as_bytes()));
        assert_eq!(text.replace(&form, &mark(form.len())), whole);
        let bytes = text.as_bytes();
        for at in 0..bytes.len() {
            let (first, second) = bytes.split_at(at);
            assert_eq!(joined(&stream(&redactor, false, &[first, second])), whole, "{at}");
            let third = second.split_at(second.len() / 3);
            assert_eq!(
                joined(&stream(&redactor, false, &[first, third.0, third.1])),
                whole,
                "{at}"
            );
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        let pieces = stream(&redactor, false, &single);
        assert_eq!(joined(&pieces), whole);
        // At the end of a line nothing is held back.
        let mut sent = 0;
        for (at, pieces) in pieces[..bytes.len()].iter().enumerate() {
            sent += pieces.iter().map(Bytes::len).sum::<usize>();
            assert!(bytes[at] != b'\n' || sent == at + 1, "{at}");
            assert!(sent + form.len() > at, "{at}");
        }
    }
}

#[test]
fn only_the_beginning_of_a_secret_is_held_back() {
    let redactor = redactor(&[KEY]);
    for (text, held) in [
        ("data: {\"text\":\"no\"}\n\n", 0),
        ("data: {\"text\":\"s", 1),
        ("data: {\"text\":\"sk-liver", 0),
        ("data: {\"text\":\"sk-live", 7),
        ("data: {\"text\":\"sk-live-0123456789abcdef", 0),
        ("data: {\"text\":\"a\\", 1),
        ("data: {\"text\":\"\\u0073\\u00", 10),
    ] {
        let pieces = stream(&redactor, false, &[text.as_bytes()]);
        let sent: usize = pieces[0].iter().map(Bytes::len).sum();
        assert_eq!(text.len() - sent, held, "{text}");
    }
    // A body that ends within a secret does not show its beginning.
    let cut = stream(&redactor, false, &[b"Wrong key: sk-live-0123456789"]);
    assert_eq!(joined(&cut), format!("Wrong key: {}", mark(18)));
    assert_eq!(joined(&stream(&redactor, false, &[b"A task-live sk-"])), "A task-live sk-");
}

#[test]
fn bytes_without_a_secret_are_not_copied() {
    let redactor = redactor(&[KEY, AWS_SECRET]);
    let text = Bytes::from("data: {\"text\":\"sk-live-01234567\"}\n\n".repeat(500));
    assert_eq!(redactor.redact(text.clone()).as_ptr(), text.as_ptr());
    let mut message = Vec::new();
    frame::write(Framing::AwsEventStream, Some("messageStart"), "{\"sk-\":1}", &mut message);
    for (bytes, has_aws_messages) in [(text, false), (Bytes::from(message.repeat(9)), true)] {
        let mut body = BodyRedactor::new(Arc::clone(&redactor), has_aws_messages);
        let piece = body.push(bytes.clone()).unwrap();
        assert_eq!((piece.as_ptr(), piece.len()), (bytes.as_ptr(), bytes.len()));
        assert!(body.is_empty());
    }
}

#[test]
fn streams_in_random_chunks_are_redacted_as_in_one_piece() {
    let redactor = redactor(&["aabaabaabaab/", "abababababab", r"b/\/b/b/b/b/b/b"]);
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % below
    };
    for round in 0..3000 {
        let parts = ["a", "b", "/", r"\/", "ab", "aabaabaabaab/", "abababababab", r"\u0061", "\n"];
        let text: String = (0..random(40)).map(|_| parts[random(parts.len())]).collect();
        let mut rest = text.as_bytes();
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(1 + random(rest.len().min(9)));
            chunks.push(chunk);
            rest = after;
        }
        let clean = joined(&stream(&redactor, false, &chunks));
        assert_eq!(clean.len(), text.len());
        assert!(!redactor.contains_secret(clean.as_bytes()), "{round}: {text} {clean}");
    }
}

#[test]
fn messages_of_aws_streams_stay_whole() {
    let redactor = redactor(&[KEY, AWS_SECRET]);
    let data = |secret: &str| format!("{{\"delta\":{{\"text\":\"{secret}\"}}}}");
    let mut bytes = Vec::new();
    for secret in [KEY, "none", AWS_SECRET] {
        frame::write(Framing::AwsEventStream, Some("contentBlockDelta"), &data(secret), &mut bytes);
    }
    frame::write(Framing::AwsEventStream, Some(&format!("error:{KEY}")), "{}", &mut bytes);
    let expected: Vec<String> = [KEY, "none", AWS_SECRET]
        .iter()
        .map(|secret| data(&if *secret == "none" { "none".to_owned() } else { mark(secret.len()) }))
        .chain(["{}".to_owned()])
        .collect();
    for at in 0..bytes.len() {
        let (first, second) = bytes.split_at(at);
        let pieces = stream(&redactor, true, &[first, second]);
        let mut frames = FrameReader::new(Framing::AwsEventStream, 1 << 20);
        pieces.concat().iter().for_each(|piece| frames.push(piece));
        let mut received = Vec::new();
        while let Some(frame) = frames.next().unwrap() {
            received.push(frame.data.unwrap().to_string());
            assert!(!redactor.contains_secret(&frame.raw), "{at}");
        }
        assert_eq!(received, expected, "{at}");
        assert!(pieces.last().unwrap().is_empty(), "all leave with their messages");
    }
    // A damaged message does not become whole.
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let pieces = stream(&redactor, true, &[&bytes]);
    let mut frames = FrameReader::new(Framing::AwsEventStream, 1 << 20);
    pieces.concat().iter().for_each(|piece| frames.push(piece));
    assert!((0..4).any(|_| frames.next().is_err()));
}

#[test]
fn text_that_is_declared_as_an_aws_stream_is_redacted() {
    let redactor = redactor(&[KEY]);
    let text = format!("event: error\ndata: {KEY}\n\n");
    for at in 0..text.len() {
        let (first, second) = text.as_bytes().split_at(at);
        let clean = joined(&stream(&redactor, true, &[first, second]));
        assert_eq!(clean, text.replace(KEY, &mark(KEY.len())), "{at}");
    }
}

#[test]
fn an_error_follows_what_was_held_back() {
    let mut body = BodyRedactor::new(redactor(&[KEY]), false);
    assert_eq!(body.push(Bytes::from_static(b"sk-")), None);
    let error: ApiError = crate::error::to_api_error("lab", &crate::error::UpstreamError::Dns);
    body.finish(Err(error));
    assert_eq!(body.pop().as_deref(), Some(&b"sk-"[..]));
    assert!(body.take_end().unwrap().is_err());
}

#[test]
fn a_provider_has_its_keys_and_sensitive_headers_as_secrets() {
    let base = "https://lab.example/v1".parse().unwrap();
    let provider = Provider::new("lab", find_dialect("openai-chat").unwrap(), base);
    assert!(provider.redactor().is_none());
    let short = provider.clone().with_api_key(&SecretString::from("ollama"));
    assert!(short.redactor().is_none());
    let mut headers = HeaderMap::new();
    headers.insert("x-title", HeaderValue::from_static("An application of ours"));
    assert!(provider.clone().with_headers(&headers).redactor().is_none());
    let mut value = HeaderValue::from_static("Bearer header-secret-1234");
    value.set_sensitive(true);
    headers.insert("x-team", value);
    let mut provider = provider.with_headers(&headers).with_api_key(&SecretString::from(KEY));
    provider.aws_credentials = Some(Arc::new(AwsCredentials {
        access_key_id: "AKIAIOSFODNN7EXAMPLE".into(),
        secret_access_key: AWS_SECRET.into(),
        session_token: Some("a-session-token".into()),
        region: "eu-west-1".into(),
    }));
    let redactor = provider.redactor().unwrap();
    for secret in [KEY, AWS_SECRET, "header-secret-1234", "a-session-token"] {
        assert!(redactor.contains_secret(secret.as_bytes()), "{secret}");
    }
    for text in ["An application of ours", "AKIAIOSFODNN7EXAMPLE", "Bearer"] {
        assert!(!redactor.contains_secret(text.as_bytes()), "{text}");
    }
}
