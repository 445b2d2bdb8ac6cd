//! Reading what a command is given.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::problem::Problem;

/// The whole of a file; of stdin if it is missing or `-`.
pub(crate) fn read(file: Option<&Path>) -> Result<Vec<u8>, Problem> {
    let mut body = Vec::new();
    let done = match file {
        Some(path) if path != Path::new("-") => {
            File::open(path).and_then(|mut file| file.read_to_end(&mut body))
        }
        _ => io::stdin().lock().read_to_end(&mut body),
    };
    let advice = "Give a file that is there and may be read, or - for stdin.";
    let failed = |error| Problem::usage(format!("cannot read {}: {error}", name(file)), advice);
    done.map_err(failed)?;
    Ok(body)
}

/// What the input is called.
pub(crate) fn name(file: Option<&Path>) -> String {
    match file {
        Some(path) if path != Path::new("-") => path.display().to_string(),
        _ => "stdin".into(),
    }
}

/// A text without the mark of UTF-8 that some editors put before it.
pub(crate) fn without_mark(mut text: Vec<u8>) -> Vec<u8> {
    if text.starts_with(MARK) {
        text.drain(..MARK.len());
    }
    text
}

const MARK: &[u8] = b"\xEF\xBB\xBF";
