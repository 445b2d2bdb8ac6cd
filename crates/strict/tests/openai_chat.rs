//! Chat Completions: changed seals, and error bodies.

use interlingua_strict::openai_chat::{CallClaims, DetailClaims, JUDGE};
use interlingua_strict::seal::SealKey;
use interlingua_strict::{Request, Switches, Violation};
use serde_json::{Value, json};

const CLAUDE: &str = "anthropic/claude-sonnet-4.5";

/// A tool loop of two steps; the first has one thought, the second two.
fn conversation_with_reasoning(model: &str, binds_prefix: bool) -> Value {
    let mut body = json!({"model": model, "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Read a and b."},
        step("call_1", &["First a."]),
        {"role": "tool", "tool_call_id": "call_1", "content": "A"},
        step("call_2", &["Then b.", "Yes."]),
        {"role": "tool", "tool_call_id": "call_2", "content": "B"},
    ]});
    for (message, detail) in [(2, 0), (4, 0), (4, 1)] {
        let details = body["messages"][message]["reasoning_details"].as_array();
        let details = details.map_or(&[][..], Vec::as_slice);
        let claims = DetailClaims::new(model, details, detail, &body, message, binds_prefix);
        let seal = claims.seal(&SealKey::default());
        body["messages"][message]["reasoning_details"][detail]["signature"] = json!(seal);
    }
    body
}

