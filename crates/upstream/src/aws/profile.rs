//! The files in which the AWS tools keep profiles.

use std::fs;
use std::path::PathBuf;

use crate::Env;

/// The credentials of the profile in use: key, secret, and token if it has one.
pub(super) fn credentials(env: Env<'_>) -> Option<(String, String, Option<String>)> {
    let text = text(env, "AWS_SHARED_CREDENTIALS_FILE", "credentials")?;
    let name = name(env);
    let value = |key: &str| value(&text, &name, key);
    Some((value("aws_access_key_id")?, value("aws_secret_access_key")?, value("aws_session_token")))
}

/// The environment, with the region of the profile in use where it names none.
pub(crate) fn with_profile(env: Env<'_>) -> impl Fn(&str) -> Option<String> {
    move |variable| {
        let said = env(variable);
        if variable != "AWS_REGION" || said.is_some() || env("AWS_DEFAULT_REGION").is_some() {
            return said;
        }
        let text = text(env, "AWS_CONFIG_FILE", "config")?;
        let name = name(env);
        // In this file all profiles but the usual one have a word before their names.
        let section = if name == USUAL { name } else { format!("profile {name}") };
        value(&text, &section, "region")
    }
}

fn name(env: Env<'_>) -> String {
    env("AWS_PROFILE").filter(|name| !name.trim().is_empty()).unwrap_or_else(|| USUAL.to_owned())
}

/// A file that a variable names, or the one of this name in the usual folder.
fn text(env: Env<'_>, variable: &str, file: &str) -> Option<String> {
    let usual = || Some(PathBuf::from(env("HOME")?).join(".aws").join(file));
    let path = env(variable).filter(|path| !path.is_empty()).map(PathBuf::from).or_else(usual)?;
    // A file that cannot be read is none: there may be other ways to sign.
    fs::read_to_string(path).ok()
}

/// The value of a key in a section.
fn value(text: &str, section: &str, key: &str) -> Option<String> {
    let mut here = false;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            here = name.trim() == section;
        } else if here
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        }
    }
    None
}

const USUAL: &str = "default";
