//! Provides request bodies for the laws, from the corpus and generated.

use std::path::Path;

use bytes::Bytes;
use interlingua::{Dialect, JsonDoc, JsonLimits};
use interlingua_corpus::Input;
use interlingua_corpus::files::{CaseFile, load_cases};

use crate::dialects;

/// The request of every case, with its path and dialect.
pub(crate) fn corpus_requests() -> Vec<(String, &'static dyn Dialect, Bytes)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let cases = load_cases(&corpus).unwrap_or_else(|error| panic!("no corpus: {error}"));
    let request = |case_file: CaseFile| {
        let case = case_file.case.ok()?;
        let Input::Request(body) = case.input else { return None };
        Some((case_file.path.display().to_string(), case.from, body))
    };
    let is_selected = |from: &dyn Dialect| dialects().any(|dialect| dialect.id() == from.id());
    cases.into_iter().filter_map(request).filter(|(_, from, _)| is_selected(*from)).collect()
}

pub(crate) fn doc(body: &Bytes) -> Result<JsonDoc, String> {
    JsonDoc::from_bytes(body.clone(), JsonLimits::default())
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(body)))
}

/// Fails with all failures in one message.
pub(crate) fn assert_no_failures(failures: &[String]) {
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n"));
}
