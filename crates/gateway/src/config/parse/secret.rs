//! Resolves secrets: `env:NAME`, `file:PATH`, or a literal value.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};

use super::table::Item;
use crate::config::Env;

/// The result of resolving a secret.
pub(super) enum SecretLookup {
    Resolved(SecretString),
    /// The variable of this name is unset or empty.
    EmptyVariable(String),
    /// The error is already in the diagnostics.
    Invalid,
}

/// Resolves `env:NAME`, `file:PATH`, or a literal secret.
pub(super) fn resolve(item: &Item<'_>, env: Env<'_>) -> SecretLookup {
    let Some(text) = item.string() else { return SecretLookup::Invalid };
    let text = text.trim();
    if let Some(name) = text.strip_prefix("env:") {
        return match env(name.trim()).filter(|secret| !secret.trim().is_empty()) {
            Some(secret) => validate(item, &secret),
            None => SecretLookup::EmptyVariable(name.trim().into()),
        };
    }
    if let Some(path) = text.strip_prefix("file:") {
        return match read_file(path.trim(), env) {
            Ok(secret) => validate(item, &secret),
            Err(message) => report_invalid(item, &message),
        };
    }
    if text.starts_with('$') || looks_like_variable(text) {
        return report_invalid(item, "looks like the name of a variable: write \"env:NAME\"");
    }
    item.warn("is written in the file itself. Use \"env:NAME\" or \"file:PATH\" instead");
    validate(item, text)
}

fn report_invalid(item: &Item<'_>, message: &str) -> SecretLookup {
    item.error(message);
    SecretLookup::Invalid
}

/// A secret is sent in a header: printable ASCII without spaces.
fn validate(item: &Item<'_>, secret: &str) -> SecretLookup {
    let secret = secret.trim();
    if secret.is_empty() {
        return report_invalid(item, "is empty");
    }
    if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        return report_invalid(item, "must be printable ASCII without spaces");
    }
    SecretLookup::Resolved(secret.into())
}

/// Upper-case words with underscores look like a variable without its `env:`.
fn looks_like_variable(text: &str) -> bool {
    let is_variable_byte =
        |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    text.contains('_')
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(is_variable_byte)
}

fn read_file(path: &str, env: Env<'_>) -> Result<String, String> {
    let path = absolute_path(path, env)
        .ok_or("must be an absolute path or start with ~/: the working directory is never read")?;
    let read_error =
        |error: std::io::Error| format!("cannot be read from {}: {error}", path.display());
    let file = File::open(&path).map_err(read_error)?;
    check_permissions(&file, &path)?;
    let mut secret = String::new();
    file.take(MAX_SECRET_BYTES).read_to_string(&mut secret).map_err(read_error)?;
    Ok(secret)
}

/// An absolute path; `~/` is the user's home.
pub(super) fn absolute_path(path: &str, env: Env<'_>) -> Option<PathBuf> {
    let path = match path.strip_prefix("~/") {
        Some(rest) => Path::new(&env("HOME")?).join(rest),
        None => path.into(),
    };
    path.is_absolute().then_some(path)
}

/// Rejects files that others than the owner can read or write.
#[cfg(unix)]
fn check_permissions(file: &File, path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let read_error = |error| format!("cannot be read from {}: {error}", path.display());
    let mode = file.metadata().map_err(read_error)?.permissions().mode();
    if mode & 0o066 == 0 {
        return Ok(());
    }
    let path = path.display();
    Err(format!("is in {path}, which other users can read or change: run chmod 600 {path}"))
}

#[cfg(not(unix))]
fn check_permissions(_: &File, _: &Path) -> Result<(), String> {
    Ok(())
}

pub(super) fn expose(secret: &SecretString) -> &str {
    secret.expose_secret()
}

const MAX_SECRET_BYTES: u64 = 64 * 1024;
