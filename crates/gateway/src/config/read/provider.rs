//! One `[providers.NAME]`: what is known by its name, and what the file says differently.

use std::fs;

use http::{HeaderMap, HeaderName, HeaderValue, header};
use interlingua::repair::Profile;
use interlingua::{ALL, Dialect, find};
use interlingua_upstream::{Auth, Authority, Provider, Row, Unset};
use secrecy::SecretString;
use url::{Host, Url};

use super::providers::names;
use super::secret::{self, Found};
use super::table::{Item, Table};
use crate::config::Env;

/// Something is wrong, and has been said.
#[derive(Clone)]
pub(super) struct Wrong;

/// What the file says of something, if it says anything.
type Said<T> = Result<Option<T>, Wrong>;

/// A key that the file names.
enum Key {
    Here(SecretString),
    /// The variable that should hold it is empty.
    Missing,
}

/// The table of one provider.
pub(super) struct Entry<'e> {
    pub(super) name: &'e str,
    pub(super) at: usize,
    pub(super) table: &'e Table<'e>,
    pub(super) env: Env<'e>,
}

impl Entry<'_> {
    pub(super) fn provider(&self) -> Result<Provider, Wrong> {
        // Each is asked for whatever becomes of the others, so that all mistakes are said.
        let row = Row::find(self.name);
        let places = self.places(row);
        let dialect = self.asked("dialect", spoken);
        let base = self.asked("base_url", base);
        let auth = self.asked("auth", |item| item.word(AUTHS));
        let authority = self.asked("ca", |item| self.authority(item));
        let headers = self.headers();
        let key = self.asked("api_key", |item| self.key(item));
        let started = match (row, &dialect, &base) {
            (Some(row), Ok(dialect), Ok(base)) => self.known(row, *dialect, base.clone(), &places),
            (Some(_), ..) => Err(Wrong),
            (None, ..) => self.other(dialect.clone(), base.clone()),
        };
        let spoken = match &started {
            Ok(provider) => Some(provider.dialect),
            Err(Wrong) => dialect.unwrap_or(None),
        };
        let flavor = self.asked("flavor", |item| flavored(item, spoken));
        let (mut provider, headers) = (started?, headers?);
        provider.flavor = flavor?.or(provider.flavor);
        provider.auth = auth?.unwrap_or(provider.auth);
        provider = provider.with_headers(&headers);
        if let Some(authority) = authority? {
            provider = provider.with_authority(authority);
        }
        match key? {
            Some(Key::Here(key)) => provider = provider.with_key(&key),
            Some(Key::Missing) => {}
            None => self.doubt_key(row, &provider),
        }
        self.doubt_base(row, &provider);
        Ok(provider)
    }

    fn asked<'t, T>(&'t self, key: &'static str, read: impl Fn(&Item<'t>) -> Option<T>) -> Said<T> {
        self.table.item(key).map(|item| read(&item).ok_or(Wrong)).transpose()
    }

    /// What the file says for the places in the address of a known provider.
    fn places(&self, row: Option<&Row>) -> Vec<(&'static str, String)> {
        let mut said = Vec::new();
        for place in row.into_iter().flat_map(|row| row.places) {
            if let Some(value) = self.table.item(place.name).and_then(|item| item.string()) {
                said.extend(place.from.iter().map(|variable| (*variable, value.to_owned())));
            }
        }
        said
    }

    fn known(
        &self,
        row: &'static Row,
        dialect: Option<&'static dyn Dialect>,
        base: Option<Url>,
        places: &[(&str, String)],
    ) -> Result<Provider, Wrong> {
        let own = match self.own(row, base.as_ref(), places) {
            Ok(own) => own,
            Err(unset) => {
                self.mistake(&format!("lacks something: {}", unset.what));
                return Err(Wrong);
            }
        };
        let provider = match dialect.map(|dialect| (dialect, own.speaking(dialect.id()))) {
            None => own,
            Some((_, Some(speaking))) => speaking.clone(),
            Some((dialect, None)) => {
                let Some(base) = base else {
                    self.mistake(&format!(
                        "does not speak {}: give a base_url that does",
                        dialect.id().0
                    ));
                    return Err(Wrong);
                };
                return Ok(Provider::new(self.name, dialect, base));
            }
        };
        Ok(match base {
            Some(base) => provider.with_base(&base),
            None => provider,
        })
    }

    /// The provider as its name and the environment describe it.
    fn own(
        &self,
        row: &Row,
        base: Option<&Url>,
        places: &[(&str, String)],
    ) -> Result<Provider, Unset> {
        let env = |name: &str| {
            let said = places.iter().find(|(variable, _)| *variable == name);
            let said = said.map(|(_, value)| value.clone()).or_else(|| (self.env)(name));
            // An address that is given leaves no places to fill in.
            let place = row.places.iter().any(|place| place.from.contains(&name));
            said.or_else(|| (place && base.is_some()).then(|| "none".into()))
        };
        let own = row.provider(&env)?;
        let away = base.is_some_and(|base| base.origin() != own.base.origin());
        if away || self.table.item("api_key").is_some() {
            // A key goes nowhere but to whom it belongs, and one that is named is not replaced.
            return row.provider(&|name| env(name).filter(|_| !row.keys.contains(&name)));
        }
        Ok(own)
    }

    /// A server that is not known by name.
    fn other(
        &self,
        dialect: Said<&'static dyn Dialect>,
        base: Said<Url>,
    ) -> Result<Provider, Wrong> {
        let missing = match (&dialect, &base) {
            (Ok(None), Ok(None)) => "`dialect` and `base_url`",
            (Ok(None), _) => "`dialect`",
            (_, Ok(None)) => "`base_url`",
            _ => "",
        };
        if let (Some(dialect), Some(base)) = (dialect.unwrap_or(None), base.unwrap_or(None)) {
            return Ok(Provider::new(self.name, dialect, base));
        }
        if !missing.is_empty() {
            let what = format!("`{}` is not known by its name and needs {missing}", self.name);
            self.table.report.perhaps(self.at, &what, self.name, names());
        }
        Err(Wrong)
    }

    fn key(&self, item: &Item<'_>) -> Option<Key> {
        match secret::read(item, self.env) {
            Found::Secret(key) => Some(Key::Here(key)),
            Found::Unset(name) => {
                item.warn(&format!(
                    "is unset: the variable {name} is empty, and `{}` gets no key",
                    self.name
                ));
                Some(Key::Missing)
            }
            Found::Wrong => None,
        }
    }

    /// Who else may vouch for it: certificates in a file.
    fn authority(&self, item: &Item<'_>) -> Option<Authority> {
        let Some(path) = secret::absolute(item.string()?, self.env) else {
            item.mistake(
                "must name a file from the root, or from ~/: the working directory is never read",
            );
            return None;
        };
        match fs::read(&path) {
            Ok(pem) => {
                let authority = Authority::read(&pem);
                let authority =
                    authority.map_err(|error| item.mistake(&format!("is wrong: {error}")));
                authority.ok()
            }
            Err(error) => {
                item.mistake(&format!("cannot be read: {error}"));
                None
            }
        }
    }

    fn headers(&self) -> Result<HeaderMap, Wrong> {
        let mut headers = HeaderMap::new();
        let mut right = true;
        for (name, at, item) in self.table.table("headers").items() {
            let parsed = name.parse::<HeaderName>().ok().filter(|name| !OURS.contains(name));
            if parsed.is_none() {
                self.table.report.mistake(at, format!("`{name}` is no header that can be set"));
            }
            let value = sent(&item, name, self.env);
            right &= parsed.is_some() && value.is_some();
            if let (Some(name), Some(value)) = (parsed, value) {
                headers.insert(name, value);
            }
        }
        if right { Ok(headers) } else { Err(Wrong) }
    }

    fn doubt_key(&self, row: Option<&Row>, provider: &Provider) {
        let Some(variables) = row.and_then(|row| keyless(row, provider)) else { return };
        let more = if self.table.item("base_url").is_some() {
            "no key is sent to an address that is not its own: write api_key".into()
        } else {
            format!("set {variables}, or write api_key")
        };
        self.warn(&format!("has no key: {more}"));
    }

    fn doubt_base(&self, row: Option<&Row>, provider: &Provider) {
        let Some(item) = self.table.item("base_url") else { return };
        let path = provider.base.path().trim_end_matches('/');
        let first = provider.paths.turn.split('/').nth(1).unwrap_or_default();
        if path.rsplit('/').next() == Some(first) && !first.is_empty() {
            item.warn(&format!("ends with /{first}, which is added to it: leave it out"));
        }
        let versioned =
            first.starts_with('v') && first[1..].starts_with(|c: char| c.is_ascii_digit());
        if row.is_none() && path.is_empty() && !versioned && provider.auth != Auth::SigV4 {
            item.warn("has no path: most servers of this dialect have it end with /v1");
        }
        if provider.base.scheme() == "http" && provider.key.is_some() && !is_near(&provider.base) {
            item.warn("is not https: the key can be read on the way");
        }
    }

    fn mistake(&self, what: &str) {
        self.table.report.mistake(self.at, format!("`{}` {what}", self.name));
    }

    fn warn(&self, what: &str) {
        self.table.report.warn(self.at, format!("`{}` {what}", self.name));
    }
}

