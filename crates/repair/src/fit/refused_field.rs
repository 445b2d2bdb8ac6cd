//! A field that the target has refused before is left out from then on.
//!
//! Providers are asked with fields that are newer than they are, or that this one model does not take.
//! One that is refused by name is left out of every later request, wherever it stands; where the
//! provider says under which name it takes the value, it has that name. Who asks for betas that were not
//! asked for then may be allowed the field, and keeps it. What is left of an object of settings that
//! says nothing more goes, too.
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

use interlingua_model::{Lesson, RefusedField};
use interlingua_wire::{Doc, Json, Node, Text};

use crate::Profile;
use crate::ladder::path::{Step, is_step, steps};

pub fn apply(body: &Doc, profile: &Profile) -> Option<(String, String)> {
    let fields: Vec<&RefusedField> = profile
        .lessons
        .iter()
        .filter_map(|lesson| match lesson {
            Lesson::Field(field) => Some(field),
            _ => None,
        })
        .filter(|field| holds(field, profile))
        .collect();
    if fields.is_empty() {
        return None;
    }
    let mut json = body.whole();
    let mut gone = Vec::new();
    for field in fields {
        let doc = json.doc();
        let steps = steps(&field.path);
        if let Some(left) = without(doc.root(), &steps, field.instead.as_deref(), 0) {
            gone.push(said(field));
            json = left;
        }
    }
    (!gone.is_empty()).then(|| (json.as_str().to_owned(), gone.join(", ")))
}

/// Whoever asks for more may be allowed more.
fn holds(field: &RefusedField, profile: &Profile) -> bool {
    profile.betas.iter().all(|beta| field.betas.iter().any(|known| *beta == **known))
}

fn said(field: &RefusedField) -> String {
    let path = &field.path;
    match &field.instead {
        Some(name) => format!("`{path}` is sent as `{name}`: it was refused before"),
        None => format!("left out `{path}`: it was refused before"),
    }
}

/// The value without the field, if it is there. At most as deep as the path.
fn without(
    node: Node<'_>,
    steps: &[Step<'_>],
    instead: Option<&str>,
    depth: usize,
) -> Option<Json> {
    let (step, rest) = steps.split_first()?;
    if node.is_array() {
        let rest = if *step == Step::Any { rest } else { steps };
        return each(node, rest, instead, depth);
    }
    if !node.is_object() {
        return None;
    }
    if *step == Step::Any {
        return fields(node, |_, value| without(value, rest, instead, depth + 1).map(Some));
    }
    if !node.fields().any(|field| is_step(&field.name(), *step)) {
        return is_kind(node, *step).then(|| without(node, rest, instead, depth)).flatten();
    }
    if !rest.is_empty() {
        return fields(node, |name, value| {
            if !is_step(name, *step) {
                return None;
            }
            let left = without(value, rest, instead, depth + 1)?;
            let nothing = depth == 0 && left.is_object() && left.doc().root().is_empty();
            Some((!nothing).then_some(left))
        });
    }
    match instead {
        Some(new) if node.get(new).is_none() => Some(renamed(node, *step, new)),
        _ => fields(node, |name, _| is_step(name, *step).then_some(None)),
    }
}

/// Some paths also say of what kind a thing is, or who speaks.
fn is_kind(node: Node<'_>, step: Step<'_>) -> bool {
    let Step::Name(name) = step else { return false };
    let says = |key: &str| node.get(key).is_some_and(|kind| kind.word() == name);
    says("type") || says("role") || name == UNTYPED && node.get("type").is_none()
}

fn each(node: Node<'_>, rest: &[Step<'_>], instead: Option<&str>, depth: usize) -> Option<Json> {
    let left: Vec<Option<Json>> =
        node.items().map(|item| without(item, rest, instead, depth + 1)).collect();
    left.iter().any(Option::is_some).then(|| {
        Json::array(|out| {
            for (item, left) in node.items().zip(&left) {
                match left {
                    Some(left) => out.item().json(left),
                    None => out.item().json(&item.json()),
                }
            }
        })
    })
}

/// The object with what becomes of its fields: something else, or nothing at all.
fn fields(
    node: Node<'_>,
    become_of: impl Fn(&str, Node<'_>) -> Option<Option<Json>>,
) -> Option<Json> {
    let fates: Vec<Option<Option<Json>>> =
        node.fields().map(|field| become_of(&field.name(), field.value)).collect();
    fates.iter().any(Option::is_some).then(|| {
        Json::object(|out| {
            for (field, fate) in node.fields().zip(&fates) {
                match fate {
                    None => out.key_text(&field.key()).json(&field.value.json()),
                    Some(Some(left)) => out.key_text(&field.key()).json(left),
                    Some(None) => {}
                }
            }
        })
    })
}

fn renamed(node: Node<'_>, step: Step<'_>, new: &str) -> Json {
    let new = Text::new(new);
    Json::object(|out| {
        for field in node.fields() {
            let key = if is_step(&field.name(), step) { new.clone() } else { field.key() };
            out.key_text(&key).json(&field.value.json());
        }
    })
}

/// What a tool is that does not say it.
const UNTYPED: &str = "custom";
