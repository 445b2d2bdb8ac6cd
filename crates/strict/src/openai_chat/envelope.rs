//! Error bodies, as each server writes them.

use serde_json::{Value, json};

use super::flavor::{self, Envelope};
use crate::Violation;

pub(super) fn envelope(violation: &Violation, flavor: &str) -> Value {
    let Violation { message, param, code, status, .. } = violation;
    match flavor::envelope(flavor) {
        Envelope::Object => json!({"error": body(message, param.as_deref(), code.as_deref())}),
        Envelope::Coded(code) => json!({"error": body(message, None, code)}),
        Envelope::Short => json!({"error": {"message": message, "type": KIND}}),
        Envelope::Flat => body(message, param.as_deref(), code.as_deref()),
        Envelope::Marked => marked(violation),
        Envelope::Numbered => json!({"error": {"message": message, "type": "BadRequestError",
            "param": param, "code": status}}),
        Envelope::Counted => {
            json!({"error": {"code": status, "message": message, "type": KIND}})
        }
        Envelope::Bare => {
            // Its codes are numbers; this one is for parameters.
            let code = code.as_deref().filter(|code| code.parse::<u32>().is_ok()).unwrap_or("1210");
            json!({"error": {"code": code, "message": message}})
        }
        Envelope::Argument => {
            json!({"code": "Client specified an invalid argument", "error": message})
        }
        Envelope::Text => json!({"error": message}),
        Envelope::List => {
            json!([{"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}}])
        }
        Envelope::Routed => routed(violation),
    }
}

fn body(message: &str, param: Option<&str>, code: Option<&str>) -> Value {
    json!({"message": message, "type": KIND, "param": param, "code": code})
}

/// Malformed fields are listed with their place; other refusals have a number that tells their kind.
fn marked(violation: &Violation) -> Value {
    let Violation { message, param, code, status, .. } = violation;
    if *status == 422 {
        let place = param.as_deref().unwrap_or(&violation.path);
        let place = place.split('.').map(|segment| match segment.parse::<u64>() {
            Ok(index) => json!(index),
            Err(_) => json!(segment),
        });
        let place: Vec<_> = [json!("body")].into_iter().chain(place).collect();
        let detail = json!([{"type": code, "loc": place, "msg": message}]);
        return json!({"object": "error", "message": {"detail": detail}, "type": KIND, "param": null,
            "code": null});
    }
    let kind = match code.as_deref() {
        Some("3230") => "invalid_request_message_order",
        Some("3280") => "invalid_function_call",
        _ => KIND,
    };
    json!({"object": "error", "message": message, "type": kind, "param": null, "code": code})
}

/// A router passes on what a provider answered, as text; what it refuses itself it says itself.
fn routed(violation: &Violation) -> Value {
    let Violation { message, code, status, .. } = violation;
    let Some(provider) = code else {
        return json!({"error": {"message": message, "code": status}});
    };
    let raw = match provider.as_str() {
        _ if message.starts_with(ROUTERS_OWN) => message.clone(),
        "Anthropic" => {
            json!({"type": "error", "error": {"type": KIND, "message": message}}).to_string()
        }
        "Google AI Studio" => {
            json!({"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}})
                .to_string()
        }
        _ => json!({"error": body(message, violation.param.as_deref(), None)}).to_string(),
    };
    let metadata = json!({"raw": raw, "provider_name": provider, "is_byok": false});
    json!({"error": {"message": "Provider returned error", "code": status, "metadata": metadata}})
}

const KIND: &str = "invalid_request_error";
/// What the router puts before an upstream's words.
const ROUTERS_OWN: &str = "Gemini models require OpenRouter reasoning details";
