//! What messages say: empty, of another kind, or not for this role.

use serde_json::Value;

use super::flavor::{INVENTOR, ROUTED_ANTHROPIC, ROUTED_GOOGLE};
use super::profile::{Profile, Trait};
use super::view::{Message, bracketed, column, messages};
use super::words::{Refusal, Words, refuse, words};
use crate::rule::{Fields as _, Findings, string};
use crate::{Evidence, Request, Rule};

pub(super) const NULL_CONTENT: Rule = Rule {
    name: "null-content",
    status: 400,
    when: "A message has no content: null or, where it may not be left out, nothing. An assistant message with calls needs none; gpt-5.6 takes null.",
    words: NULL.lines,
    evidence: Evidence::Seen,
    source: "docker-agent#63, langchainjs#4153, llama_index#17555; deepseek4j#41; Ollama and llama.cpp source",
    check: null_content,
};
const NULL: Words = words! {
    &["openai", "azure", "generic"] => "Invalid value for 'content': expected a string, got null.",
    &["ollama"] => "invalid message content type: <nil>",
    &["deepseek"] => "Failed to deserialize the JSON body into the target type: messages[{index}]: missing field `content` at line 1 column {column}",
    &["llama.cpp"] => "All non-assistant messages must contain 'content'",
    &["llama.cpp assistant"] => "Assistant message must contain either 'content' or 'tool_calls'!",
};

pub(super) const STRING_CONTENT: Rule = Rule {
    name: "string-content",
    status: 400,
    when: "A content is a list where only a string is read: everywhere on plain compatible servers, on assistant and tool messages at DeepSeek.",
    words: STRING.lines,
    evidence: Evidence::Seen,
    source: "forgecode#2008, qwen-code#2158, litellm#6642 (DeepSeek)",
    check: string_content,
};
const STRING: Words = words! {
    &["deepseek"] => "Failed to deserialize the JSON body into the target type: messages[{index}]: invalid type: sequence, expected a string at line 1 column {column}",
    &["generic"] => "messages.{index}.content: Input should be a valid string",
};

pub(super) const GROQ_NULL: Rule = Rule {
    name: "groq-null",
    status: 400,
    when: "A field of a message is null, other than the content of an assistant message.",
    words: NULLS.lines,
    evidence: Evidence::Inferred,
    source: "litellm source; the words are those of OpenHands#4643",
    check: groq_null,
};
const NULLS: Words = words! {
    &["groq"] => "'messages.{index}' : for 'role:{role}' the following must be satisfied[('messages.{index}.{name}' : value must be a string)]",
};

pub(super) const IMAGE_OUTSIDE_USER: Rule = Rule {
    name: "image-outside-user",
    status: 400,
    when: "A message that is not the user's has an image. gpt-5.2 and later ignore it.",
    words: IMAGE.lines,
    evidence: Evidence::Seen,
    source: "rigging#41, OpenHands#7700, openai-node#1030; lmstudio-bug-tracker#670, qwen-code#3616",
    check: image_outside_user,
};
const IMAGE: Words = words! {
    INVENTOR => "Invalid '{at}'. Image URLs are only allowed for messages with role 'user', but this message with role '{role}' contains an image URL.",
    &["lm-studio"] => "Invalid 'messages' in payload. Please check the structure of your 'messages' and try again.",
};

pub(super) const PART_TYPE: Rule = Rule {
    name: "part-type",
    status: 400,
    when: "A content has a part of a type that the server does not know, or not in this role. Of many servers it is only known that a call or a result of another API is no part.",
    words: PART.lines,
    evidence: Evidence::Documented,
    source: "vLLM, Ollama, llama.cpp source; hermes-webui#2297, DeepSeek-Reasonix#7859, oh-my-pi#1859 (DashScope)",
    check: part_type,
};
const PART: Words = words! {
    INVENTOR => "Invalid value: '{type}'. Supported values are: {known}.",
    &["vllm"] => "Unsupported chat content part type: {type}",
    &["llama.cpp"] => "unsupported content[].type",
    &["ollama"] => "invalid message format",
    &["deepseek"] => "Failed to deserialize the JSON body into the target type: messages[{index}]: unknown variant `{type}`, expected `text` at line 1 column {column}",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: The provided messages input is invalid. The error info is [Unexpected item type in content.]",
    OTHERS => "Invalid content type: {type}",
};
/// What these know is not known, but for the parts of another API.
const OTHERS: &[&str] = &[
    "openrouter",
    ROUTED_ANTHROPIC,
    ROUTED_GOOGLE,
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
    when: "An image is given by its address, or is no JPEG, PNG or WebP.",
    words: OLLAMA.lines,
    evidence: Evidence::Documented,
    source: "Ollama source",
    check: ollama_image,
};
const OLLAMA: Words = words! {
    &["ollama"] => "image URLs are not currently supported, please use base64 encoded data instead",
    &["data"] => "invalid image input",
};

