//! Rules about roles and their order.

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages};
use super::flavor::{FIRST_PARTY, ROUTER_ANTHROPIC, ROUTER_GOOGLE};
use super::view::{Message, bracket_path, message_column, messages};
use crate::check_context::CheckContext;
use crate::json::JsonExt as _;
use crate::{Evidence, Request, Rule};

pub(super) const UNKNOWN_ROLE: Rule = Rule {
    name: "unknown-role",
    status: 400,
    condition: "A message has a role that the server does not support; many do not support `developer`.",
    error_message: UNKNOWN_ROLE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "pi#1048, ccx#149 (DeepSeek); Proma#1496 (DashScope); obsidian-textgenerator-plugin#309 (Groq); openclaw#21911 (Kimi); EnsoCode#84 (GLM); lmstudio-bug-tracker#669; chat templates; inferred for xAI, Cerebras and Gemini",
    check: unknown_role,
};
const UNKNOWN_ROLE_ERRORS: ErrorMessages = error_messages! {
    &["openai", "azure", "openrouter", ROUTER_ANTHROPIC, ROUTER_GOOGLE] => "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    &["deepseek"] => "Failed to deserialize the JSON body into the target type: messages[{index}].role: unknown variant `{role}`, expected one of `system`, `user`, `assistant`, `tool`, `latest_reminder` at line 1 column {column}",
    &["qwen"] => "{role} is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.[{index}].role'",
    &["groq"] => "'messages.{index}' : discriminator property 'role' has invalid value",
    &["vllm", "generic"] => "Unexpected message role.",
    &["moonshot"] => "unsupported role ROLE_UNSPECIFIED",
    &["glm"] => "角色信息不正确",
    &["lm-studio"] => "'messages' array must only contain objects with a 'role' field that is in [user, assistant, system, tool]. Got '{role}'",
    &["cerebras"] => "messages.{index}.{role}: property 'messages.{index}.role' is unsupported",
    &["xai"] => "Invalid role: {role}",
    &["gemini-compat"] => "Please use a valid role: user, model.",
};

pub(super) const MISTRAL_ROLE: Rule = Rule {
    name: "mistral-role",
    status: 422,
    condition: "A message has a role that Mistral does not support, such as `developer`.",
    error_message: MISTRAL_ROLE_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "mistralai 3.7.0",
    check: mistral_role,
};
const MISTRAL_ROLE_ERRORS: ErrorMessages = error_messages! {
    &["mistral"] => "Input tag '{role}' found using 'role' does not match any of the expected tags: 'system', 'user', 'assistant', 'tool'",
};

pub(super) const ALTERNATION: Rule = Rule {
    name: "alternation",
    status: 400,
    condition: "Two consecutive messages are the user's or the assistant's, or the assistant's message is first, and the model's chat template requires alternating roles (switch `alternation`; by default, it does not).",
    error_message: ALTERNATION_ERRORS.all,
    evidence: Evidence::Observed,
    source: "chat templates on vLLM",
    check: alternation,
};
const ALTERNATION_ERRORS: ErrorMessages = error_messages! {
    &["vllm", "llama.cpp", "generic"] => "Conversation roles must alternate user/assistant/user/assistant/...",
    &["after system"] => "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
};

pub(super) const TRAILING_ASSISTANTS: Rule = Rule {
    name: "trailing-assistants",
    status: 400,
    condition: "The conversation ends with two or more assistant messages.",
    error_message: TRAILING_ASSISTANTS_ERRORS.all,
    evidence: Evidence::Documented,
    source: "llama.cpp source",
    check: trailing_assistants,
};
const TRAILING_ASSISTANTS_ERRORS: ErrorMessages = error_messages! {
    &["llama.cpp", "generic"] => "Cannot have 2 or more assistant messages at the end of the list.",
};

