//! Rules about tool calls and their results.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::rc::Rc;

use serde_json::Value;

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages, reject};
use super::flavor::{
    FIRST_PARTY, OPENAI_CONVERSATION_CHECKS, ROUTER_ANTHROPIC, ROUTER_GOOGLE, responder,
};
use super::profile::Profile;
use super::view::{Message, bracket_path, messages, tool_results_after};
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, str_field};
use crate::{Evidence, Request, Rule};

pub(super) const CALL_ID_LENGTH: Rule = Rule {
    name: "call-id-length",
    status: 400,
    condition: "The id of a call or result is too long: 40 characters for older models, 64 for newer ones.",
    error_message: CALL_ID_LENGTH_ERRORS.all,
    evidence: Evidence::Observed,
    source: "vercel/ai#8132, autogen#6377, Portkey#1062, openclaw PR#875",
    check: call_id_length,
};
const CALL_ID_LENGTH_ERRORS: ErrorMessages = error_messages! {
    &["openai", "azure", "generic"] => "Invalid '{at}': string too long. Expected a string with maximum length {limit}, but got a string with length {count} instead.",
};

pub(super) const CALL_ID_EMPTY: Rule = Rule {
    name: "call-id-empty",
    status: 400,
    condition: "The id of a call or result is set, but empty.",
    error_message: CALL_ID_EMPTY_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "worded as in continue#11645; Gemini: every response has a name",
    check: call_id_empty,
};
const CALL_ID_EMPTY_ERRORS: ErrorMessages = error_messages! {
    PAIRS_BY_ID => "Invalid '{at}': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    &["gemini-compat"] => "function_response.name: Name cannot be empty.",
};
/// Flavors that pair calls and results by id.
const PAIRS_BY_ID: &[&str] = &[
    "openai",
    "azure",
    "openrouter",
    ROUTER_ANTHROPIC,
    ROUTER_GOOGLE,
    "generic",
    "deepseek",
    "qwen",
    "moonshot",
    "glm",
];

pub(super) const CALL_TYPE: Rule = Rule {
    name: "call-type",
    status: 400,
    condition: "A call has no type.",
    error_message: CALL_TYPE_ERRORS.all,
    evidence: Evidence::Documented,
    source: "llama.cpp source",
    check: call_type,
};
const CALL_TYPE_ERRORS: ErrorMessages =
    error_messages! { &["llama.cpp"] => "Missing tool call type: {call}" };

pub(super) const ARGUMENTS: Rule = Rule {
    name: "arguments",
    status: 400,
    condition: "The arguments of a call are not JSON. vLLM accepts empty arguments.",
    error_message: ARGUMENTS_ERRORS.all,
    evidence: Evidence::Observed,
    source: "nanobot#2469 (DashScope); Ollama and vLLM source",
    check: arguments,
};
const ARGUMENTS_ERRORS: ErrorMessages = error_messages! {
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: The \"function.arguments\" parameter of the code model must be in JSON format.",
    &["ollama", "generic"] => "invalid tool call arguments",
    &["glm"] => "Invalid API parameter, please check the documentation.",
    &["vllm"] => "Expecting value: line 1 column 1 (char 0)",
};

pub(super) const UNANSWERED_CALL: Rule = Rule {
    name: "unanswered-call",
    status: 400,
    condition: "A call has no result in the tool messages directly after it.",
    error_message: UNANSWERED_CALL_ERRORS.all,
    evidence: Evidence::Observed,
    source: "CLIProxyAPI#2798, litellm#10083; agno#3105 (DeepSeek); qwen-code#606 (DashScope); kimi-cli#2405 (Kimi)",
    check: unanswered_call,
};
const UNANSWERED_CALL_ERRORS: ErrorMessages = error_messages! {
    OPENAI_CONVERSATION_CHECKS => "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    &["deepseek"] => "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: An assistant message with \"tool_calls\" must be followed by tool messages responding to each \"tool_call_id\". The following tool_call_ids did not have response messages: message[{next}].role",
    &["moonshot"] => "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    &[ROUTER_ANTHROPIC] => "messages.{sent}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    NEEDS_EQUAL_COUNTS => "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
};

pub(super) const ORPHAN_RESULT: Rule = Rule {
    name: "orphan-result",
    status: 400,
    condition: "A tool message does not follow a message with tool calls.",
    error_message: ORPHAN_RESULT_ERRORS.all,
    evidence: Evidence::Observed,
    source: "morphic#136, smarter#264; OpenManus#23, Newelle#425 (DeepSeek); mcp-openai-gemini PR#5, qwen-code#2360 (DashScope)",
    check: orphan_result,
};
const ORPHAN_RESULT_ERRORS: ErrorMessages = error_messages! {
    OPENAI_CONVERSATION_CHECKS => "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    &["deepseek"] => "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: messages with role \"tool\" must be a response to a preceeding message with \"tool_calls\".",
    &["moonshot"] => "Invalid request: tool_call_id {id} is not found",
    &[ROUTER_GOOGLE, "gemini-compat"] => "Please ensure that function response turn comes immediately after a function call turn. And the number of function response parts should be equal to number of function call parts of the function call turn.",
};

