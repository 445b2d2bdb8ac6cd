//! Providers that are known by name, and how environment variables configure them.

use std::fmt;
use std::sync::Arc;

use interlingua::find_dialect;
use secrecy::SecretString;
use url::Url;

use crate::aws::{AwsCredentials, env_with_profile_region};
use crate::endpoints::{AuthScheme, EndpointPaths};
use crate::env::Env;
use crate::provider::Provider;

/// A provider that is known by name.
#[derive(Clone, Copy, Debug)]
pub struct ProviderPreset {
    pub name: &'static str,
    pub dialect: &'static str,
    pub flavor: Option<&'static str>,
    /// The base URL as the dialect's SDK expects it, with `{name}` placeholders. `{name-}` is
    /// replaced by a prefix, which is empty for the global location.
    pub base_url: &'static str,
    pub auth: AuthScheme,
    /// Environment variables with a key, in order of preference. Presets of local servers have
    /// none; a configured key is still sent according to `auth`.
    pub key_vars: &'static [&'static str],
    /// Patterns of its own models' names, with `*` as a wildcard.
    pub model_patterns: &'static [&'static str],
    /// Other dialects of the provider.
    pub alternates: &'static [AlternateDialect],
    /// Placeholders of the base URL.
    pub url_params: &'static [UrlParam],
    /// Environment variable with the URL of the host, and the path of the base URL there.
    pub endpoint_var: Option<(&'static str, &'static str)>,
    /// Path templates, if they differ from the dialect's.
    pub paths: Option<&'static EndpointPaths>,
    /// Name in the OpenTelemetry conventions, if it differs.
    pub otel_name: Option<&'static str>,
    /// The URL of the model list, if it is not below the base URL.
    pub models_url: Option<&'static str>,
}

/// Another dialect of a provider.
#[derive(Clone, Copy, Debug)]
pub struct AlternateDialect {
    pub dialect: &'static str,
    pub flavor: Option<&'static str>,
    /// `None` if it is the same.
    pub base_url: Option<&'static str>,
    pub auth: AuthScheme,
}

/// A placeholder of a base URL.
#[derive(Clone, Copy, Debug)]
pub struct UrlParam {
    pub name: &'static str,
    /// Environment variables with its value.
    pub env_vars: &'static [&'static str],
    pub default: Option<&'static str>,
}

/// An error in the environment of a preset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetError {
    pub provider: &'static str,
    pub message: String,
}

impl ProviderPreset {
    /// The key from the environment.
    pub fn api_key(&self, env: Env<'_>) -> Option<SecretString> {
        let value = |name: &&str| env(name).map(|value| value.trim().to_owned());
        self.key_vars.iter().filter_map(value).find(|key| !key.is_empty()).map(SecretString::from)
    }

    /// Whether the environment, or a file that it names, has credentials for this provider.
    pub fn has_credentials(&self, env: Env<'_>) -> bool {
        self.api_key(env).is_some()
            || (self.auth == AuthScheme::SigV4 && AwsCredentials::from_env(env, "").is_some())
    }

    /// Configures the provider from the environment and the files that it names; without a key if
    /// there is none. Nothing else in this crate reads the environment or files.
    pub fn provider(&self, env: Env<'_>) -> Result<Provider, PresetError> {
        if self.auth == AuthScheme::SigV4 {
            return self.sigv4_provider(&env_with_profile_region(env));
        }
        self.build(env)
    }

    /// Configures a provider that uses a bearer token if there is one, else `SigV4`.
    fn sigv4_provider(&self, env: Env<'_>) -> Result<Provider, PresetError> {
        let mut provider = self.build(env)?;
        if provider.api_key.is_some() {
            provider.auth = AuthScheme::Bearer;
        } else {
            let region = self.url_params.iter().find(|url_param| url_param.name == "region");
            let region = region.map(|url_param| self.param_value(url_param, env)).transpose()?;
            provider.aws_credentials =
                AwsCredentials::from_env(env, &region.unwrap_or_default()).map(Arc::new);
        }
        Ok(provider)
    }

    fn build(&self, env: Env<'_>) -> Result<Provider, PresetError> {
        let base = self.resolve_base_url(env)?;
        let mut provider = Provider::new(self.name, self.find_dialect(self.dialect)?, base);
        provider.flavor = self.flavor;
        provider.auth = self.auth;
        provider.paths = self.paths.unwrap_or(provider.paths);
        provider.api_key = self.api_key(env);
        if let Some(template) = self.models_url {
            provider.models_url = Some(self.expand_url(template, env)?);
        }
        for alternate in self.alternates {
            let base = match alternate.base_url {
                Some(base) => self.expand_url(base, env)?,
                None => provider.base_url.clone(),
            };
            let mut variant = Provider::new(self.name, self.find_dialect(alternate.dialect)?, base);
            variant.flavor = alternate.flavor;
            variant.auth = alternate.auth;
            variant.api_key.clone_from(&provider.api_key);
            provider.alternates.push(Arc::new(variant));
        }
        Ok(provider)
    }

    fn resolve_base_url(&self, env: Env<'_>) -> Result<Url, PresetError> {
        if let Some((variable, path)) = self.endpoint_var
            && let Some(host) = env(variable).filter(|host| !host.trim().is_empty())
        {
            let mut url = self.parse_url(host.trim(), variable)?;
            url.set_path(path);
            return Ok(url);
        }
        self.expand_url(self.base_url, env)
    }

    /// Replaces the placeholders of a URL.
    fn expand_url(&self, template: &str, env: Env<'_>) -> Result<Url, PresetError> {
        let mut text = template.to_owned();
        for url_param in self.url_params {
            let (placeholder, prefix) =
                (format!("{{{}}}", url_param.name), format!("{{{}-}}", url_param.name));
            if !text.contains(&placeholder) {
                continue;
            }
            let value = self.param_value(url_param, env)?;
            let location_prefix =
                if value == GLOBAL_LOCATION { String::new() } else { format!("{value}-") };
            text = text.replace(&placeholder, &value).replace(&prefix, &location_prefix);
        }
        self.parse_url(&text, "base_url")
    }

    /// The value of a placeholder, from the environment.
    fn param_value(&self, url_param: &UrlParam, env: Env<'_>) -> Result<String, PresetError> {
        let values = url_param.env_vars.iter().filter_map(|name| env(name));
        let values = values.map(|value| value.trim().to_owned()).find(|value| !value.is_empty());
        let Some(value) = values.or_else(|| url_param.default.map(str::to_owned)) else {
            let variables = url_param.env_vars.join(" or ");
            let name = url_param.name;
            let what = format!("set {variables} to its {name}, or write `{name}` in the file");
            return Err(self.error(what));
        };
        // The value becomes part of a host name and must not change the host.
        if !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            let what = format!("its {} may have letters, digits and - only", url_param.name);
            return Err(self.error(what));
        }
        Ok(value)
    }

    fn parse_url(&self, text: &str, name: &str) -> Result<Url, PresetError> {
        let url = Url::parse(text).ok().filter(Url::has_host);
        url.ok_or_else(|| self.error(format!("{name} is not a URL")))
    }

    fn find_dialect(&self, name: &str) -> Result<&'static dyn interlingua::Dialect, PresetError> {
        find_dialect(name).ok_or_else(|| self.error(format!("there is no dialect {name}")))
    }

    fn error(&self, message: String) -> PresetError {
        PresetError { provider: self.name, message }
    }
}

impl fmt::Display for PresetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.provider, self.message)
    }
}

impl std::error::Error for PresetError {}

/// The location without a regional prefix.
pub(crate) const GLOBAL_LOCATION: &str = "global";
