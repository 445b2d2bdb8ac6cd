//! The random state that generates one conversation.

use serde_json::Value;

use crate::rng::Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Messiness {
    /// Contains no deliberate errors.
    Tidy,
    Odd,
    Messy,
    Wild,
}

/// The random state that generates one conversation.
#[derive(Debug)]
pub(crate) struct Generator {
    pub(super) rng: Rng,
    pub(super) level: Messiness,
    canary_count: usize,
    pub(super) call_count: usize,
    /// The assistant turns have thinking blocks.
    pub(super) thinks: bool,
}

impl Messiness {
    pub(crate) fn random(rng: &mut Rng) -> Self {
        rng.pick(&[Self::Tidy, Self::Odd, Self::Odd, Self::Messy, Self::Messy, Self::Wild])
    }
}

impl Generator {
    pub(super) fn new(rng: Rng, level: Messiness, thinks: bool) -> Self {
        Self { rng, level, canary_count: 0, call_count: 0, thinks }
    }

    /// Decides randomly whether something odd happens here.
    pub(crate) fn roll_odd(&mut self) -> bool {
        match self.level {
            Messiness::Tidy => false,
            Messiness::Odd => self.rng.one_in(70),
            Messiness::Messy => self.rng.one_in(20),
            Messiness::Wild => self.rng.one_in(6),
        }
    }

    /// The next unused canary.
    pub(crate) fn canary(&mut self) -> String {
        self.canary_count += 1;
        crate::canary::canary(self.canary_count)
    }

    /// Sometimes adds an unknown field.
    pub(crate) fn maybe_add_field(&mut self, object: &mut Value) {
        if self.roll_odd() {
            let (key, value) = self.odd_field();
            object[key] = value;
        }
    }

    /// The value, or sometimes an odd one in its place.
    pub(crate) fn or_odd_value(&mut self, value: Value) -> Value {
        if self.roll_odd() { self.odd_value() } else { value }
    }
}
