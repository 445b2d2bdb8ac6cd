//! How AWS reads a request: the types, what must be there, lengths, patterns and choices.

use std::rc::Rc;

use serde_json::Value;

use super::converse::CONVERSE;

use crate::rule::Fields as _;
use crate::{Evidence, Findings, Request, Rule};

/// The shape of a value.
#[derive(Debug)]
pub(super) enum Shape {
    Structure(&'static [Member]),
    /// A structure of which exactly one member is set.
    Union(&'static str, &'static [Member]),
    List(&'static Shape, Length),
    Text(Length, Option<Pattern>),
    Choice(&'static [&'static str]),
    /// A number between these.
    Number(f64, f64),
    /// A whole number from this on.
    Whole(f64),
    /// Any object whose number of keys is within these.
    Map(Length),
    Any,
}

#[derive(Debug)]
pub(super) struct Member {
    name: &'static str,
    shape: &'static Shape,
    required: bool,
    /// Not among the keys of a union that AWS lists.
    unsaid: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    pub(super) least: usize,
    pub(super) most: usize,
}

/// Letters, digits and these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    pub(super) spelled: &'static str,
    pub(super) others: &'static str,
}

impl Member {
    pub(super) const fn new(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, required: false, unsaid: false }
    }

    pub(super) const fn unsaid(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, required: false, unsaid: true }
    }

    pub(super) const fn required(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, required: true, unsaid: false }
    }
}

pub(super) const FREE: Length = Length { least: 0, most: usize::MAX };

/// Where a value stands; spelled only where there is something to say.
#[derive(Clone, Copy)]
struct Place<'p> {
    above: Option<&'p Place<'p>>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    Root,
    Member(&'static str),
    Item(usize),
}

impl Place<'_> {
    const ROOT: Place<'static> = Place { above: None, step: Step::Root };

    fn member(&self, name: &'static str) -> Place<'_> {
        Place { above: Some(self), step: Step::Member(name) }
    }

    fn item(&self, index: usize) -> Place<'_> {
        Place { above: Some(self), step: Step::Item(index) }
    }

    /// `messages.0.content.1`
    fn dotted(&self) -> String {
        self.spelled(&|index| index.to_string())
    }

    /// `messages.1.member.content.2.member`
    fn counted(&self) -> String {
        self.spelled(&|index| format!("{}.member", index + 1))
    }

    fn spelled(&self, item: &dyn Fn(usize) -> String) -> String {
        let Some(above) = self.above else { return String::new() };
        let mut path = above.spelled(item);
        if !path.is_empty() {
            path.push('.');
        }
        match self.step {
            Step::Root => {}
            Step::Member(name) => path.push_str(name),
            Step::Item(index) => path.push_str(&item(index)),
        }
        path
    }
}

#[derive(Default)]
struct Reader {
    /// Values of another type, with what is said of them.
    unread: Vec<(String, String)>,
    /// Broken constraints, with where they stand.
    broken: Vec<(String, String)>,
    /// Unions with no member, or several.
    undecided: Vec<(String, String)>,
}

impl Reader {
    fn of(request: &Request<'_>, findings: &mut Findings) -> Rc<Self> {
        findings.shared(|| Self::read(request))
    }

    fn read(request: &Request<'_>) -> Self {
        let mut reader = Self::default();
        reader.value(&CONVERSE, request.body, &Place::ROOT);
        // Instructions among the messages are in the model of the API, but not known to work.
        if request.switches.system_messages == Some(true) {
            reader.broken.retain(|(_, words)| !words.starts_with("Value 'system' at 'messages."));
        }
        reader
    }

    fn value(&mut self, shape: &'static Shape, value: &Value, place: &Place<'_>) {
        match (shape, value) {
            (Shape::Any, _) => {}
            (Shape::Structure(members), Value::Object(_)) => self.members(members, value, place),
            (Shape::Union(name, members), Value::Object(object)) => {
                let set =
                    |member: &&Member| object.field(member.name).is_some_and(|v| !v.is_null());
                if members.iter().filter(set).count() == 1 {
                    return self.members(members, value, place);
                }
                let said = members.iter().filter(|member| !member.unsaid);
                let names: Vec<_> = said.map(|member| member.name).collect();
                let words = format!(
                    "{name} object at {} must set one of the following keys: {}.",
                    place.dotted(),
                    names.join(", ")
                );
                self.undecided.push((place.dotted(), words));
            }
            (Shape::List(of, length), Value::Array(list)) => {
                self.length(*length, list.len(), value, place);
                for (index, value) in list.iter().enumerate() {
                    self.value(of, value, &place.item(index));
                }
            }
            (Shape::Text(length, pattern), Value::String(text)) => {
                self.text(*length, *pattern, text, value, place);
            }
            (Shape::Choice(names), Value::String(text)) => {
                if !names.contains(&text.as_str()) {
                    let set = names.join(", ");
                    self.fails(
                        value,
                        place,
                        &format!("Member must satisfy enum value set: [{set}]"),
                    );
                }
            }
            (Shape::Number(least, most), Value::Number(_)) => {
                self.range(*least, *most, value, place);
            }
            (Shape::Whole(least), Value::Number(number))
                if number.as_f64().is_none_or(|number| number.fract() == 0.0) =>
            {
                self.range(*least, f64::INFINITY, value, place);
            }
            (Shape::Map(length), Value::Object(object)) => {
                self.length(*length, object.len(), value, place);
            }
            (shape, value) => {
                let words = unread(shape, value);
                self.unread.push((place.dotted(), words));
            }
        }
    }

