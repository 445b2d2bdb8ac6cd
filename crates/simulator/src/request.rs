//! A parsed request with its route, faults and stored conversation.

use bytes::Bytes;
use hyper::Request;
use hyper::header::UPGRADE;
use interlingua_strict::seal::SealKey;
use interlingua_strict::{
    self as strict, BodyEncoding, Decompression, StoredReplies, Switches, Verdict,
};
use serde_json::Value;

use crate::content_encoding::decompress_body;
use crate::fault::Fault;
use crate::route::{Api, Endpoint, Route};
use crate::seed::IdSeed;

/// A request with everything that the judge and the model need.
#[derive(Debug)]
pub(crate) struct IncomingRequest<'a> {
    pub(crate) route: &'a Route,
    pub(crate) request: &'a Request<Bytes>,
    pub(crate) model: String,
    pub(crate) body: Value,
    pub(crate) id_seed: IdSeed,
    /// A stream is sent as one JSON array.
    pub(crate) wants_array: bool,
    pub(crate) faults: Vec<Fault>,
    /// What the provider has stored of the reply that the request continues.
    pub(crate) stored_replies: StoredReplies,
    /// The request with the whole conversation, if the provider stores it.
    pub(crate) full_body: Option<Value>,
    /// Beta features of the `anthropic-beta` header.
    betas: Vec<&'a str>,
    decompression: Decompression,
}

impl<'a> IncomingRequest<'a> {
    /// Reads a request. The verdict is set for a body that is not JSON, unless the judge reports
    /// the failed decompression instead.
    pub(crate) fn parse(
        route: &'a Route,
        request: &'a Request<Bytes>,
        seed: IdSeed,
        faults: Vec<Fault>,
    ) -> (Self, Option<Verdict>) {
        let (bytes, decompression) = decompress_body(request);
        let (body, verdict) = match route.api.judge().parse(&bytes) {
            Ok(body) => (unwrap_count_request(route, body), None),
            Err(_) if decompression != Decompression::Complete && route.flavor == "anthropic" => {
                (Value::Null, None)
            }
            Err(violation) => (Value::Null, Some(Verdict { violations: vec![violation] })),
        };
        let query = request.uri().query().unwrap_or_default();
        let wants_array =
            route.api == Api::Gemini && !query.split('&').any(|part| part == "alt=sse");
        let model = requested_model(route, &body);
        let betas = header_list(request, "anthropic-beta");
        let incoming_request = Self {
            route,
            request,
            model,
            body,
            id_seed: seed,
            wants_array,
            faults,
            stored_replies: StoredReplies::default(),
            full_body: None,
            betas,
            decompression,
        };
        (incoming_request, verdict)
    }

    pub(crate) fn streams_array(&self) -> bool {
        self.wants_array
            && matches!(self.route.endpoint, Endpoint::Generate { stream: Some(true), .. })
    }

    /// Whether the header has a beta feature with this prefix.
    pub(crate) fn has_beta(&self, prefix: &str) -> bool {
        self.betas.iter().any(|beta| beta.starts_with(prefix))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&'a str> {
        self.request.headers().get(name)?.to_str().ok()
    }

    /// The request in the form that the judge checks.
    pub(crate) fn judge_request<'r>(
        &'r self,
        switches: &'r Switches,
        key: &'r SealKey,
    ) -> strict::Request<'r> {
        strict::Request {
            body: &self.body,
            model: &self.model,
            flavor: self.route.flavor,
            version: (self.route.api == Api::Anthropic)
                .then(|| self.header("anthropic-version").unwrap_or_default()),
            betas: &self.betas,
            switches,
            seal_key: Some(key),
            stored_replies: Some(&self.stored_replies),
            count_tokens: matches!(self.route.endpoint, Endpoint::CountTokens { .. }),
            body_encoding: BodyEncoding {
                content_type: self.header("content-type"),
                content_encoding: self.header("content-encoding"),
                decompression: self.decompression,
            },
        }
    }
}

/// The values of a comma-separated header.
fn header_list<'a>(request: &'a Request<Bytes>, name: &str) -> Vec<&'a str> {
    let values = request.headers().get_all(name).iter();
    let parts = values.filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Guesses the API from the headers.
pub(crate) fn api_hint(request: &Request<Bytes>) -> Option<Api> {
    let has = |name: &str| request.headers().contains_key(name);
    if has("anthropic-version") || has("x-api-key") {
        Some(Api::Anthropic)
    } else if has("x-goog-api-key") || has("x-goog-api-client") {
        Some(Api::Gemini)
    } else {
        None
    }
}

pub(crate) fn wants_upgrade(request: &Request<Bytes>) -> bool {
    request.headers().contains_key(UPGRADE)
}

/// The request of a token count, which Gemini and Bedrock nest in another object.
fn unwrap_count_request(route: &Route, mut body: Value) -> Value {
    let inner = match (route.api, &route.endpoint) {
        (Api::Gemini, Endpoint::CountTokens { .. }) => body.get_mut("generateContentRequest"),
        (Api::Bedrock, Endpoint::CountTokens { .. }) => body.pointer_mut("/input/converse"),
        _ => None,
    };
    match inner.map(Value::take) {
        Some(inner) => inner,
        None => body,
    }
}

fn requested_model(route: &Route, body: &Value) -> String {
    let named = match &route.endpoint {
        Endpoint::Generate { model, .. } | Endpoint::CountTokens { model } => model.as_deref(),
        _ => None,
    };
    let named = named.or_else(|| body.get("model").and_then(Value::as_str));
    named.unwrap_or_default().to_owned()
}
