//! The repaired file, beside the original.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use interlingua::{Target, transcribe_request};
use interlingua_strict::Violation;
use interlingua_transcript::{Source, Transcript, read};

use super::Doctor;
use super::diagnosis::Diagnosis;
use crate::problem::Problem;

/// What came of it.
pub(super) struct Fixed {
    /// Where the repaired file is; none if there was nothing that could be repaired.
    pub(super) path: Option<PathBuf>,
    /// What the provider still refuses.
    pub(super) left: Vec<Violation>,
}

/// Writes it, and says where.
pub(super) fn write(
    order: &Doctor,
    name: &str,
    source: &Source,
    transcript: &Transcript,
    diagnosis: &Diagnosis,
) -> Result<Fixed, Problem> {
    let repaired = in_own_dialect(transcript, diagnosis)?;
    let fixed = transcript.format.write(source, transcript, &repaired);
    let left = left(order, name, &fixed, diagnosis)?;
    if fixed == source.bytes() {
        return Ok(Fixed { path: None, left });
    }
    let path = beside(&order.file);
    save(&path, &fixed, order.force).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            let what = format!("{} is already there", path.display());
            return Problem::usage(what, "Move it away, or write over it with --force.");
        }
        let what = format!("cannot write {}: {error}", path.display());
        Problem::usage(what, "May you write to this folder?")
    })?;
    Ok(Fixed { path: Some(path), left })
}

/// The repaired request in the dialect of the file. A stored session is read back from the dialect
/// of its provider.
fn in_own_dialect(transcript: &Transcript, diagnosis: &Diagnosis) -> Result<Bytes, Problem> {
    let (own, provider) = (transcript.dialect, diagnosis.provider);
    if own.id() == provider.id() {
        return Ok(diagnosis.repaired.clone());
    }
    if interlingua_strict::find(own.id().0).is_some() {
        let what = format!("--fix --for {}: the file is written for {}", provider.id(), own.id());
        let advice = "--fix keeps the format of the file. `interlingua doctor --extract` and \
                      `interlingua translate` take the conversation to another API.";
        return Err(Problem::usage(what, advice));
    }
    transcribe_request(diagnosis.repaired.clone(), provider, own, &Target::default())
        .map(|read_back| read_back.body)
        .map_err(|error| Problem::bad(format!("the repaired session cannot be read: {error}"), ""))
}

/// Looks at the repaired file as if it had just come: nothing is claimed that was not seen.
fn left(
    order: &Doctor,
    name: &str,
    fixed: &Bytes,
    before: &Diagnosis,
) -> Result<Vec<Violation>, Problem> {
    let advice = "Nothing was written. Please report this with the lines named above.";
    let Some(transcript) = read(&Source::new(fixed.clone()).hinted(before.provider.id())) else {
        return Err(Problem::bad(format!("{name}: the repaired file cannot be read"), advice));
    };
    let (provider, target) = (before.provider, before.target.clone());
    let again = Diagnosis::of(&transcript, provider, target, order.flavor.as_deref())
        .map_err(|error| Problem::bad(format!("{name}: the repaired file: {error}"), advice))?;
    Ok(again.findings.into_iter().filter_map(|finding| finding.violation).collect())
}

/// `talk.jsonl` → `talk.fixed.jsonl`.
fn beside(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = match file.extension() {
        Some(extension) => format!("{stem}.fixed.{}", extension.to_string_lossy()),
        None => format!("{stem}.fixed"),
    };
    file.with_file_name(name)
}

/// A transcript is as private as its original: nobody else gets to read it by default.
fn save(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    if force && path.exists() {
        return fs::write(path, bytes);
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}