fn step(id: &str, thoughts: &[&str]) -> Value {
    let details: Vec<_> = thoughts
        .iter()
        .map(
            |text| json!({"type": "reasoning.text", "text": text, "format": "anthropic-claude-v1"}),
        )
        .collect();
    json!({"role": "assistant", "content": null, "reasoning_details": details, "tool_calls": [
        {"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}}
    ]})
}

fn violations_of(body: &Value, flavor: &str, prefix_binding: bool) -> Vec<Violation> {
    let switches = Switches { prefix_binding: Some(prefix_binding), ..Switches::default() };
    let key = SealKey::default();
    let request = Request { seal_key: Some(&key), ..Request::new(body, flavor, &switches) };
    JUDGE.check(&request).violations
}

#[test]
fn unchanged_conversations_are_accepted() {
    for binds_prefix in [false, true] {
        assert_eq!(
            violations_of(
                &conversation_with_reasoning(CLAUDE, binds_prefix),
                "openrouter",
                binds_prefix
            ),
            []
        );
    }
}

#[test]
fn a_changed_byte_of_reasoning_or_its_seal_is_rejected() {
    let body = conversation_with_reasoning(CLAUDE, false);
    for field in ["text", "signature"] {
        let original =
            body["messages"][2]["reasoning_details"][0][field].as_str().unwrap().to_owned();
        for at in 0..original.trim_end_matches('=').len() {
            let other = if &original[at..=at] == "A" { "B" } else { "A" };
            let mut changed = original.clone();
            changed.replace_range(at..=at, other);
            let mut body = body.clone();
            body["messages"][2]["reasoning_details"][0][field] = json!(changed);
            let violations = violations_of(&body, "openrouter", false);
            assert_eq!(violations[0].rule, "openrouter-signature", "{field} {at}");
            assert_eq!(
                violations[0].message,
                "messages.1.content.0: Invalid `signature` in `thinking` block"
            );
        }
    }
}

#[test]
fn a_changed_prefix_is_rejected_where_it_is_bound() {
    for bound in [false, true] {
        let mut body = conversation_with_reasoning(CLAUDE, bound);
        body["messages"][1]["content"] = json!("Read a and c.");
        let violations = violations_of(&body, "openrouter", bound);
        assert_eq!(violations.is_empty(), !bound);
        if let Some(first) = violations.first() {
            assert!(first.message.contains("The block is bound to a different conversation."));
        }
    }
}

#[test]
fn cache_breakpoints_are_not_part_of_the_prefix() {
    let mut body = conversation_with_reasoning(CLAUDE, true);
    let with_breakpoint = json!([{"type": "text", "text": "Be brief.",
        "cache_control": {"type": "ephemeral"}}]);
    body["messages"][0]["content"] = with_breakpoint.clone();
    assert!(!violations_of(&body, "openrouter", true).is_empty(), "a string is not a list");
    let mut listed = body.clone();
    listed["messages"][0]["content"][0].as_object_mut().unwrap().shift_remove("cache_control");
    for (message, detail) in [(2, 0), (4, 0), (4, 1)] {
        let details = listed["messages"][message]["reasoning_details"].as_array().unwrap();
        let seal = DetailClaims::new(CLAUDE, details, detail, &listed, message, true)
            .seal(&SealKey::default());
        listed["messages"][message]["reasoning_details"][detail]["signature"] = json!(seal);
    }
    assert_eq!(violations_of(&listed, "openrouter", true), []);
    listed["messages"][0]["content"] = with_breakpoint;
    assert_eq!(violations_of(&listed, "openrouter", true), []);
}

#[test]
fn reasoning_of_a_closed_loop_may_be_omitted() {
    let mut body = conversation_with_reasoning(CLAUDE, false);
    body["messages"][2].as_object_mut().unwrap().shift_remove("reasoning_details");
    assert_eq!(violations_of(&body, "openrouter", false).len(), 2, "the loop is open");
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": "A and B."}));
    messages.push(json!({"role": "user", "content": "Thanks."}));
    assert_eq!(violations_of(&body, "openrouter", false), []);
}

#[test]
fn a_call_is_signed_for_itself() {
    let model = "gemini-3-pro-preview";
    let mut body = json!({"model": model, "messages": [
        {"role": "user", "content": "Read."},
        {"role": "assistant", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}},
            {"id": "b", "type": "function", "function": {"name": "list", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "a", "content": "A"},
        {"role": "tool", "tool_call_id": "b", "content": "B"},
    ]});
    let calls = body["messages"][1]["tool_calls"].as_array().unwrap();
    let seal = CallClaims::new(model, calls, 0).seal(&SealKey::default());
    body["messages"][1]["tool_calls"][0]["extra_content"] =
        json!({"google": {"thought_signature": seal}});
    assert_eq!(violations_of(&body, "gemini-compat", false), []);
    body["messages"][1]["tool_calls"].as_array_mut().unwrap().reverse();
    let rules: Vec<_> =
        violations_of(&body, "gemini-compat", false).iter().map(|v| v.rule).collect();
    assert_eq!(rules, ["gemini-compat-signature-missing", "gemini-compat-signature"]);
}

#[test]
fn each_flavor_has_its_envelope() {
    let violation = Violation {
        rule: "any",
        status: 400,
        path: "messages.0".into(),
        message: "No.".into(),
        param: Some("messages[0]".into()),
        code: Some("invalid_value".into()),
    };
    let kind = "invalid_request_error";
    let binds_prefix = json!({"error": {"message": "No.", "type": kind, "param": "messages[0]",
        "code": "invalid_value"}});
    let short = json!({"error": {"message": "No.", "type": kind}});
    let expected = [
        ("openai", binds_prefix.clone()),
        ("azure", binds_prefix.clone()),
        ("generic", binds_prefix),
        (
            "deepseek",
            json!({"error": {"message": "No.", "type": kind, "param": null, "code": kind}}),
        ),
        ("groq", short.clone()),
        ("moonshot", short),
        (
            "qwen",
            json!({"error": {"message": "No.", "type": kind, "param": null,
                "code": "invalid_parameter_error"}}),
        ),
        ("xai", json!({"code": "Client specified an invalid argument", "error": "No."})),
        ("glm", json!({"error": {"code": "1210", "message": "No."}})),
        (
            "cerebras",
            json!({"message": "No.", "type": kind, "param": "messages[0]", "code": "invalid_value"}),
        ),
        (
            "vllm",
            json!({"error": {"message": "No.", "type": "BadRequestError", "param": "messages[0]",
                "code": 400}}),
        ),
        ("ollama", json!({"error": {"message": "No.", "type": kind, "param": null, "code": null}})),
        ("llama.cpp", json!({"error": {"code": 400, "message": "No.", "type": kind}})),
        ("lm-studio", json!({"error": "No."})),
        (
            "gemini-compat",
            json!([{"error": {"code": 400, "message": "No.", "status": "INVALID_ARGUMENT"}}]),
        ),
        (
            "mistral",
            json!({"object": "error", "message": "No.", "type": kind, "param": null,
                "code": "invalid_value"}),
        ),
    ];
    for (flavor, expected) in expected {
        assert_eq!((JUDGE.envelope)(&violation, flavor), expected, "{flavor}");
    }
}

#[test]
fn a_router_wraps_the_upstream_error() {
    let mut body = conversation_with_reasoning(CLAUDE, false);
    body["messages"][2]["reasoning_details"][0]["text"] = json!("First b.");
    let first = violations_of(&body, "openrouter", false).remove(0);
    let envelope = (JUDGE.envelope)(&first, "openrouter");
    let error = &envelope["error"];
    assert_eq!(error["message"], "Provider returned error");
    assert_eq!(error["code"], 400);
    assert_eq!(error["metadata"]["provider_name"], "Anthropic");
    let raw: Value = serde_json::from_str(error["metadata"]["raw"].as_str().unwrap()).unwrap();
    assert_eq!(
        raw,
        json!({"type": "error", "error": {"type": "invalid_request_error",
            "message": "messages.1.content.0: Invalid `signature` in `thinking` block"}})
    );
}

#[test]
fn malformed_fields_are_listed_with_their_path() {
    let body = json!({"model": "mistral-large-latest", "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello.", "reasoning_content": "Hm."},
        {"role": "user", "content": "Hi"},
    ]});
    let first = violations_of(&body, "mistral", false).remove(0);
    assert_eq!(first.status, 422);
    let location = json!(["body", "messages", 1, "assistant", "reasoning_content"]);
    let detail = json!([{"type": "extra_forbidden", "loc": location,
        "msg": "Extra inputs are not permitted"}]);
    assert_eq!(
        (JUDGE.envelope)(&first, "mistral"),
        json!({"object": "error", "message": {"detail": detail}, "type": "invalid_request_error",
            "param": null, "code": null})
    );
}

