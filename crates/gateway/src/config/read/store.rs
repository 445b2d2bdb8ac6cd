//! Reads where what is remembered lies.

use interlingua_store::{Postgres, Secret};
use secrecy::SecretString;

use super::secret::{self, Found};
use super::table::{Item, Table};
use crate::config::{Env, Place, Store, nothing};

pub(super) fn store(table: &Table<'_>, env: Env<'_>) -> Store {
    let mut store = nothing::store(env);
    table.set("url", &mut store.place, |item| address(item, env));
    table.set("keep", &mut store.keep, Item::duration);
    table.set("size", &mut store.size, Item::size);
    let sessions = table.table("sessions");
    sessions.set("keep", &mut store.sessions.age, Item::duration);
    sessions.set("size", &mut store.sessions.bytes, Item::size);
    sessions.close();
    let usage = table.table("usage");
    usage.set("keep", &mut store.usage, Item::duration);
    usage.close();
    table.set("key", &mut store.key, |item| key(item, env).map(Some));
    table.close();
    store
}

/// The address of a database, which may be a secret.
fn address(item: &Item<'_>, env: Env<'_>) -> Option<Place> {
    let written = item.string()?;
    if written.starts_with("env:") || written.starts_with("file:") {
        let secret = found(item, env)?;
        return database(item, secret::shown(&secret), env);
    }
    let place = database(item, written, env);
    if matches!(&place, Some(Place::Postgres(_))) && written.contains('@') {
        item.warn("has its password in the file. Write \"env:NAME\" or \"file:PATH\" instead");
    }
    place
}

fn database(item: &Item<'_>, url: &str, env: Env<'_>) -> Option<Place> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        if let Err(bad) = Postgres::check(url) {
            item.mistake(&format!("is {bad}"));
            return None;
        }
        return Some(Place::Postgres(SecretString::from(url)));
    }
    match url {
        "off" => return Some(Place::Off),
        "memory:" | "sqlite::memory:" => return Some(Place::Memory),
        _ => {}
    }
    let Some(path) = url.strip_prefix("sqlite:") else {
        item.mistake(r#"must be "sqlite:/PATH", "memory:", "off" or "postgres://USER@HOST/NAME""#);
        return None;
    };
    let path = path.strip_prefix("//").unwrap_or(path);
    let path = secret::absolute(path, env);
    if path.is_none() {
        item.mistake(
            "must name its file from the root, or from ~/: the working directory is never used",
        );
    }
    path.map(Place::Sqlite)
}

fn key(item: &Item<'_>, env: Env<'_>) -> Option<SecretString> {
    let key = found(item, env)?;
    if let Err(short) = Secret::new(secret::shown(&key)) {
        item.mistake(&format!("is too short: {short}"));
        return None;
    }
    Some(key)
}

fn found(item: &Item<'_>, env: Env<'_>) -> Option<SecretString> {
    match secret::read(item, env) {
        Found::Secret(secret) => Some(secret),
        Found::Unset(name) => {
            item.mistake(&format!("is unset: the variable {name} is empty"));
            None
        }
        Found::Wrong => None,
    }
}
