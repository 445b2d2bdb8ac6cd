//! Answers that are no reply: violations, troubles, and what faults put in a reply's place.

use std::time::Duration;

use interlingua_strict::Violation;
use interlingua_strict::bedrock::exception;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::api::Api;
use crate::asked::Asked;
use crate::delivery::Step;
use crate::fault::{Fault, Kind};
use crate::hear::Heard;
use crate::route::Route;
use crate::seed::Seed;
use crate::speak::error::Trouble;
use crate::speak::head::{Form, headers};
use crate::turn::{Call, Turn};

/// A violation, with the provider's status, envelope and words.
pub(crate) fn violation(asked: &Asked<'_>, violation: &Violation) -> Answer {
    let Route { api, flavor, .. } = *asked.route;
    let mut body = (api.judge().envelope)(violation, flavor);
    let mut headers = headers(api, flavor, &asked.model, Form::Json, &asked.seed);
    match api {
        Api::Anthropic if flavor == "anthropic" => {
            body["request_id"] = asked.seed.id("req_01", 0, 22).into();
        }
        // An array of replies is asked for, and an array of errors comes.
        Api::Gemini if asked.streams_array() => body = json!([body]),
        Api::Bedrock => {
            let name = exception(violation).to_owned();
            headers.push(("x-amzn-errortype".to_owned(), name));
        }
        _ => {}
    }
    Answer::json(violation.status, &body).with(headers)
}

pub(crate) fn trouble(route: &Route, trouble: Trouble, seed: &Seed) -> Answer {
    let mut headers = headers(route.api, route.flavor, "", Form::Json, seed);
    if route.api == Api::Bedrock {
        headers.push(("x-amzn-errortype".to_owned(), trouble.name(route.api).to_owned()));
    }
    let body = trouble.body(route.api, route.flavor, seed);
    Answer::json(trouble.status(route.api), &body).with(headers)
}

/// One provider takes the tokens of a subscription only from those who ask for that.
pub(crate) fn unasked_token(asked: &Asked<'_>) -> Option<Answer> {
    let token = asked.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let subscribed = token.is_some_and(|token| token.starts_with("sk-ant-oat"));
    if asked.route.api != Api::Anthropic || !subscribed || asked.has_beta("oauth-") {
        return None;
    }
    let words = "OAuth authentication is currently not supported.";
    Some(violation(asked, &Violation { status: 401, ..refused("", words) }))
}

/// One provider checks what its model calls, and answers a call that is none with an error.
pub(crate) fn failed_generation(asked: &Asked<'_>, heard: &Heard, turn: &Turn) -> Option<Answer> {
    let unchecked = asked.body.get("disable_tool_validation") == Some(&Value::Bool(true));
    if asked.route.flavor != "groq" || unchecked {
        return None;
    }
    let declared = |call: &Call| heard.tools.iter().any(|tool| tool.name == call.name);
    let is_object = |text: &str| serde_json::from_str::<Map<String, Value>>(text).is_ok();
    let (call, words) = turn.calls().find_map(|call| {
        let name = &call.name;
        let words = if !declared(call) {
            format!(
                "tool call validation failed: attempted to call tool '{name}' which was not in request.tools"
            )
        } else if !is_object(&call.arguments) {
            "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."
                .to_owned()
        } else {
            return None;
        };
        Some((call, words))
    })?;
    let generated = json!({"name": call.name, "arguments": call.arguments}).to_string();
    let body = json!({"error": {
        "message": words,
        "type": "invalid_request_error",
        "code": "tool_use_failed",
        "failed_generation": generated,
    }});
    let headers = headers(asked.route.api, "groq", &asked.model, Form::Json, &asked.seed);
    Some(Answer::json(400, &body).with(headers))
}

fn refused(rule: &'static str, words: &str) -> Violation {
    Violation {
        rule,
        status: 400,
        path: String::new(),
        message: words.to_owned(),
        param: None,
        code: None,
    }
}

/// What comes in place of a reply, if a fault says so.
pub(crate) fn instead(asked: &Asked<'_>) -> Option<Answer> {
    asked.faults.iter().find_map(|fault| replaced(asked, fault))
}

fn replaced(asked: &Asked<'_>, fault: &Fault) -> Option<Answer> {
    let plain = |what: Trouble| trouble(asked.route, what, &asked.seed);
    Some(match fault.kind {
        Kind::Rule => {
            let judge = asked.route.api.judge();
            let name = fault.value.as_deref().unwrap_or_default();
            let Some(rule) = judge.rule(name) else {
                let error = format!("the judge of {} has no rule `{name}`", judge.dialect);
                return Some(Answer::json(400, &json!({"simulator": error})));
            };
            let broken = refused(rule.name, rule.words);
            violation(asked, &Violation { status: rule.status, ..broken })
        }
        Kind::Unauthorized => plain(Trouble::Unauthorized),
        Kind::RateLimit => {
            let mut answer = plain(Trouble::RateLimit);
            answer.headers.push(("retry-after".to_owned(), fault.number(1).to_string()));
            answer
        }
        Kind::ServerError => plain(Trouble::Internal),
        Kind::Overloaded => plain(Trouble::Overloaded),
        Kind::Html => html(u16::try_from(fault.number(502)).unwrap_or(502)),
        Kind::Reset => Answer { before: vec![Step::Reset], ..plain(Trouble::Internal) },
        Kind::Silent => {
            let wait = Step::Wait(Duration::from_secs(fault.number(3600)));
            Answer { before: vec![wait], ..plain(Trouble::Internal) }
        }
        _ => return None,
    })
}

/// The page of a machine that stands before the provider's.
fn html(status: u16) -> Answer {
    let page = format!(
        "<html>\r\n<head><title>{status} Bad Gateway</title></head>\r\n<body>\r\n\
         <center><h1>{status} Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n\
         </body>\r\n</html>\r\n"
    );
    let headers = vec![
        ("content-type".to_owned(), "text/html".to_owned()),
        ("content-length".to_owned(), page.len().to_string()),
    ];
    Answer { status, headers, before: Vec::new(), steps: vec![Step::Send(page.into())] }
}
