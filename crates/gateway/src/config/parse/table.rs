//! Typed access to TOML tables by the schema: keys that it does not list are reported as unknown, and
//! its defaults replace absent and invalid values.

use std::borrow::Cow;
use std::time::Duration;

use interlingua_providers::facts::{FactEntry, FactKey, FactNode, FactValue};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::units;
use crate::config::diagnostics::Diagnostics;
use crate::config::key_spec::{KeySpec, ValueType, key};
use crate::config::schema::FILE;

/// A table whose keys are names that the user chooses, or an absent one.
pub(super) struct Table<'a> {
    pub(super) diagnostics: &'a Diagnostics<'a>,
    /// Its full name; empty for the file itself.
    name: String,
    pub(super) offset: usize,
    entries: Option<&'a DeTable<'a>>,
    /// The keys of each entry that is a table.
    entry_keys: &'static [KeySpec],
}

/// A table with the keys of the schema.
pub(super) struct Section<'a> {
    pub(super) table: Table<'a>,
    keys: &'static [KeySpec],
}

/// A value of the file, with its full name and byte offset.
#[derive(Clone)]
pub(super) struct Item<'a> {
    pub(super) diagnostics: &'a Diagnostics<'a>,
    pub(super) name: String,
    pub(super) offset: usize,
    value: &'a DeValue<'a>,
    value_type: ValueType,
}

/// Reads a section of an empty file.
pub(super) fn read_defaults<T>(section: &str, read: impl FnOnce(&Section<'_>) -> T) -> T {
    read(&Section::root(None, &Diagnostics::new("")).section(section))
}

impl<'a> Section<'a> {
    /// The file itself; without entries, an empty one.
    pub(super) fn root(entries: Option<&'a DeTable<'a>>, diagnostics: &'a Diagnostics<'a>) -> Self {
        let table = Table { diagnostics, name: String::new(), offset: 0, entries, entry_keys: &[] };
        Self::new(table, FILE, &[])
    }

    /// Reports all keys that are in neither list.
    fn new(table: Table<'a>, keys: &'static [KeySpec], more_keys: &[&'static str]) -> Self {
        let names = keys.iter().map(|spec| spec.name).chain(more_keys.iter().copied());
        let names: Vec<_> = names.collect();
        for (key, at, _) in table.entries_in_order() {
            if !names.contains(&key) {
                let message = match table.name.as_str() {
                    "" => format!("there is no key `{key}`"),
                    name => format!("[{name}] has no key `{key}`"),
                };
                table.diagnostics.unknown_name(at, &message, key, names.iter().copied());
            }
        }
        Self { table, keys }
    }

    fn spec(&self, name: &str) -> &'static KeySpec {
        self.keys.iter().find(|spec| spec.name == name).unwrap_or_else(|| {
            debug_assert!(false, "the schema of [{}] has no key `{name}`", self.table.name);
            &UNKNOWN_KEY
        })
    }

    pub(super) fn get(&self, name: &str) -> Option<Item<'a>> {
        self.table.entry(name, self.spec(name).value_type)
    }

    /// The section of this name; an empty one if the file has none.
    pub(super) fn section(&self, name: &str) -> Self {
        self.get(name)
            .and_then(|item| item.section())
            .unwrap_or_else(|| Self::new(self.absent(name), self.spec(name).value_type.keys(), &[]))
    }

    /// The table of this name; an empty one if the file has none.
    pub(super) fn table(&self, name: &str) -> Table<'a> {
        self.get(name).and_then(|item| item.table()).unwrap_or_else(|| self.absent(name))
    }

    fn absent(&self, name: &str) -> Table<'a> {
        Table {
            diagnostics: self.table.diagnostics,
            name: self.table.full_key(name),
            offset: self.table.offset,
            entries: None,
            entry_keys: &[],
        }
    }

    /// The file's value if there is a valid one, else the schema's default, if it has one.
    fn value<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Item<'a>) -> Option<T>,
        parse_default: impl FnOnce(&'static str) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(name).and_then(|item| read(&item));
        value.or_else(|| parse_default(self.spec(name).default))
    }

    /// A number, or the bytes of a size.
    pub(super) fn optional_number<N: TryFrom<u64>>(&self, name: &str) -> Option<N> {
        let convert = |number: u64| N::try_from(number).ok();
        self.value(
            name,
            |item| item.number().and_then(convert),
            |text| text.parse().ok().or_else(|| units::parse_size(text)).and_then(convert),
        )
    }

    pub(super) fn number<N: TryFrom<u64> + Default>(&self, name: &str) -> N {
        self.optional_number(name).unwrap_or_default()
    }

    pub(super) fn duration(&self, name: &str) -> Duration {
        self.value(name, Item::duration, units::parse_duration).unwrap_or_default()
    }

    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.value(name, Item::bool, |text| text.parse().ok())
    }

    pub(super) fn word(&self, name: &str) -> Option<&'a str> {
        self.value(name, Item::word, |text| (!text.is_empty()).then_some(text))
    }
}

impl<'a> Table<'a> {
    pub(super) fn is_present(&self) -> bool {
        self.entries.is_some()
    }

