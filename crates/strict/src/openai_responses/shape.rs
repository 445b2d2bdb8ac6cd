//! Walks a request along its shape and gathers what does not fit.

use serde_json::Value;

use crate::rule::Fields as _;

/// What a value must be.
pub(super) enum Kind {
    Any,
    Text,
    Flag,
    Integer,
    Decimal,
    /// An object with any keys.
    Map,
    /// One of these words. The provider does not speak of the others, but takes them.
    One(&'static [&'static str], &'static [&'static str]),
    /// An object with these keys and no others.
    Object(&'static [Field]),
    /// A list, of what is said first.
    List(&'static str, &'static Kind),
    /// Whatever this finds fitting.
    By(fn(&mut Walk, &Value)),
}

pub(super) struct Field {
    pub name: &'static str,
    needed: bool,
    kind: Kind,
}

/// What does not fit, and where: the path has brackets.
#[derive(Debug)]
pub(super) struct Fault {
    pub path: String,
    pub what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Missing,
    /// A key that the object does not have.
    Unknown,
    Type {
        expected: String,
        found: &'static str,
    },
    /// A message without content.
    NullContent,
    Word {
        found: String,
        known: &'static [&'static str],
    },
    /// A part of a kind that does not go there.
    Part {
        found: String,
        known: &'static [&'static str],
    },
}

/// A walk through a request.
#[derive(Debug, Default)]
pub(super) struct Walk {
    path: String,
    pub faults: Vec<Fault>,
}

pub(super) const fn need(name: &'static str, kind: Kind) -> Field {
    Field { name, needed: true, kind }
}

pub(super) const fn may(name: &'static str, kind: Kind) -> Field {
    Field { name, needed: false, kind }
}

impl Walk {
    pub(super) fn value(&mut self, value: &Value, kind: &Kind) {
        match kind {
            Kind::Any => {}
            Kind::Text => self.expect(value.is_string(), "a string", value),
            Kind::Flag => self.expect(value.is_boolean(), "a boolean", value),
            Kind::Integer => {
                self.expect(value.is_i64() || value.is_u64(), "an integer", value);
            }
            Kind::Decimal => self.expect(value.is_number(), "a decimal", value),
            Kind::Map => self.expect(value.is_object(), "an object", value),
            Kind::One(known, also) => self.word(value, known, also),
            Kind::Object(fields) => self.object(value, fields),
            Kind::List(of, kind) => match value.as_array() {
                Some(list) => self.each(list, |walk, value| walk.value(value, kind)),
                None => self.expect(false, &format!("an array of {of}"), value),
            },
            Kind::By(look) => look(self, value),
        }
    }

    /// The keys of an object, in the order of the shape; then those it does not have.
    pub(super) fn object(&mut self, value: &Value, fields: &[Field]) {
        let Some(object) = value.as_object() else {
            return self.expect(false, "an object", value);
        };
        for field in fields {
            match object.field(field.name) {
                None if field.needed => self.at(field.name, |walk| walk.fault(What::Missing)),
                Some(value) if field.needed || !value.is_null() => {
                    self.at(field.name, |walk| walk.value(value, &field.kind));
                }
                _ => {}
            }
        }
        for key in object.keys().filter(|key| !fields.iter().any(|field| field.name == *key)) {
            self.at(key, |walk| walk.fault(What::Unknown));
        }
    }

    pub(super) fn each(&mut self, list: &[Value], mut look: impl FnMut(&mut Self, &Value)) {
        let length = self.path.len();
        for (at, value) in list.iter().enumerate() {
            self.path.push('[');
            self.path.push_str(&at.to_string());
            self.path.push(']');
            look(self, value);
            self.path.truncate(length);
        }
    }

    pub(super) fn at(&mut self, key: &str, look: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        look(self);
        self.path.truncate(length);
    }

    pub(super) fn expect(&mut self, fits: bool, expected: &str, value: &Value) {
        if !fits {
            self.fault(What::Type { expected: expected.to_owned(), found: found(value) });
        }
    }

    pub(super) fn fault(&mut self, what: What) {
        self.faults.push(Fault { path: self.path.clone(), what });
    }

    pub(super) fn word(&mut self, value: &Value, known: &'static [&'static str], also: &[&str]) {
        match value.as_str() {
            Some(word) if known.contains(&word) || also.contains(&word) => {}
            Some(word) => self.fault(What::Word { found: word.to_owned(), known }),
            None => self.expect(false, &format!("one of {}", listed(known, "or")), value),
        }
    }
}

/// The words in quotes, as an English list.
pub(super) fn listed(words: &[&str], last: &str) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} {last} {two}"),
        [most @ .., end] => format!("{}, {last} {end}", most.join(", ")),
    }
}

fn found(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a decimal",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
