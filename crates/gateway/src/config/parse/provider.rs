//! Parses one `[providers.NAME]` table: a preset with overrides, or a custom provider.

use std::fs;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, header};
use interlingua::{DIALECTS, Dialect, find_dialect};
use interlingua_providers::PRESETS;
use interlingua_providers::endpoints::AuthScheme;
use interlingua_providers::facts::FactError;
use interlingua_providers::preset::ProviderPreset;
use interlingua_providers::quirks::add_flavor;
use interlingua_upstream::{CaBundle, PresetError, Provider, ProviderFromEnv};
use secrecy::SecretString;
use url::{Host, Url};

use super::http_values::{parse_base_url, parse_header_value};
use super::secret::{self, SecretLookup};
use super::table::{Item, Section};
use crate::config::Env;
use crate::config::key_spec::ValueType;
use crate::config::schema::{AUTH_SCHEMES, provider_dialects};

/// An error that is already in the diagnostics.
#[derive(Clone)]
pub(super) struct Reported;

/// The value of an optional key.
type Setting<T> = Result<Option<T>, Reported>;

/// The API key of a provider.
enum KeySetting {
    Value(SecretString),
    /// The environment variable is set but empty.
    EmptyVariable,
}

pub(super) struct ProviderParser<'e> {
    name: &'e str,
    /// Byte offset of the name.
    offset: usize,
    preset: Option<&'static ProviderPreset>,
    pub(super) section: Section<'e>,
    env: Env<'e>,
}

impl<'e> ProviderParser<'e> {
    /// The parser of this table; the parameters of a preset's URL are keys of it.
    pub(super) fn new(name: &'e str, offset: usize, item: &Item<'e>, env: Env<'e>) -> Option<Self> {
        let preset = ProviderPreset::find(name);
        let url_params = preset.into_iter().flat_map(|preset| preset.url_params);
        let names: Vec<_> = url_params.map(|url_param| url_param.name).collect();
        Some(Self { name, offset, preset, section: item.section_with(&names)?, env })
    }

    pub(super) fn parse(&self) -> Result<Provider, Reported> {
        // Every key is read even after an error, so that all errors are reported.
        let preset = self.preset;
        let url_params = self.placeholders();
        let dialect = self.setting("dialect", parse_dialect).map(|dialect| dialect.or(self.like()));
        let base_url = self.setting("base_url", parse_base_url);
        let auth = self.setting("auth", parse_auth);
        let ca_bundle = self.setting("ca", |item| self.parse_ca(item));
        let headers = self.parse_headers();
        let key = self.setting("api_key", |item| self.parse_key(item));
        let base_provider = match (preset, &dialect, &base_url) {
            (Some(preset), Ok(dialect), Ok(base_url)) => {
                self.preset_provider(preset, *dialect, base_url.clone(), &url_params)
            }
            (Some(_), ..) => Err(Reported),
            (None, ..) => self.custom_provider(dialect.clone(), base_url.clone()),
        };
        let provider_dialect = match &base_provider {
            Ok(provider) => Some(provider.dialect),
            Err(Reported) => dialect.unwrap_or(None),
        };
        let flavor = self.flavor(provider_dialect);
        let (mut provider, headers) = (base_provider?, headers?);
        provider.flavor = flavor?.map_or(provider.flavor, |KnownFlavor(flavor)| flavor);
        provider.auth = auth?.unwrap_or(provider.auth);
        provider = provider.with_headers(&headers);
        if let Some(ca_bundle) = ca_bundle? {
            provider = provider.with_ca_bundle(ca_bundle);
        }
        match key? {
            Some(KeySetting::Value(key)) => provider = provider.with_api_key(&key),
            Some(KeySetting::EmptyVariable) => {}
            None => self.warn_missing_key(preset, &provider),
        }
        self.warn_base_url(preset, &provider);
        self.apply_quirks(&mut provider)?;
        Ok(provider)
    }

