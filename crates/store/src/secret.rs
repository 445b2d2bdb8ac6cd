//! Records under lock: sealed bodies, and places that say nothing about what lies there.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use aws_lc_rs::{digest, hmac};

/// A key of the operator's, by which what is stored can be read and found.
pub struct Secret {
    seal: RandomizedNonceKey,
    places: hmac::Key,
    /// Which key it is; says nothing about it.
    pub(crate) id: [u8; 8],
}

/// Such a key could be guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooShort;

impl Secret {
    /// From a long random text, such as `openssl rand -base64 32` gives. No password: nothing in here
    /// makes guessing slow.
    pub fn new(text: &str) -> Result<Self, TooShort> {
        if text.len() < SHORTEST {
            return Err(TooShort);
        }
        Self::derive(text.as_bytes()).map_err(|Unspecified| TooShort)
    }

    fn derive(text: &[u8]) -> Result<Self, Unspecified> {
        let root = Salt::new(HKDF_SHA256, b"interlingua store").extract(text);
        let expand =
            |what: &[u8], into: &mut [u8]| root.expand(&[what], Length(into.len()))?.fill(into);
        let (mut seal, mut places, mut id) = ([0; 32], [0; 32], [0; 8]);
        expand(b"bodies", &mut seal)?;
        expand(b"places", &mut places)?;
        expand(b"identity", &mut id)?;
        Ok(Self {
            seal: RandomizedNonceKey::new(&AES_256_GCM, &seal)?,
            places: hmac::Key::new(hmac::HMAC_SHA256, &places),
            id,
        })
    }

    /// The nonce, then what was sealed. `about` must be the same to open it.
    pub(crate) fn seal(&self, plain: Vec<u8>, about: &[u8]) -> Result<Vec<u8>, Unspecified> {
        let mut sealed = plain;
        let nonce = self.seal.seal_in_place_append_tag(Aad::from(about), &mut sealed)?;
        let mut whole = nonce.as_ref().to_vec();
        whole.append(&mut sealed);
        Ok(whole)
    }

    pub(crate) fn open(&self, sealed: &[u8], about: &[u8]) -> Result<Vec<u8>, Unspecified> {
        let (nonce, rest) = sealed.split_at_checked(NONCE).ok_or(Unspecified)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce)?;
        let mut rest = rest.to_vec();
        let length = self.seal.open_in_place(nonce, Aad::from(about), &mut rest)?.len();
        rest.truncate(length);
        Ok(rest)
    }
}

/// Where something lies, as the database knows it: always the same, and with a key nobody else's guess.
pub(crate) fn place(secret: Option<&Secret>, parts: &[&[u8]]) -> [u8; 16] {
    let mut text = Vec::with_capacity(64);
    for part in parts {
        text.extend_from_slice(&(part.len() as u64).to_le_bytes());
        text.extend_from_slice(part);
    }
    let mut short = [0; 16];
    match secret {
        Some(secret) => {
            short.copy_from_slice(&hmac::sign(&secret.places, &text).as_ref()[..16]);
        }
        None => short.copy_from_slice(&digest::digest(&digest::SHA256, &text).as_ref()[..16]),
    }
    short
}

/// A short text that tells damaged bytes from whole ones.
pub(crate) fn checksum(parts: &[&[u8]]) -> [u8; 8] {
    let mut sum = digest::Context::new(&digest::SHA256);
    for part in parts {
        sum.update(part);
    }
    let mut short = [0; 8];
    short.copy_from_slice(&sum.finish().as_ref()[..8]);
    short
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([REDACTED])")
    }
}

impl fmt::Display for TooShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a key of the store has at least {SHORTEST} characters; `openssl rand -base64 32` makes one"
        )
    }
}

impl std::error::Error for TooShort {}

const SHORTEST: usize = 32;
const NONCE: usize = 12;
