//! Error bodies of Google and AWS, and signatures that are shared between dialects.

use interlingua_strict::anthropic::mint::SealContext;
use interlingua_strict::seal::SealKey;
use interlingua_strict::{Request, Switches, Violation, anthropic, bedrock, gemini};
use serde_json::{Value, json};

#[test]
fn parse_errors_have_details() {
    let body = json!({"contents": [{"parts": [{"text": "hi", "nope": 1}]}]});
    let envelope = error_body_of(&body);
    let message = "Invalid JSON payload received. Unknown name \"nope\" at 'contents[0].parts[0]': Cannot find field.";
    let expected = json!({"error": {
        "code": 400,
        "message": message,
        "status": "INVALID_ARGUMENT",
        "details": [{
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{"field": "contents[0].parts[0]", "description": message}],
        }],
    }});
    assert_eq!(envelope, expected);
    let root = error_body_of(&json!({"nope": 1}));
    assert_eq!(root["error"]["details"][0]["fieldViolations"][0].get("field"), None);
    assert_eq!(error_body_of(&json!({"contents": []}))["error"].get("details"), None);
}

fn error_body_of(body: &Value) -> Value {
    let switches = Switches::default();
    let verdict = gemini::JUDGE.check(&Request::new(body, "ai-studio", &switches));
    (gemini::JUDGE.envelope)(&verdict.violations[0], "ai-studio")
}

#[test]
fn aws_names_its_errors() {
    let violation = |status, code: Option<&str>| Violation {
        rule: "",
        status,
        path: String::new(),
        message: "words".into(),
        param: None,
        code: code.map(str::to_owned),
    };
    assert_eq!(bedrock::exception_name(&violation(400, None)), "ValidationException");
    assert_eq!(bedrock::exception_name(&violation(429, None)), "ThrottlingException");
    let not_json = violation(400, Some("SerializationException"));
    assert_eq!(bedrock::exception_name(&not_json), "SerializationException");
    assert_eq!((bedrock::JUDGE.envelope)(&not_json, "bedrock"), json!({"message": "words"}));
}

#[test]
fn a_model_signs_its_first_call_or_its_last_part() {
    let call = json!({"functionCall": {"name": "f"}});
    let parts = [json!({"text": "a"}), call.clone(), call, json!({"text": "b"})];
    assert_eq!(gemini::mint::signed_part_index("gemini-3-pro", &parts), Some(1));
    assert_eq!(gemini::mint::signed_part_index("gemini-3-pro", &parts[..1]), Some(0));
    assert_eq!(gemini::mint::signed_part_index("gemini-2.5-pro", &parts), Some(0));
    assert_eq!(gemini::mint::signed_part_index("gemini-3-pro", &[]), None);
}

/// A signature made on one API is accepted on the other, also by a model that binds the prefix.
#[test]
fn claude_signatures_are_valid_on_both_apis() {
    let (key, switches) = (SealKey::default(), Switches::default());
    let model = "claude-opus-5-5";
    let turns = json!([{"role": "user", "content": [{"type": "text", "text": "hi"}]}]);
    let messages =
        json!({"model": model, "max_tokens": 64, "system": "Be brief.", "messages": turns});
    let converse = json!({
        "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "hi"}]}],
    });
    let messages_request = Request::new(&messages, "anthropic", &switches);
    let converse_request = Request {
        model: "global.anthropic.claude-opus-5-5-v1:0",
        ..Request::new(&converse, "bedrock", &switches)
    };

    let native = SealContext::for_reply(&messages_request).sign_thinking(&key, "Hm.");
    let converted =
        bedrock::mint::seal_context(&converse_request).unwrap().sign_thinking(&key, "Hm.");
    assert_eq!(native, converted);

    let judge_signature = |signature: &str| {
        let mut body = messages.clone();
        let list = body["messages"].as_array_mut().unwrap();
        let thinking = json!({"type": "thinking", "thinking": "Hm.", "signature": signature});
        list.push(
            json!({"role": "assistant", "content": [thinking, {"type": "text", "text": "x"}]}),
        );
        list.push(json!({"role": "user", "content": "go"}));
        let request =
            Request { seal_key: Some(&key), ..Request::new(&body, "anthropic", &switches) };
        anthropic::JUDGE.check(&request)
    };
    assert!(judge_signature(&converted).is_accepted());
    assert!(!judge_signature("c29tZXRoaW5n").is_accepted());
}
