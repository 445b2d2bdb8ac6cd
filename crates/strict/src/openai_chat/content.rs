//! Rules about message content: empty, of an unknown type, or not accepted for the role.

use serde_json::Value;

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages, reject};
use super::flavor::{FIRST_PARTY, ROUTER_ANTHROPIC, ROUTER_GOOGLE};
use super::profile::{ModelFlag, Profile};
use super::view::{Message, bracket_path, message_column, messages};
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, str_field};
use crate::{Evidence, Request, Rule};

pub(super) const NULL_CONTENT: Rule = Rule {
    name: "null-content",
    status: 400,
    condition: "A message has no content: null or, where it is required, missing. An assistant message with tool calls needs none; gpt-5.6 accepts null.",
    error_message: NULL_CONTENT_ERRORS.all,
    evidence: Evidence::Observed,
    source: "docker-agent#63, langchainjs#4153, llama_index#17555; deepseek4j#41; Ollama and llama.cpp source",
    check: null_content,
};
const NULL_CONTENT_ERRORS: ErrorMessages = error_messages! {
    &["openai", "azure", "generic"] => "Invalid value for 'content': expected a string, got null.",
    &["ollama"] => "invalid message content type: <nil>",
    &["deepseek"] => "Failed to deserialize the JSON body into the target type: messages[{index}]: missing field `content` at line 1 column {column}",
    &["llama.cpp"] => "All non-assistant messages must contain 'content'",
    &["llama.cpp assistant"] => "Assistant message must contain either 'content' or 'tool_calls'!",
};

pub(super) const STRING_CONTENT: Rule = Rule {
    name: "string-content",
    status: 400,
    condition: "The content is a list where only a string is accepted: in all messages on generic compatible servers, in assistant and tool messages at DeepSeek.",
    error_message: STRING_CONTENT_ERRORS.all,
    evidence: Evidence::Observed,
    source: "forgecode#2008, qwen-code#2158, litellm#6642 (DeepSeek)",
    check: string_content,
};
const STRING_CONTENT_ERRORS: ErrorMessages = error_messages! {
    &["deepseek"] => "Failed to deserialize the JSON body into the target type: messages[{index}]: invalid type: sequence, expected a string at line 1 column {column}",
    &["generic"] => "messages.{index}.content: Input should be a valid string",
};

pub(super) const GROQ_NULL: Rule = Rule {
    name: "groq-null",
    status: 400,
    condition: "A message field is null, other than the content of an assistant message.",
    error_message: GROQ_NULL_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "litellm source; worded as in OpenHands#4643",
    check: groq_null,
};
const GROQ_NULL_ERRORS: ErrorMessages = error_messages! {
    &["groq"] => "'messages.{index}' : for 'role:{role}' the following must be satisfied[('messages.{index}.{name}' : value must be a string)]",
};

pub(super) const IMAGE_OUTSIDE_USER: Rule = Rule {
    name: "image-outside-user",
    status: 400,
    condition: "A message of another role than user has an image. gpt-5.2 and later ignore it.",
    error_message: IMAGE_OUTSIDE_USER_ERRORS.all,
    evidence: Evidence::Observed,
    source: "rigging#41, OpenHands#7700, openai-node#1030; lmstudio-bug-tracker#670, qwen-code#3616",
    check: image_outside_user,
};
const IMAGE_OUTSIDE_USER_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid '{at}'. Image URLs are only allowed for messages with role 'user', but this message with role '{role}' contains an image URL.",
    &["lm-studio"] => "Invalid 'messages' in payload. Please check the structure of your 'messages' and try again.",
};

pub(super) const PART_TYPE: Rule = Rule {
    name: "part-type",
    status: 400,
    condition: "A content part has a type that the server does not support, or not in this role. For many servers only the tool calls and results of other APIs are known to be rejected.",
    error_message: PART_TYPE_ERRORS.all,
    evidence: Evidence::Documented,
    source: "vLLM, Ollama, llama.cpp source; hermes-webui#2297, DeepSeek-Reasonix#7859, oh-my-pi#1859 (DashScope)",
    check: part_type,
};
const PART_TYPE_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid value: '{type}'. Supported values are: {known}.",
    &["vllm"] => "Unsupported chat content part type: {type}",
    &["llama.cpp"] => "unsupported content[].type",
    &["ollama"] => "invalid message format",
    &["deepseek"] => "Failed to deserialize the JSON body into the target type: messages[{index}]: unknown variant `{type}`, expected `text` at line 1 column {column}",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: The provided messages input is invalid. The error info is [Unexpected item type in content.]",
    LENIENT_PART_FLAVORS => "Invalid content type: {type}",
};
/// Servers of which only the rejection of other APIs' parts is known.
const LENIENT_PART_FLAVORS: &[&str] = &[
    "openrouter",
    ROUTER_ANTHROPIC,
    ROUTER_GOOGLE,
    "mistral",
    "groq",
    "moonshot",
    "xai",
    "glm",
    "cerebras",
    "lm-studio",
    "gemini-compat",
    "generic",
];

