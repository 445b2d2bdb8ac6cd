//! One thing a provider refuses.

use std::any::Any;
use std::mem;
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::{Request, Violation};

/// A rule: what is refused, and in which words.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Unique within its judge, in kebab case: also the corpus file and the anchor in the documents.
    pub name: &'static str,
    pub status: u16,
    /// What is refused, in a sentence.
    pub when: &'static str,
    /// The provider's words; what varies stands in braces. A rule with several wordings has one in
    /// each line.
    pub words: &'static str,
    pub evidence: Evidence,
    /// Where the words were seen.
    pub source: &'static str,
    pub check: fn(&Request<'_>, &mut Findings),
}

/// How well the words are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Printed in the provider's documentation.
    Documented,
    /// Seen verbatim in a public log or probe.
    Seen,
    /// Quoted by third-party code only.
    Quoted,
    /// The condition is documented; the words are ours.
    Inferred,
}

/// Gathers what the rules find in one request.
#[derive(Debug, Default)]
pub struct Findings {
    found: Vec<Violation>,
    /// What several rules need of the request and one of them has worked out.
    shared: Vec<Rc<dyn Any>>,
}

impl Findings {
    /// A violation at `path` (such as `messages.3.content.1`), answered with `message`.
    pub fn add(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.found.push(Violation {
            rule: "",
            status: 0,
            path: path.into(),
            message: message.into(),
            param: None,
            code: None,
        });
    }

    /// As [`Findings::add`], with the error's `param` and `code` where the envelope has them.
    pub fn add_with(
        &mut self,
        path: impl Into<String>,
        message: impl Into<String>,
        param: Option<&str>,
        code: Option<&str>,
    ) {
        self.add(path, message);
        if let Some(last) = self.found.last_mut() {
            last.param = param.map(str::to_owned);
            last.code = code.map(str::to_owned);
        }
    }

    /// What several rules need, worked out by the first that asks. There is one of each type.
    pub(crate) fn shared<T: Any>(&mut self, work_out: impl FnOnce() -> T) -> Rc<T> {
        let mut known = self.shared.iter();
        if let Some(known) = known.find_map(|any| Rc::clone(any).downcast::<T>().ok()) {
            return known;
        }
        let made = Rc::new(work_out());
        self.shared.push(Rc::<T>::clone(&made));
        made
    }

    /// Asks a rule.
    pub(crate) fn run(&mut self, rule: &'static Rule, request: &Request<'_>) {
        let before = self.found.len();
        (rule.check)(request, self);
        for violation in &mut self.found[before..] {
            violation.rule = rule.name;
            violation.status = rule.status;
        }
    }

    /// What was found since this was last asked.
    pub(crate) fn take(&mut self) -> Vec<Violation> {
        mem::take(&mut self.found)
    }
}

impl Evidence {
    pub fn word(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Seen => "seen",
            Self::Quoted => "quoted",
            Self::Inferred => "inferred",
        }
    }
}

/// Every flavor has every rule; what differs between them, the rules ask.
pub(crate) fn everywhere(_rule: &Rule, _flavor: &str) -> bool {
    true
}

/// How many rules these parts have.
pub(crate) const fn count(parts: &[&[Rule]]) -> usize {
    let (mut sum, mut part) = (0, 0);
    while part < parts.len() {
        sum += parts[part].len();
        part += 1;
    }
    sum
}

/// The rules of all parts, in one list.
pub(crate) const fn joined<const N: usize>(parts: &[&[Rule]]) -> [Rule; N] {
    let mut all = [parts[0][0]; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            all[at] = parts[part][index];
            at += 1;
            index += 1;
        }
        part += 1;
    }
    all
}

/// Fields of objects. Most objects have few keys: looking at each is faster than hashing.
pub(crate) trait Fields {
    /// A field by its name; none of what is no object.
    fn field(&self, key: &str) -> Option<&Value>;
}

impl Fields for Value {
    fn field(&self, key: &str) -> Option<&Value> {
        self.as_object()?.field(key)
    }
}

impl Fields for Map<String, Value> {
    fn field(&self, key: &str) -> Option<&Value> {
        if self.len() > FEW {
            return self.get(key);
        }
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

/// The elements of an array field; none if it is missing or something else.
pub(crate) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.field(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A string field; empty if it is missing or something else.
pub(crate) fn string<'v>(value: &'v Value, key: &str) -> &'v str {
    value.field(key).and_then(Value::as_str).unwrap_or_default()
}

const FEW: usize = 16;
