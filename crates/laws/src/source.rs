//! Where conversations come from: each has a number, and is a function of the seed, the corpus and
//! that number.

use crate::generate::{DIALECTS, Level, generate};
use crate::laws::Case;
use crate::mutate::mutate;
use crate::rng::Rng;
use crate::sealed;
use crate::seeds::Seed;

/// A conversation, and the chance by which the models of its targets are chosen.
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
    /// Requests of the corpus in these dialects.
    pub seeds: Vec<Seed>,
}

impl Supply {
    pub fn new(seed: u64, from: Option<&[String]>, seeds: Vec<Seed>) -> Self {
        let wanted = |name: &&str| from.is_none_or(|names| names.iter().any(|one| one == name));
        let from: Vec<_> = DIALECTS.iter().copied().filter(wanted).collect();
        let mut supply = Self { seed, from, seeds };
        supply.seeds.retain(|seed| supply.from.contains(&seed.case.from.id().0));
        supply
    }

    /// The conversation with this number; none if no dialect is spoken.
    pub fn draw(&self, number: u64) -> Option<Drawn> {
        let mut rng = Rng::of(self.seed, number);
        let name = *self.from.get(number as usize % self.from.len().max(1))?;
        let from = interlingua::find(name)?;
        let made = |rng: &mut Rng, level, thinks| {
            Case::new(from, generate(rng.fork(), name, level, thinks).body)
        };
        let (mut case, origin) = match rng.below(16) {
            0..9 => {
                let level = Level::any(&mut rng);
                let case = made(&mut rng, level, false);
                return Some(Drawn { case, rng, origin: format!("{level:?}").to_lowercase() });
            }
            9 | 10 if !self.seeds.is_empty() => {
                let seed = self.seed_of(rng.draw())?;
                (seed.case.clone(), format!("{}, mutated", seed.name))
            }
            11..14 => {
                let tidy = made(&mut rng, Level::Tidy, true);
                let sealed = sealed::seal(&tidy, &mut rng).unwrap_or(tidy);
                if rng.once_in(2) {
                    return Some(Drawn { case: sealed, rng, origin: "sealed".into() });
                }
                (sealed, "sealed, mutated".to_owned())
            }
            _ => (made(&mut rng, Level::Tidy, false), "tidy, mutated".to_owned()),
        };
        let mut body = std::mem::take(&mut case.body);
        mutate(&mut body, &mut rng);
        Some(Drawn { case: case.with(body), rng, origin })
    }

    /// The request of the corpus that stands first in the order of this chance. Each has its own
    /// place in every order, so that a new case leaves nearly all conversations as they were.
    fn seed_of(&self, chance: u64) -> Option<&Seed> {
        self.seeds.iter().max_by_key(|seed| Rng::of(chance, seed.mark).draw())
    }
}