pub(super) const XAI_NAME: Rule = Rule {
    name: "xai-name",
    status: 400,
    condition: "A message of another role than user has a name.",
    error_message: XAI_NAME_ERRORS.all,
    evidence: Evidence::Quoted,
    source: "litellm source",
    check: xai_name,
};
const XAI_NAME_ERRORS: ErrorMessages = error_messages! {
    &["xai"] => "Only messages of role \"user\" can have a name.",
};

fn unknown_role(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        let known = ROLES_BY_FLAVOR.iter().find(|(flavors, _)| flavors.contains(&request.flavor));
        let known = known.map_or(OPENAI_ROLES, |(_, roles)| *roles);
        if known.contains(&message.role) || !has_role(&message) {
            continue;
        }
        let (index, column) =
            (message.index.to_string(), message_column(request.body, message.index).to_string());
        let path = message.field_path("role");
        let param = bracket_path(&path);
        let details = ViolationDetails {
            path,
            placeholders: &[("role", message.role), ("index", &index), ("column", &column)],
            param: Some(&param),
            code: Some("invalid_value"),
        };
        UNKNOWN_ROLE_ERRORS.reject(request, cx, &details);
    }
}

fn mistral_role(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        if !BASIC_ROLES.contains(&message.role) && has_role(&message) {
            let (path, param) = (message.field_path("role"), message.path());
            let details = ViolationDetails {
                path,
                placeholders: &[("role", message.role)],
                param: Some(&param),
                code: Some("union_tag_invalid"),
            };
            MISTRAL_ROLE_ERRORS.reject(request, cx, &details);
        }
    }
}

/// A missing role violates another rule.
fn has_role(message: &Message<'_>) -> bool {
    message.value.field("role").is_some_and(serde_json::Value::is_string)
}

fn alternation(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    let Some(template) = ALTERNATION_ERRORS
        .for_request(request)
        .filter(|_| request.switches.alternation == Some(true))
    else {
        return;
    };
    let has_system = messages.first().is_some_and(|message| message.has_role("system"));
    let template = if has_system {
        ALTERNATION_ERRORS.for_responder("after system").unwrap_or(template)
    } else {
        template
    };
    let mut last = "assistant";
    for message in messages.iter().skip(usize::from(has_system)) {
        // Results are between a call and the reply to them.
        if message.has_role("tool") || message.has_tool_calls() {
            last = message.role;
            continue;
        }
        let in_turn = match message.role {
            "user" => last == "assistant",
            "assistant" => last != "assistant",
            _ => false,
        };
        if !in_turn {
            let details = ViolationDetails { path: message.path(), ..ViolationDetails::default() };
            super::error_messages::reject(template, request, cx, &details);
            return;
        }
        last = message.role;
    }
}

fn trailing_assistants(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    if let [.., before, last] = messages.as_slice()
        && before.has_role("assistant")
        && last.has_role("assistant")
    {
        let details = ViolationDetails { path: last.path(), ..ViolationDetails::default() };
        TRAILING_ASSISTANTS_ERRORS.reject(request, cx, &details);
    }
}

fn xai_name(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        if !message.has_role("user")
            && message.value.field("name").is_some_and(|name| !name.is_null())
        {
            let details = ViolationDetails {
                path: message.field_path("name"),
                ..ViolationDetails::default()
            };
            XAI_NAME_ERRORS.reject(request, cx, &details);
        }
    }
}

const OPENAI_ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool", "function"];
const BASIC_ROLES: &[&str] = &["system", "user", "assistant", "tool"];
const ROLES_BY_FLAVOR: &[(&[&str], &[&str])] = &[
    (FIRST_PARTY, OPENAI_ROLES),
    (&["deepseek"], &["system", "user", "assistant", "tool", "latest_reminder"]),
    (&["qwen"], &["system", "assistant", "user", "tool", "function"]),
    (&["vllm", "generic", "lm-studio", "moonshot", "glm"], BASIC_ROLES),
    (&["cerebras"], &["system", "developer", "user", "assistant", "tool"]),
];