    pub(super) fn entry(&self, key: &str, value_type: ValueType) -> Option<Item<'a>> {
        let value = self.entries?.get(key)?;
        Some(Item {
            diagnostics: self.diagnostics,
            name: self.full_key(key),
            offset: value.span().start,
            value: value.get_ref(),
            value_type,
        })
    }

    /// All entries in the order of the file, with the offset of each key.
    pub(super) fn entries_in_order(&self) -> Vec<(&'a str, usize, Item<'a>)> {
        let entries = self.entries.into_iter().flat_map(DeTable::iter);
        let item = |(key, _): (&'a Spanned<Cow<'a, str>>, _)| {
            let item = self.entry(key.get_ref(), ValueType::Section(self.entry_keys))?;
            Some((key.get_ref().as_ref(), key.span().start, item))
        };
        let mut items: Vec<_> = entries.filter_map(item).collect();
        items.sort_by_key(|(_, at, _)| *at);
        items
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
            entry_keys: self.value_type.keys(),
        })
    }

    pub(super) fn section(&self) -> Option<Section<'a>> {
        self.section_with(&[])
    }

    /// A section with more keys than those of the schema.
    pub(super) fn section_with(&self, more_keys: &[&'static str]) -> Option<Section<'a>> {
        let table = self.table()?;
        let keys = table.entry_keys;
        Some(Section::new(Table { entry_keys: &[], ..table }, keys, more_keys))
    }

    /// The section of an item that is no table: without entries.
    pub(super) fn absent_section(&self) -> Section<'a> {
        let (diagnostics, name, offset) = (self.diagnostics, self.name.clone(), self.offset);
        let table = Table { diagnostics, name, offset, entries: None, entry_keys: &[] };
        Section::new(table, self.value_type.keys(), &[])
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    pub(super) fn has_entry(&self, key: &str) -> bool {
        self.value.as_table().is_some_and(|entries| entries.contains_key(key))
    }

    pub(super) fn list(&self) -> Option<Vec<Self>> {
        let Some(list) = self.value.as_array() else { return self.expected("a list") };
        let item = |(at, value): (usize, &'a Spanned<DeValue<'a>>)| Self {
            diagnostics: self.diagnostics,
            name: format!("{}[{at}]", self.name),
            offset: value.span().start,
            value: value.get_ref(),
            value_type: ValueType::Section(self.value_type.keys()),
        };
        Some(list.iter().enumerate().map(item).collect())
    }

    /// The value as facts about a provider are read from it.
    pub(super) fn to_fact(&self) -> FactNode {
        to_fact(self.value, self.offset)
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

    fn bool(&self) -> Option<bool> {
        self.value.as_bool().or_else(|| self.expected("true or false"))
    }

    /// A number within the bounds of the schema, or the bytes of a size.
    fn number(&self) -> Option<u64> {
        match self.value_type {
            ValueType::Size => self.byte_size(),
            ValueType::MemorySize => self.memory_size(),
            ValueType::Number { min, max } => self.integer(min, max),
            _ => None,
        }
    }

    fn integer(&self, min: u64, max: u64) -> Option<u64> {
        let number = self.value.as_integer();
        let number =
            number.and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
        let number = number.filter(|number| (min..=max).contains(number));
        number.or_else(|| self.expected(&format!("a whole number from {min} to {max}")))
    }

    fn byte_size(&self) -> Option<u64> {
        let size = self.value.as_str().and_then(units::parse_size);
        size.or_else(|| {
            self.expected(r#"a size such as "64MiB", with one of B, KiB, MiB, GiB, kB, MB, GB"#)
        })
    }

    fn memory_size(&self) -> Option<u64> {
        let size = self.byte_size()?;
        if size <= 4 << 30 { Some(size) } else { self.expected("4GiB at most") }
    }

    fn duration(&self) -> Option<Duration> {
        let duration = self.value.as_str().and_then(units::parse_duration);
        duration
            .or_else(|| self.expected(r#"a duration such as "30s", with one of ms, s, m, h, d"#))
    }

    /// One of the words in the schema.
    pub(super) fn word(&self) -> Option<&'a str> {
        let word = self.string()?;
        let ValueType::Word(words) = self.value_type else { return Some(word) };
        if words().contains(&word) {
            return Some(word);
        }
        let message = format!("{} cannot be `{word}`", self.name);
        self.diagnostics.unknown_name(self.offset, &message, word, words());
        None
    }

    pub(super) fn strings(&self) -> Option<Vec<(&'a str, Self)>> {
        let list = self.list()?;
        let to_string_item = |item: Self| item.string().map(|text| (text, item.clone()));
        list.into_iter().map(to_string_item).collect()
    }
}

/// For a name that the schema lacks, which is an error of the program: tests fail.
const UNKNOWN_KEY: KeySpec = key("", ValueType::Other(""), "");

fn to_fact(value: &DeValue<'_>, offset: usize) -> FactNode {
    let nested = |value: &Spanned<DeValue<'_>>| to_fact(value.get_ref(), value.span().start);
    let value = match value {
        DeValue::Boolean(value) => FactValue::Bool(*value),
        DeValue::Integer(number) => {
            // A larger number is as wrong as any other text.
            let text = || FactValue::Text(number.as_str().to_owned());
            i64::from_str_radix(number.as_str(), number.radix())
                .map_or_else(|_| text(), FactValue::Integer)
        }
        DeValue::Float(number) => FactValue::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::String(text) => FactValue::Text(text.to_string()),
        DeValue::Datetime(time) => FactValue::Text(time.to_string()),
        DeValue::Array(items) => FactValue::List(items.iter().map(nested).collect()),
        DeValue::Table(entries) => {
            let key = |key: &Spanned<Cow<'_, str>>| FactKey {
                offset: key.span().start,
                name: key.get_ref().to_string(),
            };
            let entry = |(name, value)| FactEntry { key: key(name), node: nested(value) };
            FactValue::Table(entries.iter().map(entry).collect())
        }
    };
    FactNode { offset, value }
}
