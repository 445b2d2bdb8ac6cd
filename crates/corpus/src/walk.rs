//! The case files of a corpus folder.

use std::path::{Path, PathBuf};
use std::{fs, io};

use bytes::Bytes;
use interlingua::repair;

use crate::{BadCase, Case};

/// A case and where it stands: `corpus/<kind>/<dialect>/<name>.json`, `corpus/repair/<rule>/<name>.json`
/// or `corpus/wild/<name>.json`.
#[derive(Debug)]
pub struct Filed {
    pub path: PathBuf,
    pub kind: String,
    /// The folder: a dialect, or a repair; failures seen in the wild are not sorted.
    pub folder: Option<String>,
    pub case: Result<Case, BadCase>,
}

/// Every kind of case that each dialect has a folder of.
pub const KINDS: [&str; 6] = ["roundtrip", "decode", "encode", "reply", "stream", "error"];

/// Cases of the named repairs.
pub const REPAIR: &str = "repair";

/// Failures that people met with other translators, each told by its number in a catalogue.
pub const WILD: &str = "wild";

/// All cases, in the order of their kinds and names.
pub fn cases(corpus: &Path) -> io::Result<Vec<Filed>> {
    let mut cases = Vec::new();
    for kind in KINDS.into_iter().chain([REPAIR]) {
        for folder in names(&corpus.join(kind))? {
            read(&corpus.join(kind).join(&folder), kind, Some(&folder), &mut cases)?;
        }
    }
    read(&corpus.join(WILD), WILD, None, &mut cases)?;
    Ok(cases)
}

/// The cases of one folder.
fn read(path: &Path, kind: &str, folder: Option<&str>, cases: &mut Vec<Filed>) -> io::Result<()> {
    for name in names(path)? {
        let path = path.join(name);
        if path.extension().is_some_and(|extension| extension == "json") {
            let case = Case::parse(&Bytes::from(fs::read(&path)?));
            let (kind, folder) = (kind.to_owned(), folder.map(str::to_owned));
            cases.push(Filed { path, kind, folder, case });
        }
    }
    Ok(())
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
    /// Whether the case speaks the dialect of its folder, the way its kind says; a failure from the
    /// wild is named by its number in the catalogue, as in `f87_parallel_calls.json`.
    pub fn is_in_place(&self) -> bool {
        let Ok(case) = &self.case else { return false };
        let Some(folder) = &self.folder else { return is_numbered(&self.path) };
        let is = |dialect: &dyn interlingua::Dialect| dialect.id().0 == folder;
        match &*self.kind {
            "roundtrip" => is(case.from) && is(case.to),
            "decode" => is(case.from),
            "encode" => is(case.to),
            REPAIR => repair::ALL.iter().any(|rule| rule.name == folder),
            _ => is(case.from) || is(case.to),
        }
    }
}

fn is_numbered(path: &Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let number = name.strip_prefix('f').and_then(|rest| rest.split_once('_'));
    number.is_some_and(|(number, _)| number.parse::<u16>().is_ok())
}
