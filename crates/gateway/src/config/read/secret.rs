//! Secrets: in the environment, in a file of their own, or in the configuration.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};

use super::table::Item;
use crate::config::Env;

/// What became of a secret that the file names.
pub(super) enum Found {
    Secret(SecretString),
    /// The variable of this name has nothing in it.
    Unset(String),
    /// What is wrong has been said.
    Wrong,
}

/// The secret that the item names: `env:NAME`, `file:PATH`, or the secret itself.
pub(super) fn read(item: &Item<'_>, env: Env<'_>) -> Found {
    let Some(text) = item.string() else { return Found::Wrong };
    let text = text.trim();
    if let Some(name) = text.strip_prefix("env:") {
        return match env(name.trim()).filter(|secret| !secret.trim().is_empty()) {
            Some(secret) => fit(item, &secret),
            None => Found::Unset(name.trim().into()),
        };
    }
    if let Some(path) = text.strip_prefix("file:") {
        return match from_file(path.trim(), env) {
            Ok(secret) => fit(item, &secret),
            Err(what) => wrong(item, &what),
        };
    }
    if text.starts_with('$') || is_variable(text) {
        return wrong(item, "looks like the name of a variable: write \"env:NAME\"");
    }
    item.warn(
        "is written in the file itself: whoever reads the file has it. \
         Write \"env:NAME\" or \"file:PATH\" instead",
    );
    fit(item, text)
}

fn wrong(item: &Item<'_>, what: &str) -> Found {
    item.mistake(what);
    Found::Wrong
}

/// A secret is sent in a header: one word that can be printed.
fn fit(item: &Item<'_>, secret: &str) -> Found {
    let secret = secret.trim();
    if secret.is_empty() {
        return wrong(item, "is empty");
    }
    if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        return wrong(item, "has spaces, line breaks or letters in it that no key has");
    }
    Found::Secret(secret.into())
}

/// Whether it is what variables are called, and keys are not.
fn is_variable(text: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    text.contains('_')
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(part)
}

fn from_file(path: &str, env: Env<'_>) -> Result<String, String> {
    let path = absolute(path, env).ok_or(
        "must name its file from the root, or from ~/: the working directory is never read",
    )?;
    let failed = |error: std::io::Error| format!("cannot be read from {}: {error}", path.display());
    let file = File::open(&path).map_err(failed)?;
    private(&file, &path)?;
    let mut secret = String::new();
    file.take(LONGEST).read_to_string(&mut secret).map_err(failed)?;
    Ok(secret)
}

/// The path from the root, or from the home of the user.
pub(super) fn absolute(path: &str, env: Env<'_>) -> Option<PathBuf> {
    let path = match path.strip_prefix("~/") {
        Some(rest) => Path::new(&env("HOME")?).join(rest),
        None => path.into(),
    };
    path.is_absolute().then_some(path)
}

/// Others than the owner must not be able to read it, or to change it.
#[cfg(unix)]
fn private(file: &File, path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let failed = |error| format!("cannot be read from {}: {error}", path.display());
    let mode = file.metadata().map_err(failed)?.permissions().mode();
    if mode & 0o066 == 0 {
        return Ok(());
    }
    let path = path.display();
    Err(format!("is in {path}, which others than its owner can read or change: chmod 600 {path}"))
}

#[cfg(not(unix))]
fn private(_: &File, _: &Path) -> Result<(), String> {
    Ok(())
}

/// For who needs it to make something of it.
pub(super) fn shown(secret: &SecretString) -> &str {
    secret.expose_secret()
}

/// No key is longer.
const LONGEST: u64 = 64 * 1024;
