//! Encrypts the summaries of compacted conversations into items that clients carry, and decrypts them.
//!
//! The first gateway that needs a key generates one and stores it, so that every gateway of the store
//! reads what the others wrote. An item holds all that is needed beside the key: nothing is stored for it.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::rand;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use interlingua::ApiError;
use interlingua_model::{ApiErrorKind, RetryAdvice};
use interlingua_store::{Record, RecordKind, RecordStore, StoreError};
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;

use crate::http_util::error_response::failure;

/// Encrypts with the oldest key of the store, and decrypts with any of them.
pub(crate) struct CompactionCipher {
    store: Arc<dyn RecordStore>,
    /// Oldest first.
    keys: ArcSwap<Vec<CompactionKey>>,
    /// Held while keys are loaded or generated.
    load_lock: Mutex<()>,
}

struct CompactionKey {
    id: [u8; KEY_ID_BYTES],
    aead: RandomizedNonceKey,
}

/// Why an item of a gateway cannot be decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecryptError {
    /// It is not as a gateway wrote it.
    Modified,
    /// No key of this store encrypted it.
    UnknownKey,
    /// The keys cannot be loaded now.
    StoreUnreadable,
}

impl CompactionCipher {
    pub(crate) fn new(store: Arc<dyn RecordStore>) -> Self {
        Self { store, keys: ArcSwap::default(), load_lock: Mutex::default() }
    }

    /// The summary as the text of an item.
    pub(crate) async fn encrypt(&self, summary: &str) -> Result<String, ApiError> {
        let mut keys = self.keys.load_full();
        if keys.is_empty() {
            keys = self.load_or_generate().await.map_err(|_| keys_unreadable())?;
        }
        let key = keys.first().ok_or_else(keys_unreadable)?;
        let encrypted = key.encrypt(summary).map_err(|Unspecified| keys_unreadable())?;
        Ok(format!("{PREFIX}{}{SUFFIX}", URL_SAFE_NO_PAD.encode(encrypted)))
    }

    /// The summary in the text of an item; `None` if no gateway wrote it.
    pub(crate) async fn decrypt(&self, text: &str) -> Result<Option<String>, DecryptError> {
        if !is_own_item(text) {
            return Ok(None);
        }
        let encoded = text.strip_prefix(PREFIX).and_then(|text| text.strip_suffix(SUFFIX));
        let bytes = encoded.and_then(|encoded| URL_SAFE_NO_PAD.decode(encoded).ok());
        let bytes = bytes.ok_or(DecryptError::Modified)?;
        let (id, encrypted) = bytes.split_first_chunk().ok_or(DecryptError::Modified)?;
        if let Some(key) = self.keys.load().iter().find(|key| key.id == *id) {
            return key.decrypt(encrypted).map(Some);
        }
        // Another gateway may have generated it since.
        let _guard = self.load_lock.lock().await;
        let keys = self.load().await.map_err(|_| DecryptError::StoreUnreadable)?;
        let key = keys.iter().find(|key| key.id == *id).ok_or(DecryptError::UnknownKey)?;
        key.decrypt(encrypted).map(Some)
    }

    async fn load_or_generate(&self) -> Result<Arc<Vec<CompactionKey>>, StoreError> {
        let _guard = self.load_lock.lock().await;
        let keys = self.load().await?;
        if !keys.is_empty() {
            return Ok(keys);
        }
        let mut key = [0; KEY_BYTES];
        let no_random = |Unspecified| StoreError("there are no random numbers".into());
        rand::fill(&mut key).map_err(no_random)?;
        self.store.put(Record {
            kind: RecordKind::SharedKey,
            owner: String::new(),
            keys: vec![RECORD_KEY.to_owned()],
            body: Bytes::copy_from_slice(&key),
        });
        self.store.flush().await?;
        // Another gateway may have generated one at the same time: both use the older one.
        let keys = self.load().await?;
        if keys.is_empty() {
            // Nothing is stored: the key lives as long as this process.
            self.keys.store(Arc::new(CompactionKey::new(&key).into_iter().collect()));
        }
        Ok(self.keys.load_full())
    }

    /// Loads the keys; those that are known stay if the store has none.
    async fn load(&self) -> Result<Arc<Vec<CompactionKey>>, StoreError> {
        let list = self.store.load_records(RecordKind::SharedKey).await?;
        let newest_first = list.records.iter().filter(|record| record.keys == [RECORD_KEY]);
        let keys: Vec<_> =
            newest_first.rev().filter_map(|record| CompactionKey::new(&record.body)).collect();
        if !keys.is_empty() {
            self.keys.store(Arc::new(keys));
        }
        Ok(self.keys.load_full())
    }
}

impl CompactionKey {
    fn new(bytes: &[u8]) -> Option<Self> {
        let aead = RandomizedNonceKey::new(&AES_256_GCM, bytes).ok()?;
        let id = *Sha256::digest([KEY_ID_CONTEXT, bytes].concat()).first_chunk()?;
        Some(Self { id, aead })
    }

    /// Key id, nonce and ciphertext.
    fn encrypt(&self, summary: &str) -> Result<Vec<u8>, Unspecified> {
        let mut ciphertext = summary.as_bytes().to_vec();
        let nonce = self.aead.seal_in_place_append_tag(Aad::from(CONTEXT), &mut ciphertext)?;
        Ok([&self.id[..], nonce.as_ref(), &ciphertext].concat())
    }

