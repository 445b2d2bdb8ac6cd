//! The source of conversations: each has a number, and is a function of the seed, the corpus and
//! that number.

use crate::corpus_requests::CorpusRequest;
use crate::generate::{DIALECTS, Messiness, generate};
use crate::laws::SampleRequest;
use crate::mutate::mutate;
use crate::rng::Rng;
use crate::seal_requests;

/// A conversation, and the random state that picks the models of its targets.
#[derive(Clone, Debug)]
pub struct Sample {
    pub request: SampleRequest,
    pub rng: Rng,
    /// How it was generated, for the report.
    pub origin: String,
}

/// All conversations of a run.
#[derive(Clone, Debug)]
pub struct SampleSource {
    pub seed: u64,
    /// Dialects of the generated conversations.
    pub dialects: Vec<&'static str>,
    /// Requests of the corpus in these dialects.
    pub corpus_requests: Vec<CorpusRequest>,
}

impl SampleSource {
    pub fn new(seed: u64, from: Option<&[String]>, seeds: Vec<CorpusRequest>) -> Self {
        let wanted =
            |name: &&str| from.is_none_or(|names| names.iter().any(|wanted| wanted == name));
        let from: Vec<_> = DIALECTS.iter().copied().filter(wanted).collect();
        let mut sample_source = Self { seed, dialects: from, corpus_requests: seeds };
        sample_source
            .corpus_requests
            .retain(|seed| sample_source.dialects.contains(&seed.request.dialect.id().0));
        sample_source
    }

    /// The conversation with this number; `None` without dialects.
    pub fn sample(&self, number: u64) -> Option<Sample> {
        let mut rng = Rng::for_index(self.seed, number);
        let name = *self.dialects.get(number as usize % self.dialects.len().max(1))?;
        let from = interlingua::find_dialect(name)?;
        let generate_request = |rng: &mut Rng, level, thinks| {
            SampleRequest::new(from, generate(rng.fork(), name, level, thinks).body)
        };
        let (mut case, origin) = match rng.below(16) {
            0..9 => {
                let level = Messiness::random(&mut rng);
                let case = generate_request(&mut rng, level, false);
                return Some(Sample {
                    request: case,
                    rng,
                    origin: format!("{level:?}").to_lowercase(),
                });
            }
            9 | 10 if !self.corpus_requests.is_empty() => {
                let seed = self.pick_corpus_request(rng.next_u64())?;
                (seed.request.clone(), format!("{}, mutated", seed.name))
            }
            11..14 => {
                let tidy = generate_request(&mut rng, Messiness::Tidy, true);
                let sealed = seal_requests::with_genuine_seals(&tidy, &mut rng).unwrap_or(tidy);
                if rng.one_in(2) {
                    return Some(Sample { request: sealed, rng, origin: "sealed".into() });
                }
                (sealed, "sealed, mutated".to_owned())
            }
            _ => (generate_request(&mut rng, Messiness::Tidy, false), "tidy, mutated".to_owned()),
        };
        let mut body = std::mem::take(&mut case.body);
        mutate(&mut body, &mut rng);
        Some(Sample { request: case.with_body(body), rng, origin })
    }

    /// Picks a request by rendezvous hashing, so that a new case in the corpus leaves nearly all
    /// conversations unchanged.
    fn pick_corpus_request(&self, key: u64) -> Option<&CorpusRequest> {
        self.corpus_requests
            .iter()
            .max_by_key(|seed| Rng::for_index(key, seed.name_hash).next_u64())
    }
}
