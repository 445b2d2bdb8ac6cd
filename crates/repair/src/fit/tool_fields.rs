//! Fields of a tool that the target does not know are left out.
//!
//! Agents send fields that only the newest API takes, or one behind a beta, or spell a tool as another
//! provider has it. Each target has its list of fields; what is not on it, or holds something else
//! than it should, is left out, and the tool is written as the target wants it. A list without tools
//! is left out where the target refuses it.
//!
//! ## Why
//! > tools.3.custom.input_examples: Extra inputs are not permitted
//!
//! > Unknown parameter: 'tools\[0\].annotations'.
//!
//! > Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array
//! > instead.
//!
//! ## Example
//! ```text
//! before   {"name": "read", "input_schema": {…}, "annotations": {"readOnlyHint": true}}
//! after    {"name": "read", "input_schema": {…}}
//! ```

use interlingua_model::{Place, Tool, ToolKind, Verbatim};
use interlingua_wire::{Field, Json, Kind};

use crate::shape::{Fit, Kind as Shape, Reading};
use crate::tools::{extra_fits, is_mark};
use crate::{Profile, Work, offer};

pub fn apply(work: &mut Work<'_>) {
    list(work);
    if work.conversation().tools.is_empty() {
        return;
    }
    let looks = work.looks();
    for at in (0..looks.len()).filter(|at| looks[*at].odd) {
        let tool = &work.conversation().tools[at];
        let (clean, gone) = cleaned(tool, work.profile);
        let name = if tool.name.is_empty() { "without a name" } else { &*tool.name.contents() };
        if gone.is_empty() {
            let what = format!("the tool `{name}` is written in the form that is wanted here");
            work.change(Place::tool(at), what);
        } else {
            let what = format!("left out {} of the tool `{name}`", gone.join(", "));
            work.loss(Place::tool(at), what);
        }
        work.tools()[at] = clean.into();
    }
}

/// The list itself: no list at all, or an empty one where there must be some tool.
fn list(work: &mut Work<'_>) {
    let (conversation, rules) = (work.conversation(), work.profile.tools);
    if offer::lists_old_only(work) {
        return;
    }
    let Some(text) = conversation.tools.text_for(work.profile.dialect) else { return };
    let (kind, none) = (text.kind(), conversation.tools.is_empty());
    let empty = none || kind == Kind::Array && work.inside(text).root().is_empty();
    let odd = match kind {
        Kind::Array => false,
        Kind::Null => !rules.null_list,
        Kind::Object => rules.listed,
        Kind::Bool | Kind::Number | Kind::String => true,
    };
    if odd && kind == Kind::Null {
        work.change(Place::BODY, "null is no list of tools: an empty one is sent");
        work.tools();
    } else if odd && none {
        work.loss(Place::BODY, "left out tools that are no list");
        work.tools();
    } else if odd {
        work.change(Place::BODY, "one tool is put into a list");
        work.tools();
    } else if empty && kind != Kind::Null && !rules.empty_list {
        work.change(Place::BODY, "left out an empty list of tools");
        work.tools();
    }
}

/// The tool with what the target takes, and the names of what it does not.
fn cleaned(tool: &Verbatim<Tool>, profile: &Profile) -> (Tool, Vec<String>) {
    let (rules, reading) = (profile.tools, profile.reading());
    let mut clean = Tool::clone(tool);
    let mut gone = Vec::new();
    let kind = match &mut clean.kind {
        ToolKind::Function { .. } => rules.kinds.function,
        ToolKind::Freeform { .. } => rules.kinds.freeform,
        ToolKind::Foreign { kind, json, .. } => {
            let shape = rules.kinds.typed(&kind.contents(), &reading);
            if let Some(Fit::Instead(fitting)) = shape.map(|shape| reading.fit(json, shape)) {
                let (before, after) = (json.doc(), fitting.doc());
                let lost = |name: &str| after.root().get(name).is_none();
                let names = before.root().fields().map(Field::name);
                gone.extend(names.filter(|name| lost(name)).map(|name| format!("`{name}`")));
                *json = fitting;
            }
            return (clean, gone);
        }
    };
    // Of two schemas of which only one may be there, that of JSON Schema stays.
    let doubled = tool.text_for(profile.dialect).map(Json::doc);
    let said = |name: &str| {
        let root = doubled.as_ref().map(|doc| doc.root());
        let beside = || {
            let mut extras = tool.extras.of(profile.dialect).iter();
            extras.any(|(key, _)| reading.is(&key.contents(), name))
        };
        root.is_some_and(|root| root.find(|field| reading.is(&field.name(), name)).is_some())
            || beside()
    };
    let twice = |key: &str| {
        let mut pairs = rules.kinds.own_schemas.iter();
        pairs.any(|(own, sister)| reading.is(key, own) && said(sister))
    };
    clean.extras.retain(profile.dialect, |key, value| {
        let key = key.contents();
        let fits =
            !twice(&key) && (is_mark(tool, &key, value) || extra_fits(&key, value, kind, &reading));
        if !fits {
            gone.extend(names(&key, value, kind, &reading));
        }
        fits
    });
    (clean, gone)
}

/// The names of what does not fit: inside, where the key itself is known.
fn names(key: &str, value: &Json, kind: Shape, reading: &Reading<'_>) -> Vec<String> {
    let keys = match kind {
        Shape::Shape(keys) | Shape::Open(keys) => keys,
        _ => &[],
    };
    let doc = value.doc();
    match reading.find(keys, key).map(|known| known.kind) {
        Some(inner @ (Shape::Shape(_) | Shape::Open(_))) if doc.root().is_object() => {
            let odd =
                |field: &Field<'_>| !extra_fits(&field.name(), &field.value.json(), inner, reading);
            let odd = doc.root().fields().filter(odd);
            odd.map(|field| format!("`{key}.{}`", field.name())).collect()
        }
        _ => vec![format!("`{key}`")],
    }
}
