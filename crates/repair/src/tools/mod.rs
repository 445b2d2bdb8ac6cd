//! Tools, looked at once for all rules that are about them.

pub(crate) mod names;

use interlingua_model::{Choice, Conversation, Place, Tool, ToolKind, Verbatim};
use interlingua_wire::{Doc, Field, Json, Node, Text};

use crate::Profile;
use crate::fit::tool_choice;
use crate::inside::Inside;
use crate::profile::tools::{Draft, Root, Schema, Strict, Tools};
use crate::schema::{look, own};
use crate::shape::{Fit, Kind, Reading};

/// What is wrong with a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is found out on its own")]
pub(crate) struct Look {
    /// It is of no kind that the target takes.
    pub unknown: bool,
    /// It is not written as the target takes it: a key too many or too few, or of another type.
    pub odd: bool,
    /// The root of its schema does not say what it must.
    pub root: bool,
    /// Its schema has keywords that are wrong, or that the target does not have.
    pub keywords: bool,
    /// Its schema has properties with names that the target does not take.
    pub properties: bool,
    /// Its schema has references that the target does not follow.
    pub references: bool,
    /// Its schema is of the provider's own kind, and not as that must be.
    pub own: bool,
    /// It is to be held to its schema, and the schema is not made for it.
    pub loose: bool,
    /// How many of its properties are optional, if it is to be held to its schema.
    pub optional: usize,
}

/// Looks at every tool. Each is scanned once: as it was written where that is how it leaves.
pub(crate) fn look(conversation: &Conversation, body: &Doc, profile: &Profile) -> Vec<Look> {
    let legacy = legacy(conversation);
    // Who does not read the older list finds nothing wrong in it, while it leaves as it came.
    let unread = if profile.params.choice.old { 0 } else { unread(conversation, profile) };
    let count = conversation.tools.len();
    let all = conversation.tools.iter().enumerate();
    let ours = conversation.source.is(profile.dialect);
    let looked = |(at, tool)| {
        let is_legacy = at + legacy >= count;
        if at + unread >= count {
            return Look::default();
        }
        let mut look = one(tool, body, profile, is_legacy);
        if !ours && profile.tools.schema.inlined {
            from_elsewhere(tool, body, &mut look);
        }
        look
    };
    all.map(looked).collect()
}

/// References and the name of the draft, in a schema for a target that its client did not write for.
fn from_elsewhere(tool: &Tool, body: &Doc, look: &mut Look) {
    let ToolKind::Function { schema: Some(schema) } = &tool.kind else { return };
    let schema = Inside::of(schema, body);
    look.references |= look::has_reference(schema.root());
    look.keywords |= schema.root().get("$schema").is_some();
}

/// How many tools at the end may have any name and description: those of the older list, while it leaves as it came.
pub(crate) fn nameless(work: &mut crate::Work<'_>) -> usize {
    let unread = unread(work.conversation(), work.profile);
    let fine = |look: &Look| *look == Look { optional: look.optional, ..Look::default() };
    if unread > 0 && work.looks().iter().all(fine) { unread } else { 0 }
}

/// How many tools at the end stand in the older list, if that leaves as it came.
pub(crate) fn unread(conversation: &Conversation, profile: &Profile) -> usize {
    let takes = |known| profile.reading().find(known, OLD_LIST).is_some();
    let legacy = if conversation.source.is(profile.dialect) { legacy(conversation) } else { 0 };
    if legacy > 0 && profile.fields.body.is_none_or(takes) { legacy } else { 0 }
}

/// How many tools at the end stand in a list of an older kind, where they have no type. Once the tools
/// are edited, all of them stand in one list.
pub(crate) fn legacy(conversation: &Conversation) -> usize {
    let field = conversation.fields.iter().find(|field| field.key == OLD_LIST);
    let written = conversation.tools.written().is_some();
    let Some(field) = field.filter(|_| written) else { return 0 };
    let doc = field.value.doc();
    let listed: Vec<Node<'_>> = doc.root().items().collect();
    let mut tools = conversation.tools.iter().rev().peekable();
    // What was passed over stands in the list only; the same words may stand in both lists.
    let is_next = |item: &&Node<'_>| {
        let same = |tool: &&Verbatim<Tool>| {
            let text = tool.written().map(|(_, text)| text.as_str());
            text.is_some_and(|text| std::ptr::eq(text, item.raw()))
        };
        tools.next_if(same).is_some()
    };
    listed.iter().rev().filter(is_next).count()
}

