//! Calls and their results.

use serde_json::Value;

use super::flavor::{COPIES, INVENTOR, ROUTED_ANTHROPIC, ROUTED_GOOGLE, voice};
use super::profile::Profile;
use super::view::{Message, answers, bracketed, messages};
use super::words::{Refusal, Words, refuse, words};
use crate::rule::{Fields as _, Findings, string};
use crate::{Evidence, Request, Rule};

pub(super) const CALL_ID_LENGTH: Rule = Rule {
    name: "call-id-length",
    status: 400,
    when: "The id of a call, or of what answers it, is too long: 40 characters for older models, 64 for newer ones.",
    words: LENGTH.lines,
    evidence: Evidence::Seen,
    source: "vercel/ai#8132, autogen#6377, Portkey#1062, openclaw PR#875",
    check: call_id_length,
};
const LENGTH: Words = words! {
    &["openai", "azure", "generic"] => "Invalid '{at}': string too long. Expected a string with maximum length {limit}, but got a string with length {count} instead.",
};

pub(super) const CALL_ID_EMPTY: Rule = Rule {
    name: "call-id-empty",
    status: 400,
    when: "The id of a call, or of what answers it, is there and empty.",
    words: NAMELESS.lines,
    evidence: Evidence::Inferred,
    source: "the words are those of continue#11645; Gemini: every response has a name",
    check: call_id_empty,
};
const NAMELESS: Words = words! {
    NAMING => "Invalid '{at}': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    &["gemini-compat"] => "function_response.name: Name cannot be empty.",
};
/// Who pairs calls and results by their ids.
const NAMING: &[&str] = &[
    "openai",
    "azure",
    "openrouter",
    ROUTED_ANTHROPIC,
    ROUTED_GOOGLE,
    "generic",
    "deepseek",
    "qwen",
    "moonshot",
    "glm",
];

pub(super) const CALL_TYPE: Rule = Rule {
    name: "call-type",
    status: 400,
    when: "A call does not say its type.",
    words: TYPE.lines,
    evidence: Evidence::Documented,
    source: "llama.cpp source",
    check: call_type,
};
const TYPE: Words = words! { &["llama.cpp"] => "Missing tool call type: {call}" };

pub(super) const ARGUMENTS: Rule = Rule {
    name: "arguments",
    status: 400,
    when: "The arguments of a call are not JSON. vLLM reads nothing as no arguments.",
    words: JSON.lines,
    evidence: Evidence::Seen,
    source: "nanobot#2469 (DashScope); Ollama and vLLM source",
    check: arguments,
};
const JSON: Words = words! {
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: The \"function.arguments\" parameter of the code model must be in JSON format.",
    &["ollama", "generic"] => "invalid tool call arguments",
    &["glm"] => "Invalid API parameter, please check the documentation.",
    &["vllm"] => "Expecting value: line 1 column 1 (char 0)",
};

pub(super) const UNANSWERED_CALL: Rule = Rule {
    name: "unanswered-call",
    status: 400,
    when: "A call is not answered by the tool messages right after it.",
    words: UNANSWERED.lines,
    evidence: Evidence::Seen,
    source: "CLIProxyAPI#2798, litellm#10083; agno#3105 (DeepSeek); qwen-code#606 (DashScope); kimi-cli#2405 (Kimi)",
    check: unanswered_call,
};
const UNANSWERED: Words = words! {
    COPIES => "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    &["deepseek"] => "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: An assistant message with \"tool_calls\" must be followed by tool messages responding to each \"tool_call_id\". The following tool_call_ids did not have response messages: message[{next}].role",
    &["moonshot"] => "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    &[ROUTED_ANTHROPIC] => "messages.{sent}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    COUNTING => "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
};

pub(super) const ORPHAN_RESULT: Rule = Rule {
    name: "orphan-result",
    status: 400,
    when: "A tool message does not follow a message with calls.",
    words: ORPHAN.lines,
    evidence: Evidence::Seen,
    source: "morphic#136, smarter#264; OpenManus#23, Newelle#425 (DeepSeek); mcp-openai-gemini PR#5, qwen-code#2360 (DashScope)",
    check: orphan_result,
};
const ORPHAN: Words = words! {
    COPIES => "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    &["deepseek"] => "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: messages with role \"tool\" must be a response to a preceeding message with \"tool_calls\".",
    &["moonshot"] => "Invalid request: tool_call_id {id} is not found",
    &[ROUTED_GOOGLE, "gemini-compat"] => "Please ensure that function response turn comes immediately after a function call turn. And the number of function response parts should be equal to number of function call parts of the function call turn.",
};

