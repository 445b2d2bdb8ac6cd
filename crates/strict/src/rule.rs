//! A rule of a provider's API, and the context in which rules report violations.

use std::any::Any;
use std::mem;
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::{Request, Violation};

/// A condition under which a provider rejects a request, with its error message.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Unique within its judge, in kebab case: also the corpus file and the anchor in the
    /// documentation.
    pub name: &'static str,
    pub status: u16,
    /// When the request is rejected, in one sentence.
    pub condition: &'static str,
    /// The provider's error message; text in braces varies. A rule with several messages has one
    /// per line.
    pub error_message: &'static str,
    pub evidence: Evidence,
    /// Where the error message was published.
    pub source: &'static str,
    pub check: fn(&Request<'_>, &mut CheckContext),
}

/// How certain the wording of an error message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Printed in the provider's documentation.
    Documented,
    /// Seen verbatim in a public log or probe.
    Observed,
    /// Quoted by third-party code only.
    Quoted,
    /// The condition is documented; the error message is ours.
    Inferred,
}

/// Collects the violations of one request.
#[derive(Debug, Default)]
pub struct CheckContext {
    violations: Vec<Violation>,
    /// Intermediate results that several rules share, one of each type.
    memo: Vec<Rc<dyn Any>>,
}

impl CheckContext {
    /// Reports a violation at `path` (such as `messages.3.content.1`) with an error message.
    pub fn reject(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.violations.push(Violation {
            rule: "",
            status: 0,
            path: path.into(),
            message: message.into(),
            param: None,
            code: None,
        });
    }

    /// As [`CheckContext::reject`], with the error's `param` and `code` for formats that have them.
    pub fn reject_with(
        &mut self,
        path: impl Into<String>,
        message: impl Into<String>,
        param: Option<&str>,
        code: Option<&str>,
    ) {
        self.reject(path, message);
        if let Some(last) = self.violations.last_mut() {
            last.param = param.map(str::to_owned);
            last.code = code.map(str::to_owned);
        }
    }

    /// The shared intermediate result of type `T`, computed by the first rule that needs it.
    pub(crate) fn memoized<T: Any>(&mut self, compute: impl FnOnce() -> T) -> Rc<T> {
        let mut values = self.memo.iter();
        if let Some(values) = values.find_map(|any| Rc::clone(any).downcast::<T>().ok()) {
            return values;
        }
        let value = Rc::new(compute());
        self.memo.push(Rc::<T>::clone(&value));
        value
    }

    /// Runs a rule and completes the violations that it reports.
    pub(crate) fn run_rule(&mut self, rule: &'static Rule, request: &Request<'_>) {
        let before = self.violations.len();
        (rule.check)(request, self);
        for violation in &mut self.violations[before..] {
            violation.rule = rule.name;
            violation.status = rule.status;
        }
    }

    /// Takes the violations reported since the last call.
    pub(crate) fn take_violations(&mut self) -> Vec<Violation> {
        mem::take(&mut self.violations)
    }
}

impl Evidence {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Observed => "seen",
            Self::Quoted => "quoted",
            Self::Inferred => "inferred",
        }
    }
}

/// For judges in which all flavors have every rule: the rules themselves check the flavor.
pub(crate) fn applies_to_all(_rule: &Rule, _flavor: &str) -> bool {
    true
}

/// The number of rules in all groups.
pub(crate) const fn rule_count(parts: &[&[Rule]]) -> usize {
    let (mut sum, mut part) = (0, 0);
    while part < parts.len() {
        sum += parts[part].len();
        part += 1;
    }
    sum
}

/// Concatenates the rules of all groups.
pub(crate) const fn concat_rules<const N: usize>(parts: &[&[Rule]]) -> [Rule; N] {
    let mut rules = [parts[0][0]; N];
    let (mut next, mut part) = (0, 0);
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            rules[next] = parts[part][index];
            next += 1;
            index += 1;
        }
        part += 1;
    }
    rules
}

/// Field access for JSON objects. Most objects have few keys: a linear scan is faster than hashing.
pub(crate) trait JsonExt {
    /// A field by name; `None` if the value is no object.
    fn field(&self, key: &str) -> Option<&Value>;
}

impl JsonExt for Value {
    fn field(&self, key: &str) -> Option<&Value> {
        self.as_object()?.field(key)
    }
}

impl JsonExt for Map<String, Value> {
    fn field(&self, key: &str) -> Option<&Value> {
        if self.len() > LINEAR_SCAN_MAX {
            return self.get(key);
        }
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

/// The elements of an array field; empty if it is missing or of another type.
pub(crate) fn array_field<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.field(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A string field; empty if it is missing or of another type.
pub(crate) fn str_field<'v>(value: &'v Value, key: &str) -> &'v str {
    value.field(key).and_then(Value::as_str).unwrap_or_default()
}

const LINEAR_SCAN_MAX: usize = 16;