    /// Replaces facts about the provider. Its other dialects get those that they have as well.
    fn apply_quirks(&self, provider: &mut Provider) -> Result<(), Reported> {
        let Some(item) = self.section.get("quirks") else { return Ok(()) };
        let quirks = item.table().map(|_| item.to_fact()).ok_or(Reported)?;
        match add_flavor(provider.dialect.id(), provider.flavor, &quirks) {
            Ok(flavor) => provider.flavor = Some(flavor),
            Err(errors) => {
                for error in &errors {
                    report_fact_error(&item, error);
                }
                return Err(Reported);
            }
        }
        for alternate in &mut provider.alternates {
            if let Ok(flavor) = add_flavor(alternate.dialect.id(), alternate.flavor, &quirks) {
                Arc::make_mut(alternate).flavor = Some(flavor);
            }
        }
        Ok(())
    }

    fn setting<T>(&self, key: &str, read: impl Fn(&Item<'e>) -> Option<T>) -> Setting<T> {
        self.section.get(key).map(|item| read(&item).ok_or(Reported)).transpose()
    }

    /// The dialect of the provider that this one is like, for one that is not known itself.
    fn like(&self) -> Option<&'static dyn Dialect> {
        let item = self.section.get("like").filter(|_| self.preset.is_none())?;
        find_dialect(ProviderPreset::find(item.as_str()?)?.dialect)
    }

    fn flavor(&self, dialect: Option<&'static dyn Dialect>) -> Setting<KnownFlavor> {
        let flavor = self.setting("flavor", |item| parse_flavor(item, dialect))?;
        let like = self.setting("like", |item| match &flavor {
            Some(_) => {
                item.error("means the same as `flavor`: leave one of them out");
                None
            }
            None => parse_flavor(item, dialect),
        })?;
        Ok(like.or(flavor))
    }

    /// The file's values for the parameters in a preset's URL, by environment variable.
    fn placeholders(&self) -> Vec<(&'static str, String)> {
        let mut values = Vec::new();
        for url_param in self.preset.into_iter().flat_map(|preset| preset.url_params) {
            let item = self.section.table.entry(url_param.name, ValueType::Text("text"));
            if let Some(value) = item.and_then(|item| item.string()) {
                values.extend(
                    url_param.env_vars.iter().map(|variable| (*variable, value.to_owned())),
                );
            }
        }
        values
    }

    fn preset_provider(
        &self,
        preset: &'static ProviderPreset,
        dialect: Option<&'static dyn Dialect>,
        base_url: Option<Url>,
        url_params: &[(&str, String)],
    ) -> Result<Provider, Reported> {
        let default_provider = match self.provider_from_env(preset, base_url.as_ref(), url_params) {
            Ok(default_provider) => default_provider,
            Err(preset_error) => {
                self.error(&format!("is incomplete: {}", preset_error.message));
                return Err(Reported);
            }
        };
        let provider =
            match dialect.map(|dialect| (dialect, default_provider.variant(dialect.id()))) {
                None => default_provider,
                Some((_, Some(variant))) => variant.clone(),
                Some((dialect, None)) => {
                    let Some(base_url) = base_url else {
                        self.error(&format!(
                            "does not support the dialect {}: set a base_url that does",
                            dialect.id().0
                        ));
                        return Err(Reported);
                    };
                    return Ok(Provider::new(self.name, dialect, base_url));
                }
            };
        Ok(match base_url {
            Some(base_url) => provider.with_base_url(&base_url),
            None => provider,
        })
    }

    /// The preset, completed by the environment.
    fn provider_from_env(
        &self,
        preset: &ProviderPreset,
        base_url: Option<&Url>,
        url_params: &[(&str, String)],
    ) -> Result<Provider, PresetError> {
        let env = |name: &str| {
            let value = url_params.iter().find(|(variable, _)| *variable == name);
            let value = value.map(|(_, value)| value.clone()).or_else(|| (self.env)(name));
            // With an explicit `base_url` the URL parameters of the preset are unused; any value
            // passes.
            let is_url_param =
                preset.url_params.iter().any(|url_param| url_param.env_vars.contains(&name));
            value.or_else(|| (is_url_param && base_url.is_some()).then(|| "none".into()))
        };
        let provider = preset.provider(&env)?;
        let is_other_host =
            base_url.is_some_and(|base_url| base_url.origin() != provider.base_url.origin());
        if is_other_host || self.section.get("api_key").is_some() {
            // The preset's key is not sent to another host, and does not replace an explicit one.
            return preset.provider(&|name| env(name).filter(|_| !preset.key_vars.contains(&name)));
        }
        Ok(provider)
    }

