//! Builds error responses: violations of the judge, provider errors and injected faults.

use std::time::Duration;

use interlingua_strict::Violation;
use interlingua_strict::bedrock::exception_name;
use interlingua_strict::openai_chat::provider_or_vendor;
use serde_json::{Map, Value, json};

use crate::fault::{Fault, FaultKind};
use crate::parse::ModelInput;
use crate::render::error::ProviderError;
use crate::render::headers::{BodyFormat, response_headers};
use crate::request::IncomingRequest;
use crate::response::{SimulatedResponse, TimedAction};
use crate::route::{Api, Route};
use crate::seed::IdSeed;
use crate::turn::{Call, Turn};

/// A violation with the provider's status, envelope and message.
pub(crate) fn violation_response(
    incoming_request: &IncomingRequest<'_>,
    violation: &Violation,
) -> SimulatedResponse {
    let Route { api, flavor, .. } = *incoming_request.route;
    let mut body = (api.judge().envelope)(violation, flavor);
    let mut headers = response_headers(
        api,
        flavor,
        &incoming_request.model,
        BodyFormat::Json,
        &incoming_request.id_seed,
    );
    match api {
        Api::Anthropic if flavor == "anthropic" => {
            body["request_id"] = incoming_request.id_seed.id("req_01", 0, 22).into();
        }
        // A stream requested as an array is answered with an array of errors.
        Api::Gemini if incoming_request.streams_array() => body = json!([body]),
        Api::Bedrock => {
            let name = exception_name(violation).to_owned();
            headers.push(("x-amzn-errortype".to_owned(), name));
        }
        _ => {}
    }
    SimulatedResponse::json(violation.status, &body).with_headers(headers)
}

pub(crate) fn provider_error_response(
    route: &Route,
    provider_error: ProviderError,
    seed: &IdSeed,
) -> SimulatedResponse {
    let mut headers = response_headers(route.api, route.flavor, "", BodyFormat::Json, seed);
    if route.api == Api::Bedrock {
        headers.push(("x-amzn-errortype".to_owned(), provider_error.code(route.api).to_owned()));
    }
    let body = provider_error.body(route.api, route.flavor, seed);
    SimulatedResponse::json(provider_error.status(route.api), &body).with_headers(headers)
}

/// Anthropic rejects OAuth tokens of a subscription without the `oauth-` beta header.
pub(crate) fn oauth_without_beta(
    incoming_request: &IncomingRequest<'_>,
) -> Option<SimulatedResponse> {
    let token =
        incoming_request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let is_oauth_token = token.is_some_and(|token| token.starts_with("sk-ant-oat"));
    if incoming_request.route.api != Api::Anthropic
        || !is_oauth_token
        || incoming_request.has_beta("oauth-")
    {
        return None;
    }
    let message = "OAuth authentication is currently not supported.";
    Some(violation_response(
        incoming_request,
        &Violation { status: 401, ..plain_violation("", message) },
    ))
}

/// Some providers validate the calls of their model: an invalid call becomes a `tool_use_failed`.
pub(crate) fn failed_generation(
    incoming_request: &IncomingRequest<'_>,
    model_input: &ModelInput,
    turn: &Turn,
) -> Option<SimulatedResponse> {
    let flavor = incoming_request.route.flavor;
    let skips_validation =
        incoming_request.body.get("disable_tool_validation") == Some(&Value::Bool(true));
    if !provider_or_vendor(flavor).replies.validates_calls || skips_validation {
        return None;
    }
    let is_declared = |call: &Call| model_input.tools.iter().any(|tool| tool.name == call.name);
    let is_object = |text: &str| serde_json::from_str::<Map<String, Value>>(text).is_ok();
    let (call, message) = turn.calls().find_map(|call| {
        let name = &call.name;
        let message = if !is_declared(call) {
            format!(
                "tool call validation failed: attempted to call tool '{name}' which was not in request.tools"
            )
        } else if !is_object(&call.arguments) {
            "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."
                .to_owned()
        } else {
            return None;
        };
        Some((call, message))
    })?;
    let generated = json!({"name": call.name, "arguments": call.arguments}).to_string();
    let body = json!({"error": {
        "message": message,
        "type": "invalid_request_error",
        "code": "tool_use_failed",
        "failed_generation": generated,
    }});
    let headers = response_headers(
        incoming_request.route.api,
        flavor,
        &incoming_request.model,
        BodyFormat::Json,
        &incoming_request.id_seed,
    );
    Some(SimulatedResponse::json(400, &body).with_headers(headers))
}

fn plain_violation(rule: &'static str, message: &str) -> Violation {
    Violation {
        rule,
        status: 400,
        path: String::new(),
        message: message.to_owned(),
        param: None,
        code: None,
    }
}

/// The response that the first fault with one puts in place of a reply.
pub(crate) fn fault_response(incoming_request: &IncomingRequest<'_>) -> Option<SimulatedResponse> {
    incoming_request.faults.iter().find_map(|fault| response_for_fault(incoming_request, fault))
}

fn response_for_fault(
    incoming_request: &IncomingRequest<'_>,
    fault: &Fault,
) -> Option<SimulatedResponse> {
    let plain = |error: ProviderError| {
        provider_error_response(incoming_request.route, error, &incoming_request.id_seed)
    };
    Some(match fault.kind {
        FaultKind::Rule => {
            let judge = incoming_request.route.api.judge();
            let name = fault.value.as_deref().unwrap_or_default();
            let Some(rule) = judge.rule(name) else {
                let error = format!("the judge of {} has no rule `{name}`", judge.dialect);
                return Some(SimulatedResponse::json(400, &json!({"simulator": error})));
            };
            let violation = plain_violation(rule.name, rule.error_message);
            violation_response(incoming_request, &Violation { status: rule.status, ..violation })
        }
        FaultKind::Unauthorized => plain(ProviderError::Unauthorized),
        FaultKind::RateLimit => {
            let mut response = plain(ProviderError::RateLimit);
            response.headers.push(("retry-after".to_owned(), fault.value_or(1).to_string()));
            response
        }
        FaultKind::ServerError => plain(ProviderError::Internal),
        FaultKind::Overloaded => plain(ProviderError::Overloaded),
        FaultKind::Html => html_error_page(u16::try_from(fault.value_or(502)).unwrap_or(502)),
        FaultKind::Reset => SimulatedResponse {
            before_headers: vec![TimedAction::Reset],
            ..plain(ProviderError::Internal)
        },
        FaultKind::Silent => {
            let wait = TimedAction::Wait(Duration::from_secs(fault.value_or(3600)));
            SimulatedResponse { before_headers: vec![wait], ..plain(ProviderError::Internal) }
        }
        _ => return None,
    })
}

/// The error page of a proxy in front of the provider.
fn html_error_page(status: u16) -> SimulatedResponse {
    let page = format!(
        "<html>\r\n<head><title>{status} Bad Gateway</title></head>\r\n<body>\r\n\
         <center><h1>{status} Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n\
         </body>\r\n</html>\r\n"
    );
    let headers = vec![
        ("content-type".to_owned(), "text/html".to_owned()),
        ("content-length".to_owned(), page.len().to_string()),
    ];
    SimulatedResponse {
        status,
        headers,
        before_headers: Vec::new(),
        body_actions: vec![TimedAction::Send(page.into())],
    }
}
