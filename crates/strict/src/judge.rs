//! A judge and its verdicts.

use serde_json::Value;

use crate::rule::{Fields as _, Findings};
use crate::seal::Key;
use crate::{Carried, Known, Rule, Switches};

/// All rules of one provider's API, in the order the provider checks them.
#[derive(Debug)]
pub struct Judge {
    /// The dialect it judges.
    pub dialect: &'static str,
    /// Who speaks it in their own way; the first is its inventor.
    pub flavors: &'static [&'static str],
    pub rules: &'static [Rule],
    /// Whether a flavor has a rule: some share only a few with the inventor.
    pub applies: fn(&Rule, &str) -> bool,
    /// The error body for a violation, in a flavor's envelope.
    pub envelope: fn(&Violation, &str) -> Value,
    /// The violation for a body that is not JSON, from the parser's complaint.
    pub not_json: fn(&str) -> Violation,
}

/// A request as the provider sees it.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    pub body: &'r Value,
    /// The model asked for, from the body or from the path.
    pub model: &'r str,
    pub flavor: &'r str,
    /// The API version header, where the provider has one: empty if it was not sent, `None` if that
    /// is not known.
    pub version: Option<&'r str>,
    /// Values of the beta header.
    pub betas: &'r [&'r str],
    pub switches: &'r Switches,
    /// Verifies opaque reasoning; `None` leaves it unverified.
    pub key: Option<&'r Key>,
    /// The replies that the provider keeps; `None` leaves open what it knows.
    pub known: Option<&'r Known>,
    /// The request asks for a count of tokens only.
    pub counting: bool,
    /// How the body came.
    pub carried: Carried<'r>,
}

/// What a judge found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The first one is what the provider answers.
    pub violations: Vec<Violation>,
}

/// One broken rule, at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub rule: &'static str,
    pub status: u16,
    pub path: String,
    /// The provider's exact words.
    pub message: String,
    pub param: Option<String>,
    pub code: Option<String>,
}

impl Judge {
    /// Reads a body as it came over the wire.
    pub fn parse(&self, body: &[u8]) -> Result<Value, Violation> {
        serde_json::from_slice(body).map_err(|error| (self.not_json)(&error.to_string()))
    }

    /// Judges a request, rule by rule.
    pub fn check(&'static self, request: &Request<'_>) -> Verdict {
        let mut findings = Findings::default();
        let rules = self.rules.iter().filter(|rule| (self.applies)(rule, request.flavor));
        rules.for_each(|rule| findings.run(rule, request));
        Verdict { violations: findings.take() }
    }

    pub fn rule(&self, name: &str) -> Option<&'static Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }
}

impl Verdict {
    pub fn is_accepted(&self) -> bool {
        self.violations.is_empty()
    }
}

impl<'r> Request<'r> {
    /// A request with everything else as usual; the model is the body's.
    pub fn new(body: &'r Value, flavor: &'r str, switches: &'r Switches) -> Self {
        Self {
            body,
            model: body.field("model").and_then(Value::as_str).unwrap_or_default(),
            flavor,
            version: None,
            betas: &[],
            switches,
            key: None,
            known: None,
            counting: false,
            carried: Carried::default(),
        }
    }
}
