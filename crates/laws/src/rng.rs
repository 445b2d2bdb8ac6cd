//! Chance that comes out the same every time.

/// `SplitMix64`: small, fast and good enough to make conversations.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The chance for one thing of many: neighbours have nothing in common.
    pub fn of(seed: u64, index: u64) -> Self {
        let mut rng = Self(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95));
        rng.draw();
        rng
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        let drawn = (u128::from(self.draw()) * end as u128) >> 64;
        drawn as usize
    }

    pub fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last + 1 - first)
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

impl Rng {
    /// Another chance, for something whose length must not move what follows.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.draw())
    }
}
