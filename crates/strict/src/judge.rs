//! Judges requests by the rules of one provider's API, and returns the violations.

use std::sync::LazyLock;

use serde_json::Value;

use crate::check_context::CheckContext;
use crate::form::ObjectFields;
use crate::request::Request;
use crate::rule::{NamedCheck, Rule, Violation};

/// All rules of one provider's API, in the order the provider checks them.
#[derive(Debug)]
pub struct Judge {
    pub dialect: &'static str,
    /// The providers of this dialect with different rules; the first is the dialect's vendor.
    pub flavors: &'static [&'static str],
    /// From `rules/<dialect>.toml`.
    pub rules: LazyLock<Vec<Rule>>,
    pub checks: &'static [NamedCheck],
    /// Whether a request's flavor has a rule: some have only a few of the vendor's.
    pub applies: fn(&Rule, &Request<'_>) -> bool,
    /// The error body for a violation in a flavor's format.
    pub envelope: fn(&Violation, &str) -> Value,
    /// The fields of all objects in which the judge knows them all.
    pub object_fields: fn() -> ObjectFields,
    /// The violation for a body that is not JSON, from the parser's error message.
    pub not_json: fn(&str) -> Violation,
}

/// The violations that a judge found in one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// In the order of the rules: the provider returns the first one.
    pub violations: Vec<Violation>,
}

impl Judge {
    /// Parses a request body.
    pub fn parse(&self, body: &[u8]) -> Result<Value, Violation> {
        serde_json::from_slice(body).map_err(|error| (self.not_json)(&error.to_string()))
    }

    /// Checks a request against each rule that applies to its flavor.
    pub fn check(&'static self, request: &Request<'_>) -> Verdict {
        let mut cx = CheckContext::default();
        let rules = self.rules.iter().filter(|rule| (self.applies)(rule, request));
        Verdict { violations: rules.flat_map(|rule| rule.violations(request, &mut cx)).collect() }
    }

    pub fn rule(&'static self, name: &str) -> Option<&'static Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }
}

impl Verdict {
    pub fn is_accepted(&self) -> bool {
        self.violations.is_empty()
    }
}