fn one(tool: &Verbatim<Tool>, body: &Doc, profile: &Profile, legacy: bool) -> Look {
    let (dialect, rules, reading) = (profile.dialect, profile.tools, profile.reading());
    let text = tool.text_for(dialect).map(|text| Inside::of(text, body));
    let is_odd = |kind: Kind| match &text {
        Some(text) => !legacy && reading.node(text.root(), kind) != Fit::Fine,
        None => !extras_fit(tool, profile, kind),
    };
    match &tool.kind {
        ToolKind::Foreign { dialect: of, kind, json } if *of == dialect => {
            match rules.kinds.typed(&kind.contents(), &reading) {
                None => Look { unknown: true, ..Look::default() },
                // Nothing is no tool.
                Some(shape) if *json == Json::NULL && !matches!(shape, Kind::Any) => {
                    Look { unknown: true, ..Look::default() }
                }
                Some(shape) => match reading.fit(json, shape) {
                    Fit::Fine => Look::default(),
                    Fit::Instead(_) => Look { odd: true, ..Look::default() },
                    // It lacks what makes it a tool.
                    Fit::Drop => Look { unknown: true, ..Look::default() },
                },
            }
        }
        // Whoever writes leaves it out.
        ToolKind::Foreign { .. } => Look::default(),
        ToolKind::Freeform { .. } => Look { odd: is_odd(rules.kinds.freeform), ..Look::default() },
        ToolKind::Function { schema }
            if says_nothing(tool, schema.as_ref()) && is_odd(rules.kinds.function) =>
        {
            Look { unknown: true, ..Look::default() }
        }
        ToolKind::Function { schema } => {
            let anew = schema.as_ref().filter(|_| text.is_none());
            let anew = anew.map(|schema| Inside::of(schema, body));
            let found = match &text {
                Some(text) if legacy => text.root().get("parameters"),
                Some(text) => find(text.root(), rules.kinds.schema, &reading),
                None => anew.as_ref().map(Inside::root),
            };
            let mut look = of_schema(tool, found, &rules.schema, rules.strict);
            look.odd |= is_odd(rules.kinds.function);
            if let Some(text) = &text {
                look_at_own(text.root(), rules, &reading, &mut look);
                // It stands where another dialect has it, or is of the provider's own kind.
                look.root &= found.is_some() || schema.is_none();
            } else if let (Some(own), Some(schema)) = (rules.schema.own, found) {
                let kept = tool.extras.find(dialect, OWN).is_some();
                look.own = kept && !own::fits(schema, own, own::Spelled::Anew);
            }
            if text.is_none() {
                look.own |= !own_extras_fit(tool, profile);
            }
            look
        }
    }
}

/// Neither a name nor a description nor a schema: nothing can be called.
fn says_nothing(tool: &Tool, schema: Option<&Json>) -> bool {
    tool.name.is_empty() && tool.description.is_none() && schema.is_none()
}

/// What is wrong with a schema; null is one that is wrong, where any is looked at.
fn of_schema(tool: &Tool, found: Option<Node<'_>>, rules: &Schema, strict: Strict) -> Look {
    let mut look = Look::default();
    let looks = rules.root != Root::Free || rules.draft != Draft::Unchecked;
    if found.is_some_and(Node::is_null) && looks && !rules.null {
        look.odd = true;
    }
    let schema = found.filter(|found| !found.is_null());
    look.root = !look::root_fits(schema, rules.root, rules.not_at_root);
    let Some(schema) = schema else { return look };
    look.keywords = !look::is_valid(schema, rules.draft)
        || rules.items && look::has_bare_array(schema)
        || look::has_keyword(schema, rules.refused)
        || rules.narrow && look::has_type_list(schema)
        || rules.mapped && schema.get("properties").is_some_and(Node::is_array)
        || rules.bare_references && has_list_of_items(schema);
    look.properties = rules.properties.is_some_and(|names| !look::named_within(schema, &names));
    look.references = rules.bare_references && look::has_crowded_reference(schema)
        || rules.narrow && look::has_reference(schema);
    if tool.strict == Some(true) {
        match strict {
            Strict::Unchecked | Strict::Alike => {}
            Strict::Closed(refused) => look.loose = look::is_loose(schema, refused),
            Strict::Compiled { .. } => {
                look.loose = look::is_uncompiled(schema);
                look.optional = look::optional(schema);
            }
        }
    }
    look
}

fn has_list_of_items(schema: Node<'_>) -> bool {
    look::any(schema, false, &|node| node.get("items").is_some_and(Node::is_array))
}

/// The schema within a tool as it is written.
fn find<'d>(tool: Node<'d>, path: &[&str], reading: &Reading<'_>) -> Option<Node<'d>> {
    path.iter().try_fold(tool, |node, key| node.find(|field| reading.names(field, key)))
}

/// Schemas of the provider's own kind: whether they may stand as they are. Beside one of JSON Schema
/// they may not.
fn look_at_own(tool: Node<'_>, rules: &Tools, reading: &Reading<'_>, look: &mut Look) {
    let Some(own) = rules.schema.own else { return };
    let said = |name: &str| {
        let found = tool.find(|field| reading.is(&field.name(), name));
        found.filter(|found| !found.is_null())
    };
    for (name, sister) in rules.kinds.own_schemas {
        let Some(found) = said(name) else { continue };
        look.odd |= said(sister).is_some();
        look.own |= !own::fits(found, own, own::Spelled::Here);
    }
}