/// The variables that would hold the key of a known provider that has none.
pub(super) fn keyless(row: &Row, provider: &Provider) -> Option<String> {
    let wants = !row.keys.is_empty() && provider.auth != Auth::None;
    let known = provider.key.is_some() || provider.signer.is_some();
    (wants && !known).then(|| row.keys.join(" or "))
}

fn spoken(item: &Item<'_>) -> Option<&'static dyn Dialect> {
    let name = item.string()?;
    let dialect = find(name).filter(|dialect| Profile::is_for(dialect.id()));
    if dialect.is_none() {
        let all = ALL.iter().map(|dialect| dialect.id()).filter(|id| Profile::is_for(*id));
        let what = format!("there is no dialect `{name}` that providers speak");
        item.report.unknown(item.at, &what, name, all.map(|id| id.0));
    }
    dialect
}

/// A flavor of the dialect, or of any where it is not known which.
fn flavored(item: &Item<'_>, dialect: Option<&'static dyn Dialect>) -> Option<&'static str> {
    let name = item.string()?;
    let has = |other: &&dyn Dialect| dialect.is_none_or(|dialect| dialect.id() == other.id());
    let known = || ALL.iter().copied().filter(has).flat_map(Dialect::flavors).copied();
    let found = known().find(|flavor| *flavor == name);
    if found.is_none() {
        let who = dialect.map_or("no dialect", |dialect| dialect.id().0);
        let what = match dialect {
            Some(_) => format!("{who} has no flavor `{name}`"),
            None => format!("{who} has a flavor `{name}`"),
        };
        item.report.unknown(item.at, &what, name, known());
    }
    found
}

