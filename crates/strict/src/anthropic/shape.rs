//! Closed shapes: which keys and types stand where. The tables are in `fields` and `blocks`,
//! the rules in `shape_rules`.

use serde_json::Value;

use super::fields;
use super::view::{quoted, whole};

use crate::rule::Fields as _;
use crate::{Findings, Request};

/// An object whose keys are all known.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) fields: &'static [Field],
    /// The rule that an unknown key breaks.
    pub(super) extra: &'static str,
    /// Opaque: other keys are accepted.
    pub(super) open: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    name: &'static str,
    kind: Kind,
    required: bool,
    /// Beginnings of beta names, one of which lets the key in; none where nobody has to ask.
    betas: &'static [&'static str],
    /// The rule that the field breaks where it has one of its own.
    rule: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Any,
    /// A known key that is refused here.
    Never,
    Text,
    /// Text, with the type in the path of the complaint.
    TypedText,
    Whole,
    Number,
    Flag,
    Object,
    One(&'static [&'static str]),
    Each(&'static Kind),
    /// A string, or else.
    TextOr(&'static Kind),
    Shape(&'static Shape),
    Tagged(&'static Tagged),
}

/// Objects told apart by a key.
#[derive(Debug)]
pub(super) struct Tagged {
    pub(super) key: &'static str,
    pub(super) rows: &'static [Row],
    /// The tag of an object without one.
    pub(super) default: Option<&'static str>,
    /// The tag stands in the path of what is inside.
    pub(super) in_path: bool,
    /// An unknown tag is complained about as the value of its key.
    pub(super) by_value: bool,
    /// The rule that an unknown tag breaks.
    pub(super) rule: &'static str,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) tag: &'static str,
    pub(super) shape: &'static Shape,
    pub(super) betas: &'static [&'static str],
}

/// What does not fit, all of it.
struct Faults(Vec<Fault>);

struct Fault {
    rule: &'static str,
    path: String,
    words: String,
}

struct Walk<'r> {
    betas: &'r [&'r str],
    faults: Vec<Fault>,
}

/// Where the walk is; spelled only where there is something to say.
#[derive(Clone, Copy)]
struct Path<'p> {
    above: Option<&'p Path<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Body,
    Key(&'p str),
    Index(usize),
}

impl Path<'_> {
    const BODY: Path<'static> = Path { above: None, step: Step::Body };

    fn spell(&self) -> String {
        let above = self.above.map(Path::spell).unwrap_or_default();
        let step = match self.step {
            Step::Body => return above,
            Step::Key(key) => key.to_owned(),
            Step::Index(index) => index.to_string(),
        };
        if above.is_empty() { step } else { format!("{above}.{step}") }
    }
}

impl<'p> Path<'p> {
    fn key(&'p self, key: &'p str) -> Self {
        Self { above: Some(self), step: Step::Key(key) }
    }

    fn index(&'p self, index: usize) -> Self {
        Self { above: Some(self), step: Step::Index(index) }
    }
}

impl Shape {
    pub(super) const fn closed(fields: &'static [Field]) -> Self {
        Self { fields, extra: EXTRA, open: false }
    }
}

impl Field {
    pub(super) const fn must(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, required: true, betas: &[], rule: None }
    }

    pub(super) const fn may(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, required: false, betas: &[], rule: None }
    }

    pub(super) const fn beta(self, betas: &'static [&'static str]) -> Self {
        Self { betas, ..self }
    }

    pub(super) const fn rule(self, rule: &'static str) -> Self {
        Self { rule: Some(rule), ..self }
    }
}

impl Row {
    pub(super) const fn new(tag: &'static str, shape: &'static Shape) -> Self {
        Self { tag, shape, betas: &[] }
    }

    pub(super) const fn beta(self, betas: &'static [&'static str]) -> Self {
        Self { betas, ..self }
    }
}

