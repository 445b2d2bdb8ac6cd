//! The tables of the file as they are asked: every key once, and what nobody asked for is a mistake.

use std::cell::RefCell;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use super::units;
use crate::config::report::Report;

/// A table of the file, or one that is not there.
pub(super) struct Table<'a> {
    pub(super) report: &'a Report<'a>,
    /// Its name; nothing for the file itself.
    pub(super) name: String,
    pub(super) at: usize,
    entries: Option<&'a DeTable<'a>>,
    asked: RefCell<Vec<&'static str>>,
}

/// A value of the file, with its full name and its place.
#[derive(Clone)]
pub(super) struct Item<'a> {
    pub(super) report: &'a Report<'a>,
    pub(super) name: String,
    pub(super) at: usize,
    value: &'a DeValue<'a>,
}

impl<'a> Table<'a> {
    pub(super) fn root(entries: &'a DeTable<'a>, report: &'a Report<'a>) -> Self {
        Self {
            report,
            name: String::new(),
            at: 0,
            entries: Some(entries),
            asked: RefCell::default(),
        }
    }

    /// A table that the file does not have.
    fn absent(&self, name: String) -> Self {
        Self { report: self.report, name, at: self.at, entries: None, asked: RefCell::default() }
    }

    pub(super) fn is_there(&self) -> bool {
        self.entries.is_some()
    }

    pub(super) fn item(&self, key: &'static str) -> Option<Item<'a>> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        let found = self.entries?.get(key)?;
        Some(Item {
            report: self.report,
            name: self.full(key),
            at: found.span().start,
            value: found.get_ref(),
        })
    }

    /// Every key and value in the order of the file, with the place of the key: for tables whose keys
    /// the user chooses.
    pub(super) fn items(&self) -> Vec<(&'a str, usize, Item<'a>)> {
        let entries = self.entries.into_iter().flat_map(DeTable::iter);
        let item = |(key, value): (&'a toml::Spanned<_>, &'a toml::Spanned<_>)| {
            let word: &std::borrow::Cow<'a, str> = key.get_ref();
            let (report, name) = (self.report, self.full(word));
            let item = Item { report, name, at: value.span().start, value: value.get_ref() };
            (word.as_ref(), key.span().start, item)
        };
        let mut items: Vec<_> = entries.map(item).collect();
        items.sort_by_key(|(_, at, _)| *at);
        items
    }

    /// The table of this name; one without entries if the file has none.
    pub(super) fn table(&self, key: &'static str) -> Self {
        let table = self.item(key).and_then(|item| item.table());
        table.unwrap_or_else(|| self.absent(self.full(key)))
    }

    /// Puts what the file says, if it says anything that is right, in place of the default.
    pub(super) fn set<T>(
        &self,
        key: &'static str,
        place: &mut T,
        read: impl Fn(&Item<'a>) -> Option<T>,
    ) {
        if let Some(value) = self.item(key).and_then(|item| read(&item)) {
            *place = value;
        }
    }

    /// Nothing else is asked for: keys that were not are mistakes.
    pub(super) fn close(&self) {
        let asked = self.asked.borrow();
        for (key, at, _) in self.items() {
            if !asked.contains(&key) {
                let what = match self.name.as_str() {
                    "" => format!("there is no key `{key}`"),
                    name => format!("[{name}] has no key `{key}`"),
                };
                self.report.unknown(at, &what, key, asked.iter().copied());
            }
        }
    }

    fn full(&self, key: &str) -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let quoted = if key.bytes().all(plain) { key.to_owned() } else { format!("{key:?}") };
        match self.name.as_str() {
            "" => quoted,
            name => format!("{name}.{quoted}"),
        }
    }
}

impl<'a> Item<'a> {
    pub(super) fn mistake(&self, what: &str) {
        self.report.mistake(self.at, format!("{} {what}", self.name));
    }

    pub(super) fn warn(&self, what: &str) {
        self.report.warn(self.at, format!("{} {what}", self.name));
    }

    /// `None`, and a mistake that says what it must be.
    fn wrong<T>(&self, must_be: &str) -> Option<T> {
        self.mistake(&format!("must be {must_be}"));
        None
    }

    pub(super) fn table(&self) -> Option<Table<'a>> {
        let Some(entries) = self.value.as_table() else { return self.wrong("a table") };
        Some(Table {
            report: self.report,
            name: self.name.clone(),
            at: self.at,
            entries: Some(entries),
            asked: RefCell::default(),
        })
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    pub(super) fn list(&self) -> Option<Vec<Self>> {
        let Some(list) = self.value.as_array() else { return self.wrong("a list") };
        let item = |(at, value): (usize, &'a toml::Spanned<DeValue<'a>>)| Self {
            report: self.report,
            name: format!("{}[{at}]", self.name),
            at: value.span().start,
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
        self.value.as_str().or_else(|| self.wrong("a string"))
    }

    pub(super) fn flag(&self) -> Option<bool> {
        self.value.as_bool().or_else(|| self.wrong("true or false"))
    }

    /// A whole number in these bounds.
    pub(super) fn number(&self, least: u64, most: u64) -> Option<u64> {
        let number = self.value.as_integer();
        let number =
            number.and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
        let number = number.filter(|number| (least..=most).contains(number));
        number.or_else(|| self.wrong(&format!("a whole number from {least} to {most}")))
    }

    pub(super) fn count(&self, most: usize) -> Option<usize> {
        self.number(1, most as u64).and_then(|number| usize::try_from(number).ok())
    }

    /// More than is ever counted one by one.
    pub(super) fn many(&self) -> Option<u64> {
        self.number(1, 1 << 50)
    }

    pub(super) fn small(&self, least: u32) -> Option<u32> {
        self.number(least.into(), 1_000_000).and_then(|number| u32::try_from(number).ok())
    }

    /// Bytes: `"64MiB"`.
    pub(super) fn size(&self) -> Option<u64> {
        let size = self.value.as_str().and_then(units::size);
        size.or_else(|| {
            self.wrong(r#"a size such as "64MiB", with one of B, KiB, MiB, GiB, kB, MB, GB"#)
        })
    }

    /// Bytes of something that is held in memory.
    pub(super) fn memory(&self) -> Option<usize> {
        let size = self.size()?;
        let fits = size <= 4 << 30;
        if !fits {
            return self.wrong("4GiB at most");
        }
        usize::try_from(size).ok()
    }

    /// `"30s"`.
    pub(super) fn duration(&self) -> Option<Duration> {
        let duration = self.value.as_str().and_then(units::duration);
        duration.or_else(|| self.wrong(r#"a duration such as "30s", with one of ms, s, m, h, d"#))
    }

    /// One of these words.
    pub(super) fn word<T: Copy>(&self, words: &[(&'static str, T)]) -> Option<T> {
        let word = self.string()?;
        let found = words.iter().find(|(name, _)| *name == word);
        if found.is_none() {
            let what = format!("{} cannot be `{word}`", self.name);
            self.report.unknown(self.at, &what, word, words.iter().map(|(name, _)| *name));
        }
        found.map(|(_, value)| *value)
    }

    /// A list of strings.
    pub(super) fn strings(&self) -> Option<Vec<(&'a str, Self)>> {
        let list = self.list()?;
        let each = |item: Self| item.string().map(|word| (word, item.clone()));
        list.into_iter().map(each).collect()
    }
}
