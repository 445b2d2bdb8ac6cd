//! Checks values against the shapes that a target accepts, and converts them.

use interlingua_providers::profile::tools::ToolShapes;
use interlingua_providers::shape::{FieldSpec, Shape, optional};
use interlingua_wire::{self as wire, Field, JsonNode, JsonString, RawJson};

use crate::values::{base64, number};

/// How the target parses fields and values, and which betas the client requested.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent property of the target")]
pub struct ShapeChecker<'r> {
    /// Names in `camelCase` and `snake_case` are equivalent.
    pub either_case: bool,
    /// Values are parsed as those of protobuf JSON: numbers and booleans may be strings, and a list
    /// a single value.
    pub proto_json: bool,
    /// The target ignores unknown fields.
    pub ignores_unknown: bool,
    pub betas: &'r [JsonString],
    /// Fields without a row are passed on.
    pub pass_unknown_fields: bool,
    /// The target rejects integers with a fraction or an exponent.
    pub exact_integers: bool,
}

/// Result of checking a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Keep,
    Replace(RawJson),
    Drop,
}

impl ShapeChecker<'_> {
    /// The row for the field of this name, if the target accepts the field.
    pub fn find_field<'k>(&self, keys: &'k [FieldSpec], name: &str) -> Option<&'k FieldSpec> {
        let mut named = keys.iter().filter(|key| self.is_same_name(name, key.name)).peekable();
        if self.pass_unknown_fields && named.peek().is_none() {
            return Some(&ANY_FIELD);
        }
        named.find(|key| self.has_beta(key.beta)).or(self.ignores_unknown.then_some(&ANY_FIELD))
    }

    /// The shape of tools of a type; `None` if the target rejects them.
    pub fn tool_shape(&self, shapes: &ToolShapes, kind: &str) -> Option<Shape> {
        match shapes.by_type.iter().find(|row| self.is_same_name(kind, row.type_name)) {
            Some(row) => self.has_beta(row.beta).then_some(row.shape),
            None => shapes.other_types,
        }
    }

    pub fn has_beta(&self, beta: &str) -> bool {
        beta.is_empty()
            || self.betas.iter().any(|beta_value| beta_value.unescape().starts_with(beta))
    }

    pub fn is_same_name(&self, written: &str, name: &str) -> bool {
        written == name || self.either_case && is_snake_case_of(written, name)
    }

    pub fn is_field_named(&self, field: Field<'_>, name: &str) -> bool {
        field.key_is(name) || self.either_case && is_snake_case_of(&field.key(), name)
    }

    /// Checks the value of a field.
    pub fn check(&self, value: &RawJson, kind: Shape) -> Verdict {
        // Null stands for an absent field and is always accepted.
        let is_valid = match (kind, value.kind()) {
            (Shape::Absent, _) => false,
            (Shape::Any, _)
            | (_, wire::JsonKind::Null)
            | (Shape::Text | Shape::TextOr(_), wire::JsonKind::String)
            | (Shape::Number, wire::JsonKind::Number)
            | (Shape::Bool, wire::JsonKind::Bool)
            | (Shape::AnyObject, wire::JsonKind::Object)
            | (Shape::AnyList, wire::JsonKind::Array) => true,
            _ => false,
        };
        if is_valid { Verdict::Keep } else { self.check_node(value.to_doc().root(), kind) }
    }

    /// As [`ShapeChecker::check`], for a node of a document.
    pub fn check_node(&self, node: JsonNode<'_>, kind: Shape) -> Verdict {
        let is_valid = match kind {
            Shape::Any => true,
            Shape::Absent => false,
            _ if node.is_null() => true,
            Shape::Text => node.is_string(),
            Shape::NonEmptyText => node.is_string() && !node.str_or_empty().is_empty(),
            Shape::Identifier(extra_chars) => {
                let fits = |byte: u8| {
                    byte.is_ascii_alphanumeric() || extra_chars.as_bytes().contains(&byte)
                };
                let name = node.str_or_empty();
                node.is_string() && (1..=64).contains(&name.len()) && name.bytes().all(fits)
            }
            Shape::Title(extra_chars) => {
                node.is_string() && is_title(&node.str_or_empty(), extra_chars)
            }
            Shape::Tagged(shapes) => return self.check_tagged(node, shapes, false),
            Shape::TaggedOpen(shapes) => return self.check_tagged(node, shapes, true),
            Shape::Base64 => node.is_string() && base64::is_valid(&node.str_or_empty(), true),
            Shape::Integer => {
                match self.parse_number(node).filter(|number| number.fract() == 0.0) {
                    Some(number)
                        if self.exact_integers && !number::is_plain_integer(&node.json()) =>
                    {
                        return Verdict::Replace(number::to_json(number::to_safe_integer(number)));
                    }
                    number => number.is_some(),
                }
            }
            Shape::Number => self.parse_number(node).is_some(),
            Shape::Bool => {
                node.as_bool().is_some()
                    || self.proto_json && ["true", "false"].contains(&&*node.str_or_empty())
            }
            Shape::True => node.as_bool() == Some(true),
            Shape::Forbidden => false,
            Shape::ObjectOrJsonText if node.is_string() => return parse_json_text(node),
            Shape::AnyObject | Shape::ObjectOrJsonText => node.is_object(),
            Shape::AnyList => node.is_array(),
            Shape::TextList => node.is_array() && node.items().all(JsonNode::is_string),
            Shape::BetaList(unavailable) => return check_betas(node, unavailable),
            Shape::IfObject(_) if !node.is_object() => true,
            Shape::OneOf(values) => node.is_string() && values.contains(&&*node.str_or_empty()),
            Shape::NotWord(value) => node.str_or_empty() != value,
            Shape::OneOfIgnoreCase(values) => {
                let value = node.str_or_empty();
                let digits = node.raw().bytes().all(|byte| byte.is_ascii_digit());
                digits || values.iter().any(|first| first.eq_ignore_ascii_case(&value))
            }
            Shape::TextOr(_) if node.is_string() => true,
            Shape::TextOr(kind) | Shape::Nullable(kind) | Shape::IfObject(kind) => {
                return self.check_node(node, *kind);
            }
            Shape::ListOf(kind) => return self.check_list(node, *kind),
            Shape::NonEmptyListOf(kind) => {
                return match self.check_list(node, *kind) {
                    Verdict::Replace(json) if json == RawJson::EMPTY_ARRAY => Verdict::Drop,
                    Verdict::Keep if node.is_empty() => Verdict::Drop,
                    fit => fit,
                };
            }
            Shape::ExactlyOneField(keys) => return self.check_one_field(node, keys),
            Shape::FirstOf(kinds) => {
                let fits: Vec<Verdict> =
                    kinds.iter().map(|kind| self.check_node(node, *kind)).collect();
                let is_valid = fits.iter().position(|fit| *fit == Verdict::Keep);
                let convertible = || fits.iter().position(|fit| *fit != Verdict::Drop);
                let index = is_valid.or_else(convertible).and_then(|at| fits.into_iter().nth(at));
                return index.unwrap_or(Verdict::Drop);
            }
            Shape::Closed(keys) => return self.check_object(node, keys, false),
            Shape::Open(keys) => return self.check_object(node, keys, true),
        };
        if is_valid { Verdict::Keep } else { Verdict::Drop }
    }

    fn parse_number(&self, node: JsonNode<'_>) -> Option<f64> {
        let number = match node.kind() {
            wire::JsonKind::Number => node.raw().parse().ok()?,
            wire::JsonKind::String if self.proto_json => node.str_or_empty().parse::<f64>().ok()?,
            _ => return None,
        };
        Some(number).filter(|number| number.is_finite())
    }

    fn check_list(&self, node: JsonNode<'_>, kind: Shape) -> Verdict {
        if !node.is_array() {
            // protobuf JSON accepts a single value for a list.
            return if self.proto_json { self.check_node(node, kind) } else { Verdict::Drop };
        }
        let check_item = |item: JsonNode<'_>| match kind {
            Shape::Any => Verdict::Keep,
            _ if item.is_null() => Verdict::Drop,
            _ => self.check_node(item, kind),
        };
        let fits = collect_unless_all_keep(node.items().map(check_item));
        if fits.is_empty() {
            return Verdict::Keep;
        }
        Verdict::Replace(RawJson::array(|out| {
            for (item, fit) in node.items().zip(&fits) {
                match fit {
                    Verdict::Keep => out.item().json(&item.json()),
                    Verdict::Replace(json) => out.item().json(json),
                    Verdict::Drop => {}
                }
            }
        }))
    }

    /// Checks an object with exactly one of these fields set. Other fields are not checked.
    fn check_one_field(&self, node: JsonNode<'_>, keys: &[FieldSpec]) -> Verdict {
        let is_set = |key: &&FieldSpec| {
            node.fields()
                .any(|field| self.is_same_name(&field.key(), key.name) && !field.value.is_null())
        };
        let mut set = keys.iter().filter(is_set);
        match (set.next(), set.next()) {
            (Some(one), None) => {
                self.check_object(node, &[FieldSpec { required: true, ..*one }], true)
            }
            _ => Verdict::Drop,
        }
    }

    fn check_tagged(
        &self,
        node: JsonNode<'_>,
        shapes: &[(&str, &[FieldSpec])],
        allows_unknown: bool,
    ) -> Verdict {
        let tag = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
        let keys = shapes.iter().find(|(value, _)| *value == tag);
        keys.map_or(Verdict::Drop, |(_, keys)| self.check_object(node, keys, allows_unknown))
    }

    fn check_object(
        &self,
        node: JsonNode<'_>,
        keys: &[FieldSpec],
        allows_unknown: bool,
    ) -> Verdict {
        if !node.is_object() {
            return Verdict::Drop;
        }
        let nullable = |key: &FieldSpec| matches!(key.shape, Shape::Nullable(_));
        let has = |key: &FieldSpec| {
            let fills = |value: JsonNode<'_>| !value.is_null() || nullable(key);
            node.fields().any(|field| self.is_field_named(field, key.name) && fills(field.value))
        };
        if keys.iter().any(|key| key.required && !has(key)) {
            return Verdict::Drop;
        }
        let check_field = |field: Field<'_>| match self.find_field(keys, &field.key()) {
            // A required constant is corrected.
            Some(FieldSpec { required: true, shape: Shape::OneOf([only]), .. }) => {
                let is_expected = field.value.str_or_empty() == *only;
                if is_expected {
                    Verdict::Keep
                } else {
                    Verdict::Replace(RawJson::string(&JsonString::from_static(only)))
                }
            }
            Some(FieldSpec { required: true, shape: kind, .. }) if field.value.is_null() => {
                if matches!(kind, Shape::Any | Shape::Nullable(_)) {
                    Verdict::Keep
                } else {
                    Verdict::Drop
                }
            }
            Some(key) => self.check_node(field.value, key.shape),
            None if allows_unknown => Verdict::Keep,
            None => Verdict::Drop,
        };
        let fits = collect_unless_all_keep(node.fields().map(check_field));
        if fits.is_empty() {
            return Verdict::Keep;
        }
        let dropped = |key: &FieldSpec| {
            let mut fields = node.fields().zip(&fits);
            fields.any(|(field, fit)| {
                *fit == Verdict::Drop && self.is_same_name(&field.key(), key.name)
            })
        };
        if keys.iter().any(|key| key.required && dropped(key)) {
            return Verdict::Drop;
        }
        Verdict::Replace(RawJson::object(|out| {
            for (field, fit) in node.fields().zip(&fits) {
                match fit {
                    Verdict::Keep => {
                        out.key_json_string(&field.key_json_string()).json(&field.value.json());
                    }
                    Verdict::Replace(json) => {
                        out.key_json_string(&field.key_json_string()).json(json);
                    }
                    Verdict::Drop => {}
                }
            }
        }))
    }
}

