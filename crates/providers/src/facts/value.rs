//! The value of a fact as a tree of TOML's types, with its position in the file that it is from.

use std::fmt;

/// A value of TOML.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<FactNode>),
    Table(Vec<FactEntry>),
}

/// A value, and its byte offset in the file.
#[derive(Clone, Debug)]
pub struct FactNode {
    pub offset: usize,
    pub value: FactValue,
}

/// A key of a table with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct FactEntry {
    pub key: FactKey,
    pub node: FactNode,
}

/// A key, and its byte offset in the file.
#[derive(Clone, Debug)]
pub struct FactKey {
    pub offset: usize,
    pub name: String,
}

impl FactNode {
    /// A table with one entry.
    pub fn entry(key: &str, node: Self) -> Self {
        Self::from(FactValue::Table(vec![FactEntry { key: FactKey::new(key), node }]))
    }

    pub fn text(text: &str) -> Self {
        Self::from(FactValue::Text(text.to_owned()))
    }

    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::from(FactValue::List(items.into_iter().collect()))
    }

    pub fn table(entries: impl IntoIterator<Item = (&'static str, Self)>) -> Self {
        let entry = |(key, node)| FactEntry { key: FactKey::new(key), node };
        Self::from(FactValue::Table(entries.into_iter().map(entry).collect()))
    }

    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            FactValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a table.
    pub fn entries(&self) -> Option<&[FactEntry]> {
        match &self.value {
            FactValue::Table(entries) => Some(entries),
            _ => None,
        }
    }

    pub(crate) fn entries_mut(&mut self) -> impl Iterator<Item = &mut FactEntry> {
        let entries = match &mut self.value {
            FactValue::Table(entries) => entries.as_mut_slice(),
            _ => &mut [],
        };
        entries.iter_mut()
    }

    /// The value of a key in a table.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries()?.iter().find(|entry| entry.key.name == key).map(|entry| &entry.node)
    }
}

impl FactKey {
    pub fn new(name: &str) -> Self {
        Self { offset: 0, name: name.to_owned() }
    }
}

impl From<FactValue> for FactNode {
    fn from(value: FactValue) -> Self {
        Self { offset: 0, value }
    }
}

/// Positions do not count.
impl PartialEq for FactNode {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// Positions do not count.
impl PartialEq for FactKey {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// As TOML, in one line.
impl fmt::Display for FactNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// As TOML, in one line.
impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            // `{:?}` writes a fraction or an exponent, without which TOML would read an integer.
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(text) => fmt_text(f, text),
            Self::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Table(entries) => {
                f.write_str("{")?;
                for (at, FactEntry { key, node }) in entries.iter().enumerate() {
                    write!(f, "{}{key} = {node}", if at == 0 { " " } else { ", " })?;
                }
                f.write_str(if entries.is_empty() { "}" } else { " }" })
            }
        }
    }
}

impl fmt::Display for FactKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if !self.name.is_empty() && self.name.bytes().all(is_bare) {
            f.write_str(&self.name)
        } else {
            fmt_text(f, &self.name)
        }
    }
}

fn fmt_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            control if control.is_control() => write!(f, "\\u{:04X}", u32::from(control))?,
            other => write!(f, "{other}")?,
        }
    }
    f.write_str("\"")
}
