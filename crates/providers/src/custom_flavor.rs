//! Flavors that a user configures: a known one, and a table of facts that replace its own.

use std::sync::{Mutex, PoisonError};

use interlingua_model::DialectId;

use crate::facts::{Fact, FactErrors, FactNode, FactValue, intern};

/// A flavor with a user's facts.
#[derive(Debug)]
pub(crate) struct CustomFlavor {
    /// Made of the base's name and a number: no known flavor has such a name.
    pub(crate) name: String,
    dialect: DialectId,
    pub(crate) base: Option<&'static str>,
    quirks: FactNode,
    /// The groups of facts, without the spelling.
    pub(crate) profile: FactNode,
    pub(crate) spelling: Option<FactNode>,
}

/// Adds a flavor, unless there is the same.
pub(crate) fn add(
    dialect: DialectId,
    base: Option<&'static str>,
    quirks: FactNode,
) -> &'static CustomFlavor {
    let mut flavors = FLAVORS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = |known: &&&CustomFlavor| {
        known.dialect == dialect && known.base == base && known.quirks == quirks
    };
    if let Some(known) = flavors.iter().find(is_same) {
        return known;
    }
    let name = format!("{}{MARK}{}", base.unwrap_or(dialect.0), flavors.len() + 1);
    let (profile, spelling) = split_spelling(&quirks);
    let flavor = CustomFlavor { name, dialect, base, quirks, profile, spelling };
    let flavor: &'static CustomFlavor = Box::leak(Box::new(flavor));
    flavors.push(flavor);
    flavor
}

pub(crate) fn find(name: &str) -> Option<&'static CustomFlavor> {
    // Without the lock for known flavors, with which every request looks.
    if !name.contains(MARK) {
        return None;
    }
    let flavors = FLAVORS.lock().unwrap_or_else(PoisonError::into_inner);
    flavors.iter().find(|flavor| flavor.name == name).copied()
}

/// How a user's flavor spells a dialect.
pub(crate) fn find_spelling<T: Fact + Clone + Send + Sync>(
    name: &str,
    find_base: impl FnOnce(Option<&str>) -> &'static T,
) -> Option<&'static T> {
    let custom = find(name)?;
    Some(intern(&custom.name, || {
        let mut spelling = find_base(custom.base).clone();
        if let Some(facts) = &custom.spelling {
            spelling.patch(facts, &mut FactErrors::default());
        }
        spelling
    }))
}

/// A table without its spelling, and the spelling.
pub(crate) fn split_spelling(quirks: &FactNode) -> (FactNode, Option<FactNode>) {
    let mut profile = quirks.clone();
    if let FactValue::Table(groups) = &mut profile.value {
        groups.retain(|group| group.key.name != SPELLING);
    }
    (profile, quirks.get(SPELLING).cloned())
}

/// All of them: they live as long as the process, because requests in progress refer to them by name.
static FLAVORS: Mutex<Vec<&'static CustomFlavor>> = Mutex::new(Vec::new());

/// Separates base and number in the name of a flavor.
const MARK: char = '+';

/// The group of facts that encoders read.
pub(crate) const SPELLING: &str = "spelling";
