//! A provider that is known by name, and how the environment makes one of it.

use std::fmt;
use std::sync::Arc;

use interlingua::find;
use secrecy::SecretString;
use url::Url;

use crate::aws::with_profile;
use crate::rows::{PROVIDERS, WORLD};
use crate::{Auth, Paths, Provider, Signer};

/// Looks up a variable of the environment.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A provider that is known by name.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub dialect: &'static str,
    pub flavor: Option<&'static str>,
    /// As the SDK of the dialect writes it, with `{places}` to fill in; `{place-}` is a prefix that
    /// is absent where the place is the whole world.
    pub base_url: &'static str,
    pub auth: Auth,
    /// Variables of the environment that hold a key, in order of preference. Servers on one's own
    /// machine have none; one that asks for a key all the same gets it as `auth` says.
    pub keys: &'static [&'static str],
    /// How the names of its own models look, with `*` for anything.
    pub family: &'static [&'static str],
    /// Other dialects that it speaks.
    pub also: &'static [Surface],
    /// What stands in the base address for something that the user knows.
    pub places: &'static [Place],
    /// A variable that holds the address of the host, and the path of the base there.
    pub host: Option<(&'static str, &'static str)>,
    /// Where its paths are not those of the dialect.
    pub paths: Option<&'static Paths>,
    /// What the conventions for telemetry call it, if not by its name.
    pub convention: Option<&'static str>,
    /// Where the list of models is, if not at the base.
    pub catalogue: Option<&'static str>,
}

/// Another dialect that a provider speaks.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    pub dialect: &'static str,
    pub flavor: Option<&'static str>,
    /// `None` where it is the same.
    pub base_url: Option<&'static str>,
    pub auth: Auth,
}

/// Something in an address that the user knows.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub name: &'static str,
    /// Variables of the environment that say it.
    pub from: &'static [&'static str],
    pub otherwise: Option<&'static str>,
}

/// What is missing or wrong in the environment for a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unset {
    pub provider: &'static str,
    pub what: String,
}

impl Row {
    pub fn find(name: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|row| row.name == name)
    }

    /// The key that the environment has for it.
    pub fn key(&self, env: Env<'_>) -> Option<SecretString> {
        let value = |name: &&str| env(name).map(|value| value.trim().to_owned());
        self.keys.iter().filter_map(value).find(|key| !key.is_empty()).map(SecretString::from)
    }

    /// Whether the environment, or a file that it names, has what this provider knows its users by.
    pub fn is_known_to(&self, env: Env<'_>) -> bool {
        self.key(env).is_some() || (self.auth == Auth::SigV4 && Signer::read(env, "").is_some())
    }

    /// The provider as the environment and the files that it names describe it; without a key if
    /// there is none. Nothing else in this crate reads the environment or a file.
    pub fn provider(&self, env: Env<'_>) -> Result<Provider, Unset> {
        if self.auth == Auth::SigV4 {
            return self.signed(&with_profile(env));
        }
        self.described(env)
    }

    /// A provider to which a bearer token may be shown instead of signing.
    fn signed(&self, env: Env<'_>) -> Result<Provider, Unset> {
        let mut provider = self.described(env)?;
        if provider.key.is_some() {
            provider.auth = Auth::Bearer;
        } else {
            let region = self.places.iter().find(|place| place.name == "region");
            let region = region.map(|place| self.place(place, env)).transpose()?;
            provider.signer = Signer::read(env, &region.unwrap_or_default()).map(Arc::new);
        }
        Ok(provider)
    }

    fn described(&self, env: Env<'_>) -> Result<Provider, Unset> {
        let base = self.base(env)?;
        let mut provider = Provider::new(self.name, self.spoken(self.dialect)?, base);
        provider.flavor = self.flavor;
        provider.auth = self.auth;
        provider.paths = self.paths.unwrap_or(provider.paths);
        provider.key = self.key(env);
        if let Some(catalogue) = self.catalogue {
            provider.catalogue = Some(self.filled(catalogue, env)?);
        }
        for surface in self.also {
            let base = match surface.base_url {
                Some(base) => self.filled(base, env)?,
                None => provider.base.clone(),
            };
            let mut other = Provider::new(self.name, self.spoken(surface.dialect)?, base);
            other.flavor = surface.flavor;
            other.auth = surface.auth;
            other.key.clone_from(&provider.key);
            provider.also.push(Arc::new(other));
        }
        Ok(provider)
    }

    fn base(&self, env: Env<'_>) -> Result<Url, Unset> {
        if let Some((variable, path)) = self.host
            && let Some(host) = env(variable).filter(|host| !host.trim().is_empty())
        {
            let mut url = self.url(host.trim(), variable)?;
            url.set_path(path);
            return Ok(url);
        }
        self.filled(self.base_url, env)
    }

    /// An address with its places filled in.
    fn filled(&self, template: &str, env: Env<'_>) -> Result<Url, Unset> {
        let mut text = template.to_owned();
        for place in self.places {
            let (mark, prefix) = (format!("{{{}}}", place.name), format!("{{{}-}}", place.name));
            if !text.contains(&mark) {
                continue;
            }
            let value = self.place(place, env)?;
            let before = if value == WORLD { String::new() } else { format!("{value}-") };
            text = text.replace(&mark, &value).replace(&prefix, &before);
        }
        self.url(&text, "base_url")
    }

    /// What the environment says of a place.
    fn place(&self, place: &Place, env: Env<'_>) -> Result<String, Unset> {
        let said = place.from.iter().filter_map(|name| env(name));
        let said = said.map(|value| value.trim().to_owned()).find(|value| !value.is_empty());
        let Some(value) = said.or_else(|| place.otherwise.map(str::to_owned)) else {
            let variables = place.from.join(" or ");
            let name = place.name;
            let what = format!("set {variables} to its {name}, or write `{name}` in the file");
            return Err(self.unset(what));
        };
        // It becomes part of an address, and must not become another one.
        if !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            let what = format!("its {} may have letters, digits and - only", place.name);
            return Err(self.unset(what));
        }
        Ok(value)
    }

    fn url(&self, text: &str, what: &str) -> Result<Url, Unset> {
        let url = Url::parse(text).ok().filter(Url::has_host);
        url.ok_or_else(|| self.unset(format!("{what} is not an address")))
    }

    fn spoken(&self, name: &str) -> Result<&'static dyn interlingua::Dialect, Unset> {
        find(name).ok_or_else(|| self.unset(format!("there is no dialect {name}")))
    }

    fn unset(&self, what: String) -> Unset {
        Unset { provider: self.name, what }
    }
}

impl fmt::Display for Unset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.provider, self.what)
    }
}

impl std::error::Error for Unset {}
