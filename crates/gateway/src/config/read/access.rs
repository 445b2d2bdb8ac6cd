//! `[access]`: who may use the gateway.

use url::{Host, Url};

use super::secret::{self, Found};
use super::table::{Item, Table};
use crate::config::access::digest;
use crate::config::{Access, Env, Key};

/// And whether it has keys, be they right or wrong.
pub(super) fn read(table: &Table<'_>, env: Env<'_>) -> (Access, bool) {
    let list = table.item("keys").and_then(|item| item.list()).unwrap_or_default();
    let mut access = Access::default();
    for (at, item) in list.iter().enumerate() {
        let Some(key) = key(item, at + 1, env) else { continue };
        if access.keys.iter().any(|other| other.name == key.name) {
            item.mistake(&format!("has the name `{}`, which another key has", key.name));
        }
        if let Some(other) = access.keys.iter().find(|other| other.sha256 == key.sha256) {
            item.mistake(&format!("is the same key as `{}`", other.name));
        }
        access.keys.push(key);
    }
    table.set("hosts", &mut access.hosts, |item| each(item, host));
    table.set("origins", &mut access.origins, |item| each(item, origin));
    table.close();
    (access, !list.is_empty())
}

fn key(item: &Item<'_>, number: usize, env: Env<'_>) -> Option<Key> {
    let name = format!("key-{number}");
    let plain = |sha256| Key {
        name,
        sha256,
        requests_per_minute: None,
        concurrent: None,
        tokens_per_day: None,
    };
    if item.as_str().is_some() {
        return hashed(item, env).map(plain);
    }
    if !item.is_table() {
        item.mistake("must be a key or a table with a key");
        return None;
    }
    let table = item.table()?;
    let whole = (table.item("key"), table.item("sha256"));
    let sha256 = match &whole {
        (Some(key), None) => hashed(key, env),
        (None, Some(digest)) => digest.string().and_then(|text| hex(digest, text)),
        _ => {
            item.mistake("needs a `key` or its `sha256`, and not both");
            None
        }
    };
    let mut key = plain(sha256.unwrap_or_default());
    table.set("name", &mut key.name, named);
    table.set("requests_per_minute", &mut key.requests_per_minute, |item| item.small(1).map(Some));
    table.set("concurrent", &mut key.concurrent, |item| item.small(1).map(Some));
    table.set("tokens_per_day", &mut key.tokens_per_day, |item| item.many().map(Some));
    table.close();
    sha256.map(|_| key)
}

fn named(item: &Item<'_>) -> Option<String> {
    let name = item.string()?;
    let fine = !name.is_empty() && name.len() <= 64 && !name.contains(char::is_control);
    if !fine {
        item.mistake("must be a name of 1 to 64 letters");
    }
    fine.then(|| name.to_owned())
}

/// The digest of a key; the key itself is forgotten.
fn hashed(item: &Item<'_>, env: Env<'_>) -> Option<[u8; 32]> {
    if let Some(text) = item.as_str().and_then(|text| text.strip_prefix("sha256:")) {
        return hex(item, text);
    }
    match secret::read(item, env) {
        Found::Secret(secret) => {
            let secret = secret::shown(&secret);
            if secret.len() < SHORTEST {
                item.warn("is short enough to be guessed: take 16 letters or more");
            }
            Some(digest(secret.as_bytes()))
        }
        Found::Unset(name) => {
            item.mistake(&format!("is unset: the variable {name} is empty"));
            None
        }
        Found::Wrong => None,
    }
}

fn hex(item: &Item<'_>, text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    let digits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    for (at, byte) in digest.iter_mut().enumerate() {
        let pair = digits.then(|| &text[2 * at..2 * at + 2]);
        let Some(value) = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) else {
            item.mistake("must have the 64 digits of a SHA-256: printf %s KEY | sha256sum");
            return None;
        };
        *byte = value;
    }
    Some(digest)
}

fn each(item: &Item<'_>, read: impl Fn(&Item<'_>, &str) -> Option<String>) -> Option<Vec<String>> {
    let strings = item.strings()?;
    Some(strings.iter().filter_map(|(text, item)| read(item, text)).collect())
}

/// A name or address, without scheme; a port is not compared.
fn host(item: &Item<'_>, text: &str) -> Option<String> {
    let name = text.trim_end_matches('.').to_ascii_lowercase();
    let unspecified = matches!(name.as_str(), "0.0.0.0" | "[::]");
    if unspecified || Host::parse(&name).is_err() {
        item.mistake(r#"must be the name of a host, such as "gateway.example.com""#);
        return None;
    }
    Some(name)
}

/// Scheme, host and port, as browsers write it.
fn origin(item: &Item<'_>, text: &str) -> Option<String> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let whole = url.map(|url| url.origin().ascii_serialization());
    let whole = whole.filter(|whole| whole == text.trim_end_matches('/'));
    if whole.is_none() {
        item.mistake(r#"must be an origin, such as "https://app.example.com""#);
    }
    whole
}

/// Letters of a key that nobody guesses.
const SHORTEST: usize = 16;
