//! Parses `[access]`.

use url::{Host, Url};

use super::secret::{self, SecretLookup};
use super::table::{Item, Table};
use crate::config::access::digest;
use crate::config::{Access, ApiKey, Env};

/// Returns the access settings, and whether the file lists any key, valid or not.
pub(super) fn parse(table: &Table<'_>, env: Env<'_>) -> (Access, bool) {
    let list = table.get("keys").and_then(|item| item.list()).unwrap_or_default();
    let mut access = Access::default();
    for (at, item) in list.iter().enumerate() {
        let Some(key) = parse_key(item, at + 1, env) else { continue };
        if access.keys.iter().any(|other| other.name == key.name) {
            item.error(&format!("has the name `{}`, which another key already has", key.name));
        }
        if let Some(other) = access.keys.iter().find(|other| other.sha256 == key.sha256) {
            item.error(&format!("is the same key as `{}`", other.name));
        }
        access.keys.push(key);
    }
    table.read_into("open", &mut access.open, Item::bool);
    if let Some(item) = table.get("open").filter(|_| access.open && !list.is_empty()) {
        item.error("cannot be true while access.keys lists keys");
    }
    table.read_into("hosts", &mut access.hosts, |item| parse_each(item, parse_host));
    table.read_into("origins", &mut access.origins, |item| parse_each(item, parse_origin));
    table.reject_unknown_keys();
    (access, !list.is_empty())
}

fn parse_key(item: &Item<'_>, number: usize, env: Env<'_>) -> Option<ApiKey> {
    let name = format!("key-{number}");
    let new_key = |sha256| ApiKey {
        name,
        sha256,
        requests_per_minute: None,
        concurrent: None,
        tokens_per_day: None,
    };
    if item.as_str().is_some() {
        return parse_digest(item, env).map(new_key);
    }
    if !item.is_table() {
        item.error("must be a key or a table with a key");
        return None;
    }
    let table = item.table()?;
    let key_and_digest = (table.get("key"), table.get("sha256"));
    let sha256 = match &key_and_digest {
        (Some(key), None) => parse_digest(key, env),
        (None, Some(digest)) => digest.string().and_then(|text| parse_sha256(digest, text)),
        _ => {
            item.error("needs either `key` or `sha256`");
            None
        }
    };
    let mut key = new_key(sha256.unwrap_or_default());
    table.read_into("name", &mut key.name, parse_name);
    table.read_into("requests_per_minute", &mut key.requests_per_minute, |item| {
        item.u32(1).map(Some)
    });
    table.read_into("concurrent", &mut key.concurrent, |item| item.u32(1).map(Some));
    table.read_into("tokens_per_day", &mut key.tokens_per_day, |item| item.u64().map(Some));
    table.reject_unknown_keys();
    sha256.map(|_| key)
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
    item: &Item<'_>,
    read: impl Fn(&Item<'_>, &str) -> Option<String>,
) -> Option<Vec<String>> {
    let strings = item.strings()?;
    Some(strings.iter().filter_map(|(text, item)| read(item, text)).collect())
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
