//! Parses `[store]`.

use interlingua_store::{EncryptionKey, PostgresStore};
use secrecy::SecretString;

use super::secret::{self, SecretLookup};
use super::table::{Item, Table};
use crate::config::{Env, StoreConfig, StoreLocation, from_env};

pub(super) fn parse(table: &Table<'_>, env: Env<'_>) -> StoreConfig {
    let mut store = from_env::default_store(env);
    if let Some(location) = table.get("url").and_then(|item| parse_url(&item, env)) {
        (store.location, store.lacks_data_dir) = (location, false);
    }
    table.read_into("keep", &mut store.max_age, Item::duration);
    table.read_into("size", &mut store.max_bytes, Item::byte_size);
    let sessions = table.table("sessions");
    sessions.read_into("keep", &mut store.sessions.max_age, Item::duration);
    sessions.read_into("size", &mut store.sessions.max_bytes, Item::byte_size);
    sessions.reject_unknown_keys();
    let usage = table.table("usage");
    usage.read_into("keep", &mut store.usage_max_age, Item::duration);
    usage.reject_unknown_keys();
    table.read_into("key", &mut store.encryption_key, |item| {
        parse_encryption_key(item, env).map(Some)
    });
    table.reject_unknown_keys();
    store
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