/// Keeps the betas that end in a date and are available.
fn check_betas(node: JsonNode<'_>, unavailable: &[&str]) -> Verdict {
    let is_available = |beta: &JsonNode<'_>| {
        let beta = beta.str_or_empty();
        let name = beta.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
        let digits = beta[name.len()..].chars().filter(char::is_ascii_digit).count();
        !name.is_empty() && digits >= 8 && !unavailable.iter().any(|start| beta.starts_with(start))
    };
    let available: Vec<JsonNode<'_>> = node.items().filter(is_available).collect();
    match available.len() {
        count if count == node.items().count() => Verdict::Keep,
        0 => Verdict::Drop,
        _ => Verdict::Replace(RawJson::array(|list| {
            for beta in &available {
                list.item().json(&beta.json());
            }
        })),
    }
}

/// The object in a string of JSON text.
fn parse_json_text(text: JsonNode<'_>) -> Verdict {
    let object = RawJson::parse(text.str_or_empty().into_owned()).ok();
    object.filter(RawJson::is_object).map_or(Verdict::Drop, Verdict::Replace)
}

/// The verdicts of all items; empty if all are `Keep`, to avoid the allocation in the usual case.
fn collect_unless_all_keep(verdicts: impl Iterator<Item = Verdict>) -> Vec<Verdict> {
    let mut fits = Vec::new();
    for (at, fit) in verdicts.enumerate() {
        if fit != Verdict::Keep && fits.is_empty() {
            fits.resize(at, Verdict::Keep);
        }
        if fit != Verdict::Keep || !fits.is_empty() {
            fits.push(fit);
        }
    }
    fits
}

/// Whether `written` is the `snake_case` spelling of `camel`.
fn is_snake_case_of(written: &str, camel: &str) -> bool {
    let mut written = written.bytes();
    let fits = camel.bytes().all(|byte| {
        (!byte.is_ascii_uppercase() || written.next() == Some(b'_'))
            && written.next() == Some(byte.to_ascii_lowercase())
    });
    fits && written.next().is_none()
}

/// Stands for fields without a row, which may have any value.
static ANY_FIELD: FieldSpec = optional("", Shape::Any);

/// One to 200 letters, digits, single blanks and extra characters.
fn is_title(title: &str, extra_chars: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || extra_chars.contains(c);
    let mut pairs = title.chars().zip(title.chars().skip(1));
    (1..=200).contains(&title.chars().count())
        && title.chars().all(fits)
        && !pairs.any(|(first, second)| first.is_whitespace() && second.is_whitespace())
}