    /// A provider without a preset: `dialect` and `base_url` are required.
    fn custom_provider(
        &self,
        dialect: Setting<&'static dyn Dialect>,
        base_url: Setting<Url>,
    ) -> Result<Provider, Reported> {
        let missing = match (&dialect, &base_url) {
            (Ok(None), Ok(None)) => "`dialect` and `base_url`",
            (Ok(None), _) => "`dialect`",
            (_, Ok(None)) => "`base_url`",
            _ => "",
        };
        if let (Some(dialect), Some(base_url)) = (dialect.unwrap_or(None), base_url.unwrap_or(None))
        {
            return Ok(Provider::new(self.name, dialect, base_url));
        }
        if !missing.is_empty() {
            let message = format!("`{}` is not a known provider and needs {missing}", self.name);
            self.section.table.diagnostics.error_with_suggestion(
                self.offset,
                &message,
                self.name,
                preset_names(),
            );
        }
        Err(Reported)
    }

    fn parse_key(&self, item: &Item<'_>) -> Option<KeySetting> {
        match secret::resolve(item, self.env) {
            SecretLookup::Resolved(key) => Some(KeySetting::Value(key)),
            SecretLookup::EmptyVariable(name) => {
                item.warn(&format!(
                    "is unset: the variable {name} is empty, and `{}` gets no key",
                    self.name
                ));
                Some(KeySetting::EmptyVariable)
            }
            SecretLookup::Invalid => None,
        }
    }

    /// Reads additional root certificates from a PEM file.
    fn parse_ca(&self, item: &Item<'_>) -> Option<CaBundle> {
        let Some(path) = secret::absolute_path(item.string()?, self.env) else {
            item.error(
                "must be an absolute path or start with ~/: the working directory is never read",
            );
            return None;
        };
        match fs::read(&path) {
            Ok(pem) => {
                let bundle = CaBundle::from_pem(&pem);
                let bundle = bundle.map_err(|error| item.error(&format!("is invalid: {error}")));
                bundle.ok()
            }
            Err(error) => {
                item.error(&format!("cannot be read: {error}"));
                None
            }
        }
    }

    fn parse_headers(&self) -> Result<HeaderMap, Reported> {
        let mut headers = HeaderMap::new();
        let mut all_valid = true;
        for (name, at, item) in self.section.table("headers").entries_in_order() {
            let parsed =
                name.parse::<HeaderName>().ok().filter(|name| !RESERVED_HEADERS.contains(name));
            if parsed.is_none() {
                let message = format!("`{name}` is not a header that can be set");
                self.section.table.diagnostics.error(at, message);
            }
            let value = parse_header_value(&item, name, self.env);
            all_valid &= parsed.is_some() && value.is_some();
            if let (Some(name), Some(value)) = (parsed, value) {
                headers.insert(name, value);
            }
        }
        if all_valid { Ok(headers) } else { Err(Reported) }
    }

    fn warn_missing_key(&self, preset: Option<&ProviderPreset>, provider: &Provider) {
        let Some(variables) = preset.and_then(|preset| missing_key_variables(preset, provider))
        else {
            return;
        };
        let hint = if self.section.get("base_url").is_some() {
            "no key is sent to an address that is not its own: write api_key".into()
        } else {
            format!("set {variables}, or write api_key")
        };
        self.warn(&format!("has no key: {hint}"));
    }

    fn warn_base_url(&self, preset: Option<&ProviderPreset>, provider: &Provider) {
        let Some(item) = self.section.get("base_url") else { return };
        let path = provider.base_url.path().trim_end_matches('/');
        let first = provider.paths.turn.split('/').nth(1).unwrap_or_default();
        if path.rsplit('/').next() == Some(first) && !first.is_empty() {
            item.warn(&format!("ends with /{first}, which is added to it: leave it out"));
        }
        let versioned =
            first.starts_with('v') && first[1..].starts_with(|c: char| c.is_ascii_digit());
        if preset.is_none() && path.is_empty() && !versioned && provider.auth != AuthScheme::SigV4 {
            item.warn("has no path: most servers of this dialect have it end with /v1");
        }
        if provider.base_url.scheme() == "http"
            && provider.api_key.is_some()
            && !is_loopback_url(&provider.base_url)
        {
            item.warn("is not https: the key is sent unencrypted");
        }
    }

