//! Lossless corrections: decodes values that were JSON-encoded twice.

use interlingua_model::ToolArgs;
use interlingua_wire::{JsonDoc, JsonString, RawJson};

use crate::schema::{Schema, Violation, ViolationKind};

/// Decodes strings that contain the expected value as JSON; `None` if the result is still invalid.
pub(crate) fn decode_double_encoded(
    args: &RawJson,
    violations: &[Violation],
    schema: &Schema,
) -> Option<RawJson> {
    let text = args.as_str();
    let mut spans: Vec<_> = violations
        .iter()
        .map(|violation| (violation.kind == ViolationKind::Type).then(|| violation.span.clone()))
        .collect::<Option<_>>()?;
    // Each span replaces a part of the text, so that no span may contain another.
    spans.sort_by_key(|span| span.start);
    spans.dedup();
    let mut mended = String::with_capacity(text.len());
    let mut done = 0;
    for span in spans {
        let inner = decode_once(text.get(span.clone())?)?;
        mended.push_str(text.get(done..span.start)?);
        mended.push_str(inner.as_str());
        done = span.end;
    }
    mended.push_str(text.get(done..)?);
    let mended = RawJson::parse(mended).ok()?;
    is_valid(&mended, schema).then_some(mended)
}

pub(crate) fn is_valid(args: &RawJson, schema: &Schema) -> bool {
    schema.check(args.to_doc().root()).is_ok_and(|checked| checked.violations.is_empty())
}

/// The JSON value inside a JSON string.
fn decode_once(raw: &str) -> Option<RawJson> {
    let doc = JsonDoc::parse(raw.into(), interlingua_wire::JsonLimits::default()).ok()?;
    let inner: JsonString = doc.root().json_string()?;
    match ToolArgs::from_json_string(&inner) {
        ToolArgs::Json(json) => Some(json),
        ToolArgs::Malformed(_) | ToolArgs::Freeform(_) => None,
    }
}
