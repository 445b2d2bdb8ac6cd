//! Parses `[access]`.

use url::{Host, Url};

use super::secret::{self, SecretLookup};
use super::sections::read_repair;
use super::table::{Item, Section};
use crate::config::access::digest;
use crate::config::{Access, ApiKey, Env, RepairSettings};

/// Returns the access settings, the repair settings of keys that have some, and whether the file
/// lists any key, valid or not.
pub(super) fn parse(
    section: &Section<'_>,
    env: Env<'_>,
) -> (Access, Vec<(String, RepairSettings)>, bool) {
    let list = section.get("keys").and_then(|item| item.list()).unwrap_or_default();
    let (mut access, mut repair) = (Access::default(), Vec::new());
    for (at, item) in list.iter().enumerate() {
        let Some((key, own_repair)) = parse_key(item, at + 1, env) else { continue };
        if access.keys.iter().any(|other| other.name == key.name) {
            item.error(&format!("has the name `{}`, which another key already has", key.name));
        }
        if let Some(other) = access.keys.iter().find(|other| other.sha256 == key.sha256) {
            item.error(&format!("is the same key as `{}`", other.name));
        }
        if own_repair != RepairSettings::default() {
            repair.push((key.name.clone(), own_repair));
        }
        access.keys.push(key);
    }
    access.open = section.flag("open").unwrap_or_default();
    if let Some(item) = section.get("open").filter(|_| access.open && !list.is_empty()) {
        item.error("cannot be true while access.keys lists keys");
    }
    access.hosts = parse_each(section, "hosts", parse_host);
    access.origins = parse_each(section, "origins", parse_origin);
    (access, repair, !list.is_empty())
}

fn parse_key(item: &Item<'_>, number: usize, env: Env<'_>) -> Option<(ApiKey, RepairSettings)> {
    let is_secret = item.as_str().is_some();
    if !is_secret && !item.is_table() {
        item.error("must be a key or a table with a key");
        return None;
    }
    let section = if is_secret { item.absent_section() } else { item.section()? };
    let sha256 = match (section.get("key"), section.get("sha256")) {
        _ if is_secret => parse_digest(item, env),
        (Some(key), None) => parse_digest(&key, env),
        (None, Some(digest)) => digest.string().and_then(|text| parse_sha256(&digest, text)),
        _ => {
            item.error("needs either `key` or `sha256`");
            None
        }
    };
    let name = section.get("name").and_then(|item| parse_name(&item));
    let key = ApiKey {
        name: name.unwrap_or_else(|| format!("key-{number}")),
        sha256: sha256.unwrap_or_default(),
        requests_per_minute: section.optional_number("requests_per_minute"),
        concurrent: section.optional_number("concurrent"),
        tokens_per_day: section.optional_number("tokens_per_day"),
    };
    let repair = read_repair(&section.section("repair"));
    sha256.map(|_| (key, repair))
}

fn parse_name(item: &Item<'_>) -> Option<String> {
    let name = item.string()?;
    let is_valid = !name.is_empty() && name.len() <= 64 && !name.contains(char::is_control);
    if !is_valid {
        item.error("must have 1 to 64 characters");
    }
    is_valid.then(|| name.to_owned())
}

/// The digest of a key; the key itself is dropped.
fn parse_digest(item: &Item<'_>, env: Env<'_>) -> Option<[u8; 32]> {
    if let Some(text) = item.as_str().and_then(|text| text.strip_prefix("sha256:")) {
        return parse_sha256(item, text);
    }
    match secret::resolve(item, env) {
        SecretLookup::Resolved(secret) => {
            let secret = secret::expose(&secret);
            if secret.len() < MIN_KEY_CHARS {
                item.warn("is short enough to be guessed: use 16 characters or more");
            }
            Some(digest(secret.as_bytes()))
        }
        SecretLookup::EmptyVariable(name) => {
            item.error(&format!("is unset: the variable {name} is empty"));
            None
        }
        SecretLookup::Invalid => None,
    }
}

fn parse_sha256(item: &Item<'_>, text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    let digits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    for (at, byte) in digest.iter_mut().enumerate() {
        let pair = digits.then(|| &text[2 * at..2 * at + 2]);
        let Some(value) = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) else {
            item.error("must be the 64 hexadecimal digits of a SHA-256: printf %s KEY | sha256sum");
            return None;
        };
        *byte = value;
    }
    Some(digest)
}

fn parse_each(
    section: &Section<'_>,
    key: &str,
    parse: impl Fn(&Item<'_>, &str) -> Option<String>,
) -> Vec<String> {
    let strings = section.get(key).and_then(|item| item.strings()).unwrap_or_default();
    strings.iter().filter_map(|(text, item)| parse(item, text)).collect()
}

/// A host name or address, without scheme; a port is not compared.
fn parse_host(item: &Item<'_>, text: &str) -> Option<String> {
    let name = text.trim_end_matches('.').to_ascii_lowercase();
    let unspecified = matches!(name.as_str(), "0.0.0.0" | "[::]");
    if unspecified || Host::parse(&name).is_err() {
        item.error(r#"must be the name of a host, such as "gateway.example.com""#);
        return None;
    }
    Some(name)
}

/// Scheme, host and port, as browsers send them.
fn parse_origin(item: &Item<'_>, text: &str) -> Option<String> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let origin = url.map(|url| url.origin().ascii_serialization());
    let origin = origin.filter(|origin| origin == text.trim_end_matches('/'));
    if origin.is_none() {
        item.error(r#"must be an origin, such as "https://app.example.com""#);
    }
    origin
}

const MIN_KEY_CHARS: usize = 16;