    fn decrypt(&self, encrypted: &[u8]) -> Result<String, DecryptError> {
        let open = |encrypted: &[u8]| {
            let (nonce, ciphertext) = encrypted.split_at_checked(NONCE_LEN).ok_or(Unspecified)?;
            let nonce = Nonce::try_assume_unique_for_key(nonce)?;
            let mut buffer = ciphertext.to_vec();
            let length = self.aead.open_in_place(nonce, Aad::from(CONTEXT), &mut buffer)?.len();
            buffer.truncate(length);
            String::from_utf8(buffer).map_err(|_| Unspecified)
        };
        open(encrypted).map_err(|Unspecified| DecryptError::Modified)
    }
}

/// Whether a gateway wrote this item: one changed byte leaves one of the two marks.
fn is_own_item(text: &str) -> bool {
    text.starts_with(PREFIX) || text.ends_with(SUFFIX)
}

fn keys_unreadable() -> ApiError {
    let message = "the keys of compaction items are in a store that cannot be used at the moment";
    let retry = RetryAdvice::AfterMillis(RETRY_AFTER_MILLIS);
    ApiError { retry, ..failure(ApiErrorKind::Overloaded, message) }
}

impl DecryptError {
    /// The error for a request with such an item.
    pub(crate) fn into_api_error(self, item: &str) -> ApiError {
        let reason = match self {
            Self::Modified => "the compaction item is not as this gateway wrote it",
            Self::UnknownKey => "the compaction item was written by a gateway with another store",
            Self::StoreUnreadable => return keys_unreadable(),
        };
        failure(
            ApiErrorKind::InvalidRequest,
            &format!("Invalid '{item}.encrypted_content': {reason}."),
        )
    }
}

impl fmt::Debug for CompactionCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompactionCipher")
            .field("keys", &self.keys.load().len())
            .finish_non_exhaustive()
    }
}

const PREFIX: &str = "ilc1.";
const SUFFIX: &str = ".ilc1";
/// Authenticated with the summary, so that the key is good for nothing else.
const CONTEXT: &[u8] = b"interlingua compaction item";
const KEY_ID_CONTEXT: &[u8] = b"interlingua compaction key";
const RECORD_KEY: &str = "compaction";
const KEY_BYTES: usize = 32;
const KEY_ID_BYTES: usize = 8;
const RETRY_AFTER_MILLIS: u64 = 1000;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use interlingua_store::{MemoryStore, NoopStore, RecordStore, Retention};

    use super::{CompactionCipher, DecryptError};

    fn memory_store() -> Arc<dyn RecordStore> {
        Arc::new(MemoryStore::new(&Retention::default(), 1 << 20))
    }

    #[tokio::test]
    async fn gateways_of_a_store_read_each_others_items() {
        let store = memory_store();
        let (first, second) =
            (CompactionCipher::new(Arc::clone(&store)), CompactionCipher::new(store));
        let item = first.encrypt("Ships were counted.").await.unwrap();
        assert!(!item.contains("Ships"));
        assert_eq!(second.decrypt(&item).await, Ok(Some("Ships were counted.".to_owned())));
        let item = second.encrypt("Again.").await.unwrap();
        assert_eq!(first.decrypt(&item).await, Ok(Some("Again.".to_owned())));
        let other = CompactionCipher::new(memory_store());
        assert_eq!(other.decrypt(&item).await, Err(DecryptError::UnknownKey));
    }

    #[tokio::test]
    async fn every_changed_byte_is_found() {
        let cipher = CompactionCipher::new(memory_store());
        let item = cipher.encrypt("One.").await.unwrap();
        for at in 0..item.len() {
            for byte in [b'A', b'B', b'_', b'.'] {
                let mut changed = item.clone().into_bytes();
                if changed[at] == byte {
                    continue;
                }
                changed[at] = byte;
                let changed = String::from_utf8(changed).unwrap();
                let error = cipher.decrypt(&changed).await.unwrap_err();
                assert!(
                    matches!(error, DecryptError::Modified | DecryptError::UnknownKey),
                    "{changed}: {error:?}"
                );
            }
            assert!(at == 0 || cipher.decrypt(&item[..at.max(5)]).await.is_err());
        }
    }

    #[tokio::test]
    async fn items_of_providers_are_not_read() {
        let cipher = CompactionCipher::new(memory_store());
        assert_eq!(cipher.decrypt("gAAAAABo-x_y=").await, Ok(None));
        assert_eq!(cipher.decrypt("").await, Ok(None));
    }

    #[tokio::test]
    async fn without_a_store_the_key_lives_as_long_as_the_process() {
        let cipher = CompactionCipher::new(Arc::new(NoopStore::default()));
        let item = cipher.encrypt("One.").await.unwrap();
        assert_eq!(cipher.decrypt(&item).await, Ok(Some("One.".to_owned())));
        let next = CompactionCipher::new(Arc::new(NoopStore::default()));
        assert_eq!(next.decrypt(&item).await, Err(DecryptError::UnknownKey));
    }
}
