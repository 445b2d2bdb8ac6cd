//! Translation of bodies: unchanged text keeps its bytes, invalid bodies are rejected.

use bytes::Bytes;
use interlingua::{
    Dialect, JsonError, JsonKind, JsonString, ReplyContext, ReplyError, Target, TranslateError,
    decode_reply, encode_reply_as_stream, find_dialect, translate_error, translate_reply,
    translate_request,
};

fn dialect(name: &str) -> &'static dyn Dialect {
    find_dialect(name).unwrap_or_else(|| unreachable!("{name} is a dialect"))
}

const REQUEST: &str = " {\"max_tokens\" : 1E2,\r\n\"messages\":[ {\"role\":\"user\",\"content\":\"caf\\u00e9\\/\"}],\"model\":\"m\"}\n";
const REPLY: &str = "\n{\"id\":\"r\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\", \"content\":[{\"type\":\"text\",\"text\":\"caf\\u00e9\"}],\"stop_reason\":\"end_turn\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":2.0}} ";

#[test]
fn a_request_shares_the_inputs_memory() {
    let (body, anthropic) = (Bytes::from_static(REQUEST.as_bytes()), dialect("anthropic"));
    let sent = translate_request(body.clone(), anthropic, anthropic, &Target::default()).unwrap();
    assert_eq!(sent.body, body);
    assert_eq!(sent.body.as_ptr(), body.as_ptr(), "it was copied");
    assert!(sent.ledger.is_empty());
}

#[test]
fn another_model_changes_nothing_else() {
    let anthropic = dialect("anthropic");
    let target =
        Target { model: Some(JsonString::new("other")), flavor: None, ..Target::default() };
    let sent = translate_request(REQUEST.into(), anthropic, anthropic, &target).unwrap();
    let sent = String::from_utf8(sent.body.to_vec()).unwrap();
    assert!(sent.contains(r#""model":"other""#), "{sent}");
    for kept in ["1E2", r#"{"role":"user","content":"caf\u00e9\/"}"#] {
        assert!(sent.contains(kept), "{kept} is not in {sent}");
    }
}

#[test]
fn a_reply_keeps_its_bytes_in_its_dialect() {
    let (body, anthropic) = (Bytes::from_static(REPLY.as_bytes()), dialect("anthropic"));
    let (sent, ledger) =
        translate_reply(body.clone(), anthropic, anthropic, &ReplyContext::default()).unwrap();
    assert_eq!(sent.as_ptr(), body.as_ptr(), "it was copied");
    assert_eq!(sent, body);
    assert!(ledger.is_empty());
}

/// A relay that treats every request as a streamed one: 9router issue 3492.
#[test]
fn a_done_marker_after_a_reply_is_left_out() {
    let anthropic = dialect("anthropic");
    for mark in ["data: [DONE]", "\n\ndata:[DONE]\n\n"] {
        let body = Bytes::from(format!("{}{mark}", REPLY.trim_end()));
        let (sent, ledger) =
            translate_reply(body, anthropic, anthropic, &ReplyContext::default()).unwrap();
        assert_eq!(sent.trim_ascii_end(), REPLY.trim_end().as_bytes());
        assert_eq!(ledger.entries.len(), 1);
    }
    let cut = Bytes::from(format!("{}data: [DONE]", &REPLY[..50]));
    assert!(translate_reply(cut, anthropic, anthropic, &ReplyContext::default()).is_err());
}

#[test]
fn a_complete_reply_has_the_same_content_as_a_stream() {
    let body = r#"{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"image_generation_call","id":"i","status":"completed","result":"aW1hZ2U="},{"type":"message","id":"t","role":"assistant","content":[{"type":"output_text","text":"Here.","annotations":[]}]}]}"#;
    let cx = ReplyContext::default();
    for to in ["openai-chat", "gemini", "openai-responses", "native"] {
        let read = decode_reply(body.into(), dialect("openai-responses"), &cx, None).unwrap();
        let mut ledger = read.ledger;
        let sent = encode_reply_as_stream(&read.reply, dialect(to), &cx, &mut ledger);
        let sent = String::from_utf8(sent).unwrap();
        assert!(sent.contains("aW1hZ2U=") && sent.contains("Here."), "{to}: {sent}");
    }
}

#[test]
fn a_request_returns_the_context_of_its_reply() {
    let body = r#"{"model":"m","input":"hi","tools":[{"type":"custom","name":"patch"},{"type":"function","name":"f","parameters":{}}]}"#;
    let (from, to) = (dialect("openai-responses"), dialect("openai-chat"));
    let target = Target {
        model: Some(JsonString::new("other")),
        flavor: Some("deepseek"),
        ..Target::default()
    };
    let sent = translate_request(body.into(), from, to, &target).unwrap();
    assert_eq!(sent.reply_context.client_model, Some(JsonString::new("m")));
    assert_eq!(sent.reply_context.flavor, Some("deepseek"));
    assert_eq!(sent.reply_context.freeform_tools, [JsonString::new("patch")]);
}

#[test]
fn an_error_keeps_its_bytes_in_its_dialect() {
    let body = "<html>502 Bad Gateway</html>";
    let anthropic = dialect("anthropic");
    let (status, sent, error) = translate_error(502, body.into(), anthropic, anthropic);
    assert_eq!((status, &*sent), (502, body.as_bytes()));
    assert_eq!(error.status, 502);
    let (_, sent, _) = translate_error(502, body.into(), anthropic, dialect("gemini"));
    assert_ne!(&*sent, body.as_bytes());
}

#[test]
fn an_error_in_a_reply_is_an_api_error() {
    let body = r#"{"error":{"message":"out of memory","code":500}}"#;
    let (from, to) = (dialect("openai-chat"), dialect("anthropic"));
    let error = translate_reply(body.into(), from, to, &ReplyContext::default()).unwrap_err();
    let ReplyError::Api(failure) = error else { unreachable!("{error}") };
    assert_eq!(failure.message, "out of memory");
}

#[test]
fn a_body_that_is_no_object_is_rejected_with_its_offset() {
    for dialect in interlingua::DIALECTS {
        let translate = |body: &'static str| {
            translate_request(body.into(), *dialect, *dialect, &Target::default()).unwrap_err()
        };
        assert_eq!(
            translate("\n [1]"),
            TranslateError::NotAnObject { offset: 2, found: JsonKind::Array }
        );
        assert_eq!(
            translate("7"),
            TranslateError::NotAnObject { offset: 0, found: JsonKind::Number }
        );
        let error = translate("{\n\"a\": }");
        assert!(
            matches!(error, TranslateError::InvalidJson(JsonError { offset: 7, .. })),
            "{error:?}"
        );
        assert_eq!(error.line_and_column(b"{\n\"a\": }"), (2, 6));
    }
}
