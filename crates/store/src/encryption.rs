//! Encrypts stored bodies with AES-256-GCM and derives index values that do not reveal owners or
//! keys.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use aws_lc_rs::{digest, hmac};

/// The operator's key, from which the encryption and index keys are derived.
pub struct EncryptionKey {
    aead: RandomizedNonceKey,
    index_key: hmac::Key,
    /// Identifies the key in stored rows without revealing it.
    pub(crate) key_id: [u8; 8],
}

/// The key text is too short to be unguessable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidEncryptionKey;

impl EncryptionKey {
    /// Derives the keys from a long random text, such as the output of `openssl rand -base64 32`.
    /// Not for passwords: HKDF does nothing to make guessing slow.
    pub fn new(text: &str) -> Result<Self, InvalidEncryptionKey> {
        if text.len() < MIN_KEY_BYTES {
            return Err(InvalidEncryptionKey);
        }
        Self::derive(text.as_bytes()).map_err(|Unspecified| InvalidEncryptionKey)
    }

    fn derive(text: &[u8]) -> Result<Self, Unspecified> {
        let root = Salt::new(HKDF_SHA256, b"interlingua store").extract(text);
        let expand =
            |info: &[u8], out: &mut [u8]| root.expand(&[info], KeyLength(out.len()))?.fill(out);
        let (mut aead_key, mut index_key, mut key_id) = ([0; 32], [0; 32], [0; 8]);
        expand(b"bodies", &mut aead_key)?;
        expand(b"places", &mut index_key)?;
        expand(b"identity", &mut key_id)?;
        Ok(Self {
            aead: RandomizedNonceKey::new(&AES_256_GCM, &aead_key)?,
            index_key: hmac::Key::new(hmac::HMAC_SHA256, &index_key),
            key_id,
        })
    }

    /// Returns the nonce followed by the ciphertext. Decryption needs the same `aad`.
    pub(crate) fn encrypt(&self, plain: Vec<u8>, aad: &[u8]) -> Result<Vec<u8>, Unspecified> {
        let mut ciphertext = plain;
        let nonce = self.aead.seal_in_place_append_tag(Aad::from(aad), &mut ciphertext)?;
        let mut output = nonce.as_ref().to_vec();
        output.append(&mut ciphertext);
        Ok(output)
    }

    pub(crate) fn decrypt(&self, bytes: &[u8], aad: &[u8]) -> Result<Vec<u8>, Unspecified> {
        let (nonce, buffer) = bytes.split_at_checked(NONCE_BYTES).ok_or(Unspecified)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce)?;
        let mut buffer = buffer.to_vec();
        let length = self.aead.open_in_place(nonce, Aad::from(aad), &mut buffer)?.len();
        buffer.truncate(length);
        Ok(buffer)
    }
}

/// Returns a deterministic 16-byte index value: an HMAC with a key, else a hash.
pub(crate) fn blind_index(secret: Option<&EncryptionKey>, parts: &[&[u8]]) -> [u8; 16] {
    let mut text = Vec::with_capacity(64);
    for part in parts {
        text.extend_from_slice(&(part.len() as u64).to_le_bytes());
        text.extend_from_slice(part);
    }
    let mut index = [0; 16];
    match secret {
        Some(secret) => {
            index.copy_from_slice(&hmac::sign(&secret.index_key, &text).as_ref()[..16]);
        }
        None => index.copy_from_slice(&digest::digest(&digest::SHA256, &text).as_ref()[..16]),
    }
    index
}

/// An 8-byte checksum for rows that are not encrypted.
pub(crate) fn checksum(parts: &[&[u8]]) -> [u8; 8] {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(part);
    }
    let mut checksum = [0; 8];
    checksum.copy_from_slice(&context.finish().as_ref()[..8]);
    checksum
}

struct KeyLength(usize);

impl KeyType for KeyLength {
    fn len(&self) -> usize {
        self.0
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncryptionKey([REDACTED])")
    }
}

impl fmt::Display for InvalidEncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the store key needs at least {MIN_KEY_BYTES} characters; `openssl rand -base64 32` makes one"
        )
    }
}

impl std::error::Error for InvalidEncryptionKey {}

const MIN_KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;
