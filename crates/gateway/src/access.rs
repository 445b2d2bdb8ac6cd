//! Who may ask: whose key it is, and which pages and names may reach the gateway.

use std::net::{IpAddr, SocketAddr};

use http::Uri;
use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN};
use interlingua::Failure;
use interlingua::model::FailureKind;

use crate::config::{Config, Key, digest, opened};
use crate::keyring::Made;
use crate::refusal::failure;

/// Refuses what a page of another site makes a browser send: a foreign name for this machine, a
/// foreign origin.
pub(crate) fn is_meant(
    config: &Config,
    at: SocketAddr,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), Failure> {
    let hosts = headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or("?"));
    let mut hosts = hosts.chain(uri.authority().map(http::uri::Authority::as_str));
    let strange = |what: &str, said: &str| {
        let message = format!(
            "the {what} `{said}` is not one of this gateway's; if it is meant, name it in [access]"
        );
        Failure { status: 403, ..failure(FailureKind::Permission, &message) }
    };
    if let Some(host) = hosts.find(|host| !is_own_host(config, at, host)) {
        return Err(strange("host", host));
    }
    if let Some(origin) = headers.get(ORIGIN) {
        let origin = origin.to_str().unwrap_or("?");
        if !is_own_origin(config, at, origin) {
            return Err(strange("origin", origin));
        }
    }
    let site = headers.get(&SITE).and_then(|site| site.to_str().ok());
    if site == Some("cross-site") && !headers.contains_key(ORIGIN) {
        return Err(strange("origin", "of another site"));
    }
    Ok(())
}

/// A page of this gateway's, or of one that is named. Pages of other programs on this machine are not.
fn is_own_origin(config: &Config, at: SocketAddr, origin: &str) -> bool {
    if config.access.origins.iter().any(|known| known == origin) {
        return true;
    }
    let Some((scheme, host)) = origin.split_once("://") else { return false };
    let (name, port) = apart(host);
    let port = port.unwrap_or(if scheme == "https" { "443" } else { "80" });
    let is_here = !at.ip().is_loopback() || port == at.port().to_string();
    let is_named = config.access.hosts.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_own_host(config, at, host) && (is_here || is_named)
}

/// A name, and the port that stands behind it.
fn apart(host: &str) -> (&str, Option<&str>) {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            (name, Some(port))
        }
        _ => (host, None),
    };
    (name.trim_start_matches('[').trim_end_matches(']'), port)
}

fn is_own_host(config: &Config, at: SocketAddr, host: &str) -> bool {
    let (name, _) = apart(host);
    let is_listed = |known: &String| known.eq_ignore_ascii_case(name) || known == host;
    if name.eq_ignore_ascii_case("localhost") || config.access.hosts.iter().any(is_listed) {
        return true;
    }
    match name.parse::<IpAddr>() {
        Ok(address) if address.is_loopback() => true,
        // Whoever listens to others is protected by its keys, and is known by addresses we do not know.
        Ok(address) => !at.ip().is_loopback() && !address.is_unspecified(),
        Err(_) => !at.ip().is_loopback() && config.access.hosts.is_empty(),
    }
}

/// Whether only this machine reaches the gateway at this address, or keys are asked for.
pub(crate) fn is_guarded(config: &Config, at: SocketAddr) -> bool {
    at.ip().is_loopback() || !config.access.keys.is_empty()
}

/// Whom a request is of.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'k> {
    /// Nobody's, where no keys are asked for.
    pub(crate) key: Option<&'k Key>,
    /// It was made while the gateway runs, and is no operator's.
    pub(crate) is_made: bool,
}

impl<'k> Shown<'k> {
    /// The name of the key; nothing where none is asked for.
    pub(crate) fn owner(self) -> &'k str {
        self.key.map_or("", |key| &key.name)
    }
}

/// Whose key the request shows, of the configuration or of those that were made. Where no keys are asked for, a
/// strange one is nobody's.
pub(crate) fn admitted<'c>(
    config: &'c Config,
    made: &'c [Made],
    at: SocketAddr,
    headers: &HeaderMap,
) -> Result<Shown<'c>, Failure> {
    let open = config.access.keys.is_empty() && is_guarded(config, at);
    let nobody = Shown { key: None, is_made: false };
    if open && made.is_empty() {
        return Ok(nobody);
    }
    let bearer = headers.get(AUTHORIZATION).and_then(|value| {
        let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(key.trim().as_bytes())
    });
    let plain = KEYS.iter().filter_map(|name| headers.get(*name)).map(http::HeaderValue::as_bytes);
    let mut shown = bearer.into_iter().chain(plain);
    let found = shown.find_map(|shown| {
        let digest = digest(shown);
        let configured = opened(&digest, config.access.keys.iter());
        let made = opened(&digest, made.iter().map(|made| &made.key));
        // A name that the operator has given to another since then is that one's.
        let taken = |key: &&Key| config.access.keys.iter().any(|other| other.name == key.name);
        let made = made.filter(|key| !taken(key));
        configured.or(made).map(|key| Shown { key: Some(key), is_made: configured.is_none() })
    });
    found.or(open.then_some(nobody)).ok_or_else(|| failure(FailureKind::Auth, CLOSED))
}

static SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const CLOSED: &str = "this gateway asks for a key of its own, and this is none: it is shown as \
    `authorization: Bearer KEY` or `x-api-key: KEY`";
const KEYS: &[&str] = &["x-api-key", "x-goog-api-key", "api-key"];
