//! Rejects fields of a request that its provider cannot support, because they exist only at providers of
//! the client's dialect.

use interlingua::{Dialect, JsonDoc};
use interlingua_model::ApiErrorKind;

use crate::config::Route;
use crate::http_util::client_api::ClientApi;
use crate::http_util::error_response::{ErrorResponse, failure};
use crate::proxy::request::RoutedRequest;

/// Anthropic's threads are state at the provider and cannot be continued elsewhere. This error code
/// makes the client send its whole history.
pub(crate) fn reject_thread_field(body: &JsonDoc, from: &dyn Dialect) -> Option<ErrorResponse> {
    let field = ClientApi::from_dialect(from).thread_field?;
    body.root().get(field).is_some().then(|| {
        let message = "threads are not supported: send the whole history";
        let body = format!(
            "{{\"type\":\"error\",\"error\":{{\"type\":\"invalid_request_error\",\"message\":\"{message}\",\
             \"details\":{{\"error_code\":\"thread_unsupported_request\"}}}}}}"
        );
        let verbatim = Some(Box::new((body.into(), None)));
        ErrorResponse { verbatim, ..failure(ApiErrorKind::InvalidRequest, message).into() }
    })
}

/// Fields of a request that only providers of its dialect support.
pub(crate) struct FirstPartyFields {
    safeguards: bool,
    provider_state: Option<&'static str>,
}

impl FirstPartyFields {
    pub(crate) fn find(body: &JsonDoc, from: &dyn Dialect) -> Self {
        let api = ClientApi::from_dialect(from);
        let is_given = |key: &&str| body.root().get(key).is_some_and(|value| !value.is_null());
        Self {
            safeguards: api.safeguards_field.as_ref().is_some_and(is_given),
            provider_state: api.provider_state_fields.iter().copied().find(is_given),
        }
    }

    /// The error of a route whose provider has another dialect.
    pub(crate) fn reject_route(
        &self,
        routed_request: &RoutedRequest<'_>,
        route: &Route,
    ) -> Option<ErrorResponse> {
        let to = routed_request.dialect_and_flavor(route).0;
        if to.id() == routed_request.body_dialect.id() {
            return None;
        }
        if self.safeguards {
            return Some(safeguards_unsupported());
        }
        // A provider of the client's dialect may have the reply stored; others cannot.
        let unresolved = routed_request.chain.unresolved();
        unresolved.or_else(|| self.provider_state.map(field_unsupported))
    }
}

/// The client retries without them after this error.
fn safeguards_unsupported() -> ErrorResponse {
    failure(
        ApiErrorKind::InvalidRequest,
        "safeguards: the provider of this model does not support them",
    )
    .into()
}

fn field_unsupported(key: &str) -> ErrorResponse {
    let message =
        format!("{key}: the provider of this model does not support it; send the whole history");
    failure(ApiErrorKind::InvalidRequest, &message).into()
}
