//! Parses `[store]`.

use interlingua_store::{EncryptionKey, PostgresStore, RetentionLimits};
use secrecy::SecretString;

use super::secret::{self, SecretLookup};
use super::table::{Item, Section};
use crate::config::{Env, StoreConfig, StoreLocation, from_env};

pub(super) fn parse(section: &Section<'_>, env: Env<'_>) -> StoreConfig {
    let url = section.get("url").and_then(|item| parse_url(&item, env));
    let location = url.or_else(|| from_env::default_store(env));
    let (sessions, usage) = (section.section("sessions"), section.section("usage"));
    StoreConfig {
        lacks_data_dir: location.is_none(),
        location: location.unwrap_or(StoreLocation::Memory),
        max_age: section.duration("keep"),
        max_bytes: section.number("size"),
        sessions: RetentionLimits {
            max_age: sessions.duration("keep"),
            max_bytes: sessions.number("size"),
        },
        usage_max_age: usage.duration("keep"),
        encryption_key: section.get("key").and_then(|item| parse_encryption_key(&item, env)),
    }
}

/// The location of the store; it may be a secret, because database URLs carry passwords.
fn parse_url(item: &Item<'_>, env: Env<'_>) -> Option<StoreLocation> {
    let text = item.string()?;
    if text.starts_with("env:") || text.starts_with("file:") {
        let secret = resolve_secret(item, env)?;
        return parse_location(item, secret::expose(&secret), env);
    }
    let store_location = parse_location(item, text, env);
    if matches!(&store_location, Some(StoreLocation::Postgres(_))) && text.contains('@') {
        item.warn("has its password in the file. Use \"env:NAME\" or \"file:PATH\" instead");
    }
    store_location
}

fn parse_location(item: &Item<'_>, url: &str, env: Env<'_>) -> Option<StoreLocation> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        if let Err(error) = PostgresStore::check_url(url) {
            item.error(&format!("is {error}"));
            return None;
        }
        return Some(StoreLocation::Postgres(SecretString::from(url)));
    }
    match url {
        "off" => return Some(StoreLocation::Off),
        "memory:" | "sqlite::memory:" => return Some(StoreLocation::Memory),
        _ => {}
    }
    let Some(path) = url.strip_prefix("sqlite:") else {
        item.error(r#"must be "sqlite:/PATH", "memory:", "off" or "postgres://USER@HOST/NAME""#);
        return None;
    };
    let path = path.strip_prefix("//").unwrap_or(path);
    let path = secret::absolute_path(path, env);
    if path.is_none() {
        item.error(
            "must be an absolute path or start with ~/: the working directory is never used",
        );
    }
    path.map(StoreLocation::Sqlite)
}

fn parse_encryption_key(item: &Item<'_>, env: Env<'_>) -> Option<SecretString> {
    let key = resolve_secret(item, env)?;
    if let Err(error) = EncryptionKey::new(secret::expose(&key)) {
        item.error(&format!("is too short: {error}"));
        return None;
    }
    Some(key)
}

fn resolve_secret(item: &Item<'_>, env: Env<'_>) -> Option<SecretString> {
    match secret::resolve(item, env) {
        SecretLookup::Resolved(secret) => Some(secret),
        SecretLookup::EmptyVariable(name) => {
            item.error(&format!("is unset: the variable {name} is empty"));
            None
        }
        SecretLookup::Invalid => None,
    }
}
