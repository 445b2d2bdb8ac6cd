//! Judges requests by the rules of one provider's API, and returns the violations.

use serde_json::Value;

use crate::rule::{CheckContext, JsonExt as _};
use crate::seal::SealKey;
use crate::{BodyEncoding, Rule, StoredReplies, Switches};

/// All rules of one provider's API, in the order the provider checks them.
#[derive(Debug)]
pub struct Judge {
    pub dialect: &'static str,
    /// The providers of this dialect with different rules; the first is the dialect's vendor.
    pub flavors: &'static [&'static str],
    pub rules: &'static [Rule],
    /// Whether a flavor has a rule: some flavors have only a few of the vendor's.
    pub applies: fn(&Rule, &str) -> bool,
    /// The error body for a violation in a flavor's format.
    pub envelope: fn(&Violation, &str) -> Value,
    /// The violation for a body that is not JSON, from the parser's error message.
    pub not_json: fn(&str) -> Violation,
}

/// A request in the form in which the provider receives it.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    pub body: &'r Value,
    /// The requested model, from the body or the path.
    pub model: &'r str,
    pub flavor: &'r str,
    /// The API version header, where the provider has one: empty if it was not sent, `None` if
    /// that is unknown.
    pub version: Option<&'r str>,
    /// Values of the beta header.
    pub betas: &'r [&'r str],
    pub switches: &'r Switches,
    /// Verifies the seals of reasoning; `None` skips verification.
    pub seal_key: Option<&'r SealKey>,
    /// The replies that the provider has stored; `None` skips the rules about them.
    pub stored_replies: Option<&'r StoredReplies>,
    /// Whether the request only counts tokens.
    pub count_tokens: bool,
    pub body_encoding: BodyEncoding<'r>,
}

/// The violations that a judge found in one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// In the order of the rules: the provider returns the first one.
    pub violations: Vec<Violation>,
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

impl Judge {
    /// Parses a request body.
    pub fn parse(&self, body: &[u8]) -> Result<Value, Violation> {
        serde_json::from_slice(body).map_err(|error| (self.not_json)(&error.to_string()))
    }

    /// Checks a request against each rule that applies to its flavor.
    pub fn check(&'static self, request: &Request<'_>) -> Verdict {
        let mut cx = CheckContext::default();
        let rules = self.rules.iter().filter(|rule| (self.applies)(rule, request.flavor));
        rules.for_each(|rule| cx.run_rule(rule, request));
        Verdict { violations: cx.take_violations() }
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
    /// A request with the body's model and defaults for everything else.
    pub fn new(body: &'r Value, flavor: &'r str, switches: &'r Switches) -> Self {
        Self {
            body,
            model: body.field("model").and_then(Value::as_str).unwrap_or_default(),
            flavor,
            version: None,
            betas: &[],
            switches,
            seal_key: None,
            stored_replies: None,
            count_tokens: false,
            body_encoding: BodyEncoding::default(),
        }
    }
}
