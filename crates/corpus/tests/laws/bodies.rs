//! Request bodies for the laws: those of the corpus and generated ones.

use std::path::Path;

use bytes::Bytes;
use interlingua::{Dialect, Doc, Limits};
use interlingua_corpus::Input;
use interlingua_corpus::walk::{Filed, cases};

use crate::dialects;

/// The request of every case, with its dialect and where it is from.
pub(crate) fn of_corpus() -> Vec<(String, &'static dyn Dialect, Bytes)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let cases = cases(&corpus).unwrap_or_else(|error| panic!("no corpus: {error}"));
    let request = |filed: Filed| {
        let case = filed.case.ok()?;
        let Input::Request(body) = case.input else { return None };
        Some((filed.path.display().to_string(), case.from, body))
    };
    let known = |from: &dyn Dialect| dialects().any(|dialect| dialect.id() == from.id());
    cases.into_iter().filter_map(request).filter(|(_, from, _)| known(*from)).collect()
}

pub(crate) fn doc(body: &Bytes) -> Result<Doc, String> {
    Doc::from_bytes(body.clone(), Limits::default())
        .map_err(|why| format!("{why}: {}", String::from_utf8_lossy(body)))
}

/// All failures of a check over named things, as one.
pub(crate) fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n"));
}
