//! Fuzz test: random mutations of a valid file.

use interlingua_gateway::config::Config;

use crate::valid::{EXAMPLE, env};

/// Deterministic random numbers.
struct Rng(u64);

impl Rng {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

fn mutated(rng: &mut Rng) -> String {
    let mut chars: Vec<char> = EXAMPLE.chars().collect();
    for _ in 0..=rng.below(4) {
        let at = rng.below(chars.len());
        let end = (at + rng.below(30)).min(chars.len());
        match rng.below(5) {
            0 => drop(chars.remove(at)),
            1 => chars.insert(at, ODD[rng.below(ODD.len())]),
            2 => drop(chars.drain(at..end)),
            3 => chars.extend_from_within(at..end),
            _ => chars[at] = ODD[rng.below(ODD.len())],
        }
    }
    chars.into_iter().collect()
}

#[test]
fn broken_files_never_panic_and_errors_have_positions() {
    let mut rng = Rng(1);
    let mut rejected = 0;
    for _ in 0..3000 {
        let text = mutated(&mut rng);
        let lines = text.matches('\n').count() + 1;
        match Config::parse(&text, &env) {
            Ok((_, warnings)) => {
                let is_in_file = |at: (usize, usize)| (1..=lines).contains(&at.0) && at.1 > 0;
                assert!(
                    warnings.iter().all(|warning| warning.position.is_none_or(is_in_file)),
                    "{text}"
                );
            }
            Err(errors) => {
                rejected += 1;
                assert!(!errors.is_empty(), "{text}");
                for config_error in errors {
                    let (line, column) = config_error.position.expect("a place in the file");
                    assert!((1..=lines).contains(&line), "{config_error} in {text}");
                    assert!(
                        column > 0 && !config_error.message.is_empty(),
                        "{config_error} in {text}"
                    );
                }
            }
        }
    }
    assert!(rejected > 1000, "most are refused: {rejected}");
}

const ODD: &[char] = &[
    '"', '\'', '[', ']', '{', '}', '=', '.', ',', '#', '*', '/', '\n', '\\', '\0', 'é', '🦀', '0',
    '-', ' ',
];
