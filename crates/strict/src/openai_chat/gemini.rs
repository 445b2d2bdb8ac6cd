//! What Gemini's compatible endpoint does not know: parameters, and in schemas what those of its own API
//! do not have.

use serde_json::Value;

use super::params::given;
use super::schema::{below, schemas, walk};
use super::view::keys;
use super::words::{Refusal, Words, refuse, words};
use crate::rule::{Fields as _, Findings};
use crate::{Evidence, Request, Rule};

pub(super) const GEMINI_COMPAT_SCHEMA_KEY: Rule = Rule {
    name: "gemini-compat-schema-key",
    status: 400,
    when: "A schema has a keyword that Gemini's schemas do not have, or a list of types.",
    words: UNKNOWN.lines,
    evidence: Evidence::Seen,
    source: "CLIProxyAPI#97, zed#44875, zed#53919",
    check: gemini_compat_schema_key,
};
const UNKNOWN: Words = words! {
    &["gemini-compat"] => "Invalid JSON payload received. Unknown name \"{key}\" at '{at}': Cannot find field.",
    &["list"] => "Invalid JSON payload received. Unknown name \"{key}\" at '{at}': Proto field is not repeating, cannot start list.",
};

pub(super) const GEMINI_COMPAT_PARAMETER: Rule = Rule {
    name: "gemini-compat-parameter",
    status: 400,
    when: "There is a frequency_penalty or a seed.",
    words: NO_FIELD.lines,
    evidence: Evidence::Seen,
    source: "ChatterUI#227, RSSBox#132, RPGBox#2 of 2026-08; presence_penalty, which the same clients sent, is not named there",
    check: gemini_compat_parameter,
};
const NO_FIELD: Words = words! {
    &["gemini-compat"] => "Invalid JSON payload received. Unknown name \"{name}\": Cannot find field.",
};

fn gemini_compat_parameter(request: &Request<'_>, findings: &mut Findings) {
    for name in ["frequency_penalty", "seed", "random_seed"] {
        if given(request, name).is_some() {
            let fills = [("name", name)];
            let refusal = Refusal { path: name.into(), fills: &fills, ..Refusal::default() };
            NO_FIELD.refuse(request, findings, &refusal);
        }
    }
}

fn gemini_compat_schema_key(request: &Request<'_>, findings: &mut Findings) {
    let Some(unknown) = UNKNOWN.of(request) else { return };
    let functions = schemas(request).into_iter().filter(|schema| schema.what == "function");
    for (at, schema) in functions.enumerate() {
        let root = format!("tools[0].function_declarations[{at}].parameters");
        walk(schema.value, &mut Vec::new(), &mut |node, steps| {
            for key in keys(node) {
                let listed = key == "type" && node.field(key).is_some_and(Value::is_array);
                let words = match UNKNOWN.by("list").filter(|_| listed) {
                    Some(words) => words,
                    None if NOT_GEMINI.contains(&key.as_str()) => unknown,
                    None => continue,
                };
                let place = format!("{root}{}", proto(schema.value, steps));
                let refusal = Refusal {
                    path: format!("{}.{key}", below(&schema.path, steps)),
                    fills: &[("key", key), ("at", &place)],
                    ..Refusal::default()
                };
                refuse(words, request, findings, &refusal);
            }
        });
    }
}

/// The steps as a protobuf path: a map is a list of pairs there.
fn proto(root: &Value, steps: &[String]) -> String {
    let (mut out, mut node, mut map) = (String::new(), root, false);
    for step in steps {
        if map {
            let at = keys(node).position(|key| key == step).unwrap_or_default();
            out.extend(["[", &at.to_string(), "].value"]);
            map = false;
        } else if step.parse::<usize>().is_ok() && node.is_array() {
            out.extend(["[", step, "]"]);
        } else {
            out.extend([".", snake(step)]);
            map = step == "properties";
        }
        let index = step.parse::<usize>().ok();
        node = node.get(step).or_else(|| node.get(index?)).unwrap_or(&Value::Null);
    }
    out
}

fn snake(name: &str) -> &str {
    if name == "anyOf" { "any_of" } else { name }
}

/// What the schemas of the API do not have; "unknown keys are hard 400".
const NOT_GEMINI: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "definitions",
    "additionalProperties",
    "propertyNames",
    "patternProperties",
    "const",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "prefixItems",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "examples",
    "readOnly",
    "contentMediaType",
];
