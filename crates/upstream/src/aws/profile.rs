//! Reads profiles from the AWS configuration and credentials files.

use std::fs;
use std::path::PathBuf;

use crate::env::Env;

/// Credentials of the active profile: key, secret, and session token if there is one.
pub(super) fn profile_credentials(env: Env<'_>) -> Option<(String, String, Option<String>)> {
    let text = read_aws_file(env, "AWS_SHARED_CREDENTIALS_FILE", "credentials")?;
    let name = profile_name(env);
    let value = |key: &str| ini_value(&text, &name, key);
    Some((value("aws_access_key_id")?, value("aws_secret_access_key")?, value("aws_session_token")))
}

/// The environment, with the profile's region as the fallback for `AWS_REGION`.
pub(crate) fn env_with_profile_region(env: Env<'_>) -> impl Fn(&str) -> Option<String> {
    move |variable| {
        let value = env(variable);
        if variable != "AWS_REGION" || value.is_some() || env("AWS_DEFAULT_REGION").is_some() {
            return value;
        }
        let text = read_aws_file(env, "AWS_CONFIG_FILE", "config")?;
        let name = profile_name(env);
        // In the configuration file, sections have the prefix `profile`, except the default one.
        let section = if name == DEFAULT_PROFILE { name } else { format!("profile {name}") };
        ini_value(&text, &section, "region")
    }
}

fn profile_name(env: Env<'_>) -> String {
    env("AWS_PROFILE")
        .filter(|name| !name.trim().is_empty())
        .unwrap_or_else(|| DEFAULT_PROFILE.to_owned())
}

/// Reads the file that an environment variable names, or the default one in `~/.aws`.
fn read_aws_file(env: Env<'_>, variable: &str, file: &str) -> Option<String> {
    let default_path = || Some(PathBuf::from(env("HOME")?).join(".aws").join(file));
    let path =
        env(variable).filter(|path| !path.is_empty()).map(PathBuf::from).or_else(default_path)?;
    // An unreadable file counts as missing: there may be other credentials.
    fs::read_to_string(path).ok()
}

/// The value of a key in an INI section.
fn ini_value(text: &str, section: &str, key: &str) -> Option<String> {
    let mut in_section = false;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            in_section = name.trim() == section;
        } else if in_section
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        }
    }
    None
}

const DEFAULT_PROFILE: &str = "default";
