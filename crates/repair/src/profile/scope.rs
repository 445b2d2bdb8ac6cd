//! Which target a row is for.

use interlingua_model::DialectId;
use interlingua_wire::Text;

/// A target as rows are matched with it.
#[derive(Debug)]
pub struct Aim {
    dialect: DialectId,
    flavor: &'static str,
    /// In lower case, with dashes for dots.
    model: String,
}

/// What a row is for. An empty list means all.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    pub dialect: &'static str,
    /// `""` is the dialect as its inventor speaks it.
    pub flavors: &'static [&'static str],
    /// Parts of model names, in lower case with dashes for dots. After `^` stands how the name begins,
    /// its vendor aside.
    pub models: &'static [&'static str],
}

impl Aim {
    pub fn new(dialect: DialectId, flavor: Option<&'static str>, model: Option<&Text>) -> Self {
        let model = model.map(|model| model.contents().to_lowercase().replace('.', "-"));
        Self { dialect, flavor: flavor.unwrap_or(""), model: model.unwrap_or_default() }
    }

    fn is_named(&self, part: &str) -> bool {
        let own = || self.model.rsplit('/').next().unwrap_or_default();
        part.strip_prefix('^')
            .map_or_else(|| self.model.contains(part), |part| own().starts_with(part))
    }
}

impl Scope {
    /// Every target of a dialect.
    pub const fn all(dialect: &'static str) -> Self {
        Self { dialect, flavors: &[], models: &[] }
    }

    pub const fn flavors(dialect: &'static str, flavors: &'static [&'static str]) -> Self {
        Self { dialect, flavors, models: &[] }
    }

    pub const fn models(dialect: &'static str, models: &'static [&'static str]) -> Self {
        Self { dialect, flavors: &[], models }
    }

    fn holds(&self, aim: &Aim) -> bool {
        self.dialect == aim.dialect.0
            && (self.flavors.is_empty() || self.flavors.contains(&aim.flavor))
            && (self.models.is_empty() || self.models.iter().any(|part| aim.is_named(part)))
    }
}

/// The first row for this target: the more telling rows stand first, and the last row of a dialect
/// is for all of it.
pub(super) fn first<R>(rows: &'static [(Scope, R)], aim: &Aim) -> Option<&'static R> {
    rows.iter().find(|(scope, _)| scope.holds(aim)).map(|(_, row)| row)
}
