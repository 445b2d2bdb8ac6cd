//! The laws, and breaches of them.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// 0: every JSON object is translated without an error or a panic.
    Total,
    /// 1: the judge accepts every translated body.
    Sound,
    /// 2: a body that the provider accepts is unchanged.
    Minimal,
    /// 3: a second translation changes nothing.
    Idempotent,
    /// 4: the translation of a longer history starts with that of the shorter one.
    PrefixStable,
    /// 5: content that is not sent has a ledger entry.
    NoSilentLoss,
    /// 6: seals are sent intact, and only to their issuer.
    SealIntegrity,
    /// 8: the same input gives the same output.
    Deterministic,
}

/// A law that does not hold for a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub law: Law,
    /// The subject, such as the judge's rule. Law and rule identify a kind of breach.
    pub rule: String,
    pub path: String,
    pub message: String,
}

impl Law {
    pub const ALL: &'static [Self] = &[
        Self::Total,
        Self::Sound,
        Self::Minimal,
        Self::Idempotent,
        Self::PrefixStable,
        Self::NoSilentLoss,
        Self::SealIntegrity,
        Self::Deterministic,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Sound => "sound",
            Self::Minimal => "minimal",
            Self::Idempotent => "idempotent",
            Self::PrefixStable => "prefix",
            Self::NoSilentLoss => "kept",
            Self::SealIntegrity => "seals",
            Self::Deterministic => "deterministic",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|law| law.name() == name)
    }
}

impl Breach {
    pub(super) fn new(
        law: Law,
        rule: impl Into<String>,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { law, rule: rule.into(), path: path.into(), message: message.into() }
    }

    /// The rule with the text of its ledger entry, without quoted content; without an entry, the
    /// rule with the path.
    pub fn fine_key(&self) -> String {
        // Only the messages of these laws end with one ledger entry.
        let message =
            Some(&self.message).filter(|_| matches!(self.law, Law::Minimal | Law::Idempotent));
        let Some((_, entry)) = message.and_then(|message| message.split_once("; ")) else {
            let path = self.path.split('.').map(|segment| match segment.parse::<usize>() {
                Ok(_) => "*",
                Err(_) => segment,
            });
            return format!("{} at {}", self.rule, path.collect::<Vec<_>>().join("."));
        };
        let text = entry.split('`').step_by(2).collect::<Vec<_>>().join("…");
        format!("{}: {text}", self.rule)
    }
}