pub(super) const UNKNOWN_CALL_ID: Rule = Rule {
    name: "unknown-call-id",
    status: 400,
    when: "A tool message answers a call that was not made right before it.",
    words: UNKNOWN.lines,
    evidence: Evidence::Quoted,
    source: "cline/dirac source; Kimi: several repositories",
    check: unknown_call_id,
};
const UNKNOWN: Words = words! {
    COPIES => "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
    &["moonshot"] => "Invalid request: tool_call_id {id} is not found",
};

pub(super) const GLM_MESSAGES: Rule = Rule {
    name: "glm-messages",
    status: 400,
    when: "There is no user message, or two calls have one id, or calls and results do not pair.",
    words: ILLEGAL.lines,
    evidence: Evidence::Seen,
    source: "Z.ai issues",
    check: glm_messages,
};
const ILLEGAL: Words = words! {
    &["glm"] => "The messages parameter is illegal. Please check the documentation.",
};

/// Who wants as many results as there are calls.
const COUNTING: &[&str] = &[ROUTED_GOOGLE, "gemini-compat"];

/// The calls of a message and their ids.
pub(super) fn ids<'v>(message: &Message<'v>) -> Vec<&'v str> {
    message.calls().iter().map(|call| string(call, "id")).collect()
}

/// The message with calls that a tool message may answer, if it stands in the run after one.
pub(super) fn caller<'m, 'v>(messages: &'m [Message<'v>], index: usize) -> Option<&'m Message<'v>> {
    let before = messages.get(..index)?.iter().rev().find(|message| !message.is("tool"))?;
    (before.is("assistant") && !before.calls().is_empty()).then_some(before)
}

fn call_id_length(request: &Request<'_>, findings: &mut Findings) {
    let Some(limit) = Profile::of(request).id_length else { return };
    let mut check = |path: String, id: &str| {
        let count = id.chars().count();
        if count > limit {
            let (at, limit, count) = (bracketed(&path), limit.to_string(), count.to_string());
            let refusal = Refusal {
                path,
                fills: &[("at", &at), ("limit", &limit), ("count", &count)],
                param: Some(&at),
                code: Some("string_above_max_length"),
            };
            LENGTH.refuse(request, findings, &refusal);
        }
    };
    for message in messages(request) {
        for (at, id) in ids(&message).iter().enumerate() {
            check(message.at(&format!("tool_calls.{at}.id")), id);
        }
        check(message.at("tool_call_id"), message.text("tool_call_id"));
    }
}

/// Whether calls are known by their ids: then none may be empty.
pub(super) fn reads_ids(request: &Request<'_>) -> bool {
    NAMELESS.of(request).is_some() && request.flavor != "gemini-compat"
}

fn call_id_empty(request: &Request<'_>, findings: &mut Findings) {
    let Some(words) = NAMELESS.of(request) else { return };
    let by_place = request.flavor == "gemini-compat";
    let empty = |value: &Value, field: &str| value.field(field).is_some_and(|id| id == "");
    for message in messages(request) {
        let calls = if by_place { &[][..] } else { message.calls() };
        let calls = calls.iter().enumerate().filter(|(_, call)| empty(call, "id"));
        let mut paths: Vec<_> =
            calls.map(|(at, _)| message.at(&format!("tool_calls.{at}.id"))).collect();
        if message.is("tool") && empty(message.value, "tool_call_id") {
            paths.push(message.at("tool_call_id"));
        }
        for path in paths {
            let at = bracketed(&path);
            let refusal = Refusal {
                path,
                fills: &[("at", &at)],
                param: Some(&at),
                code: Some("empty_string"),
            };
            refuse(words, request, findings, &refusal);
        }
    }
}

fn call_type(request: &Request<'_>, findings: &mut Findings) {
    for message in messages(request) {
        for (at, call) in message.calls().iter().enumerate() {
            if call.field("type").is_none() {
                let spelled = call.to_string();
                let refusal = Refusal {
                    path: message.at(&format!("tool_calls.{at}")),
                    fills: &[("call", &spelled)],
                    ..Refusal::default()
                };
                TYPE.refuse(request, findings, &refusal);
            }
        }
    }
}

