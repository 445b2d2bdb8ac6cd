//! The error messages of a rule by responder: the provider, or a case within it.

use super::flavor;
use crate::Request;
use crate::check_context::CheckContext;

/// The error messages of a rule. A provider without one does not have the rule.
#[derive(Debug)]
pub(super) struct ErrorMessages {
    /// All templates, one per line.
    pub all: &'static str,
    pub entries: &'static [ErrorMessage],
}

#[derive(Debug)]
pub(super) struct ErrorMessage {
    /// The responders ([`flavor::responder`]) that send it. Where one provider has several
    /// messages, a name for the case, by which the rule selects it.
    pub responders: &'static [&'static str],
    pub template: &'static str,
}

/// A violation's path, the values of the template's placeholders, `param` and `code`.
#[derive(Debug, Default)]
pub(super) struct ViolationDetails<'r> {
    pub path: String,
    pub placeholders: &'r [(&'r str, &'r str)],
    pub param: Option<&'r str>,
    pub code: Option<&'r str>,
}

/// Builds error messages: `error_messages! { RESPONDERS => "template", … }`.
macro_rules! error_messages {
    ($($by:expr => $error_message:literal),+ $(,)?) => {
        $crate::openai_chat::error_messages::ErrorMessages {
            all: concat!($($error_message, "\n"),+),
            entries: &[$($crate::openai_chat::error_messages::ErrorMessage { responders: $by, template: $error_message }),+],
        }
    };
}
pub(super) use error_messages;

impl ErrorMessages {
    /// The template of this request's provider; `None` if the provider does not have the rule.
    pub(super) fn for_request(&self, request: &Request<'_>) -> Option<&'static str> {
        self.for_responder(flavor::responder(request))
    }

    pub(super) fn for_responder(&self, responder: &str) -> Option<&'static str> {
        self.entries
            .iter()
            .find(|error_message| error_message.responders.contains(&responder))
            .map(|error_message| error_message.template)
    }

    /// Rejects the request, if its provider has the rule.
    pub(super) fn reject(
        &self,
        request: &Request<'_>,
        cx: &mut CheckContext,
        details: &ViolationDetails<'_>,
    ) {
        if let Some(template) = self.for_request(request) {
            reject(template, request, cx, details);
        }
    }
}

/// Rejects the request with this template. Behind a router, the code is the upstream provider's
/// name.
pub(super) fn reject(
    template: &str,
    request: &Request<'_>,
    cx: &mut CheckContext,
    details: &ViolationDetails<'_>,
) {
    let message = fill_template(template, details.placeholders);
    let upstream = flavor::upstream_provider(request);
    cx.reject_with(&details.path, message, details.param, upstream.or(details.code));
}

/// Replaces the placeholders of a template.
pub(super) fn fill_template(template: &str, placeholders: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, after)) = after.split_once('}') else { break };
        let placeholder = placeholders.iter().find(|(key, _)| *key == name);
        out.push_str(placeholder.map_or("", |(_, value)| value));
        rest = after;
    }
    out.push_str(rest);
    out
}
