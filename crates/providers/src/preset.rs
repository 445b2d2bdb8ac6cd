//! Providers that are known by name.

use crate::endpoints::{AuthScheme, EndpointPaths};
use crate::variant::Variant;

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
    /// The variables have other uses as well: alone they do not add the provider to a configuration.
    pub has_shared_key: bool,
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
    /// The flavors of dialects that are this provider's own.
    pub variants: &'static [Variant],
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

/// The location without a regional prefix.
pub const GLOBAL_LOCATION: &str = "global";

/// A provider that speaks Chat Completions.
pub(crate) const fn openai_chat_preset(
    name: &'static str,
    flavor: &'static str,
    base_url: &'static str,
    keys: &'static [&'static str],
) -> ProviderPreset {
    ProviderPreset { name, flavor: Some(flavor), base_url, key_vars: keys, ..PRESET_DEFAULTS }
}

pub(crate) const PRESET_DEFAULTS: ProviderPreset = ProviderPreset {
    name: "",
    dialect: "openai-chat",
    flavor: None,
    base_url: "",
    auth: AuthScheme::Bearer,
    key_vars: &[],
    has_shared_key: false,
    model_patterns: &[],
    alternates: &[],
    url_params: &[],
    endpoint_var: None,
    paths: None,
    otel_name: None,
    models_url: None,
    variants: &[],
};
