//! The case files of a corpus folder.

use std::path::{Path, PathBuf};
use std::{fs, io};

use bytes::Bytes;

use crate::{BadCase, Case};

/// A case and where it stands: `corpus/<kind>/<dialect>/<name>.json`.
#[derive(Debug)]
pub struct Filed {
    pub path: PathBuf,
    pub kind: String,
    pub dialect: String,
    pub case: Result<Case, BadCase>,
}

/// Every kind of case this crate runs; each dialect has a folder of each.
pub const KINDS: [&str; 6] = ["roundtrip", "decode", "encode", "reply", "stream", "error"];

/// All cases of these kinds, in the order of their names.
pub fn cases(corpus: &Path) -> io::Result<Vec<Filed>> {
    let mut cases = Vec::new();
    for kind in KINDS {
        for dialect in names(&corpus.join(kind))? {
            for name in names(&corpus.join(kind).join(&dialect))? {
                let path = corpus.join(kind).join(&dialect).join(name);
                if path.extension().is_some_and(|extension| extension == "json") {
                    let case = Case::parse(&Bytes::from(fs::read(&path)?));
                    let (kind, dialect) = (kind.to_owned(), dialect.clone());
                    cases.push(Filed { path, kind, dialect, case });
                }
            }
        }
    }
    Ok(cases)
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

impl Filed {
    /// Whether the case speaks the dialect of its folder, the way its kind says.
    pub fn is_in_place(&self) -> bool {
        let Ok(case) = &self.case else { return false };
        let is = |dialect: &dyn interlingua::Dialect| dialect.id().0 == self.dialect;
        match &*self.kind {
            "roundtrip" => is(case.from) && is(case.to),
            "decode" => is(case.from),
            "encode" => is(case.to),
            _ => is(case.from) || is(case.to),
        }
    }
}
