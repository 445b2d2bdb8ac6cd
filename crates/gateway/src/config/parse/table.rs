//! Typed access to TOML tables: records which keys are read and reports the others as unknown.

use std::cell::RefCell;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use super::units;
use crate::config::diagnostics::Diagnostics;

/// A table of the file, or an absent one.
pub(super) struct Table<'a> {
    pub(super) diagnostics: &'a Diagnostics<'a>,
    /// Its full name; empty for the file itself.
    pub(super) name: String,
    pub(super) offset: usize,
    entries: Option<&'a DeTable<'a>>,
    known_keys: RefCell<Vec<&'static str>>,
}

/// A value of the file, with its full name and byte offset.
#[derive(Clone)]
pub(super) struct Item<'a> {
    pub(super) diagnostics: &'a Diagnostics<'a>,
    pub(super) name: String,
    pub(super) offset: usize,
    value: &'a DeValue<'a>,
}

impl<'a> Table<'a> {
    pub(super) fn root(entries: &'a DeTable<'a>, diagnostics: &'a Diagnostics<'a>) -> Self {
        Self {
            diagnostics,
            name: String::new(),
            offset: 0,
            entries: Some(entries),
            known_keys: RefCell::default(),
        }
    }

    fn absent(&self, name: String) -> Self {
        Self {
            diagnostics: self.diagnostics,
            name,
            offset: self.offset,
            entries: None,
            known_keys: RefCell::default(),
        }
    }

    pub(super) fn is_present(&self) -> bool {
        self.entries.is_some()
    }

