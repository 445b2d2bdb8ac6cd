//! Rejects requests with the error message of their provider.

use super::provider::{provider_of, upstream_name};
use crate::Request;
use crate::check_context::CheckContext;
use crate::messages::fill_template;

/// A violation's path, the values of the template's placeholders, `param` and `code`.
#[derive(Debug, Default)]
pub(super) struct ViolationDetails<'r> {
    pub path: String,
    pub placeholders: &'r [(&'r str, &'r str)],
    pub param: Option<&'r str>,
    pub code: Option<&'r str>,
}

/// The template of the request's provider for the rule that runs.
pub(super) fn standard_message(request: &Request<'_>, cx: &CheckContext) -> &'static str {
    provider_of(request).message(cx.rule_name()).unwrap_or_default()
}

/// Rejects the request with its provider's message.
pub(super) fn reject(request: &Request<'_>, cx: &mut CheckContext, details: &ViolationDetails<'_>) {
    reject_as(standard_message(request, cx), request, cx, details);
}

/// Rejects a path with its provider's message.
pub(super) fn reject_at(request: &Request<'_>, cx: &mut CheckContext, path: impl Into<String>) {
    let details = ViolationDetails { path: path.into(), ..ViolationDetails::default() };
    reject(request, cx, &details);
}

/// Rejects the request with this template. Behind a router, the code is the upstream provider's
/// name.
pub(super) fn reject_as(
    template: &str,
    request: &Request<'_>,
    cx: &mut CheckContext,
    details: &ViolationDetails<'_>,
) {
    let message = fill_template(template, details.placeholders);
    cx.reject_with(&details.path, message, details.param, upstream_name(request).or(details.code));
}
