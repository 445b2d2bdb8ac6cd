//! Request bodies for the laws: those of the corpus and generated ones.

use std::path::Path;

use bytes::Bytes;
use interlingua::{Dialect, Doc, Limits};
use interlingua_corpus::Input;
use interlingua_corpus::walk::cases;

/// The request of every case, with its dialect and where it is from.
pub(crate) fn of_corpus() -> Vec<(String, &'static dyn Dialect, Bytes)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let cases = cases(&corpus).unwrap_or_else(|error| panic!("no corpus: {error}"));
    let request = |filed: interlingua_corpus::walk::Filed| {
        let case = filed.case.ok()?;
        let Input::Request(body) = case.input else { return None };
        Some((filed.path.display().to_string(), case.from, body))
    };
    cases.into_iter().filter_map(request).collect()
}

pub(crate) fn doc(body: &Bytes) -> Doc {
    Doc::from_bytes(body.clone(), Limits::default())
        .unwrap_or_else(|why| panic!("not JSON: {why}: {}", String::from_utf8_lossy(body)))
}

/// All failures of a check over named things, as one.
pub(crate) fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n"));
}
