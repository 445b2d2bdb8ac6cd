//! Writes the repaired file next to the original.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use interlingua::{Target, transcode_request};
use interlingua_strict::Violation;
use interlingua_transcript::{Transcript, TranscriptFile, read};

use super::args::DoctorArgs;
use super::diagnosis::Diagnosis;
use crate::error::CommandError;

/// Path of the repaired file, and violations that remain.
pub(super) struct FixOutcome {
    /// `None` if nothing could be repaired.
    pub(super) path: Option<PathBuf>,
    /// Violations of the repaired file.
    pub(super) remaining: Vec<Violation>,
}

pub(super) fn write_fixed(
    args: &DoctorArgs,
    name: &str,
    source: &TranscriptFile,
    transcript: &Transcript,
    diagnosis: &Diagnosis,
) -> Result<FixOutcome, CommandError> {
    let repaired = to_file_dialect(transcript, diagnosis)?;
    let fixed = transcript.format.write(source, transcript, &repaired);
    let remaining = remaining_violations(args, name, &fixed, diagnosis)?;
    if fixed == source.bytes() {
        return Ok(FixOutcome { path: None, remaining });
    }
    let path = fixed_path(&args.file);
    write_private(&path, &fixed, args.force).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            let message = format!("{} already exists", path.display());
            return CommandError::usage(message, "Move it away, or overwrite it with --force.");
        }
        let message = format!("cannot write {}: {error}", path.display());
        CommandError::usage(message, "Check that the folder is writable.")
    })?;
    Ok(FixOutcome { path: Some(path), remaining })
}

/// The repaired request in the dialect of the file. A stored session is translated back from the
/// dialect of its provider.
fn to_file_dialect(transcript: &Transcript, diagnosis: &Diagnosis) -> Result<Bytes, CommandError> {
    let (file_dialect, provider) = (transcript.dialect, diagnosis.target_dialect);
    if file_dialect.id() == provider.id() {
        return Ok(diagnosis.repaired.clone());
    }
    if interlingua_strict::find(file_dialect.id().0).is_some() {
        let message =
            format!("--fix --for {}: the file is written for {}", provider.id(), file_dialect.id());
        let hint = "--fix keeps the format of the file. `interlingua doctor --extract` and \
                      `interlingua translate` convert the conversation for another API.";
        return Err(CommandError::usage(message, hint));
    }
    transcode_request(diagnosis.repaired.clone(), provider, file_dialect, &Target::default())
        .map(|translated| translated.body)
        .map_err(|error| {
            CommandError::failed(format!("the repaired session cannot be read: {error}"), "")
        })
}

/// Diagnoses the repaired file as if it were new input, so that only verified repairs are reported.
fn remaining_violations(
    args: &DoctorArgs,
    name: &str,
    fixed: &Bytes,
    before: &Diagnosis,
) -> Result<Vec<Violation>, CommandError> {
    let hint = "Nothing was written. Please report this with the lines named above.";
    let Some(transcript) =
        read(&TranscriptFile::new(fixed.clone()).with_dialect_hint(before.target_dialect.id()))
    else {
        return Err(CommandError::failed(
            format!("{name}: the repaired file cannot be read"),
            hint,
        ));
    };
    let (provider, target) = (before.target_dialect, before.target.clone());
    let diagnosis =
        Diagnosis::new(&transcript, provider, target, args.flavor.as_deref()).map_err(|error| {
            CommandError::failed(format!("{name}: the repaired file: {error}"), hint)
        })?;
    Ok(diagnosis.issues.into_iter().filter_map(|issue| issue.violation).collect())
}

/// `talk.jsonl` → `talk.fixed.jsonl`.
fn fixed_path(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = match file.extension() {
        Some(extension) => format!("{stem}.fixed.{}", extension.to_string_lossy()),
        None => format!("{stem}.fixed"),
    };
    file.with_file_name(name)
}

/// Transcripts are private: a new file is readable only by its owner.
fn write_private(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    if force && path.exists() {
        return fs::write(path, bytes);
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}
