//! Corrections that lose nothing: a value that was encoded once too often is decoded.

use interlingua_model::Args;
use interlingua_wire::{Doc, Json, Text};

use crate::schema::{Flaw, Schema, Violation};

/// Arguments in which strings that hold the wanted value as JSON are that value, if they fit then.
pub(crate) fn decoded(args: &Json, violations: &[Violation], schema: &Schema) -> Option<Json> {
    let text = args.as_str();
    let mut spans: Vec<_> = violations
        .iter()
        .map(|violation| (violation.flaw == Flaw::Type).then(|| violation.span.clone()))
        .collect::<Option<_>>()?;
    // Each replaces a part of the text; none may hold another.
    spans.sort_by_key(|span| span.start);
    spans.dedup();
    let mut mended = String::with_capacity(text.len());
    let mut done = 0;
    for span in spans {
        let inner = once_less(text.get(span.clone())?)?;
        mended.push_str(text.get(done..span.start)?);
        mended.push_str(inner.as_str());
        done = span.end;
    }
    mended.push_str(text.get(done..)?);
    let mended = Json::parse(mended).ok()?;
    fits(&mended, schema).then_some(mended)
}

/// Whether nothing is found wrong with these arguments.
pub(crate) fn fits(args: &Json, schema: &Schema) -> bool {
    schema.check(args.doc().root()).is_ok_and(|checked| checked.violations.is_empty())
}

/// The JSON that a JSON string holds.
fn once_less(raw: &str) -> Option<Json> {
    let doc = Doc::parse(raw.into(), interlingua_wire::Limits::default()).ok()?;
    let inner: Text = doc.root().text()?;
    match Args::from_text(&inner) {
        Args::Json(json) => Some(json),
        Args::Malformed(_) | Args::Freeform(_) => None,
    }
}