pub(super) const FILE_DATA: Rule = Rule {
    name: "file-data",
    status: 400,
    when: "The data of a file is an address.",
    words: DATA.lines,
    evidence: Evidence::Seen,
    source: "vercel/ai#7266",
    check: file_data,
};
const DATA: Words = words! {
    INVENTOR => "Invalid file data: '{at}'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got an invalid base64-encoded value.",
};

pub(super) const JSON_WORD: Rule = Rule {
    name: "json-word",
    status: 400,
    when: "A json_object is asked for and no message has the word \"json\".",
    words: JSON.lines,
    evidence: Evidence::Seen,
    source: "public code; agno PR#5317 (DashScope)",
    check: json_word,
};
const JSON: Words = words! {
    &["openai", "azure", "openrouter"] => "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    &["deepseek"] => "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: 'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
};

fn null_content(request: &Request<'_>, findings: &mut Findings) {
    let Some(words) = NULL.of(request) else { return };
    let inventor = INVENTOR.contains(&request.flavor);
    let takes_null = inventor && Profile::of(request).has(Trait::NullContent);
    for message in messages(request) {
        let spared = message.is("assistant") && message.has_calls() || message.is("function");
        let missing = match message.content() {
            Some(Value::Null) => match request.flavor {
                "llama.cpp" | "deepseek" => false,
                _ => !spared && !takes_null,
            },
            Some(_) => false,
            None => !spared && !takes_null,
        };
        if !missing {
            continue;
        }
        let words = match request.flavor {
            "llama.cpp" if message.is("assistant") => {
                NULL.by("llama.cpp assistant").unwrap_or(words)
            }
            _ => words,
        };
        let (index, column) =
            (message.index.to_string(), column(request.body, message.index).to_string());
        let param = format!("messages.[{index}].content");
        let refusal = Refusal {
            path: message.at("content"),
            fills: &[("index", &index), ("column", &column)],
            param: Some(&param),
            code: None,
        };
        refuse(words, request, findings, &refusal);
    }
}

fn string_content(request: &Request<'_>, findings: &mut Findings) {
    let everywhere = request.flavor == "generic";
    for message in messages(request) {
        let here = everywhere || message.is("assistant") || message.is("tool");
        if here && message.content().is_some_and(Value::is_array) {
            at_column(&STRING, request, findings, &message, "content", "");
        }
    }
}

/// Refuses at a message, for servers that say how far they have read.
fn at_column(
    words: &Words,
    request: &Request<'_>,
    findings: &mut Findings,
    message: &Message<'_>,
    field: &str,
    kind: &str,
) {
    let (index, column) =
        (message.index.to_string(), column(request.body, message.index).to_string());
    let refusal = Refusal {
        path: message.at(field),
        fills: &[("index", &index), ("column", &column), ("type", kind)],
        ..Refusal::default()
    };
    words.refuse(request, findings, &refusal);
}

fn groq_null(request: &Request<'_>, findings: &mut Findings) {
    for message in messages(request) {
        for (name, value) in message.value.as_object().into_iter().flatten() {
            if !value.is_null() || message.is("assistant") && name == "content" {
                continue;
            }
            let index = message.index.to_string();
            let refusal = Refusal {
                path: message.at(name),
                fills: &[("index", &index), ("role", message.role), ("name", name)],
                ..Refusal::default()
            };
            NULLS.refuse(request, findings, &refusal);
        }
    }
}

fn image_outside_user(request: &Request<'_>, findings: &mut Findings) {
    let spared = Profile::of(request).has(Trait::ImagesAnywhere);
    for message in messages(request).iter().filter(|message| !message.is("user")) {
        let image = message.parts().iter().any(|part| string(part, "type") == "image_url");
        if image && !(spared && INVENTOR.contains(&request.flavor)) {
            let path = message.path();
            let at = bracketed(&path);
            let refusal = Refusal {
                path,
                fills: &[("at", &at), ("role", message.role)],
                param: Some(&at),
                code: Some("invalid_value"),
            };
            IMAGE.refuse(request, findings, &refusal);
        }
    }
}