pub(super) const OLLAMA_IMAGE: Rule = Rule {
    name: "ollama-image",
    status: 400,
    condition: "An image is a URL, or is no JPEG, PNG or WebP.",
    error_message: OLLAMA_IMAGE_ERRORS.all,
    evidence: Evidence::Documented,
    source: "Ollama source",
    check: ollama_image,
};
const OLLAMA_IMAGE_ERRORS: ErrorMessages = error_messages! {
    &["ollama"] => "image URLs are not currently supported, please use base64 encoded data instead",
    &["data"] => "invalid image input",
};

pub(super) const FILE_DATA: Rule = Rule {
    name: "file-data",
    status: 400,
    condition: "The file_data of a file is a URL.",
    error_message: FILE_DATA_ERRORS.all,
    evidence: Evidence::Observed,
    source: "vercel/ai#7266",
    check: file_data,
};
const FILE_DATA_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid file data: '{at}'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got an invalid base64-encoded value.",
};

pub(super) const JSON_WORD: Rule = Rule {
    name: "json-word",
    status: 400,
    condition: "A json_object is requested and no message contains the word \"json\".",
    error_message: JSON_WORD_ERRORS.all,
    evidence: Evidence::Observed,
    source: "public code; agno PR#5317 (DashScope)",
    check: json_word,
};
const JSON_WORD_ERRORS: ErrorMessages = error_messages! {
    &["openai", "azure", "openrouter"] => "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    &["deepseek"] => "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: 'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
};

fn null_content(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(template) = NULL_CONTENT_ERRORS.for_request(request) else { return };
    let is_first_party = FIRST_PARTY.contains(&request.flavor);
    let accepts_null = is_first_party && Profile::for_request(request).has(ModelFlag::NullContent);
    for message in messages(request) {
        let is_exempt = message.has_role("assistant") && message.has_tool_calls()
            || message.has_role("function");
        let is_missing = match message.content() {
            Some(Value::Null) => match request.flavor {
                "llama.cpp" | "deepseek" => false,
                _ => !is_exempt && !accepts_null,
            },
            Some(_) => false,
            None => !is_exempt && !accepts_null,
        };
        if !is_missing {
            continue;
        }
        let template = match request.flavor {
            "llama.cpp" if message.has_role("assistant") => {
                NULL_CONTENT_ERRORS.for_responder("llama.cpp assistant").unwrap_or(template)
            }
            _ => template,
        };
        let (index, column) =
            (message.index.to_string(), message_column(request.body, message.index).to_string());
        let param = format!("messages.[{index}].content");
        let details = ViolationDetails {
            path: message.field_path("content"),
            placeholders: &[("index", &index), ("column", &column)],
            param: Some(&param),
            code: None,
        };
        reject(template, request, cx, &details);
    }
}

fn string_content(request: &Request<'_>, cx: &mut CheckContext) {
    let in_all_roles = request.flavor == "generic";
    for message in messages(request) {
        let is_checked = in_all_roles || message.has_role("assistant") || message.has_role("tool");
        if is_checked && message.content().is_some_and(Value::is_array) {
            reject_at_column(&STRING_CONTENT_ERRORS, request, cx, &message, "content", "");
        }
    }
}

/// Rejects a message, for servers that report the column that their parser has reached.
fn reject_at_column(
    errors: &ErrorMessages,
    request: &Request<'_>,
    cx: &mut CheckContext,
    message: &Message<'_>,
    field: &str,
    kind: &str,
) {
    let (index, column) =
        (message.index.to_string(), message_column(request.body, message.index).to_string());
    let details = ViolationDetails {
        path: message.field_path(field),
        placeholders: &[("index", &index), ("column", &column), ("type", kind)],
        ..ViolationDetails::default()
    };
    errors.reject(request, cx, &details);
}

fn groq_null(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        for (name, value) in message.value.as_object().into_iter().flatten() {
            if !value.is_null() || message.has_role("assistant") && name == "content" {
                continue;
            }
            let index = message.index.to_string();
            let details = ViolationDetails {
                path: message.field_path(name),
                placeholders: &[("index", &index), ("role", message.role), ("name", name)],
                ..ViolationDetails::default()
            };
            GROQ_NULL_ERRORS.reject(request, cx, &details);
        }
    }
}

fn image_outside_user(request: &Request<'_>, cx: &mut CheckContext) {
    let ignores_images = Profile::for_request(request).has(ModelFlag::ImagesInAnyRole);
    for message in messages(request).iter().filter(|message| !message.has_role("user")) {
        let has_image = message.parts().iter().any(|part| str_field(part, "type") == "image_url");
        if has_image && !(ignores_images && FIRST_PARTY.contains(&request.flavor)) {
            let path = message.path();
            let at = bracket_path(&path);
            let details = ViolationDetails {
                path,
                placeholders: &[("at", &at), ("role", message.role)],
                param: Some(&at),
                code: Some("invalid_value"),
            };
            IMAGE_OUTSIDE_USER_ERRORS.reject(request, cx, &details);
        }
    }
}

