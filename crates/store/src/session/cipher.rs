//! Encodes the fields of sessions and turns as bytes, encrypted or with a checksum.

use bytes::Bytes;

use super::{NumberedTurn, SessionId, StoredTurn, TurnState};
use crate::encryption::{EncryptionKey, checksum};
use crate::error::StoreError;
use crate::pack;

/// The cipher of a row: a key, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowCipher<'s>(pub(crate) Option<&'s EncryptionKey>);

/// The encrypted fields of a session row.
#[derive(Clone, Default)]
pub(crate) struct SessionDetails {
    pub(crate) owner: String,
    pub(crate) title: String,
    pub(crate) metadata: Bytes,
    pub(crate) parent: Option<(SessionId, u64)>,
}

impl<'s> RowCipher<'s> {
    /// The ciphers that rows may have: the key's, and none for rows older than the key.
    pub(crate) fn candidates(secret: Option<&'s EncryptionKey>) -> impl Iterator<Item = Self> {
        [Some(Self(secret)), secret.is_some().then_some(Self(None))].into_iter().flatten()
    }

    /// The cipher of a row, if its key is the configured one or none.
    pub(crate) fn by_key_id(key_id: &[u8], secret: Option<&'s EncryptionKey>) -> Option<Self> {
        Self::candidates(secret).find(|row_cipher| row_cipher.key_id() == key_id)
    }

    /// The value of the column `lock`: empty without a key.
    pub(crate) fn key_id(self) -> &'s [u8] {
        self.0.map_or(&[], |secret| &secret.key_id)
    }

    /// The value of the column `owner`.
    pub(crate) fn owner_index(self, owner: &str) -> [u8; 16] {
        pack::owner_index(self.0, owner)
    }

    pub(crate) fn encrypt_details(
        self,
        id: SessionId,
        details: &SessionDetails,
    ) -> Result<Vec<u8>, StoreError> {
        let mut plain = Vec::new();
        pack::put_bytes(&mut plain, details.owner.as_bytes());
        pack::put_bytes(&mut plain, details.title.as_bytes());
        let (parent, turns) = details.parent.unwrap_or((SessionId([0; 16]), 0));
        plain.extend_from_slice(&parent.0);
        plain.extend_from_slice(&turns.to_le_bytes());
        plain.extend_from_slice(&details.metadata);
        self.encrypt(plain, &field_aad(b'a', id, &[]))
    }

    pub(crate) fn decrypt_details(self, id: SessionId, bytes: &[u8]) -> Option<SessionDetails> {
        let plain = self.decrypt(bytes, &field_aad(b'a', id, &[]))?;
        let mut rest = &*plain;
        let owner = pack::take_string(&mut rest)?;
        let title = pack::take_string(&mut rest)?;
        let (parent, rest) = rest.split_first_chunk::<16>()?;
        let (turns, metadata) = rest.split_first_chunk::<8>()?;
        let parent = (SessionId(*parent), u64::from_le_bytes(*turns));
        let parent = (parent.0.0 != [0; 16]).then_some(parent);
        Some(SessionDetails { owner, title, metadata: Bytes::copy_from_slice(metadata), parent })
    }

    pub(crate) fn encrypt_model(self, id: SessionId, model: &str) -> Result<Vec<u8>, StoreError> {
        self.encrypt(model.as_bytes().to_vec(), &field_aad(b'm', id, &[]))
    }

    pub(crate) fn decrypt_model(self, id: SessionId, bytes: &[u8]) -> Option<String> {
        String::from_utf8(self.decrypt(bytes, &field_aad(b'm', id, &[]))?).ok()
    }

    pub(crate) fn encrypt_turn(
        self,
        id: SessionId,
        number: u64,
        written_at: i64,
        turn: &StoredTurn,
    ) -> Result<Vec<u8>, StoreError> {
        self.encrypt(turn.body.to_vec(), &turn_aad(id, number, written_at, turn.state))
    }

    /// Decrypts a turn; `None` if any of its columns is damaged.
    pub(crate) fn decrypt_turn(
        self,
        id: SessionId,
        number: u64,
        written_at: i64,
        state: i64,
        bytes: &[u8],
    ) -> Option<NumberedTurn> {
        let state = TurnState::from_db_code(state)?;
        let body = Bytes::from(self.decrypt(bytes, &turn_aad(id, number, written_at, state))?);
        Some(NumberedTurn { number, written_at, turn: StoredTurn { state, body } })
    }

    pub(crate) fn encrypt(self, mut plain: Vec<u8>, aad: &[u8]) -> Result<Vec<u8>, StoreError> {
        if let Some(secret) = self.0 {
            let encrypted = secret.encrypt(plain, aad);
            return encrypted.map_err(|_| StoreError("encryption failed".into()));
        }
        let sum = checksum(&[aad, &plain]);
        plain.extend_from_slice(&sum);
        Ok(plain)
    }

    pub(crate) fn decrypt(self, bytes: &[u8], aad: &[u8]) -> Option<Vec<u8>> {
        if let Some(secret) = self.0 {
            return secret.decrypt(bytes, aad).ok();
        }
        let (plain, sum) = bytes.split_last_chunk::<8>()?;
        (checksum(&[aad, plain]) == *sum).then(|| plain.to_vec())
    }
}

/// Associated data that binds bytes to a field and a session: moved elsewhere they do not decrypt.
fn field_aad(field: u8, id: SessionId, suffix: &[u8]) -> Vec<u8> {
    let mut aad = vec![field];
    aad.extend_from_slice(&id.0);
    aad.extend_from_slice(suffix);
    aad
}

fn turn_aad(id: SessionId, number: u64, written_at: i64, state: TurnState) -> Vec<u8> {
    let mut suffix = [state.db_code(); 17];
    suffix[..8].copy_from_slice(&number.to_le_bytes());
    suffix[8..16].copy_from_slice(&written_at.to_le_bytes());
    field_aad(b't', id, &suffix)
}
