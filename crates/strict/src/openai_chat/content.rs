//! Rules about message content: empty, of an unknown type, or not accepted for the role.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as, standard_message};
use super::profile::{ModelFlag, Profile};
use super::provider::{Trait, provider_of};
use super::view::{Message, bracket_path, message_column, messages};
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, str_field};

pub(super) fn null_content(request: &Request<'_>, cx: &mut CheckContext) {
    let provider = provider_of(request);
    let accepts_null = Profile::for_request(request).has(ModelFlag::NullContent);
    let assistant_message = provider.message("null-content/assistant");
    for message in messages(request) {
        let is_assistant = message.has_role("assistant");
        let is_exempt = is_assistant && message.has_tool_calls()
            || message.has_role("function")
            || accepts_null;
        let is_missing = match message.content() {
            Some(Value::Null) => !is_exempt && !provider.has(Trait::AcceptsNullContent),
            Some(_) => false,
            None => !is_exempt,
        };
        if !is_missing {
            continue;
        }
        let template = assistant_message.filter(|_| is_assistant);
        let (index, column) =
            (message.index.to_string(), message_column(request.body, message.index).to_string());
        let param = format!("messages.[{index}].content");
        let details = ViolationDetails {
            path: message.field_path("content"),
            placeholders: &[("index", &index), ("column", &column)],
            param: Some(&param),
            code: None,
        };
        let template = template.unwrap_or_else(|| standard_message(request, cx));
        reject_as(template, request, cx, &details);
    }
}

pub(super) fn string_content(request: &Request<'_>, cx: &mut CheckContext) {
    let in_all_roles = provider_of(request).has(Trait::StringContentInAllRoles);
    for message in messages(request) {
        let is_checked = in_all_roles || message.has_role("assistant") || message.has_role("tool");
        if is_checked && message.content().is_some_and(Value::is_array) {
            reject_at_column(request, cx, &message, "content", "");
        }
    }
}

/// Rejects a message, for servers that report the column that their parser has reached.
fn reject_at_column(
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
    reject(request, cx, &details);
}

pub(super) fn groq_null(request: &Request<'_>, cx: &mut CheckContext) {
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
            reject(request, cx, &details);
        }
    }
}

pub(super) fn image_outside_user(request: &Request<'_>, cx: &mut CheckContext) {
    let ignores_images = Profile::for_request(request).has(ModelFlag::ImagesInAnyRole);
    for message in messages(request).iter().filter(|message| !message.has_role("user")) {
        let has_image = message.parts().iter().any(|part| str_field(part, "type") == "image_url");
        if has_image && !ignores_images {
            let path = message.path();
            let at = bracket_path(&path);
            let details = ViolationDetails {
                path,
                placeholders: &[("at", &at), ("role", message.role)],
                param: Some(&at),
                code: Some("invalid_value"),
            };
            reject(request, cx, &details);
        }
    }
}

pub(super) fn part_type(request: &Request<'_>, cx: &mut CheckContext) {
    let provider = provider_of(request);
    let is_first_party = provider.has(Trait::FirstParty);
    let text_only = Profile::for_request(request).has(ModelFlag::TextOnly);
    for message in messages(request) {
        let of_role = |role| provider.part_types.get(role);
        let known_types = of_role(message.role).or_else(|| of_role("other"));
        let known_types = known_types.map(Vec::as_slice).unwrap_or_default();
        for (at, part) in message.parts().iter().enumerate() {
            let kind = str_field(part, "type");
            // Images in other roles have a rule of their own or are ignored; a missing type has
            // one.
            let is_untyped = part.field("type").is_none_or(|kind| !kind.is_string());
            let is_foreign = ["tool_use", "tool_result"].contains(&kind);
            let is_accepted =
                known_types.iter().any(|known| known == kind && (!text_only || kind == "text"))
                    || known_types.is_empty() && !is_foreign;
            if is_untyped || is_accepted || is_first_party && kind == "image_url" {
                continue;
            }
            let field = format!("content.{at}");
            if !is_first_party {
                reject_at_column(request, cx, &message, &field, kind);
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
            reject(request, cx, &details);
        }
    }
}

/// Formats names as `'a', 'b', and 'c'`.
fn quoted_and_list(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|one| format!("'{one}'")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

pub(super) fn ollama_image(request: &Request<'_>, cx: &mut CheckContext) {
    let url_error = standard_message(request, cx);
    for message in messages(request) {
        for (at, part) in message.parts().iter().enumerate() {
            let Some(image) = part.field("image_url") else { continue };
            let url = image.as_str().unwrap_or_else(|| str_field(image, "url"));
            let is_data = OLLAMA_IMAGE_PREFIXES.iter().any(|prefix| url.starts_with(prefix));
            let template = match url {
                _ if is_data => continue,
                _ if url.starts_with("http") => url_error,
                _ => cx.case("data"),
            };
            let details = ViolationDetails {
                path: message.field_path(&format!("content.{at}")),
                ..ViolationDetails::default()
            };
            reject_as(template, request, cx, &details);
        }
    }
}

pub(super) fn file_data(request: &Request<'_>, cx: &mut CheckContext) {
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
                reject(request, cx, &details);
            }
        }
    }
}

pub(super) fn json_word(request: &Request<'_>, cx: &mut CheckContext) {
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
        reject(request, cx, &details);
    }
}

const OLLAMA_IMAGE_PREFIXES: &[&str] = &[
    "data:image/jpeg;base64,",
    "data:image/jpg;base64,",
    "data:image/png;base64,",
    "data:image/webp;base64,",
];
