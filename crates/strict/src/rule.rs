//! A rule of a provider's API, and its violations.

use crate::check_context::{CheckContext, Rejection};
use crate::request::Request;

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

/// A violation of one rule at one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub rule: &'static str,
    pub status: u16,
    pub path: String,
    /// The provider's exact error message.
    pub message: String,
    pub param: Option<String>,
    pub code: Option<String>,
}

impl Rule {
    /// Runs the rule.
    pub(crate) fn violations(
        &self,
        request: &Request<'_>,
        cx: &mut CheckContext,
    ) -> impl Iterator<Item = Violation> + use<> {
        (self.check)(request, cx);
        let (rule, status) = (self.name, self.status);
        cx.take_rejections().into_iter().map(move |rejection| {
            let Rejection { path, message, param, code } = rejection;
            Violation { rule, status, path, message, param, code }
        })
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