#[test]
fn every_flavor_accepts_a_plain_request() {
    for flavor in JUDGE.flavors {
        let body = json!({"model": "m", "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": "Bye"},
        ], "stream": true, "max_tokens": 9});
        assert_eq!(violations_of(&body, flavor, false), [], "{flavor}");
    }
}

#[test]
fn many_violations_take_linear_time() {
    // Every message violates a rule that looks at the messages before it.
    let conversation = |count: usize| {
        let steps = (0..count).flat_map(|at| {
            let mut step = step(&format!("call_{at}"), &["changed"]);
            step["reasoning_details"][0]["signature"] = json!("c2ln");
            let result = json!({"role": "tool", "tool_call_id": "other", "content": "A"});
            [step, result.clone(), result]
        });
        let user = std::iter::once(json!({"role": "user", "content": "a"}));
        json!({"model": CLAUDE, "messages": user.chain(steps).collect::<Vec<_>>()})
    };
    for flavor in ["openrouter", "openai", "mistral", "glm"] {
        let measure = |body: &Value, violations: usize| {
            let start = std::time::Instant::now();
            assert!(violations_of(body, flavor, false).len() >= violations, "{flavor}");
            start.elapsed().as_secs_f64()
        };
        let (few_body, many_body) = (conversation(500), conversation(4_000));
        let (mut few, mut many) = (f64::MAX, f64::MAX);
        // Other processes make a run slower, never faster: the least times count. A quadratic
        // algorithm takes 64 times as long in every run.
        let is_linear = (0..8).any(|_| {
            few = few.min(measure(&few_body, 500));
            many = many.min(measure(&many_body, 4_000));
            many < 24.0 * few
        });
        assert!(is_linear, "{flavor}: {few} s, {many} s");
    }
}