fn part_type(request: &Request<'_>, findings: &mut Findings) {
    let inventor = INVENTOR.contains(&request.flavor);
    let text_only = Profile::of(request).has(Trait::TextOnly);
    for message in messages(request) {
        let known = match request.flavor {
            "deepseek" if text_only => &["text"][..],
            "ollama" => &["text", "image_url", "input_audio"],
            "vllm" => VLLM_PARTS,
            "llama.cpp" => &["text", "media_marker", "image_url", "input_audio", "input_video"],
            "deepseek" => &["text", "image_url"],
            _ if !inventor => &[],
            _ if message.is("user") => USER_PARTS,
            _ if message.is("assistant") => &["text", "refusal"],
            _ => &["text"],
        };
        for (at, part) in message.parts().iter().enumerate() {
            let kind = string(part, "type");
            // An image out of place has a rule of its own, or is ignored; so does what says no type.
            let untyped = part.field("type").is_none_or(|kind| !kind.is_string());
            let foreign = ["tool_use", "tool_result"].contains(&kind);
            let taken = if known.is_empty() { !foreign } else { known.contains(&kind) };
            if untyped || taken || inventor && kind == "image_url" {
                continue;
            }
            let field = format!("content.{at}");
            if !inventor {
                at_column(&PART, request, findings, &message, &field, kind);
                continue;
            }
            let (listed, path) = (listed(known), message.at(&field));
            let param = bracketed(&path);
            let refusal = Refusal {
                path,
                fills: &[("type", kind), ("known", &listed)],
                param: Some(&param),
                code: Some("invalid_value"),
            };
            PART.refuse(request, findings, &refusal);
        }
    }
}

/// `'a', 'b', and 'c'`
fn listed(known: &[&str]) -> String {
    let quoted: Vec<_> = known.iter().map(|one| format!("'{one}'")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

fn ollama_image(request: &Request<'_>, findings: &mut Findings) {
    let Some(address) = OLLAMA.of(request) else { return };
    for message in messages(request) {
        for (at, part) in message.parts().iter().enumerate() {
            let Some(image) = part.field("image_url") else { continue };
            let url = image.as_str().unwrap_or_else(|| string(image, "url"));
            let data = OLLAMA_IMAGES.iter().any(|start| url.starts_with(start));
            let words = match url {
                _ if data => continue,
                _ if url.starts_with("http") => address,
                _ => OLLAMA.by("data").unwrap_or(address),
            };
            let refusal =
                Refusal { path: message.at(&format!("content.{at}")), ..Refusal::default() };
            refuse(words, request, findings, &refusal);
        }
    }
}

fn file_data(request: &Request<'_>, findings: &mut Findings) {
    for message in messages(request) {
        for (at, part) in message.parts().iter().enumerate() {
            let data = part.field("file").map_or("", |file| string(file, "file_data"));
            if data.starts_with("http") {
                let path = message.at(&format!("content.{at}.file.file_data"));
                let at = bracketed(&path);
                let refusal = Refusal {
                    path,
                    fills: &[("at", &at)],
                    param: Some(&at),
                    code: Some("invalid_value"),
                };
                DATA.refuse(request, findings, &refusal);
            }
        }
    }
}

fn json_word(request: &Request<'_>, findings: &mut Findings) {
    let format = request.body.field("response_format").map_or("", |format| string(format, "type"));
    if format != "json_object" {
        return;
    }
    let said = |text: &str| text.to_ascii_lowercase().contains("json");
    let named = messages(request).iter().any(|message| {
        said(message.text("content"))
            || message.parts().iter().any(|part| said(string(part, "text")))
    });
    if !named {
        let refusal =
            Refusal { path: "messages".into(), param: Some("messages"), ..Refusal::default() };
        JSON.refuse(request, findings, &refusal);
    }
}

const USER_PARTS: &[&str] = &["text", "image_url", "input_audio", "refusal", "audio", "file"];
#[rustfmt::skip]
const VLLM_PARTS: &[&str] = &[
    "text", "input_text", "output_text", "refusal", "thinking", "image_url", "input_image",
    "image_pil", "image_embeds", "audio_url", "input_audio", "audio_embeds", "video_url", "file",
    "tool_reference",
];
const OLLAMA_IMAGES: &[&str] = &[
    "data:image/jpeg;base64,",
    "data:image/jpg;base64,",
    "data:image/png;base64,",
    "data:image/webp;base64,",
];
