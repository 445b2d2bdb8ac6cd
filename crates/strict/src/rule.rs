//! A rule of a provider's API, read from its data file, and its violations.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::check_context::{CheckContext, Rejection};
use crate::messages::RuleMessages;
use crate::request::Request;

/// A condition under which a provider rejects a request, with its error message.
#[derive(Debug)]
pub struct Rule {
    /// Unique within its judge, in kebab case: also the corpus file and the anchor in the
    /// documentation.
    pub name: &'static str,
    pub status: u16,
    /// When the request is rejected, in one sentence.
    pub condition: &'static str,
    /// The provider's error messages, one per line; text in braces varies.
    pub error_message: &'static str,
    pub(crate) messages: RuleMessages,
    pub evidence: Evidence,
    /// Where the error message was published.
    pub source: &'static str,
    /// The check's name: the rule's own, unless it shares its check.
    pub check_name: &'static str,
    pub check: Check,
}

pub(crate) type Check = fn(&Request<'_>, &mut CheckContext);

/// A check by its function's name: `call_type` checks the rule `call-type`.
pub(crate) type NamedCheck = (&'static str, Check);

/// How certain the wording of an error message is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
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

/// A rule as it stands in `rules/<api>.toml`. One of `documented`, `observed`, `quoted` and
/// `inferred` has the source.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleData {
    #[serde(default = "bad_request")]
    status: u16,
    condition: String,
    documented: Option<String>,
    observed: Option<String>,
    quoted: Option<String>,
    inferred: Option<String>,
    /// The check, if it is shared with other rules: a check's name is else that of its rule.
    check: Option<String>,
    /// The evidence for a rule of the API behind this one, whose error messages are passed on.
    relayed: Option<Evidence>,
    /// What `{path}` in the messages looks like, for the documentation.
    path: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    cases: BTreeMap<Spanned<String>, String>,
}

fn bad_request() -> u16 {
    400
}

impl Rule {
    /// Reads the rules of an API in the order of their file. `provider_messages` are those that
    /// the files of providers have for a rule.
    ///
    /// # Panics
    /// If the file is malformed or a rule has no check: both are part of the program.
    #[expect(clippy::panic, reason = "the file is part of the program, and tests read it")]
    pub(crate) fn parse_all(
        file: &str,
        checks: &[NamedCheck],
        provider_messages: impl Fn(&str) -> Vec<&'static str>,
    ) -> Vec<Self> {
        let rules: BTreeMap<Spanned<String>, RuleData> =
            toml::from_str(file).unwrap_or_else(|error| panic!("the file of rules: {error}"));
        let mut rules: Vec<_> = rules.into_iter().collect();
        rules.sort_by_key(|(name, _)| name.span().start);
        let rule = |(name, data): (Spanned<String>, RuleData)| {
            let name = leak(name.into_inner());
            let mut cases: Vec<_> = data.cases.into_iter().collect();
            cases.sort_by_key(|(case, _)| case.span().start);
            let cases: Vec<_> = cases
                .into_iter()
                .map(|(case, message)| (leak(case.into_inner()), leak(message)))
                .collect();
            let template = match data.relayed {
                Some(_) => RELAYED_MESSAGE,
                None => leak(data.message),
            };
            let own = Some(template).filter(|template| !template.is_empty());
            let of_cases = cases.iter().map(|(_, message)| *message);
            let mut messages = provider_messages(name);
            for message in own.into_iter().chain(of_cases) {
                if !messages.contains(&message) {
                    messages.push(message);
                }
            }
            let path = data.path.as_deref().unwrap_or("{path}");
            let error_message = messages.join("\n").replace("{path}", path);
            let sources = [
                (Evidence::Documented, data.documented),
                (Evidence::Observed, data.observed),
                (Evidence::Quoted, data.quoted),
                (Evidence::Inferred, data.inferred),
            ];
            let source = sources.into_iter().find_map(|(evidence, text)| Some((evidence, text?)));
            let relayed = |evidence| (evidence, format!("§6.7; worded as Anthropic's {name}"));
            let source = source.or(data.relayed.map(relayed));
            let (evidence, source) = source.unwrap_or_else(|| panic!("{name} has no source"));
            let relayed = data.relayed.map(|_| RELAYED_CHECK);
            let function = data.check.as_deref().or(relayed).unwrap_or(name);
            let check = checks.iter().find(|(check, _)| is_name_of(check, function));
            let (_, check) = check.unwrap_or_else(|| panic!("{name} has no check"));
            Self {
                name,
                status: data.status,
                condition: leak(data.condition),
                error_message: leak(error_message),
                messages: RuleMessages { rule: name, template, cases },
                evidence,
                source: leak(source),
                check_name: leak(function.to_owned()),
                check: *check,
            }
        };
        rules.into_iter().map(rule).collect()
    }

    /// Runs the rule.
    pub(crate) fn violations(
        &'static self,
        request: &Request<'_>,
        cx: &mut CheckContext,
    ) -> impl Iterator<Item = Violation> + use<> {
        cx.rule = Some(&self.messages);
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

const RELAYED_MESSAGE: &str = "The model returned the following errors: {words}";
/// The check of all relayed rules.
const RELAYED_CHECK: &str = "relayed";

/// Whether a rule's name is that of its check, with dashes.
pub(crate) fn is_name_of(function: &str, rule: &str) -> bool {
    function.len() == rule.len()
        && function
            .bytes()
            .zip(rule.bytes())
            .all(|pair| matches!(pair, (b'_', b'-')) || pair.0 == pair.1)
}

/// The data files are read once, so that what is read from them may live forever.
pub(crate) fn leak(text: String) -> &'static str {
    text.leak()
}

/// For judges in which all flavors have every rule: the rules themselves check the flavor.
pub(crate) fn applies_to_all(_rule: &Rule, _request: &Request<'_>) -> bool {
    true
}

/// Names the checks of an API: `checks! { module: check check; … }`.
macro_rules! checks {
    ($($module:ident: $($check:ident)+;)+) => {
        &[$($((stringify!($check), $module::$check as $crate::rule::Check)),+),+]
    };
}
pub(crate) use checks;