    fn error(&self, message: &str) {
        self.section.table.diagnostics.error(self.offset, format!("`{}` {message}", self.name));
    }

    fn warn(&self, message: &str) {
        self.section.table.diagnostics.warn(self.offset, format!("`{}` {message}", self.name));
    }
}

pub(super) fn preset_names<'n>() -> impl Iterator<Item = &'n str> {
    PRESETS.iter().map(|preset| preset.name)
}

/// The variables that would hold the key of a preset without one.
pub(super) fn missing_key_variables(
    preset: &ProviderPreset,
    provider: &Provider,
) -> Option<String> {
    let needs_key = !preset.key_vars.is_empty() && provider.auth != AuthScheme::None;
    let has_key = provider.api_key.is_some() || provider.aws_credentials.is_some();
    (needs_key && !has_key).then(|| preset.key_vars.join(" or "))
}

fn report_fact_error(item: &Item<'_>, error: &FactError) {
    let name = if error.path.is_empty() {
        item.name.clone()
    } else {
        format!("{}.{}", item.name, error.path)
    };
    let subject = if error.is_key { format!("[{name}]") } else { name };
    let message = format!("{subject} {}", error.message);
    match &error.unknown {
        Some((name, known)) => {
            let known = known.iter().map(String::as_str);
            item.diagnostics.unknown_name(error.offset, &message, name, known);
        }
        None => item.diagnostics.error(error.offset, message),
    }
}

fn parse_dialect(item: &Item<'_>) -> Option<&'static dyn Dialect> {
    let (name, known) = (item.string()?, provider_dialects());
    if !known.contains(&name) {
        let message = format!("there is no provider dialect `{name}`");
        item.diagnostics.unknown_name(item.offset, &message, name, known);
        return None;
    }
    find_dialect(name)
}

fn parse_auth(item: &Item<'_>) -> Option<AuthScheme> {
    let name = item.word()?;
    AUTH_SCHEMES.iter().find(|(known, _)| *known == name).map(|(_, scheme)| *scheme)
}

/// The flavor that a setting names; none if that provider is the dialect's vendor.
struct KnownFlavor(Option<&'static str>);

/// The flavor of this name, or that of the known provider of this name: of the dialect, or of any
/// dialect if none is known.
fn parse_flavor(item: &Item<'_>, dialect: Option<&'static dyn Dialect>) -> Option<KnownFlavor> {
    let name = item.string()?;
    let same_dialect = |other: &str| dialect.is_none_or(|dialect| dialect.id().0 == other);
    let flavors = DIALECTS.iter().filter(|other| same_dialect(other.id().0));
    let flavors = flavors.flat_map(|dialect| dialect.flavors()).map(|&name| (name, Some(name)));
    let presets = PRESETS.iter().flat_map(|preset| {
        let alternates = preset.alternates.iter().map(|other| (other.dialect, other.flavor));
        let variants = [(preset.dialect, preset.flavor)].into_iter().chain(alternates);
        let variants = variants.filter(|(dialect, _)| same_dialect(dialect));
        variants.map(|(_, flavor)| (preset.name, flavor))
    });
    let mut known: Vec<(&str, Option<&'static str>)> = flavors.chain(presets).collect();
    if let Some((_, flavor)) = known.iter().find(|(known, _)| *known == name) {
        return Some(KnownFlavor(*flavor));
    }
    let subject = dialect.map_or("no dialect", |dialect| dialect.id().0);
    let message = match dialect {
        Some(_) => format!("{subject} has no flavor `{name}`"),
        None => format!("{subject} has a flavor `{name}`"),
    };
    known.sort_unstable();
    known.dedup_by_key(|(name, _)| *name);
    item.diagnostics.unknown_name(item.offset, &message, name, known.iter().map(|(name, _)| *name));
    None
}

fn is_loopback_url(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Headers that only the gateway sets on provider requests.
const RESERVED_HEADERS: &[HeaderName] = &[
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
    header::EXPECT,
    header::ACCEPT_ENCODING,
];