impl Walk<'_> {
    fn fault(&mut self, rule: &'static str, path: &Path<'_>, words: impl Into<String>) {
        self.faults.push(Fault { rule, path: path.spell(), words: words.into() });
    }

    fn lets_in(&self, betas: &[&str]) -> bool {
        betas.is_empty()
            || self.betas.iter().any(|given| betas.iter().any(|start| given.starts_with(start)))
    }

    fn shape(&mut self, value: &Value, shape: &Shape, path: &Path<'_>) {
        let Some(object) = value.as_object() else {
            return self.fault(TYPE, path, "Input should be an object");
        };
        for field in shape.fields.iter().filter(|field| field.required) {
            if object.field(field.name).is_none() {
                self.fault(field.rule.unwrap_or(MISSING), &path.key(field.name), REQUIRED);
            }
        }
        for (key, value) in object {
            let path = path.key(key);
            match shape.fields.iter().find(|field| field.name == key) {
                Some(field) if !self.lets_in(field.betas) || matches!(field.kind, Kind::Never) => {
                    self.fault(field.rule.unwrap_or(shape.extra), &path, NOT_PERMITTED);
                }
                // Who leaves out an optional field may also say so.
                Some(field) if value.is_null() && !field.required => {}
                Some(field) => self.value(value, field.kind, &path, field.rule),
                None if shape.open => {}
                None => self.fault(shape.extra, &path, NOT_PERMITTED),
            }
        }
    }

    fn value(&mut self, value: &Value, kind: Kind, path: &Path<'_>, rule: Option<&'static str>) {
        let wrong = match kind {
            Kind::Any | Kind::Never => None,
            Kind::Text | Kind::TypedText => (!value.is_string()).then_some("a valid string"),
            Kind::Whole => whole(value).is_none().then_some("a valid integer"),
            Kind::Number => (!value.is_number()).then_some("a valid number"),
            Kind::Flag => (!value.is_boolean()).then_some("a valid boolean"),
            Kind::Object => (!value.is_object()).then_some("an object"),
            Kind::Each(_) => (!value.is_array()).then_some("a valid array"),
            Kind::One(names) => return self.one(value, names, path, rule),
            Kind::TextOr(_) if value.is_string() => None,
            Kind::TextOr(kind) => return self.value(value, *kind, path, rule),
            Kind::Shape(shape) => return self.shape(value, shape, path),
            Kind::Tagged(tagged) => return self.tagged(value, tagged, path),
        };
        if let Some(wrong) = wrong {
            let typed = path.key("str");
            let path = if matches!(kind, Kind::TypedText) { &typed } else { path };
            let words = format!("Input should be {wrong}");
            return self.fault(rule.unwrap_or(TYPE), path, words);
        }
        if let (Kind::Each(kind), Some(list)) = (kind, value.as_array()) {
            for (index, value) in list.iter().enumerate() {
                self.value(value, *kind, &path.index(index), None);
            }
        }
    }

    fn one(&mut self, value: &Value, names: &[&str], path: &Path<'_>, rule: Option<&'static str>) {
        if !value.as_str().is_some_and(|value| names.contains(&value)) {
            let words = format!("Input should be {}", either(names));
            self.fault(rule.unwrap_or(TYPE), path, words);
        }
    }

    fn tagged(&mut self, value: &Value, tagged: &Tagged, path: &Path<'_>) {
        if !value.is_object() {
            let rule = if tagged.rule == CHOICE { CHOICE } else { TYPE };
            return self.fault(rule, path, "Input should be an object");
        }
        let given = value.field(tagged.key).filter(|tag| !tag.is_null());
        let Some(tag) = given.and_then(Value::as_str).or(tagged.default) else {
            if tagged.by_value {
                return self.fault(MISSING, &path.key(tagged.key), REQUIRED);
            }
            let words = format!("Unable to extract tag using discriminator '{}'", tagged.key);
            return self.fault(tagged.rule, path, words);
        };
        let known = || tagged.rows.iter().filter(|row| self.lets_in(row.betas)).map(|row| row.tag);
        match tagged.rows.iter().find(|row| row.tag == tag && self.lets_in(row.betas)) {
            Some(row) if tagged.in_path => self.shape(value, row.shape, &path.key(tag)),
            Some(row) => self.shape(value, row.shape, path),
            None if tagged.by_value => {
                let words = format!("Input should be {}", either(&known().collect::<Vec<_>>()));
                self.fault(tagged.rule, &path.key(tagged.key), words);
            }
            None => {
                let words = format!(
                    "Input tag '{tag}' found using '{}' does not match any of the expected tags: {}",
                    tagged.key,
                    quoted(&known().collect::<Vec<_>>()).join(", ")
                );
                self.fault(tagged.rule, path, words);
            }
        }
    }
}

/// Reports what in the request's shape breaks the rule.
pub(super) fn report(request: &Request<'_>, findings: &mut Findings, rule: &str) {
    let faults = findings.shared(|| {
        let body = if request.counting { &fields::COUNTED } else { &fields::BODY };
        let mut walk = Walk { betas: request.betas, faults: Vec::new() };
        walk.shape(request.body, body, &Path::BODY);
        Faults(walk.faults)
    });
    for fault in faults.0.iter().filter(|fault| fault.rule == rule) {
        let words = match &*fault.path {
            "" => fault.words.clone(),
            path => format!("{path}: {}", fault.words),
        };
        findings.add(&fault.path, words);
    }
}

/// `'a', 'b' or 'c'`.
pub(super) fn either(names: &[&str]) -> String {
    let names = quoted(names);
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

pub(super) const MISSING: &str = "field-required";
pub(super) const TYPE: &str = "wrong-type";
pub(super) const EXTRA: &str = "extra-input";
pub(super) const TAG: &str = "unknown-tag";
pub(super) const ROLE: &str = "unknown-role";
pub(super) const CACHE_KEY: &str = "cache-control-key";
pub(super) const CACHE_VALUE: &str = "cache-control-value";
pub(super) const CHOICE: &str = "unknown-tool-choice";
pub(super) const INPUT: &str = "tool-input";
pub(super) const RESULT_ID: &str = "result-without-id";
pub(super) const UNSIGNED: &str = "unsigned-thinking";
pub(super) const CACHED_THINKING: &str = "cached-thinking";
pub(super) const BINDING: &str = "block-binding-without-beta";
pub(super) const SCHEMA: &str = "schema-missing";
pub(super) const DISPLAY: &str = "thinking-display";

const REQUIRED: &str = "Field required";
const NOT_PERMITTED: &str = "Extra inputs are not permitted";