    pub(super) fn get(&self, key: &'static str) -> Option<Item<'a>> {
        let mut known_keys = self.known_keys.borrow_mut();
        if !known_keys.contains(&key) {
            known_keys.push(key);
        }
        let value = self.entries?.get(key)?;
        Some(Item {
            diagnostics: self.diagnostics,
            name: self.full_key(key),
            offset: value.span().start,
            value: value.get_ref(),
        })
    }

    /// All entries in the order of the file, with the offset of each key: for tables with keys that
    /// the user chooses.
    pub(super) fn entries_in_order(&self) -> Vec<(&'a str, usize, Item<'a>)> {
        let entries = self.entries.into_iter().flat_map(DeTable::iter);
        let item = |(key, value): (&'a toml::Spanned<_>, &'a toml::Spanned<_>)| {
            let key_text: &std::borrow::Cow<'a, str> = key.get_ref();
            let (diagnostics, name) = (self.diagnostics, self.full_key(key_text));
            let item =
                Item { diagnostics, name, offset: value.span().start, value: value.get_ref() };
            (key_text.as_ref(), key.span().start, item)
        };
        let mut items: Vec<_> = entries.map(item).collect();
        items.sort_by_key(|(_, at, _)| *at);
        items
    }

    /// The table of this name; an empty one if the file has none.
    pub(super) fn table(&self, key: &'static str) -> Self {
        let table = self.get(key).and_then(|item| item.table());
        table.unwrap_or_else(|| self.absent(self.full_key(key)))
    }

    /// Overwrites the default in `target` with the file's value, if there is a valid one.
    pub(super) fn read_into<T>(
        &self,
        key: &'static str,
        target: &mut T,
        read: impl Fn(&Item<'a>) -> Option<T>,
    ) {
        if let Some(value) = self.get(key).and_then(|item| read(&item)) {
            *target = value;
        }
    }

    /// Reports all keys that were not read before as unknown.
    pub(super) fn reject_unknown_keys(&self) {
        let known_keys = self.known_keys.borrow();
        for (key, at, _) in self.entries_in_order() {
            if !known_keys.contains(&key) {
                let message = match self.name.as_str() {
                    "" => format!("there is no key `{key}`"),
                    name => format!("[{name}] has no key `{key}`"),
                };
                self.diagnostics.unknown_name(at, &message, key, known_keys.iter().copied());
            }
        }
    }

    fn full_key(&self, key: &str) -> String {
        let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let quoted = if key.bytes().all(is_bare) { key.to_owned() } else { format!("{key:?}") };
        match self.name.as_str() {
            "" => quoted,
            name => format!("{name}.{quoted}"),
        }
    }
}

impl<'a> Item<'a> {
    pub(super) fn error(&self, message: &str) {
        self.diagnostics.error(self.offset, format!("{} {message}", self.name));
    }

    pub(super) fn warn(&self, message: &str) {
        self.diagnostics.warn(self.offset, format!("{} {message}", self.name));
    }

    /// Reports an error and returns `None`.
    fn expected<T>(&self, requirement: &str) -> Option<T> {
        self.error(&format!("must be {requirement}"));
        None
    }

    pub(super) fn table(&self) -> Option<Table<'a>> {
        let Some(entries) = self.value.as_table() else { return self.expected("a table") };
        Some(Table {
            diagnostics: self.diagnostics,
            name: self.name.clone(),
            offset: self.offset,
            entries: Some(entries),
            known_keys: RefCell::default(),
        })
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    pub(super) fn list(&self) -> Option<Vec<Self>> {
        let Some(list) = self.value.as_array() else { return self.expected("a list") };
        let item = |(at, value): (usize, &'a toml::Spanned<DeValue<'a>>)| Self {
            diagnostics: self.diagnostics,
            name: format!("{}[{at}]", self.name),
            offset: value.span().start,
            value: value.get_ref(),
        };
        Some(list.iter().enumerate().map(item).collect())
    }

    pub(super) fn is_list(&self) -> bool {
        self.value.is_array()
    }

    pub(super) fn as_str(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    pub(super) fn string(&self) -> Option<&'a str> {
        self.value.as_str().or_else(|| self.expected("a string"))
    }

    pub(super) fn bool(&self) -> Option<bool> {
        self.value.as_bool().or_else(|| self.expected("true or false"))
    }

    /// A whole number within these bounds.
    pub(super) fn integer(&self, min: u64, max: u64) -> Option<u64> {
        let number = self.value.as_integer();
        let number =
            number.and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
        let number = number.filter(|number| (min..=max).contains(number));
        number.or_else(|| self.expected(&format!("a whole number from {min} to {max}")))
    }

    pub(super) fn count(&self, max: usize) -> Option<usize> {
        self.integer(1, max as u64).and_then(|number| usize::try_from(number).ok())
    }

    /// A count that can exceed 32 bits, such as tokens.
    pub(super) fn u64(&self) -> Option<u64> {
        self.integer(1, 1 << 50)
    }

    pub(super) fn u32(&self, min: u32) -> Option<u32> {
        self.integer(min.into(), 1_000_000).and_then(|number| u32::try_from(number).ok())
    }

    /// Bytes: `"64MiB"`.
    pub(super) fn byte_size(&self) -> Option<u64> {
        let size = self.value.as_str().and_then(units::parse_size);
        size.or_else(|| {
            self.expected(r#"a size such as "64MiB", with one of B, KiB, MiB, GiB, kB, MB, GB"#)
        })
    }

    /// Bytes of a buffer in memory: at most 4 GiB.
    pub(super) fn memory_size(&self) -> Option<usize> {
        let size = self.byte_size()?;
        let is_allowed = size <= 4 << 30;
        if !is_allowed {
            return self.expected("4GiB at most");
        }
        usize::try_from(size).ok()
    }

    /// `"30s"`.
    pub(super) fn duration(&self) -> Option<Duration> {
        let duration = self.value.as_str().and_then(units::parse_duration);
        duration
            .or_else(|| self.expected(r#"a duration such as "30s", with one of ms, s, m, h, d"#))
    }

    /// One of these names.
    pub(super) fn one_of<T: Copy>(&self, choices: &[(&'static str, T)]) -> Option<T> {
        let name = self.string()?;
        let choice = choices.iter().find(|(known, _)| *known == name);
        if choice.is_none() {
            let message = format!("{} cannot be `{name}`", self.name);
            self.diagnostics.unknown_name(
                self.offset,
                &message,
                name,
                choices.iter().map(|(known, _)| *known),
            );
        }
        choice.map(|(_, value)| *value)
    }

    pub(super) fn strings(&self) -> Option<Vec<(&'a str, Self)>> {
        let list = self.list()?;
        let to_string_item = |item: Self| item.string().map(|text| (text, item.clone()));
        list.into_iter().map(to_string_item).collect()
    }
}