fn part_type(request: &Request<'_>, cx: &mut CheckContext) {
    let is_first_party = FIRST_PARTY.contains(&request.flavor);
    let text_only = Profile::for_request(request).has(ModelFlag::TextOnly);
    for message in messages(request) {
        let known_types = match request.flavor {
            "deepseek" if text_only => &["text"][..],
            "ollama" => &["text", "image_url", "input_audio"],
            "vllm" => VLLM_PART_TYPES,
            "llama.cpp" => &["text", "media_marker", "image_url", "input_audio", "input_video"],
            "deepseek" => &["text", "image_url"],
            _ if !is_first_party => &[],
            _ if message.has_role("user") => USER_PART_TYPES,
            _ if message.has_role("assistant") => &["text", "refusal"],
            _ => &["text"],
        };
        for (at, part) in message.parts().iter().enumerate() {
            let kind = str_field(part, "type");
            // Images in other roles have a rule of their own or are ignored; a missing type has
            // one.
            let is_untyped = part.field("type").is_none_or(|kind| !kind.is_string());
            let is_foreign = ["tool_use", "tool_result"].contains(&kind);
            let is_accepted =
                if known_types.is_empty() { !is_foreign } else { known_types.contains(&kind) };
            if is_untyped || is_accepted || is_first_party && kind == "image_url" {
                continue;
            }
            let field = format!("content.{at}");
            if !is_first_party {
                reject_at_column(&PART_TYPE_ERRORS, request, cx, &message, &field, kind);
                continue;
            }
            let (type_list, path) = (quoted_and_list(known_types), message.field_path(&field));
            let param = bracket_path(&path);
            let details = ViolationDetails {
                path,
                placeholders: &[("type", kind), ("known", &type_list)],
                param: Some(&param),
                code: Some("invalid_value"),
            };
            PART_TYPE_ERRORS.reject(request, cx, &details);
        }
    }
}

/// Formats names as `'a', 'b', and 'c'`.
fn quoted_and_list(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|one| format!("'{one}'")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

fn ollama_image(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(url_error) = OLLAMA_IMAGE_ERRORS.for_request(request) else { return };
    for message in messages(request) {
        for (at, part) in message.parts().iter().enumerate() {
            let Some(image) = part.field("image_url") else { continue };
            let url = image.as_str().unwrap_or_else(|| str_field(image, "url"));
            let is_data = OLLAMA_IMAGE_PREFIXES.iter().any(|prefix| url.starts_with(prefix));
            let template = match url {
                _ if is_data => continue,
                _ if url.starts_with("http") => url_error,
                _ => OLLAMA_IMAGE_ERRORS.for_responder("data").unwrap_or(url_error),
            };
            let details = ViolationDetails {
                path: message.field_path(&format!("content.{at}")),
                ..ViolationDetails::default()
            };
            reject(template, request, cx, &details);
        }
    }
}

fn file_data(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        for (at, part) in message.parts().iter().enumerate() {
            let data = part.field("file").map_or("", |file| str_field(file, "file_data"));
            if data.starts_with("http") {
                let path = message.field_path(&format!("content.{at}.file.file_data"));
                let at = bracket_path(&path);
                let details = ViolationDetails {
                    path,
                    placeholders: &[("at", &at)],
                    param: Some(&at),
                    code: Some("invalid_value"),
                };
                FILE_DATA_ERRORS.reject(request, cx, &details);
            }
        }
    }
}

fn json_word(request: &Request<'_>, cx: &mut CheckContext) {
    let format =
        request.body.field("response_format").map_or("", |format| str_field(format, "type"));
    if format != "json_object" {
        return;
    }
    let has_word = |text: &str| text.to_ascii_lowercase().contains("json");
    let is_mentioned = messages(request).iter().any(|message| {
        has_word(message.str_field("content"))
            || message.parts().iter().any(|part| has_word(str_field(part, "text")))
    });
    if !is_mentioned {
        let details = ViolationDetails {
            path: "messages".into(),
            param: Some("messages"),
            ..ViolationDetails::default()
        };
        JSON_WORD_ERRORS.reject(request, cx, &details);
    }
}

const USER_PART_TYPES: &[&str] = &["text", "image_url", "input_audio", "refusal", "audio", "file"];
#[rustfmt::skip]
const VLLM_PART_TYPES: &[&str] = &[
    "text", "input_text", "output_text", "refusal", "thinking", "image_url", "input_image",
    "image_pil", "image_embeds", "audio_url", "input_audio", "audio_embeds", "video_url", "file",
    "tool_reference",
];
const OLLAMA_IMAGE_PREFIXES: &[&str] = &[
    "data:image/jpeg;base64,",
    "data:image/jpg;base64,",
    "data:image/png;base64,",
    "data:image/webp;base64,",
];
