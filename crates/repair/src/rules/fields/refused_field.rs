//! Removes or renames a field that the target has rejected before.
//!
//! Requests may have fields that are newer than the provider, or that one model does not support. A
//! field that was rejected by name is removed from every later request, at any position; where the
//! provider names the field that it accepts instead, the value is sent under that name. A request
//! with betas that were not set when the field was rejected keeps it, because they may allow it. A
//! settings object that is empty afterwards is removed too.
//!
//! ## Why
//! > tools.0.custom.eager_input_streaming: Extra inputs are not permitted
//!
//! > Unsupported parameter: 'temperature' is not supported with this model.
//!
//! > Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'
//! > instead.
//!
//! ## Example
//! ```text
//! before   temperature 0.2   user: "hi"
//! after                      user: "hi"
//! ```

use interlingua_model::{Lesson, RejectedField};
use interlingua_wire::{JsonDoc, JsonNode, JsonString, RawJson};

use crate::profile::TargetProfile;
use crate::rejection::path::{PathSegment, matches_segment, parse_segments};

pub(super) fn apply(body: &JsonDoc, profile: &TargetProfile) -> Option<(String, String)> {
    let fields: Vec<&RejectedField> = profile
        .lessons
        .iter()
        .filter_map(|lesson| match lesson {
            Lesson::RejectedField(field) => Some(field),
            _ => None,
        })
        .filter(|field| applies(field, profile))
        .collect();
    if fields.is_empty() {
        return None;
    }
    let mut json = body.to_json();
    let mut messages = Vec::new();
    for field in fields {
        let doc = json.to_doc();
        let steps = parse_segments(&field.path);
        if let Some(changed) = remove_path(doc.root(), &steps, field.rename_to.as_deref(), 0) {
            messages.push(lesson_message(field));
            json = changed;
        }
    }
    (!messages.is_empty()).then(|| (json.as_str().to_owned(), messages.join(", ")))
}

/// Whether the lesson applies: a request with additional betas may be allowed the field.
fn applies(field: &RejectedField, profile: &TargetProfile) -> bool {
    profile.betas.iter().all(|beta| field.betas.iter().any(|known| *beta == **known))
}

fn lesson_message(field: &RejectedField) -> String {
    let path = &field.path;
    match &field.rename_to {
        Some(name) => format!("`{path}` is sent as `{name}`: the target rejected it before"),
        None => format!("left out `{path}`: the target rejected it before"),
    }
}

/// The value without the field, `None` if it has none. Recursion is at most as deep as the path.
fn remove_path(
    node: JsonNode<'_>,
    steps: &[PathSegment<'_>],
    rename_to: Option<&str>,
    depth: usize,
) -> Option<RawJson> {
    let (step, rest) = steps.split_first()?;
    if node.is_array() {
        let rest = if *step == PathSegment::Any { rest } else { steps };
        return remove_in_items(node, rest, rename_to, depth);
    }
    if !node.is_object() {
        return None;
    }
    if *step == PathSegment::Any {
        return map_fields(node, |_, value| {
            remove_path(value, rest, rename_to, depth + 1).map(Some)
        });
    }
    if !node.fields().any(|field| matches_segment(&field.key(), *step)) {
        return is_kind(node, *step).then(|| remove_path(node, rest, rename_to, depth)).flatten();
    }
    if !rest.is_empty() {
        return map_fields(node, |name, value| {
            if !matches_segment(name, *step) {
                return None;
            }
            let changed = remove_path(value, rest, rename_to, depth + 1)?;
            let is_empty = depth == 0 && changed.is_object() && changed.to_doc().root().is_empty();
            Some((!is_empty).then_some(changed))
        });
    }
    match rename_to {
        Some(new) if node.get(new).is_none() => Some(rename_field(node, *step, new)),
        _ => map_fields(node, |name, _| matches_segment(name, *step).then_some(None)),
    }
}

/// Whether the path step names the type or the role of the object instead of a field.
fn is_kind(node: JsonNode<'_>, step: PathSegment<'_>) -> bool {
    let PathSegment::Name(name) = step else { return false };
    let has_value = |key: &str| node.get(key).is_some_and(|kind| kind.str_or_empty() == name);
    has_value("type")
        || has_value("role")
        || name == DEFAULT_TOOL_TYPE && node.get("type").is_none()
}

fn remove_in_items(
    node: JsonNode<'_>,
    rest: &[PathSegment<'_>],
    rename_to: Option<&str>,
    depth: usize,
) -> Option<RawJson> {
    let changed: Vec<Option<RawJson>> =
        node.items().map(|item| remove_path(item, rest, rename_to, depth + 1)).collect();
    changed.iter().any(Option::is_some).then(|| {
        RawJson::array(|out| {
            for (item, changed) in node.items().zip(&changed) {
                match changed {
                    Some(changed) => out.item().json(changed),
                    None => out.item().json(&item.json()),
                }
            }
        })
    })
}

/// The object with changed or removed fields; `None` if no field changes.
fn map_fields(
    node: JsonNode<'_>,
    change: impl Fn(&str, JsonNode<'_>) -> Option<Option<RawJson>>,
) -> Option<RawJson> {
    let changes: Vec<Option<Option<RawJson>>> =
        node.fields().map(|field| change(&field.key(), field.value)).collect();
    changes.iter().any(Option::is_some).then(|| {
        RawJson::object(|out| {
            for (field, change) in node.fields().zip(&changes) {
                match change {
                    None => out.key_json_string(&field.key_json_string()).json(&field.value.json()),
                    Some(Some(new_value)) => {
                        out.key_json_string(&field.key_json_string()).json(new_value);
                    }
                    Some(None) => {}
                }
            }
        })
    })
}

fn rename_field(node: JsonNode<'_>, step: PathSegment<'_>, new: &str) -> RawJson {
    let new = JsonString::new(new);
    RawJson::object(|out| {
        for field in node.fields() {
            let key = if matches_segment(&field.key(), step) {
                new.clone()
            } else {
                field.key_json_string()
            };
            out.key_json_string(&key).json(&field.value.json());
        }
    })
}

/// Type of a tool that names none.
const DEFAULT_TOOL_TYPE: &str = "custom";
