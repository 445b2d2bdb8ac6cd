//! The schema of the answer is one that the target takes, or is not held to.
//!
//! As with the schemas of tools: an array says what it holds, and an answer is held to a schema only if
//! that is made for it. One that stands beside a form that has no schema is left out where it would be
//! refused.
//!
//! ## Why
//! > Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to
//! > be supplied and to be false.
//!
//! > For 'object' type, 'additionalProperties' must be explicitly set to false
//!
//! > Invalid JSON payload received. Unknown name "oneOf" at 'generation_config.response_schema': Cannot
//! > find field.
//!
//! ## Example
//! ```text
//! before   answer: {"type": "object", "properties": {"a": {"type": "array"}}}, strict
//! after    answer: {"type": "object", "properties": {"a": {"type": "array", "items": {}}}}, not strict
//! ```

use interlingua_model::{Format, Place};
use interlingua_wire::{Json, Node};

use crate::Work;
use crate::profile::tools::{Root, Strict};
use crate::schema::{close, look, own, spell};
use crate::tools::names;

pub fn apply(work: &mut Work<'_>) {
    let Some(Format::Schema { schema, strict, .. }) = &work.conversation().settings.format else {
        return idle_schema(work);
    };
    let rules = work.profile.tools;
    let (schema, strict) = (schema.clone(), *strict == Some(true));
    let doc = schema.doc();
    if rules.schema.items && look::has_bare_array(doc.root()) {
        let (mended, touched) = spell::mend(&schema, &[], false);
        let touched: Vec<_> = touched.iter().map(|key| format!("`{key}`")).collect();
        let what = format!("in the schema of the answer, {} is said otherwise", touched.join(", "));
        work.change(Place::SETTINGS, what);
        if let Some(Format::Schema { schema, .. }) = &mut work.settings().format {
            *schema = mended;
        }
    }
    if let Strict::Closed(refused) = rules.strict
        && strict
        && !(work.is_own() && is_untold(work))
        && (look::is_loose(doc.root(), refused)
            || !look::root_fits(Some(doc.root()), Root::Object, &[]))
    {
        let what = "the answer is not held to its schema: that is not made for it";
        work.loss(Place::SETTINGS, what);
        if let Some(Format::Schema { strict, .. }) = &mut work.settings().format {
            *strict = Some(false);
        }
    }
    closed_objects(work);
    plain_name(work);
    own_schema(work);
}

/// Where an answer is held to its schema in any case, the objects of one that crosses are closed.
fn closed_objects(work: &mut Work<'_>) {
    let Some(Format::Schema { schema, .. }) = &work.conversation().settings.format else { return };
    let wanted = work.profile.params.format.closed && !work.is_own();
    if !wanted || !close::has_open(schema.doc().root()) {
        return;
    }
    let closed = close::close(schema);
    work.change(Place::SETTINGS, "the objects in the schema of the answer are closed");
    if let Some(Format::Schema { schema, .. }) = &mut work.settings().format {
        *schema = closed;
    }
}

/// A schema whose name cannot be said is called something like it.
fn plain_name(work: &mut Work<'_>) {
    let names = &work.profile.tools.names;
    let Some(Format::Schema { name: Some(name), .. }) = &work.conversation().settings.format else {
        return;
    };
    if !work.profile.params.format.plain_name || names.fit(&name.contents()) {
        return;
    }
    let alias = names::alias(name, "tool", names, 0);
    let what = format!("the schema of the answer is called `{alias}`, and not `{name}`");
    work.change(Place::SETTINGS, what);
    if let Some(Format::Schema { name, .. }) = &mut work.settings().format {
        *name = Some(alias);
    }
}

/// Whether the body asks for a schema and does not say which.
fn is_untold(work: &Work<'_>) -> bool {
    let field = work.conversation().fields.iter().find(|field| field.key == FORMAT);
    field.is_some_and(|field| {
        let doc = field.value.doc();
        let inner = doc.root().get(FORM);
        inner.is_some_and(|inner| inner.get("schema").is_none())
    })
}

/// A schema beside an answer's form that has none is not used; it is left out where it would be refused.
fn idle_schema(work: &mut Work<'_>) {
    let (conversation, rules) = (work.conversation(), work.profile.tools);
    if conversation.source != work.profile.dialect || conversation.settings.format.is_none() {
        return;
    }
    let Some(at) = conversation.fields.iter().position(|field| field.key == FORMAT) else { return };
    let doc = conversation.fields[at].value.doc();
    let Some(inner) = doc.root().get(FORM) else { return };
    let Some(schema) = inner.get("schema") else { return };
    let strict = inner.get("strict").and_then(Node::boolean) == Some(true);
    let bare = rules.schema.items && look::has_bare_array(schema);
    let loose = match rules.strict {
        Strict::Closed(refused) if strict => {
            look::is_loose(schema, refused) || !look::root_fits(Some(schema), Root::Object, &[])
        }
        _ => false,
    };
    if !bare && !loose {
        return;
    }
    let rest = Json::object(|object| {
        for field in doc.root().fields().filter(|field| !field.is(FORM)) {
            object.key_text(&field.key()).json(&field.value.json());
        }
    });
    work.loss(Place::SETTINGS, "left out a schema that the form of the answer has no use for");
    work.fields()[at].value = rest;
}

/// A schema of the provider's own kind that has more than it may is sent as JSON Schema.
fn own_schema(work: &mut Work<'_>) {
    let Some(kind) = work.profile.tools.schema.own else { return };
    if !work.is_own() {
        return;
    }
    let reading = work.profile.reading();
    let is = |written: &str, name: &str| reading.is(written, name);
    let fields = &work.conversation().fields;
    let Some(at) = fields.iter().position(|field| is(&field.key.contents(), CONFIG)) else {
        return;
    };
    let doc = fields[at].value.doc();
    let written = doc.root().find(|field| is(&field.name(), OWN)).filter(|own| !own.is_null());
    if written.is_none_or(|written| own::fits(written, kind, own::Spelled::Here)) {
        return;
    }
    let rest = Json::object(|object| {
        for field in doc.root().fields().filter(|field| !is(&field.name(), OWN)) {
            object.key_text(&field.key()).json(&field.value.json());
        }
    });
    let untold = written.is_some_and(|written| !Node::is_object(written));
    let what = "the schema of the answer is sent as JSON Schema: it has more than its kind";
    work.change(Place::SETTINGS, what);
    work.fields()[at].value = rest;
    let settings = work.settings();
    if untold {
        settings.format = None;
    }
}

const FORMAT: &str = "response_format";
const FORM: &str = "json_schema";
const CONFIG: &str = "generationConfig";
const OWN: &str = "responseSchema";