fn arguments(request: &Request<'_>, findings: &mut Findings) {
    for message in messages(request) {
        for (at, call) in message.calls().iter().enumerate() {
            let spelled = call.field("function").and_then(|call| call.field("arguments"));
            let Some(spelled) = spelled.and_then(Value::as_str) else { continue };
            let nothing = spelled.is_empty() && request.flavor == "vllm";
            if !nothing && serde_json::from_str::<Value>(spelled).is_err() {
                let refusal = Refusal {
                    path: message.at(&format!("tool_calls.{at}.function.arguments")),
                    code: Some("1210").filter(|_| request.flavor == "glm"),
                    ..Refusal::default()
                };
                JSON.refuse(request, findings, &refusal);
            }
        }
    }
}

/// The calls that the run of results after them leaves open.
fn unanswered<'v>(messages: &[Message<'v>], message: &Message<'v>) -> Vec<&'v str> {
    let answers = answers(messages, message.index);
    let answered = |id: &&str| answers.iter().any(|answer| answer.text("tool_call_id") == *id);
    ids(message).into_iter().filter(|id| !answered(id)).collect()
}

fn unanswered_call(request: &Request<'_>, findings: &mut Findings) {
    let messages = messages(request);
    for message in messages.iter().filter(|message| message.is("assistant")) {
        let open = unanswered(&messages, message);
        // Who counts them takes one result for each call.
        let counted = COUNTING.contains(&voice(request))
            && answers(&messages, message.index).len() != message.calls().len();
        if open.is_empty() && !counted {
            continue;
        }
        let next = message.index + 1 + answers(&messages, message.index).len();
        let (next, sent) = (next.to_string(), sent(&messages, message.index).to_string());
        let param = format!("messages.[{next}].role");
        let ids = open.join(", ");
        let refusal = Refusal {
            path: message.at("tool_calls"),
            fills: &[("ids", &ids), ("next", &next), ("sent", &sent)],
            param: Some(&param).filter(|_| INVENTOR.contains(&request.flavor)).map(String::as_str),
            code: None,
        };
        UNANSWERED.refuse(request, findings, &refusal);
    }
}

/// The message's number where instructions stand apart and results share a message.
pub(super) fn sent(messages: &[Message<'_>], index: usize) -> usize {
    let before = messages.get(..index).unwrap_or_default();
    let spoken = before.iter().filter(|message| !message.is("system") && !message.is("developer"));
    let mut roles: Vec<_> = spoken.map(|message| message.is("assistant")).collect();
    roles.dedup();
    let same = roles.last() == messages.get(index).map(|message| message.is("assistant")).as_ref();
    roles.len() - usize::from(same)
}

fn orphan_result(request: &Request<'_>, findings: &mut Findings) {
    let messages = messages(request);
    for message in messages.iter().filter(|message| message.is("tool")) {
        if caller(&messages, message.index).is_none() {
            result(&ORPHAN, request, findings, message, "role");
        }
    }
}

fn unknown_call_id(request: &Request<'_>, findings: &mut Findings) {
    let messages = messages(request);
    for message in messages.iter().filter(|message| message.is("tool")) {
        let Some(caller) = caller(&messages, message.index) else { continue };
        if !ids(caller).contains(&message.text("tool_call_id")) {
            result(&UNKNOWN, request, findings, message, "tool_call_id");
        }
    }
}

fn result(
    words: &Words,
    request: &Request<'_>,
    findings: &mut Findings,
    message: &Message<'_>,
    field: &str,
) {
    let param = format!("messages.[{}].{field}", message.index);
    let refusal = Refusal {
        path: message.at(field),
        fills: &[("id", message.text("tool_call_id"))],
        param: Some(&param),
        code: None,
    };
    words.refuse(request, findings, &refusal);
}

fn glm_messages(request: &Request<'_>, findings: &mut Findings) {
    let Some(words) = ILLEGAL.of(request) else { return };
    let messages = messages(request);
    let mut found = |path: String| {
        let refusal = Refusal { path, code: Some("1214"), ..Refusal::default() };
        refuse(words, request, findings, &refusal);
    };
    if !messages.iter().any(|message| message.is("user")) {
        found("messages".into());
    }
    let mut seen = Vec::new();
    for message in &messages {
        for (at, id) in ids(message).into_iter().enumerate() {
            if seen.contains(&id) {
                found(message.at(&format!("tool_calls.{at}.id")));
            }
            seen.push(id);
        }
        if message.is("assistant") && !unanswered(&messages, message).is_empty() {
            found(message.at("tool_calls"));
        }
        let id = message.text("tool_call_id");
        let paired = || caller(&messages, message.index).is_some_and(|c| ids(c).contains(&id));
        if message.is("tool") && !paired() {
            found(message.at("tool_call_id"));
        }
    }
}
