//! One thing a provider refuses.

use serde_json::Value;

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

/// Gathers what one rule finds.
#[derive(Debug, Default)]
pub struct Findings {
    found: Vec<Violation>,
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

    pub(crate) fn run(rule: &'static Rule, request: &Request<'_>) -> Vec<Violation> {
        let mut findings = Self::default();
        (rule.check)(request, &mut findings);
        for violation in &mut findings.found {
            violation.rule = rule.name;
            violation.status = rule.status;
        }
        findings.found
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

/// The elements of an array field; none if it is missing or something else.
pub(crate) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A string field; empty if it is missing or something else.
pub(crate) fn string<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
