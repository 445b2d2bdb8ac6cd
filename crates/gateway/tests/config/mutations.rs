//! Files that somebody broke in any way.

use interlingua_gateway::config::Config;

use crate::good::{CONTRACT, env};

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

fn broken(dice: &mut Dice) -> String {
    let mut letters: Vec<char> = CONTRACT.chars().collect();
    for _ in 0..=dice.below(4) {
        let at = dice.below(letters.len());
        let end = (at + dice.below(30)).min(letters.len());
        match dice.below(5) {
            0 => drop(letters.remove(at)),
            1 => letters.insert(at, ODD[dice.below(ODD.len())]),
            2 => drop(letters.drain(at..end)),
            3 => letters.extend_from_within(at..end),
            _ => letters[at] = ODD[dice.below(ODD.len())],
        }
    }
    letters.into_iter().collect()
}

#[test]
fn never_panic_and_say_where() {
    let mut dice = Dice(1);
    let mut refused = 0;
    for _ in 0..3000 {
        let text = broken(&mut dice);
        let lines = text.matches('\n').count() + 1;
        match Config::read(&text, &env) {
            Ok((_, warnings)) => {
                let placed = |at: (usize, usize)| (1..=lines).contains(&at.0) && at.1 > 0;
                assert!(warnings.iter().all(|warning| warning.at.is_none_or(placed)), "{text}");
            }
            Err(mistakes) => {
                refused += 1;
                assert!(!mistakes.is_empty(), "{text}");
                for mistake in mistakes {
                    let (line, column) = mistake.at.expect("a place in the file");
                    assert!((1..=lines).contains(&line), "{mistake} in {text}");
                    assert!(column > 0 && !mistake.what.is_empty(), "{mistake} in {text}");
                }
            }
        }
    }
    assert!(refused > 1000, "most are refused: {refused}");
}

const ODD: &[char] = &[
    '"', '\'', '[', ']', '{', '}', '=', '.', ',', '#', '*', '/', '\n', '\\', '\0', 'é', '🦀', '0',
    '-', ' ',
];