/// Whether schemas of the provider's own kind that a tool brings along may stand as they are.
fn own_extras_fit(tool: &Tool, profile: &Profile) -> bool {
    let (Some(own), reading) = (profile.tools.schema.own, profile.reading()) else { return true };
    let is_own = |key: &Text| {
        let mut pairs = profile.tools.kinds.own_schemas.iter();
        pairs.any(|(name, _)| reading.is(&key.contents(), name))
    };
    let mut schemas = tool.extras.of(profile.dialect).iter().filter(|(key, _)| is_own(key));
    schemas.all(|(_, schema)| {
        *schema == Json::NULL || own::fits(schema.doc().root(), own, own::Spelled::Here)
    })
}

/// Whether what a tool brings along in the target's own dialect is known there.
fn extras_fit(tool: &Tool, profile: &Profile, kind: Kind) -> bool {
    let reading = profile.reading();
    let extras = tool.extras.of(profile.dialect);
    let says = |name: &str| extras.iter().any(|(key, _)| reading.is(&key.contents(), name));
    let mut pairs = profile.tools.kinds.own_schemas.iter();
    !pairs.any(|(own, sister)| says(own) && says(sister))
        && extras.iter().all(|(key, value)| {
            let key = key.contents();
            is_mark(tool, &key, value) || extra_fits(&key, value, kind, &reading)
        })
}

pub(crate) fn extra_fits(key: &str, value: &Json, kind: Kind, reading: &Reading<'_>) -> bool {
    let (keys, open) = match kind {
        Kind::Shape(keys) => (keys, false),
        Kind::Open(keys) => (keys, true),
        _ => return true,
    };
    match reading.find(keys, key).map(|key| key.kind) {
        // What must stand there besides is written there.
        Some(inner @ (Kind::Shape(_) | Kind::Open(_))) => {
            let doc = value.doc();
            let fits =
                |field: Field<'_>| extra_fits(&field.name(), &field.value.json(), inner, reading);
            doc.root().fields().all(fits)
        }
        Some(kind) => reading.fit(value, kind) == Fit::Fine,
        None => open,
    }
}

/// What decoding keeps there for itself.
pub(crate) fn is_mark(tool: &Tool, key: &str, value: &Json) -> bool {
    key == "namespace" && tool.namespace.is_some() && about_fits(value)
        || key == OWN && *value == Json::NULL && matches!(tool.kind, ToolKind::Function { .. })
}

/// The choice among tools, when some of them are gone.
pub(crate) fn forget_choice(work: &mut crate::Work<'_>, gone: &[Text]) {
    let none_left = work.conversation().tools.is_empty();
    let left = match &work.conversation().settings.choice {
        None if none_left => return tool_choice::unread(work),
        Some(Choice::None) if none_left && tool_choice::is_lone(work, &Choice::None) => None,
        None | Some(Choice::None) => return,
        Some(Choice::Auto | Choice::Required) if !none_left => return,
        Some(Choice::Named(name)) if !none_left && !gone.contains(name) => return,
        Some(Choice::Allowed { names, required }) if !none_left => {
            let left: Vec<Text> =
                names.iter().filter(|name| !gone.contains(name)).cloned().collect();
            if left.len() == names.len() {
                return;
            }
            let required = *required;
            (!left.is_empty()).then_some(Choice::Allowed { names: left, required })
        }
        Some(_) => None,
    };
    let what = "the choice of a tool that is left out is left out with it";
    work.loss(Place::SETTINGS, what);
    work.settings().choice = left;
}

/// What is said of a group beside its name and its tools.
fn about_fits(about: &Json) -> bool {
    let doc = about.doc();
    doc.root()
        .fields()
        .all(|field| field.is("description") && (field.value.is_string() || field.value.is_null()))
}

pub(crate) const OLD_LIST: &str = "functions";

/// Where a tool remembers that its schema is of the provider's own kind.
const OWN: &str = "parameters";

/// Whether a tool that a block brings along may stand as it is.
pub(crate) fn fits(tool: Node<'_>, profile: &Profile) -> bool {
    let (rules, reading) = (profile.tools, profile.reading());
    let kind = tool.get("type").map(Node::word).unwrap_or_default();
    let shape = match &*kind {
        "function" => Some(rules.kinds.function),
        "custom" => Some(rules.kinds.freeform),
        kind => rules.kinds.typed(kind, &reading),
    };
    let named = !matches!(&*kind, "function" | "custom")
        || tool.get("name").is_some_and(|name| rules.names.fit(&name.word()));
    let schema = find(tool, rules.kinds.schema, &reading).filter(|_| kind == "function");
    let mut described = Tool::new(Text::EMPTY, ToolKind::Function { schema: None });
    described.strict = tool.get("strict").and_then(Node::boolean);
    let look = of_schema(&described, schema, &rules.schema, rules.strict);
    shape.is_some_and(|shape| reading.node(tool, shape) == Fit::Fine)
        && named
        && look == Look { optional: look.optional, ..Look::default() }
}