pub(super) fn base(item: &Item<'_>) -> Option<Url> {
    let text = item.string()?;
    let url = Url::parse(text.trim()).ok().filter(Url::has_host);
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(url) = url else {
        item.mistake(r#"must be an address, such as "https://api.example.com/v1""#);
        return None;
    };
    if !url.username().is_empty() || url.password().is_some() {
        item.mistake("must not hold a name and password: write api_key or headers");
        return None;
    }
    if url.query().is_some() || url.fragment().is_some() {
        item.mistake("must end with its path, without ? and #");
        return None;
    }
    Some(url)
}

/// The value of a header: from where secrets are, or as it is written.
pub(super) fn sent(item: &Item<'_>, name: &str, env: Env<'_>) -> Option<HeaderValue> {
    let text = item.string()?;
    let name = name.to_ascii_lowercase();
    let hidden = ["env:", "file:"].iter().any(|prefix| text.starts_with(prefix));
    let secret = ["auth", "key", "token", "secret"].iter().any(|word| name.contains(word));
    let value = if hidden || secret {
        match secret::read(item, env) {
            Found::Secret(secret) => HeaderValue::from_str(secret::shown(&secret)).ok(),
            Found::Unset(name) => {
                item.mistake(&format!("is unset: the variable {name} is empty"));
                return None;
            }
            Found::Wrong => return None,
        }
    } else {
        HeaderValue::from_str(text).ok()
    };
    let Some(mut value) = value else {
        item.mistake("is no value that a header can have");
        return None;
    };
    value.set_sensitive(true);
    Some(value)
}

/// On this machine.
fn is_near(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

const AUTHS: &[(&str, Auth)] = &[
    ("none", Auth::None),
    ("bearer", Auth::Bearer),
    ("x-api-key", Auth::XApiKey),
    ("x-goog-api-key", Auth::GoogApiKey),
    ("api-key", Auth::ApiKey),
];

/// What is between the gateway and the provider alone.
const OURS: &[HeaderName] = &[
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
