//! Who may speak, and in which order.

use super::flavor::{INVENTOR, ROUTED_ANTHROPIC, ROUTED_GOOGLE};
use super::view::{Message, bracketed, column, messages};
use super::words::{Refusal, Words, words};
use crate::rule::{Fields as _, Findings};
use crate::{Evidence, Request, Rule};

pub(super) const UNKNOWN_ROLE: Rule = Rule {
    name: "unknown-role",
    status: 400,
    when: "A message has a role that the server does not know; many do not know `developer`.",
    words: ROLE.lines,
    evidence: Evidence::Seen,
    source: "pi#1048, ccx#149 (DeepSeek); Proma#1496 (DashScope); obsidian-textgenerator-plugin#309 (Groq); openclaw#21911 (Kimi); EnsoCode#84 (GLM); lmstudio-bug-tracker#669; chat templates; inferred for xAI, Cerebras and Gemini",
    check: unknown_role,
};
const ROLE: Words = words! {
    &["openai", "azure", "openrouter", ROUTED_ANTHROPIC, ROUTED_GOOGLE] => "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
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
    when: "A message has a role that Mistral does not know, `developer` among them.",
    words: TAG.lines,
    evidence: Evidence::Inferred,
    source: "mistralai 3.7.0",
    check: mistral_role,
};
const TAG: Words = words! {
    &["mistral"] => "Input tag '{role}' found using 'role' does not match any of the expected tags: 'system', 'user', 'assistant', 'tool'",
};

pub(super) const ALTERNATION: Rule = Rule {
    name: "alternation",
    status: 400,
    when: "Two messages of the user or of the assistant follow each other, or the assistant speaks first, and the model's chat template wants them in turns (switch `alternation`; left alone, it does not).",
    words: TURNS.lines,
    evidence: Evidence::Seen,
    source: "chat templates on vLLM",
    check: alternation,
};
const TURNS: Words = words! {
    &["vllm", "llama.cpp", "generic"] => "Conversation roles must alternate user/assistant/user/assistant/...",
    &["after system"] => "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
};

pub(super) const TRAILING_ASSISTANTS: Rule = Rule {
    name: "trailing-assistants",
    status: 400,
    when: "Two or more messages of the assistant end the conversation.",
    words: TRAILING.lines,
    evidence: Evidence::Documented,
    source: "llama.cpp source",
    check: trailing_assistants,
};
const TRAILING: Words = words! {
    &["llama.cpp", "generic"] => "Cannot have 2 or more assistant messages at the end of the list.",
};

pub(super) const XAI_NAME: Rule = Rule {
    name: "xai-name",
    status: 400,
    when: "A message that is not the user's has a name.",
    words: NAME.lines,
    evidence: Evidence::Quoted,
    source: "litellm source",
    check: xai_name,
};
const NAME: Words = words! {
    &["xai"] => "Only messages of role \"user\" can have a name.",
};

fn unknown_role(request: &Request<'_>, findings: &mut Findings) {
    for message in messages(request) {
        let known = ROLES.iter().find(|(flavors, _)| flavors.contains(&request.flavor));
        let known = known.map_or(ALL, |(_, roles)| *roles);
        if known.contains(&message.role) || !said(&message) {
            continue;
        }
        let (index, column) =
            (message.index.to_string(), column(request.body, message.index).to_string());
        let path = message.at("role");
        let param = bracketed(&path);
        let refusal = Refusal {
            path,
            fills: &[("role", message.role), ("index", &index), ("column", &column)],
            param: Some(&param),
            code: Some("invalid_value"),
        };
        ROLE.refuse(request, findings, &refusal);
    }
}

fn mistral_role(request: &Request<'_>, findings: &mut Findings) {
    for message in messages(request) {
        if !PLAIN.contains(&message.role) && said(&message) {
            let (path, place) = (message.at("role"), message.path());
            let refusal = Refusal {
                path,
                fills: &[("role", message.role)],
                param: Some(&place),
                code: Some("union_tag_invalid"),
            };
            TAG.refuse(request, findings, &refusal);
        }
    }
}

/// A role that is not there is refused by another rule.
fn said(message: &Message<'_>) -> bool {
    message.value.field("role").is_some_and(serde_json::Value::is_string)
}

fn alternation(request: &Request<'_>, findings: &mut Findings) {
    let messages = messages(request);
    let Some(words) = TURNS.of(request).filter(|_| request.switches.alternation == Some(true))
    else {
        return;
    };
    let instructed = messages.first().is_some_and(|message| message.is("system"));
    let words = if instructed { TURNS.by("after system").unwrap_or(words) } else { words };
    let mut last = "assistant";
    for message in messages.iter().skip(usize::from(instructed)) {
        // Results go between a call and its sequel.
        if message.is("tool") || message.has_calls() {
            last = message.role;
            continue;
        }
        let in_turn = match message.role {
            "user" => last == "assistant",
            "assistant" => last != "assistant",
            _ => false,
        };
        if !in_turn {
            let refusal = Refusal { path: message.path(), ..Refusal::default() };
            super::words::refuse(words, request, findings, &refusal);
            return;
        }
        last = message.role;
    }
}

fn trailing_assistants(request: &Request<'_>, findings: &mut Findings) {
    let messages = messages(request);
    if let [.., before, last] = messages.as_slice()
        && before.is("assistant")
        && last.is("assistant")
    {
        let refusal = Refusal { path: last.path(), ..Refusal::default() };
        TRAILING.refuse(request, findings, &refusal);
    }
}

fn xai_name(request: &Request<'_>, findings: &mut Findings) {
    for message in messages(request) {
        if !message.is("user") && message.value.field("name").is_some_and(|name| !name.is_null()) {
            let refusal = Refusal { path: message.at("name"), ..Refusal::default() };
            NAME.refuse(request, findings, &refusal);
        }
    }
}

const ALL: &[&str] = &["system", "developer", "user", "assistant", "tool", "function"];
const PLAIN: &[&str] = &["system", "user", "assistant", "tool"];
const ROLES: &[(&[&str], &[&str])] = &[
    (INVENTOR, ALL),
    (&["deepseek"], &["system", "user", "assistant", "tool", "latest_reminder"]),
    (&["qwen"], &["system", "assistant", "user", "tool", "function"]),
    (&["vllm", "generic", "lm-studio", "moonshot", "glm"], PLAIN),
    (&["cerebras"], &["system", "developer", "user", "assistant", "tool"]),
];
