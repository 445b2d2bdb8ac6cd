//! Checks values of settings against the shapes that a target accepts.

use interlingua_providers::profile::settings::{SettingField, SettingShape};
use interlingua_wire::{self as wire, JsonKind, JsonNode, RawJson};

use crate::values::number;

/// Result of checking a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    Keep,
    /// A part of the value is valid.
    Replace(RawJson),
    /// Nothing of the value is valid.
    Drop,
}

/// Checks a value. Null stands for an absent field. With `either_case`, names may be in
/// `camelCase` or `snake_case`.
pub(crate) fn check(shape: &SettingShape, node: JsonNode<'_>, either_case: bool) -> Verdict {
    let is_valid = match shape {
        SettingShape::Any => true,
        SettingShape::Bool => node.as_bool().is_some(),
        SettingShape::BoolOrString => {
            node.as_bool().is_some() || matches!(&*node.str_or_empty(), "true" | "false")
        }
        SettingShape::Number => node.kind() == JsonKind::Number,
        SettingShape::Integer => number::is_plain_integer(&node.json()),
        SettingShape::Text => node.is_string(),
        SettingShape::TextList => node.is_array() && node.items().all(JsonNode::is_string),
        SettingShape::TextOrList => node.is_string() || node.is_array(),
        SettingShape::AnyList => node.is_array(),
        SettingShape::TextOrObject => node.is_string() || node.is_object(),
        SettingShape::OneOfOrObject(values) => {
            node.is_object() || values.contains(&&*node.str_or_empty())
        }
        SettingShape::OneOf(values) => values.contains(&&*node.str_or_empty()),
        SettingShape::OneOfIgnoreCaseOrNumber(values) => {
            let value = node.str_or_empty();
            node.kind() == JsonKind::Number || values.iter().any(|w| w.eq_ignore_ascii_case(&value))
        }
        SettingShape::AnyObject => node.is_object(),
        SettingShape::OpenIfObject(_) | SettingShape::ClosedIfObject(_) if !node.is_object() => {
            true
        }
        SettingShape::BetaList(unavailable) => return check_betas(node, unavailable),
        SettingShape::ClosedIfObject(fields) | SettingShape::Closed(fields) => {
            return check_object(node, fields, false, either_case);
        }
        SettingShape::OpenIfObject(fields) | SettingShape::Open(fields) => {
            return check_object(node, fields, true, either_case);
        }
        SettingShape::Forbidden => false,
        SettingShape::Tagged(rows) => return check_tagged(node, rows, false, either_case),
        SettingShape::TaggedOpen(rows) => return check_tagged(node, rows, true, either_case),
        SettingShape::ExactlyOneField(fields) => {
            let is_known = |name: &str| fields.iter().any(|field| field.name == name);
            let is_unset =
                |field: wire::Field<'_>| field.value.is_null() || !is_known(&field.key());
            let set = node.fields().filter(|field| !field.value.is_null());
            let set = set.filter(|field| is_known(&field.key())).count();
            // The one field must remain after the check.
            let rest = if set == 1 {
                check_object(node, fields, true, either_case)
            } else {
                Verdict::Drop
            };
            return match rest {
                Verdict::Replace(json) if json.to_doc().root().fields().all(is_unset) => {
                    Verdict::Drop
                }
                rest => rest,
            };
        }
    };
    if is_valid { Verdict::Keep } else { Verdict::Drop }
}

/// Keeps the betas that end in a date and are available.
fn check_betas(node: JsonNode<'_>, unavailable: &[&str]) -> Verdict {
    let fits = |beta: &JsonNode<'_>| {
        let beta = beta.str_or_empty();
        let name = beta.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
        let digits = beta[name.len()..].chars().filter(char::is_ascii_digit).count();
        !name.is_empty() && digits >= 8 && !unavailable.iter().any(|start| beta.starts_with(start))
    };
    let valid: Vec<JsonNode<'_>> = node.items().filter(fits).collect();
    match valid.len() {
        count if count == node.items().count() => Verdict::Keep,
        0 => Verdict::Drop,
        _ => Verdict::Replace(RawJson::array(|list| {
            for beta in &valid {
                list.item().json(&beta.json());
            }
        })),
    }
}

fn check_tagged(
    node: JsonNode<'_>,
    rows: &[(&str, &[SettingField])],
    allows_unknown: bool,
    either_case: bool,
) -> Verdict {
    let tag = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let row = rows.iter().find(|(name, _)| *name == tag);
    row.map_or(Verdict::Drop, |(_, fields)| check_object(node, fields, allows_unknown, either_case))
}

fn check_object(
    node: JsonNode<'_>,
    fields: &[SettingField],
    allows_unknown: bool,
    either_case: bool,
) -> Verdict {
    if !node.is_object() {
        return Verdict::Drop;
    }
    let mut is_changed = false;
    let mut verdicts = Vec::new();
    for inner in node.fields() {
        let spec = fields.iter().find(|field| is_same_name(&inner.key(), field.name, either_case));
        let verdict = match spec {
            Some(SettingField { shape: SettingShape::Forbidden, .. }) => Verdict::Drop,
            Some(field) if inner.value.is_null() && !field.required => Verdict::Keep,
            Some(field) => check(&field.shape, inner.value, either_case),
            None if allows_unknown => Verdict::Keep,
            None => Verdict::Drop,
        };
        is_changed |= verdict != Verdict::Keep;
        verdicts.push(verdict);
    }
    let is_incomplete = fields.iter().filter(|field| field.required).any(|field| {
        let mut fields_with_verdicts = node.fields().zip(&verdicts);
        !fields_with_verdicts.any(|(inner, verdict)| {
            is_same_name(&inner.key(), field.name, either_case) && *verdict != Verdict::Drop
        })
    });
    if is_incomplete {
        return Verdict::Drop;
    }
    if !is_changed {
        return Verdict::Keep;
    }
    Verdict::Replace(RawJson::object(|object| {
        for (inner, verdict) in node.fields().zip(&verdicts) {
            match verdict {
                Verdict::Keep => {
                    object.key_json_string(&inner.key_json_string()).json(&inner.value.json());
                }
                Verdict::Replace(json) => {
                    object.key_json_string(&inner.key_json_string()).json(json);
                }
                Verdict::Drop => {}
            }
        }
    }))
}

/// Whether two names are equal, with `either_case` in `camelCase` or `snake_case`.
pub(crate) fn is_same_name(written: &str, name: &str, either_case: bool) -> bool {
    if !either_case || !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return written == name;
    }
    let normalize = |text: &str| text.replace('_', "").to_ascii_lowercase();
    written == name || written.contains('_') && normalize(written) == normalize(name)
}