pub(super) const UNKNOWN_CALL_ID: Rule = Rule {
    name: "unknown-call-id",
    status: 400,
    condition: "A tool message belongs to no call of the message directly before.",
    error_message: UNKNOWN_CALL_ID_ERRORS.all,
    evidence: Evidence::Quoted,
    source: "cline/dirac source; Kimi: several repositories",
    check: unknown_call_id,
};
const UNKNOWN_CALL_ID_ERRORS: ErrorMessages = error_messages! {
    OPENAI_CONVERSATION_CHECKS => "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
    &["moonshot"] => "Invalid request: tool_call_id {id} is not found",
};

pub(super) const GLM_MESSAGES: Rule = Rule {
    name: "glm-messages",
    status: 400,
    condition: "There is no user message, or two calls have the same id, or calls and results do not pair.",
    error_message: GLM_MESSAGES_ERRORS.all,
    evidence: Evidence::Observed,
    source: "Z.ai issues",
    check: glm_messages,
};
const GLM_MESSAGES_ERRORS: ErrorMessages = error_messages! {
    &["glm"] => "The messages parameter is illegal. Please check the documentation.",
};

/// Flavors that require as many results as calls.
const NEEDS_EQUAL_COUNTS: &[&str] = &[ROUTER_GOOGLE, "gemini-compat"];

/// The ids of a message's calls.
pub(super) fn call_ids<'v>(message: &Message<'v>) -> Vec<&'v str> {
    message.tool_calls().iter().map(|call| str_field(call, "id")).collect()
}

/// The ids of the calls that each message may answer: those of the message before the run of tool
/// messages that it is in. `None` where that message has no calls.
pub(super) fn answerable_ids<'v>(
    messages: &[Message<'v>],
) -> impl Iterator<Item = (Message<'v>, Option<Rc<HashSet<&'v str>>>)> {
    let mut caller_ids = None;
    messages.iter().map(move |message| {
        let ids: Option<Rc<HashSet<&str>>> = caller_ids.clone();
        if !message.has_role("tool") {
            let has_calls = message.has_role("assistant") && !message.tool_calls().is_empty();
            caller_ids = has_calls.then(|| Rc::new(call_ids(message).into_iter().collect()));
        }
        (*message, ids)
    })
}

fn call_id_length(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(limit) = Profile::for_request(request).max_call_id_length else { return };
    let mut check = |path: String, id: &str| {
        let count = id.chars().count();
        if count > limit {
            let (at, limit, count) = (bracket_path(&path), limit.to_string(), count.to_string());
            let details = ViolationDetails {
                path,
                placeholders: &[("at", &at), ("limit", &limit), ("count", &count)],
                param: Some(&at),
                code: Some("string_above_max_length"),
            };
            CALL_ID_LENGTH_ERRORS.reject(request, cx, &details);
        }
    };
    for message in messages(request) {
        for (at, id) in call_ids(&message).iter().enumerate() {
            check(message.field_path(&format!("tool_calls.{at}.id")), id);
        }
        check(message.field_path("tool_call_id"), message.str_field("tool_call_id"));
    }
}

/// Whether calls are identified by id, so that none may be empty.
pub(super) fn pairs_by_id(request: &Request<'_>) -> bool {
    CALL_ID_EMPTY_ERRORS.for_request(request).is_some() && request.flavor != "gemini-compat"
}

fn call_id_empty(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(template) = CALL_ID_EMPTY_ERRORS.for_request(request) else { return };
    let pairs_by_position = request.flavor == "gemini-compat";
    let is_empty = |value: &Value, field: &str| value.field(field).is_some_and(|id| id == "");
    for message in messages(request) {
        let calls = if pairs_by_position { &[][..] } else { message.tool_calls() };
        let calls = calls.iter().enumerate().filter(|(_, call)| is_empty(call, "id"));
        let mut paths: Vec<_> =
            calls.map(|(at, _)| message.field_path(&format!("tool_calls.{at}.id"))).collect();
        if message.has_role("tool") && is_empty(message.value, "tool_call_id") {
            paths.push(message.field_path("tool_call_id"));
        }
        for path in paths {
            let at = bracket_path(&path);
            let details = ViolationDetails {
                path,
                placeholders: &[("at", &at)],
                param: Some(&at),
                code: Some("empty_string"),
            };
            reject(template, request, cx, &details);
        }
    }
}

fn call_type(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        for (at, call) in message.tool_calls().iter().enumerate() {
            if call.field("type").is_none() {
                let text = call.to_string();
                let details = ViolationDetails {
                    path: message.field_path(&format!("tool_calls.{at}")),
                    placeholders: &[("call", &text)],
                    ..ViolationDetails::default()
                };
                CALL_TYPE_ERRORS.reject(request, cx, &details);
            }
        }
    }
}

