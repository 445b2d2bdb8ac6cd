//! Finds and loads the case files of the corpus.

use std::path::{Path, PathBuf};
use std::{fs, io};

use bytes::Bytes;
use interlingua_repair as repair;

use crate::{Case, CaseError};

/// A case file: `corpus/<kind>/<dialect>/<name>.json`, `corpus/repair/<rule>/<name>.json` or
/// `corpus/wild/<name>.json`.
#[derive(Debug)]
pub struct CaseFile {
    pub path: PathBuf,
    pub kind: String,
    /// Name of the folder, a dialect or a rule; `None` for wild cases.
    pub folder: Option<String>,
    pub case: Result<Case, CaseError>,
}

/// Kinds of cases with a folder for each dialect.
pub const KINDS: [&str; 6] = ["roundtrip", "decode", "encode", "reply", "stream", "error"];

/// Kind of the cases of repair rules.
pub const REPAIR_KIND: &str = "repair";

/// Kind of the failures that users reported for other translators, numbered in a catalogue.
pub const WILD_KIND: &str = "wild";

/// All cases, sorted by kind and name.
pub fn load_cases(corpus: &Path) -> io::Result<Vec<CaseFile>> {
    let mut cases = Vec::new();
    for kind in KINDS.into_iter().chain([REPAIR_KIND]) {
        for folder in sorted_names(&corpus.join(kind))? {
            load_folder(&corpus.join(kind).join(&folder), kind, Some(&folder), &mut cases)?;
        }
    }
    load_folder(&corpus.join(WILD_KIND), WILD_KIND, None, &mut cases)?;
    Ok(cases)
}

/// Loads the cases of one folder.
fn load_folder(
    path: &Path,
    kind: &str,
    folder: Option<&str>,
    cases: &mut Vec<CaseFile>,
) -> io::Result<()> {
    for name in sorted_names(path)? {
        let path = path.join(name);
        if path.extension().is_some_and(|extension| extension == "json") {
            let case = Case::parse(&Bytes::from(fs::read(&path)?));
            let (kind, folder) = (kind.to_owned(), folder.map(str::to_owned));
            cases.push(CaseFile { path, kind, folder, case });
        }
    }
    Ok(())
}

fn sorted_names(folder: &Path) -> io::Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

impl CaseFile {
    /// Whether the case has the dialect of its folder, on the side that its kind requires; wild
    /// cases are named by their number in the catalogue, as in `f87_parallel_calls.json`.
    pub fn is_in_right_folder(&self) -> bool {
        let Ok(case) = &self.case else { return false };
        let Some(folder) = &self.folder else { return is_numbered(&self.path) };
        let is_of_folder = |dialect: &dyn interlingua::Dialect| dialect.id().0 == folder;
        match &*self.kind {
            "roundtrip" => is_of_folder(case.from) && is_of_folder(case.to),
            "decode" => is_of_folder(case.from),
            "encode" => is_of_folder(case.to),
            REPAIR_KIND => repair::all_rules().any(|rule| rule.name == folder),
            _ => is_of_folder(case.from) || is_of_folder(case.to),
        }
    }
}

fn is_numbered(path: &Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let number = name.strip_prefix('f').and_then(|rest| rest.split_once('_'));
    number.is_some_and(|(number, _)| number.parse::<u16>().is_ok())
}
