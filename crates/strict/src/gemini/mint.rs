//! What a signature is bound to. The judge verifies with it, the simulator mints with it.
//!
//! A signature binds who made it: the endpoint (AI Studio or Vertex) and the model. On a call it
//! also binds the name, the arguments and which of the content's calls it is. What clients change
//! without harm is not bound: the spelling of the arguments, ids, the base64 alphabet, and texts,
//! which arrive in pieces and are put together as clients like.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::profile::{family, profile};
use super::proto::decoded;
use super::view::{self, field, text};
use crate::Request;
use crate::seal::{Bound, Broken, Key};

/// The part of a reply that the model signs: the first call, or the last part, or, on older models,
/// the first part.
pub fn signed_part(model: &str, parts: &[Value]) -> Option<usize> {
    if profile(model).signs_first {
        return (!parts.is_empty()).then_some(0);
    }
    let call = parts.iter().position(|part| field(part, "function_call").is_some());
    call.or_else(|| parts.len().checked_sub(1))
}

/// The signature of a part of a reply.
pub fn sign(key: &Key, flavor: &str, model: &str, parts: &[Value], index: usize) -> String {
    let spelled = Spelled::new(flavor, model, parts, index);
    key.seal(&spelled.bound())
}

/// Whether every signature is that of its part, also in earlier turns, where nobody asks.
pub fn is_in_place(request: &Request<'_>) -> bool {
    let Some(key) = request.key else { return true };
    view::contents(request).iter().all(|content| {
        let signed = |part: &Value| !text(part, "thought_signature").is_empty();
        let own =
            |at: usize| faults(key, request.flavor, request.model, content.parts, at).is_empty();
        content.parts.iter().enumerate().all(|(at, part)| !signed(part) || own(at))
    })
}

/// What is wrong with the signature of a part.
pub(super) fn faults(
    key: &Key,
    flavor: &str,
    model: &str,
    parts: &[Value],
    index: usize,
) -> Vec<Broken> {
    let signature = parts.get(index).map_or("", |part| text(part, "thought_signature"));
    if is_dummy(signature) {
        return Vec::new();
    }
    let Some(bytes) = decoded(signature) else { return vec![Broken::Foreign] };
    let spelled = Spelled::new(flavor, model, parts, index);
    key.faults(&STANDARD.encode(bytes), &spelled.bound())
}

/// One of the values that skip the validation, as it is or as base64.
pub(super) fn is_dummy(signature: &str) -> bool {
    let decoded = decoded(signature).unwrap_or_default();
    DUMMIES.iter().any(|dummy| *dummy == signature || dummy.as_bytes() == decoded)
}

struct Spelled {
    provider: &'static str,
    model: String,
    kind: &'static str,
    contents: String,
    position: usize,
}

impl Spelled {
    fn new(flavor: &str, model: &str, parts: &[Value], index: usize) -> Self {
        let call = parts.get(index).and_then(|part| field(part, "function_call"));
        let is_call = |part: &&Value| field(part, "function_call").is_some();
        Self {
            provider: if super::view::is_vertex(flavor) { "vertex" } else { "ai-studio" },
            model: family(model),
            kind: if call.is_some() { "call" } else { "part" },
            contents: call.map(spelled).unwrap_or_default(),
            position: match call {
                Some(_) => parts.iter().take(index).filter(is_call).count(),
                None => 0,
            },
        }
    }

    fn bound(&self) -> Bound<'_> {
        Bound {
            provider: self.provider,
            model: &self.model,
            kind: self.kind,
            contents: &self.contents,
            position: self.position,
            ..Bound::default()
        }
    }
}

fn spelled(call: &Value) -> String {
    let nothing = Value::Object(Map::new());
    let args = sorted(field(call, "args").unwrap_or(&nothing));
    format!("{}\n{args}", text(call, "name"))
}

/// Arguments as the API knows them: the order of keys is lost, and all numbers are alike.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<_> = object.iter().collect();
            keys.sort_by_key(|(key, _)| key.as_str());
            keys.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
        }
        Value::Array(list) => list.iter().map(sorted).collect(),
        Value::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        other => other.clone(),
    }
}

const DUMMIES: [&str; 2] =
    ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];