fn arguments(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        for (at, call) in message.tool_calls().iter().enumerate() {
            let text = call.field("function").and_then(|call| call.field("arguments"));
            let Some(text) = text.and_then(Value::as_str) else { continue };
            let is_accepted_empty = text.is_empty() && request.flavor == "vllm";
            if !is_accepted_empty && serde_json::from_str::<Value>(text).is_err() {
                let details = ViolationDetails {
                    path: message.field_path(&format!("tool_calls.{at}.function.arguments")),
                    code: Some("1210").filter(|_| request.flavor == "glm"),
                    ..ViolationDetails::default()
                };
                ARGUMENTS_ERRORS.reject(request, cx, &details);
            }
        }
    }
}

/// The ids of calls without a result in the tool messages directly after.
fn unanswered_ids<'v>(messages: &[Message<'v>], message: &Message<'v>) -> Vec<&'v str> {
    let results = tool_results_after(messages, message.index);
    let result_ids: HashSet<&str> =
        results.iter().map(|result| result.str_field("tool_call_id")).collect();
    call_ids(message).into_iter().filter(|id| !result_ids.contains(id)).collect()
}

fn unanswered_call(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    let merged_indexes = LazyCell::new(|| merged_indexes(&messages));
    for message in messages.iter().filter(|message| message.has_role("assistant")) {
        let unanswered = unanswered_ids(&messages, message);
        // These responders compare the number of results with that of calls.
        let counts_differ = NEEDS_EQUAL_COUNTS.contains(&responder(request))
            && tool_results_after(&messages, message.index).len() != message.tool_calls().len();
        if unanswered.is_empty() && !counts_differ {
            continue;
        }
        let next = message.index + 1 + tool_results_after(&messages, message.index).len();
        let (next, upstream_index) = (next.to_string(), merged_indexes[message.index].to_string());
        let param = format!("messages.[{next}].role");
        let ids = unanswered.join(", ");
        let details = ViolationDetails {
            path: message.field_path("tool_calls"),
            placeholders: &[("ids", &ids), ("next", &next), ("sent", &upstream_index)],
            param: Some(&param)
                .filter(|_| FIRST_PARTY.contains(&request.flavor))
                .map(String::as_str),
            code: None,
        };
        UNANSWERED_CALL_ERRORS.reject(request, cx, &details);
    }
}

/// The messages' indexes upstream, where system messages are separate and results are merged into
/// one message. All at once: a long conversation may have as many violations as messages.
pub(super) fn merged_indexes(messages: &[Message<'_>]) -> Vec<usize> {
    let (mut count, mut last_is_assistant) = (0, None);
    let index = |message: &Message<'_>| {
        let is_assistant = Some(message.has_role("assistant"));
        let index = count - usize::from(last_is_assistant == is_assistant);
        let is_separate = message.has_role("system") || message.has_role("developer");
        if !is_separate {
            count += usize::from(last_is_assistant != is_assistant);
            last_is_assistant = is_assistant;
        }
        index
    };
    messages.iter().map(index).collect()
}

fn orphan_result(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    for (message, ids) in answerable_ids(&messages) {
        if message.has_role("tool") && ids.is_none() {
            reject_result(&ORPHAN_RESULT_ERRORS, request, cx, &message, "role");
        }
    }
}

fn unknown_call_id(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    for (message, ids) in answerable_ids(&messages) {
        let is_unknown = ids.is_some_and(|ids| !ids.contains(message.str_field("tool_call_id")));
        if message.has_role("tool") && is_unknown {
            reject_result(&UNKNOWN_CALL_ID_ERRORS, request, cx, &message, "tool_call_id");
        }
    }
}

fn reject_result(
    errors: &ErrorMessages,
    request: &Request<'_>,
    cx: &mut CheckContext,
    message: &Message<'_>,
    field: &str,
) {
    let param = format!("messages.[{}].{field}", message.index);
    let details = ViolationDetails {
        path: message.field_path(field),
        placeholders: &[("id", message.str_field("tool_call_id"))],
        param: Some(&param),
        code: None,
    };
    errors.reject(request, cx, &details);
}

fn glm_messages(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(template) = GLM_MESSAGES_ERRORS.for_request(request) else { return };
    let messages = messages(request);
    let mut reject_path = |path: String| {
        let details = ViolationDetails { path, code: Some("1214"), ..ViolationDetails::default() };
        reject(template, request, cx, &details);
    };
    if !messages.iter().any(|message| message.has_role("user")) {
        reject_path("messages".into());
    }
    let mut seen = HashSet::new();
    for (message, answerable) in answerable_ids(&messages) {
        for (at, id) in call_ids(&message).into_iter().enumerate() {
            if !seen.insert(id) {
                reject_path(message.field_path(&format!("tool_calls.{at}.id")));
            }
        }
        if message.has_role("assistant") && !unanswered_ids(&messages, &message).is_empty() {
            reject_path(message.field_path("tool_calls"));
        }
        let id = message.str_field("tool_call_id");
        let has_call = answerable.is_some_and(|ids| ids.contains(id));
        if message.has_role("tool") && !has_call {
            reject_path(message.field_path("tool_call_id"));
        }
    }
}
