//! Seals for opaque reasoning that can be verified without state.
//!
//! A seal is a keyed hash over everything that the provider binds it to: provider, model, block
//! type, exact content, position and preceding blocks in the message and, where the model binds it,
//! the whole prefix. Each of these is hashed separately and the seal carries the hashes, so that
//! verification with the key can tell which of them changed.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

/// The secret key of a provider's seals. The default key is public, because simulated providers
/// need no secrecy.
#[derive(Clone)]
pub struct SealKey(Option<Hmac<Sha256>>);

/// The properties that a seal is bound to. Empty ones are not bound.
#[derive(Clone, Debug, Default)]
pub struct SealClaims<'b> {
    pub provider: &'b str,
    pub model: &'b str,
    /// The type of the sealed block, such as `thinking`.
    pub block_kind: &'b str,
    pub content: &'b str,
    /// Index of the block in its message.
    pub position: usize,
    /// Canonical text of the preceding blocks of the message.
    pub preceding_blocks: &'b str,
    /// Canonical text of everything before the message; `None` where it is not bound.
    pub prefix: Option<&'b str>,
    /// The previous seal in the conversation; `None` if there is none, or it is not bound.
    pub previous_seal: Option<&'b str>,
}

/// Why a seal is invalid; the errors are ordered from the most to the least specific.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealError {
    /// Not made with this key, or not a seal at all.
    NotAuthentic,
    /// Made by another provider.
    WrongProvider,
    /// Made by another model.
    WrongModel,
    /// The content or block type differs from the sealed one.
    ContentChanged,
    /// The block has another index, or other blocks precede it in the message.
    PositionChanged,
    /// Something before the message changed.
    PrefixChanged,
    /// A seal between this one and the previous one was removed or inserted.
    ChainBroken,
}

impl SealKey {
    pub fn new(secret: impl Into<Vec<u8>>) -> Self {
        // HMAC accepts keys of any length.
        Self(Hmac::new_from_slice(&secret.into()).ok())
    }

    /// Creates a seal as base64. Provider and model are included as short hashes.
    pub fn seal(&self, claims: &SealClaims<'_>) -> String {
        let mut seal = claim_hashes(claims);
        let tag = self.mac_tag(&seal);
        seal.extend_from_slice(&tag);
        STANDARD.encode(seal)
    }

    /// Verifies a seal against the claims of the position where it was found.
    pub fn verify(&self, seal: &str, claims: &SealClaims<'_>) -> Result<(), SealError> {
        self.errors(seal, claims).first().map_or(Ok(()), |error| Err(*error))
    }

    /// All errors of a seal, the most specific first.
    pub fn errors(&self, seal: &str, claims: &SealClaims<'_>) -> Vec<SealError> {
        let Some(sealed) = self.authenticated_hashes(seal) else {
            return vec![SealError::NotAuthentic];
        };
        let actual = claim_hashes(claims);
        let parts = HASH_ORDER
            .iter()
            .zip(sealed.chunks_exact(HASH_BYTES))
            .zip(actual.chunks_exact(HASH_BYTES));
        let mismatches = parts.filter(|((error, sealed), actual)| {
            let is_unbound = **sealed == [0; HASH_BYTES]
                || matches!(error, SealError::PrefixChanged | SealError::ChainBroken)
                    && **actual == [0; HASH_BYTES];
            !is_unbound && sealed != actual
        });
        mismatches.map(|((error, _), _)| *error).collect()
    }

    /// The hashes of a seal that was made with this key.
    fn authenticated_hashes(&self, seal: &str) -> Option<Vec<u8>> {
        let mut seal = STANDARD.decode(seal).ok()?;
        let (hashes, tag) = seal.split_at_checked(HASH_BYTES * HASH_ORDER.len())?;
        let is_authentic = tag == self.mac_tag(hashes);
        seal.truncate(HASH_BYTES * HASH_ORDER.len());
        is_authentic.then_some(seal)
    }

    fn mac_tag(&self, hashes: &[u8]) -> Vec<u8> {
        let Some(mut mac) = self.0.clone() else { return Vec::new() };
        mac.update(hashes);
        mac.finalize().into_bytes()[..TAG_BYTES].to_vec()
    }
}

impl Default for SealKey {
    fn default() -> Self {
        Self::new(*b"interlingua simulated provider")
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey(…)")
    }
}

fn claim_hashes(claims: &SealClaims<'_>) -> Vec<u8> {
    let position = format!("{}\n{}", claims.position, claims.preceding_blocks);
    let content = format!("{}\n{}", claims.block_kind, claims.content);
    let mut out = Vec::with_capacity(HASH_BYTES * HASH_ORDER.len() + TAG_BYTES);
    let parts = [
        Some(claims.provider),
        Some(claims.model),
        Some(&content),
        Some(&position),
        claims.prefix,
        claims.previous_seal,
    ];
    for part in parts {
        match part {
            Some(part) if !part.is_empty() => {
                out.extend_from_slice(&Sha256::digest(part)[..HASH_BYTES]);
            }
            _ => out.extend_from_slice(&[0; HASH_BYTES]),
        }
    }
    out
}

const HASH_ORDER: [SealError; 6] = [
    SealError::WrongProvider,
    SealError::WrongModel,
    SealError::ContentChanged,
    SealError::PositionChanged,
    SealError::PrefixChanged,
    SealError::ChainBroken,
];
const HASH_BYTES: usize = 12;
const TAG_BYTES: usize = 16;
