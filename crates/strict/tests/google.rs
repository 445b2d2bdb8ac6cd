//! Envelopes of Google and AWS, and signatures that are made and verified on both sides.

use interlingua_strict::anthropic::mint::Trail;
use interlingua_strict::seal::Key;
use interlingua_strict::{Request, Switches, Violation, anthropic, bedrock, gemini};
use serde_json::{Value, json};

#[test]
fn the_parsers_faults_have_details() {
    let body = json!({"contents": [{"parts": [{"text": "hi", "nope": 1}]}]});
    let envelope = refused(&body);
    let words = "Invalid JSON payload received. Unknown name \"nope\" at 'contents[0].parts[0]': Cannot find field.";
    let expected = json!({"error": {
        "code": 400,
        "message": words,
        "status": "INVALID_ARGUMENT",
        "details": [{
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{"field": "contents[0].parts[0]", "description": words}],
        }],
    }});
    assert_eq!(envelope, expected);
    let root = refused(&json!({"nope": 1}));
    assert_eq!(root["error"]["details"][0]["fieldViolations"][0].get("field"), None);
    assert_eq!(refused(&json!({"contents": []}))["error"].get("details"), None);
}

fn refused(body: &Value) -> Value {
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
    assert_eq!(bedrock::exception(&violation(400, None)), "ValidationException");
    assert_eq!(bedrock::exception(&violation(429, None)), "ThrottlingException");
    let unread = violation(400, Some("SerializationException"));
    assert_eq!(bedrock::exception(&unread), "SerializationException");
    assert_eq!((bedrock::JUDGE.envelope)(&unread, "bedrock"), json!({"message": "words"}));
}

#[test]
fn a_model_signs_its_first_call_or_its_last_part() {
    let call = json!({"functionCall": {"name": "f"}});
    let parts = [json!({"text": "a"}), call.clone(), call, json!({"text": "b"})];
    assert_eq!(gemini::mint::signed_part("gemini-3-pro", &parts), Some(1));
    assert_eq!(gemini::mint::signed_part("gemini-3-pro", &parts[..1]), Some(0));
    assert_eq!(gemini::mint::signed_part("gemini-2.5-pro", &parts), Some(0));
    assert_eq!(gemini::mint::signed_part("gemini-3-pro", &[]), None);
}

/// What is thought on one surface is accepted on the other, also by a model that binds the prefix.
#[test]
fn signatures_of_claude_go_both_ways() {
    let (key, switches) = (Key::default(), Switches::default());
    let model = "claude-opus-5-5";
    let said = json!([{"role": "user", "content": [{"type": "text", "text": "hi"}]}]);
    let messages =
        json!({"model": model, "max_tokens": 64, "system": "Be brief.", "messages": said});
    let converse = json!({
        "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "hi"}]}],
    });
    let here = Request::new(&messages, "anthropic", &switches);
    let there = Request {
        model: "global.anthropic.claude-opus-5-5-v1:0",
        ..Request::new(&converse, "bedrock", &switches)
    };

    let native = Trail::of(&here).think(&key, "Hm.");
    let converted = bedrock::mint::trail(&there).unwrap().think(&key, "Hm.");
    assert_eq!(native, converted);

    let judged = |signature: &str| {
        let mut body = messages.clone();
        let list = body["messages"].as_array_mut().unwrap();
        let thinking = json!({"type": "thinking", "thinking": "Hm.", "signature": signature});
        list.push(
            json!({"role": "assistant", "content": [thinking, {"type": "text", "text": "x"}]}),
        );
        list.push(json!({"role": "user", "content": "go"}));
        let request = Request { key: Some(&key), ..Request::new(&body, "anthropic", &switches) };
        anthropic::JUDGE.check(&request)
    };
    assert!(judged(&converted).is_accepted());
    assert!(!judged("c29tZXRoaW5n").is_accepted());
}