    fn members(&mut self, members: &'static [Member], value: &Value, place: &Place<'_>) {
        for member in members {
            let place = place.member(member.name);
            match value.field(member.name).filter(|value| !value.is_null()) {
                Some(value) => self.value(member.shape, value, &place),
                None if member.required => {
                    let words = format!(
                        "Value null at '{}' failed to satisfy constraint: Member must not be null",
                        place.counted()
                    );
                    self.broken.push((place.dotted(), words));
                }
                None => {}
            }
        }
    }

    fn text(
        &mut self,
        length: Length,
        pattern: Option<Pattern>,
        text: &str,
        value: &Value,
        place: &Place<'_>,
    ) {
        let long = text.chars().count();
        if long > length.most {
            self.length(length, long, value, place);
        }
        if let Some(pattern) = pattern {
            let fits = |c: char| c.is_ascii_alphanumeric() || pattern.others.contains(c);
            if text.is_empty() || !text.chars().all(fits) {
                let words =
                    format!("Member must satisfy regular expression pattern: {}", pattern.spelled);
                self.fails(value, place, &words);
            }
        }
        if long < length.least {
            self.length(length, long, value, place);
        }
    }

    fn length(&mut self, length: Length, found: usize, value: &Value, place: &Place<'_>) {
        if found > length.most {
            let words = format!("Member must have length less than or equal to {}", length.most);
            self.fails(value, place, &words);
        } else if found < length.least {
            let words =
                format!("Member must have length greater than or equal to {}", length.least);
            self.fails(value, place, &words);
        }
    }

    fn range(&mut self, least: f64, most: f64, value: &Value, place: &Place<'_>) {
        let number = value.as_f64().unwrap_or_default();
        if number > most {
            let words = format!("Member must have value less than or equal to {most}");
            self.fails(value, place, &words);
        } else if number < least {
            let words = format!("Member must have value greater than or equal to {least}");
            self.fails(value, place, &words);
        }
    }

    fn fails(&mut self, value: &Value, place: &Place<'_>, constraint: &str) {
        let shown = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let words = format!(
            "Value '{shown}' at '{}' failed to satisfy constraint: {constraint}",
            place.counted()
        );
        self.broken.push((place.dotted(), words));
    }
}

/// What is said of a value of another type.
fn unread(shape: &Shape, value: &Value) -> String {
    let wanted = match shape {
        Shape::List(..) => "List",
        Shape::Text(..) | Shape::Choice(_) => "String",
        Shape::Number(..) => "Float",
        Shape::Whole(_) => "Integer",
        Shape::Structure(_) | Shape::Union(..) | Shape::Map(_) | Shape::Any => "Structure",
    };
    let found = match value {
        Value::Object(_) => {
            return "Start of structure or map found where not expected.".to_owned();
        }
        Value::Array(_) => return "Start of list found where not expected".to_owned(),
        Value::String(_) => "STRING_VALUE",
        Value::Number(_) => "NUMBER_VALUE",
        Value::Bool(true) => "TRUE_VALUE",
        Value::Bool(false) => "FALSE_VALUE",
        Value::Null => "NULL_VALUE",
    };
    format!("{found} cannot be converted to {wanted}")
}

fn types(request: &Request<'_>, findings: &mut Findings) {
    for (path, words) in &Reader::of(request, findings).unread {
        findings.add_with(path, words, None, Some("SerializationException"));
    }
}

/// All broken constraints are said at once.
fn constraints(request: &Request<'_>, findings: &mut Findings) {
    let reader = Reader::of(request, findings);
    let broken = &reader.broken;
    let Some((path, _)) = broken.first() else { return };
    let words: Vec<_> = broken.iter().map(|(_, words)| words.as_str()).collect();
    let errors = if broken.len() == 1 { "error" } else { "errors" };
    let words = format!("{} validation {errors} detected: {}", broken.len(), words.join("; "));
    findings.add(path.clone(), words);
}

fn unions(request: &Request<'_>, findings: &mut Findings) {
    for (path, words) in &Reader::of(request, findings).undecided {
        findings.add(path, words);
    }
}

pub(super) const RULES: [Rule; 3] = [
    Rule {
        name: "serialization",
        status: 400,
        when: "A value is of another type, such as a text for a list.",
        words: "{found} cannot be converted to {type}\nStart of structure or map found where not expected.\nStart of list found where not expected",
        evidence: Evidence::Seen,
        source: "public logs 58086220089, 56246063039, 68934429601",
        check: types,
    },
    Rule {
        name: "constraint",
        status: 400,
        when: "Something is missing, too short, too long, too small or too large, or fits no pattern or choice; all are said at once.",
        words: "{n} validation {errors} detected: Value {value} at '{path}' failed to satisfy constraint: Member must {constraint}",
        evidence: Evidence::Seen,
        source: "§6.2; litellm#24668, #19384, openclaw#12892, remote-swe-agents PR#457, public log 53854027447",
        check: constraints,
    },
    Rule {
        name: "one-key",
        status: 400,
        when: "A content block, tool, tool choice or source has none of its keys, or several.",
        words: "{name} object at {path} must set one of the following keys: {keys}.",
        evidence: Evidence::Seen,
        source: "§6.2; public logs 54498327871, 59941440228",
        check: unions,
    },
];
