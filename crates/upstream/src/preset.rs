//! Configures the providers that are known by name from environment variables.

use std::fmt;
use std::sync::Arc;

use interlingua::find_dialect;
use interlingua_providers::endpoints::AuthScheme;
use interlingua_providers::preset::{GLOBAL_LOCATION, ProviderPreset, UrlParam};
use secrecy::SecretString;
use url::Url;

use crate::aws::{AwsCredentials, env_with_profile_region};
use crate::env::Env;
use crate::provider::Provider;

/// An error in the environment of a preset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetError {
    pub provider: &'static str,
    pub message: String,
}

/// Configures providers from the environment. Nothing else in this crate reads it, or files.
pub trait ProviderFromEnv {
    /// The key from the environment.
    fn api_key(&self, env: Env<'_>) -> Option<SecretString>;

    /// Whether the environment, or a file that it names, has credentials for this provider.
    fn has_credentials(&self, env: Env<'_>) -> bool;

    /// Configures the provider from the environment and the files that it names; without a key if
    /// there is none.
    fn provider(&self, env: Env<'_>) -> Result<Provider, PresetError>;
}

impl ProviderFromEnv for ProviderPreset {
    fn api_key(&self, env: Env<'_>) -> Option<SecretString> {
        let value = |name: &&str| env(name).map(|value| value.trim().to_owned());
        self.key_vars.iter().filter_map(value).find(|key| !key.is_empty()).map(SecretString::from)
    }

    fn has_credentials(&self, env: Env<'_>) -> bool {
        self.api_key(env).is_some()
            || (self.auth == AuthScheme::SigV4 && AwsCredentials::from_env(env, "").is_some())
    }

    fn provider(&self, env: Env<'_>) -> Result<Provider, PresetError> {
        if self.auth == AuthScheme::SigV4 {
            return sigv4_provider(self, &env_with_profile_region(env));
        }
        build(self, env)
    }
}

/// Configures a provider that uses a bearer token if there is one, else `SigV4`.
fn sigv4_provider(preset: &ProviderPreset, env: Env<'_>) -> Result<Provider, PresetError> {
    let mut provider = build(preset, env)?;
    if provider.api_key.is_some() {
        provider.auth = AuthScheme::Bearer;
    } else {
        let region = preset.url_params.iter().find(|url_param| url_param.name == "region");
        let region = region.map(|url_param| param_value(preset, url_param, env)).transpose()?;
        provider.aws_credentials =
            AwsCredentials::from_env(env, &region.unwrap_or_default()).map(Arc::new);
    }
    Ok(provider)
}

fn build(preset: &ProviderPreset, env: Env<'_>) -> Result<Provider, PresetError> {
    let base = resolve_base_url(preset, env)?;
    let mut provider = Provider::new(preset.name, dialect_of(preset, preset.dialect)?, base);
    provider.flavor = preset.flavor;
    provider.auth = preset.auth;
    provider.paths = preset.paths.unwrap_or(provider.paths);
    provider.api_key = preset.api_key(env);
    if let Some(template) = preset.models_url {
        provider.models_url = Some(expand_url(preset, template, env)?);
    }
    for alternate in preset.alternates {
        let base = match alternate.base_url {
            Some(base) => expand_url(preset, base, env)?,
            None => provider.base_url.clone(),
        };
        let mut variant = Provider::new(preset.name, dialect_of(preset, alternate.dialect)?, base);
        variant.flavor = alternate.flavor;
        variant.auth = alternate.auth;
        variant.api_key.clone_from(&provider.api_key);
        provider.alternates.push(Arc::new(variant));
    }
    Ok(provider)
}

fn resolve_base_url(preset: &ProviderPreset, env: Env<'_>) -> Result<Url, PresetError> {
    if let Some((variable, path)) = preset.endpoint_var
        && let Some(host) = env(variable).filter(|host| !host.trim().is_empty())
    {
        let mut url = parse_url(preset, host.trim(), variable)?;
        url.set_path(path);
        return Ok(url);
    }
    expand_url(preset, preset.base_url, env)
}

/// Replaces the placeholders of a URL.
fn expand_url(preset: &ProviderPreset, template: &str, env: Env<'_>) -> Result<Url, PresetError> {
    let mut text = template.to_owned();
    for url_param in preset.url_params {
        let (placeholder, prefix) =
            (format!("{{{}}}", url_param.name), format!("{{{}-}}", url_param.name));
        if !text.contains(&placeholder) {
            continue;
        }
        let value = param_value(preset, url_param, env)?;
        let location_prefix =
            if value == GLOBAL_LOCATION { String::new() } else { format!("{value}-") };
        text = text.replace(&placeholder, &value).replace(&prefix, &location_prefix);
    }
    parse_url(preset, &text, "base_url")
}

/// The value of a placeholder, from the environment.
fn param_value(
    preset: &ProviderPreset,
    url_param: &UrlParam,
    env: Env<'_>,
) -> Result<String, PresetError> {
    let values = url_param.env_vars.iter().filter_map(|name| env(name));
    let values = values.map(|value| value.trim().to_owned()).find(|value| !value.is_empty());
    let Some(value) = values.or_else(|| url_param.default.map(str::to_owned)) else {
        let variables = url_param.env_vars.join(" or ");
        let name = url_param.name;
        let what = format!("set {variables} to its {name}, or write `{name}` in the file");
        return Err(error(preset, what));
    };
    // The value becomes part of a host name and must not change the host.
    if !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        let what = format!("its {} may have letters, digits and - only", url_param.name);
        return Err(error(preset, what));
    }
    Ok(value)
}

fn parse_url(preset: &ProviderPreset, text: &str, name: &str) -> Result<Url, PresetError> {
    let url = Url::parse(text).ok().filter(Url::has_host);
    url.ok_or_else(|| error(preset, format!("{name} is not a URL")))
}

fn dialect_of(
    preset: &ProviderPreset,
    name: &str,
) -> Result<&'static dyn interlingua::Dialect, PresetError> {
    find_dialect(name).ok_or_else(|| error(preset, format!("there is no dialect {name}")))
}

fn error(preset: &ProviderPreset, message: String) -> PresetError {
    PresetError { provider: preset.name, message }
}

impl fmt::Display for PresetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.provider, self.message)
    }
}

impl std::error::Error for PresetError {}
