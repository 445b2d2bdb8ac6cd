//! Error bodies in each server's format.

use serde_json::{Value, json};

use super::provider::{ErrorFormat, provider_or_vendor};
use crate::Violation;

pub(super) fn envelope(violation: &Violation, flavor: &str) -> Value {
    let Violation { message, param, code, status, .. } = violation;
    let provider = provider_or_vendor(flavor);
    match provider.error_format {
        ErrorFormat::Nested => {
            json!({"error": error_object(message, param.as_deref(), code.as_deref())})
        }
        ErrorFormat::NestedFixedCode => {
            json!({"error": error_object(message, None, provider.error_code.as_deref())})
        }
        ErrorFormat::MessageAndType => json!({"error": {"message": message, "type": ERROR_TYPE}}),
        ErrorFormat::Flat => error_object(message, param.as_deref(), code.as_deref()),
        ErrorFormat::ObjectTagged => object_tagged_error(violation),
        ErrorFormat::StatusAsCode => {
            json!({"error": {"message": message, "type": "BadRequestError",
            "param": param, "code": status}})
        }
        ErrorFormat::CodeMessageType => {
            json!({"error": {"code": status, "message": message, "type": ERROR_TYPE}})
        }
        ErrorFormat::CodeAndMessage => {
            // GLM's codes are numbers; this one means an invalid parameter.
            let code = code.as_deref().filter(|code| code.parse::<u32>().is_ok()).unwrap_or("1210");
            json!({"error": {"code": code, "message": message}})
        }
        ErrorFormat::CodeAndErrorString => {
            json!({"code": "Client specified an invalid argument", "error": message})
        }
        ErrorFormat::ErrorString => json!({"error": message}),
        ErrorFormat::Array => {
            json!([{"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}}])
        }
        ErrorFormat::WrappedUpstream => wrapped_error(violation),
    }
}

fn error_object(message: &str, param: Option<&str>, code: Option<&str>) -> Value {
    json!({"message": message, "type": ERROR_TYPE, "param": param, "code": code})
}

/// Mistral's errors: malformed fields with their path, other errors with a code and type.
fn object_tagged_error(violation: &Violation) -> Value {
    let Violation { message, param, code, status, .. } = violation;
    if *status == 422 {
        let location = param.as_deref().unwrap_or(&violation.path);
        let location = location.split('.').map(|segment| match segment.parse::<u64>() {
            Ok(index) => json!(index),
            Err(_) => json!(segment),
        });
        let location: Vec<_> = [json!("body")].into_iter().chain(location).collect();
        let detail = json!([{"type": code, "loc": location, "msg": message}]);
        return json!({"object": "error", "message": {"detail": detail}, "type": ERROR_TYPE, "param": null,
            "code": null});
    }
    let kind = match code.as_deref() {
        Some("3230") => "invalid_request_message_order",
        Some("3280") => "invalid_function_call",
        _ => ERROR_TYPE,
    };
    json!({"object": "error", "message": message, "type": kind, "param": null, "code": code})
}

/// A router wraps the upstream provider's error as text; its own errors have no metadata.
fn wrapped_error(violation: &Violation) -> Value {
    let Violation { message, code, status, .. } = violation;
    let Some(provider) = code else {
        return json!({"error": {"message": message, "code": status}});
    };
    let raw = match provider.as_str() {
        _ if message.starts_with(ROUTER_ERROR_PREFIX) => message.clone(),
        "Anthropic" => {
            json!({"type": "error", "error": {"type": ERROR_TYPE, "message": message}}).to_string()
        }
        "Google AI Studio" => {
            json!({"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}})
                .to_string()
        }
        _ => json!({"error": error_object(message, violation.param.as_deref(), None)}).to_string(),
    };
    let metadata = json!({"raw": raw, "provider_name": provider, "is_byok": false});
    json!({"error": {"message": "Provider returned error", "code": status, "metadata": metadata}})
}

const ERROR_TYPE: &str = "invalid_request_error";
/// Prefix of the router's own errors about an upstream provider.
const ROUTER_ERROR_PREFIX: &str = "Gemini models require OpenRouter reasoning details";
