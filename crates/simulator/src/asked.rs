//! A request on its way through the simulator.

use bytes::Bytes;
use hyper::Request;
use hyper::header::UPGRADE;
use interlingua_strict::seal::Key;
use interlingua_strict::{self as strict, Carried, Decoded, Known, Switches, Verdict};
use serde_json::Value;

use crate::api::Api;
use crate::carriage::decoded;
use crate::fault::Fault;
use crate::route::{Endpoint, Route};
use crate::seed::Seed;

/// A request, read as far as the judge needs it.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) route: &'a Route,
    pub(crate) request: &'a Request<Bytes>,
    pub(crate) model: String,
    pub(crate) body: Value,
    pub(crate) seed: Seed,
    /// Streams come as one JSON array.
    pub(crate) array: bool,
    pub(crate) faults: Vec<Fault>,
    /// What the provider remembers of the reply from which the request goes on.
    pub(crate) known: Known,
    /// The request with all that was said before, if the provider holds that.
    pub(crate) whole: Option<Value>,
    /// Beta features that the header names.
    betas: Vec<&'a str>,
    decoded: Decoded,
}

impl<'a> Asked<'a> {
    /// Reads a request. A body that is no JSON has its verdict at once, unless the judge says why it
    /// cannot be read.
    pub(crate) fn read(
        route: &'a Route,
        request: &'a Request<Bytes>,
        seed: Seed,
        faults: Vec<Fault>,
    ) -> (Self, Option<Verdict>) {
        let (bytes, decoded) = decoded(request);
        let (body, verdict) = match route.api.judge().parse(&bytes) {
            Ok(body) => (unwrapped(route, body), None),
            Err(_) if decoded != Decoded::Whole && route.flavor == "anthropic" => {
                (Value::Null, None)
            }
            Err(unread) => (Value::Null, Some(Verdict { violations: vec![unread] })),
        };
        let query = request.uri().query().unwrap_or_default();
        let array = route.api == Api::Gemini && !query.split('&').any(|part| part == "alt=sse");
        let model = model(route, &body);
        let betas = header_list(request, "anthropic-beta");
        let (known, whole) = (Known::default(), None);
        let read =
            Self { route, request, model, body, seed, array, faults, known, whole, betas, decoded };
        (read, verdict)
    }

    pub(crate) fn streams_array(&self) -> bool {
        self.array && matches!(self.route.endpoint, Endpoint::Turn { stream: Some(true), .. })
    }

    /// Whether the header names a beta feature that begins so.
    pub(crate) fn has_beta(&self, start: &str) -> bool {
        self.betas.iter().any(|beta| beta.starts_with(start))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&'a str> {
        self.request.headers().get(name)?.to_str().ok()
    }

    /// The request as the judge sees it.
    pub(crate) fn for_judge<'r>(
        &'r self,
        switches: &'r Switches,
        key: &'r Key,
    ) -> strict::Request<'r> {
        strict::Request {
            body: &self.body,
            model: &self.model,
            flavor: self.route.flavor,
            version: (self.route.api == Api::Anthropic)
                .then(|| self.header("anthropic-version").unwrap_or_default()),
            betas: &self.betas,
            switches,
            key: Some(key),
            known: Some(&self.known),
            counting: matches!(self.route.endpoint, Endpoint::Count { .. }),
            carried: Carried {
                content_type: self.header("content-type"),
                content_encoding: self.header("content-encoding"),
                decoded: self.decoded,
            },
        }
    }
}

/// The values of a header that holds a list.
fn header_list<'a>(request: &'a Request<Bytes>, name: &str) -> Vec<&'a str> {
    let values = request.headers().get_all(name).iter();
    let parts = values.filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The API that the headers suggest.
pub(crate) fn hint(request: &Request<Bytes>) -> Option<Api> {
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

/// The request whose tokens are counted may stand within another object.
fn unwrapped(route: &Route, mut body: Value) -> Value {
    let inner = match (route.api, &route.endpoint) {
        (Api::Gemini, Endpoint::Count { .. }) => body.get_mut("generateContentRequest"),
        (Api::Bedrock, Endpoint::Count { .. }) => body.pointer_mut("/input/converse"),
        _ => None,
    };
    match inner.map(Value::take) {
        Some(inner) => inner,
        None => body,
    }
}

fn model(route: &Route, body: &Value) -> String {
    let named = match &route.endpoint {
        Endpoint::Turn { model, .. } | Endpoint::Count { model } => model.as_deref(),
        _ => None,
    };
    let named = named.or_else(|| body.get("model").and_then(Value::as_str));
    named.unwrap_or_default().to_owned()
}
