//! `[repair]` and `[lessons]`: how much requests are changed, for all, for a provider and for a key.

use interlingua_providers::RuleSet;

/// What happens to a request that its provider would not accept as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RepairMode {
    /// It is repaired.
    #[default]
    Repair,
    /// It is sent as the client wrote it, and encoded without repair for another dialect.
    Verbatim,
    /// It is repaired, and rejected if a part of it would be left out.
    RejectOnLoss,
}

/// `lessons.mode`: what becomes of the lessons that rejections teach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LessonMode {
    /// None is learned or applied.
    Off,
    /// They are listed, and applied once the operator has shared them.
    Suggest,
    /// They are applied at once.
    #[default]
    On,
}

/// One `repair` table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairSettings {
    /// `None` where the table does not set it.
    pub mode: Option<RepairMode>,
    /// `off`
    pub disabled_rules: RuleSet,
}

/// All `repair` tables of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairConfig {
    pub general: RepairSettings,
    /// By the name of the provider; those that set nothing are left out.
    pub providers: Vec<(String, RepairSettings)>,
    /// By the name of the key; those that set nothing are left out.
    pub keys: Vec<(String, RepairSettings)>,
}

impl RepairMode {
    /// The name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Repair => "repair",
            Self::Verbatim => "verbatim",
            Self::RejectOnLoss => "reject-on-loss",
        }
    }
}

impl LessonMode {
    /// The name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Suggest => "suggest",
            Self::On => "on",
        }
    }
}

impl RepairConfig {
    /// The settings for requests of this key to this provider. The mode is that of the key, else that
    /// of the provider, else the general one; a rule is off if any of the three turns it off.
    pub(crate) fn resolve(&self, provider: &str, key: &str) -> (RepairMode, RuleSet) {
        let of_provider = find_settings(&self.providers, provider);
        let of_key = find_settings(&self.keys, key);
        let specific = of_key.into_iter().chain(of_provider);
        let mode = specific.clone().find_map(|table| table.mode).or(self.general.mode);
        let disabled_rules = specific
            .filter(|table| !table.disabled_rules.is_empty())
            .fold(self.general.disabled_rules.clone(), |all, table| {
                all.union(&table.disabled_rules)
            });
        (mode.unwrap_or_default(), disabled_rules)
    }
}

fn find_settings<'t>(
    tables: &'t [(String, RepairSettings)],
    name: &str,
) -> Option<&'t RepairSettings> {
    tables.iter().find(|(other, _)| other == name).map(|(_, table)| table)
}
