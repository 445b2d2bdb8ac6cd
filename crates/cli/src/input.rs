//! Reads the input of a command.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::CommandError;

/// Reads a whole file; stdin if it is missing or `-`.
pub(crate) fn read(file: Option<&Path>) -> Result<Vec<u8>, CommandError> {
    let mut body = Vec::new();
    let result = match file {
        Some(path) if path != Path::new("-") => {
            File::open(path).and_then(|mut file| file.read_to_end(&mut body))
        }
        _ => io::stdin().lock().read_to_end(&mut body),
    };
    let hint = "Give an existing, readable file, or - for stdin.";
    let to_error =
        |error| CommandError::usage(format!("cannot read {}: {error}", display_name(file)), hint);
    result.map_err(to_error)?;
    Ok(body)
}

/// Name of the input for messages.
pub(crate) fn display_name(file: Option<&Path>) -> String {
    match file {
        Some(path) if path != Path::new("-") => path.display().to_string(),
        _ => "stdin".into(),
    }
}

/// Removes a UTF-8 byte order mark.
pub(crate) fn strip_bom(mut text: Vec<u8>) -> Vec<u8> {
    if text.starts_with(UTF8_BOM) {
        text.drain(..UTF8_BOM.len());
    }
    text
}

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";
