//! Opaque reasoning that can be verified without state.
//!
//! A seal is a keyed hash over everything the provider vouches for: itself, the model, the kind of
//! block, its exact contents, its place and neighbours in the message and, where the model binds
//! that far, the whole prefix. Whoever has the key can tell what was changed, because each of these
//! is hashed on its own and the seal carries the hashes.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

/// The secret of a provider. A simulated one keeps no secrets; the default key is public.
#[derive(Clone)]
pub struct Key(Option<Hmac<Sha256>>);

/// What a seal vouches for. Empty parts are not bound.
#[derive(Clone, Debug, Default)]
pub struct Bound<'b> {
    pub provider: &'b str,
    pub model: &'b str,
    /// The kind of thing sealed, such as `thinking`.
    pub kind: &'b str,
    pub contents: &'b str,
    /// The place in the message.
    pub position: usize,
    /// The blocks of the message before this one, as the judge spells them.
    pub neighbours: &'b str,
    /// Everything before the message, as the judge spells it; `None` where it is not bound.
    pub prefix: Option<&'b str>,
    /// The seal before this one in the conversation; `None` where there is none, or none is bound.
    pub previous: Option<&'b str>,
}

/// Why a seal is not accepted, the most telling reason first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Not made with this key, or not a seal at all.
    Foreign,
    /// Made by another provider.
    Provider,
    /// Made by another model.
    Model,
    /// The contents are not those that were sealed, or the kind is another.
    Contents,
    /// The block stands elsewhere, or what stands before it in the message changed.
    Place,
    /// Something before the message changed.
    Prefix,
    /// A seal between this one and the one before it is gone, or another came in between.
    Chain,
}

impl Key {
    pub fn new(secret: impl Into<Vec<u8>>) -> Self {
        // A key of any length is accepted.
        Self(Hmac::new_from_slice(&secret.into()).ok())
    }

    /// Seals, as base64. The provider and model stand in it as short hashes.
    pub fn seal(&self, bound: &Bound<'_>) -> String {
        let mut seal = hashes(bound);
        let tag = self.tag(&seal);
        seal.extend_from_slice(&tag);
        STANDARD.encode(seal)
    }

    /// Checks a seal against what stands where it was found.
    pub fn verify(&self, seal: &str, bound: &Bound<'_>) -> Result<(), Broken> {
        self.faults(seal, bound).first().map_or(Ok(()), |broken| Err(*broken))
    }

    /// Everything that is wrong with a seal, the most telling reason first.
    pub fn faults(&self, seal: &str, bound: &Bound<'_>) -> Vec<Broken> {
        let Some(carried) = self.carried(seal) else { return vec![Broken::Foreign] };
        let found = hashes(bound);
        let parts = PARTS.iter().zip(carried.chunks_exact(HASH)).zip(found.chunks_exact(HASH));
        let broken = parts.filter(|((broken, carried), found)| {
            let unbound = **carried == [0; HASH]
                || matches!(broken, Broken::Prefix | Broken::Chain) && **found == [0; HASH];
            !unbound && carried != found
        });
        broken.map(|((broken, _), _)| *broken).collect()
    }

    /// The hashes in a seal that was made with this key.
    fn carried(&self, seal: &str) -> Option<Vec<u8>> {
        let mut seal = STANDARD.decode(seal).ok()?;
        let (carried, tag) = seal.split_at_checked(HASH * PARTS.len())?;
        let genuine = tag == self.tag(carried);
        seal.truncate(HASH * PARTS.len());
        genuine.then_some(seal)
    }

    fn tag(&self, carried: &[u8]) -> Vec<u8> {
        let Some(mut mac) = self.0.clone() else { return Vec::new() };
        mac.update(carried);
        mac.finalize().into_bytes()[..TAG].to_vec()
    }
}

impl Default for Key {
    fn default() -> Self {
        Self::new(*b"interlingua simulated provider")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

fn hashes(bound: &Bound<'_>) -> Vec<u8> {
    let place = format!("{}\n{}", bound.position, bound.neighbours);
    let contents = format!("{}\n{}", bound.kind, bound.contents);
    let mut out = Vec::with_capacity(HASH * PARTS.len() + TAG);
    let parts = [
        Some(bound.provider),
        Some(bound.model),
        Some(&contents),
        Some(&place),
        bound.prefix,
        bound.previous,
    ];
    for part in parts {
        match part {
            Some(part) if !part.is_empty() => out.extend_from_slice(&Sha256::digest(part)[..HASH]),
            _ => out.extend_from_slice(&[0; HASH]),
        }
    }
    out
}

const PARTS: [Broken; 6] = [
    Broken::Provider,
    Broken::Model,
    Broken::Contents,
    Broken::Place,
    Broken::Prefix,
    Broken::Chain,
];
const HASH: usize = 12;
const TAG: usize = 16;
