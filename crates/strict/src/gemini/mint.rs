//! Creates and verifies thought signatures: the simulator signs with it, the judge verifies.
//!
//! A signature binds the endpoint (AI Studio or Vertex) and the model. On a call it also binds the
//! name, the arguments and the call's index in the content. Changes by clients that the API accepts
//! are not bound: the spelling of the arguments, ids, the base64 alphabet, and texts, which arrive
//! in chunks and are concatenated differently by clients.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::profile::{family, profile};
use super::proto::decode_base64;
use super::view::{self, field, str_field};
use crate::Request;
use crate::seal::{SealClaims, SealError, SealKey};

/// The index of the part that the model signs: the first call, else the last part; on older models,
/// the first part.
pub fn signed_part_index(model: &str, parts: &[Value]) -> Option<usize> {
    if profile(model).signs_first_part {
        return (!parts.is_empty()).then_some(0);
    }
    let call = parts.iter().position(|part| field(part, "function_call").is_some());
    call.or_else(|| parts.len().checked_sub(1))
}

/// Signs a part of a reply.
pub fn sign_part(
    key: &SealKey,
    flavor: &str,
    model: &str,
    parts: &[Value],
    index: usize,
) -> String {
    let claims = PartClaims::new(flavor, model, parts, index);
    key.seal(&claims.claims())
}

/// Whether every signature belongs to its part, also in earlier turns, where the API does not check
/// it.
pub fn are_seals_in_place(request: &Request<'_>) -> bool {
    let Some(key) = request.seal_key else { return true };
    view::contents(request).iter().all(|content| {
        let is_signed = |part: &Value| !str_field(part, "thought_signature").is_empty();
        let is_valid = |at: usize| {
            seal_errors(key, request.flavor, request.model, content.parts, at).is_empty()
        };
        content.parts.iter().enumerate().all(|(at, part)| !is_signed(part) || is_valid(at))
    })
}

/// The seal errors of a part's signature.
pub(super) fn seal_errors(
    key: &SealKey,
    flavor: &str,
    model: &str,
    parts: &[Value],
    index: usize,
) -> Vec<SealError> {
    let signature = parts.get(index).map_or("", |part| str_field(part, "thought_signature"));
    if is_placeholder_signature(signature) {
        return Vec::new();
    }
    let Some(bytes) = decode_base64(signature) else { return vec![SealError::NotAuthentic] };
    let claims = PartClaims::new(flavor, model, parts, index);
    key.errors(&STANDARD.encode(bytes), &claims.claims())
}

/// Whether this is a value that skips validation, plain or as base64.
pub(super) fn is_placeholder_signature(signature: &str) -> bool {
    let decoded = decode_base64(signature).unwrap_or_default();
    PLACEHOLDER_SIGNATURES.iter().any(|dummy| *dummy == signature || dummy.as_bytes() == decoded)
}

struct PartClaims {
    provider: &'static str,
    model: String,
    block_kind: &'static str,
    content: String,
    position: usize,
}

impl PartClaims {
    fn new(flavor: &str, model: &str, parts: &[Value], index: usize) -> Self {
        let call = parts.get(index).and_then(|part| field(part, "function_call"));
        let is_call = |part: &&Value| field(part, "function_call").is_some();
        Self {
            provider: if super::view::is_vertex(flavor) { "vertex" } else { "ai-studio" },
            model: family(model),
            block_kind: if call.is_some() { "call" } else { "part" },
            content: call.map(call_content).unwrap_or_default(),
            position: match call {
                Some(_) => parts.iter().take(index).filter(is_call).count(),
                None => 0,
            },
        }
    }

    fn claims(&self) -> SealClaims<'_> {
        SealClaims {
            provider: self.provider,
            model: &self.model,
            block_kind: self.block_kind,
            content: &self.content,
            position: self.position,
            ..SealClaims::default()
        }
    }
}

fn call_content(call: &Value) -> String {
    let empty = Value::Object(Map::new());
    let args = canonical_args(field(call, "args").unwrap_or(&empty));
    format!("{}\n{args}", str_field(call, "name"))
}

/// Arguments after protobuf parsing: the order of keys is lost, and all numbers are doubles.
fn canonical_args(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<_> = object.iter().collect();
            keys.sort_by_key(|(key, _)| key.as_str());
            keys.into_iter().map(|(key, value)| (key.clone(), canonical_args(value))).collect()
        }
        Value::Array(list) => list.iter().map(canonical_args).collect(),
        Value::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        other => other.clone(),
    }
}

const PLACEHOLDER_SIGNATURES: [&str; 2] =
    ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];
