//! Where conversations come from: each has a number, and is a function of the seed and that number.

use interlingua::Dialect;

use crate::generate::{DIALECTS, Level, generate};
use crate::laws::Case;
use crate::rng::Rng;

/// A conversation, and for each provider the chance by which its model is chosen.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub case: Case,
    pub rng: Rng,
    /// How it was made, for the reader of a report.
    pub origin: String,
}

/// All conversations of a run.
#[derive(Clone, Debug)]
pub struct Supply {
    pub seed: u64,
    /// The dialects that are spoken.
    pub from: Vec<&'static str>,
}

impl Supply {
    pub fn new(seed: u64, from: Option<&[String]>) -> Self {
        let wanted = |name: &&str| from.is_none_or(|names| names.iter().any(|one| one == name));
        Self { seed, from: DIALECTS.iter().copied().filter(wanted).collect() }
    }

    /// The conversation with this number; none if no dialect is spoken.
    pub fn draw(&self, index: u64) -> Option<Drawn> {
        let mut rng = Rng::of(self.seed, index);
        let name = *self.from.get(index as usize % self.from.len().max(1))?;
        let from: &'static dyn Dialect = interlingua::find(name)?;
        let level = Level::any(&mut rng);
        let body = generate(rng.fork(), name, level).body;
        let origin = format!("{level:?}").to_lowercase();
        Some(Drawn { case: Case::new(from, body), rng, origin })
    }
}
