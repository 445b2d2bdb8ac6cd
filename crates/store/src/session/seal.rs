//! Conversations as the bytes of a database: whole, or known to be damaged; under a key if there is one.

use bytes::Bytes;

use super::{SessionId, State, Turn, Written};
use crate::health::Trouble;
use crate::pack;
use crate::secret::{Secret, checksum};

/// What the bytes of a conversation lie under: a key, or nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lock<'s>(pub(crate) Option<&'s Secret>);

/// What a conversation is about.
#[derive(Clone, Default)]
pub(crate) struct About {
    pub(crate) owner: String,
    pub(crate) title: String,
    pub(crate) metadata: Bytes,
    pub(crate) parent: Option<(SessionId, u64)>,
}

impl<'s> Lock<'s> {
    /// What a conversation may lie under: the key, or nothing if it is older than the key.
    pub(crate) fn all(secret: Option<&'s Secret>) -> impl Iterator<Item = Self> {
        [Some(Self(secret)), secret.is_some().then_some(Self(None))].into_iter().flatten()
    }

    /// The lock of this name, if it is one of ours.
    pub(crate) fn named(name: &[u8], secret: Option<&'s Secret>) -> Option<Self> {
        Self::all(secret).find(|lock| lock.name() == name)
    }

    /// How a database knows it.
    pub(crate) fn name(self) -> &'s [u8] {
        self.0.map_or(&[], |secret| &secret.id)
    }

    /// How a database knows an owner.
    pub(crate) fn owner(self, owner: &str) -> [u8; 16] {
        pack::owner_address(self.0, owner)
    }

    pub(crate) fn close_about(self, id: SessionId, about: &About) -> Result<Vec<u8>, Trouble> {
        let mut plain = Vec::new();
        pack::write(&mut plain, about.owner.as_bytes());
        pack::write(&mut plain, about.title.as_bytes());
        let (parent, turns) = about.parent.unwrap_or((SessionId([0; 16]), 0));
        plain.extend_from_slice(&parent.0);
        plain.extend_from_slice(&turns.to_le_bytes());
        plain.extend_from_slice(&about.metadata);
        self.close(plain, &place(b'a', id, &[]))
    }

    pub(crate) fn open_about(self, id: SessionId, bytes: &[u8]) -> Option<About> {
        let plain = self.open(bytes, &place(b'a', id, &[]))?;
        let mut rest = &*plain;
        let owner = pack::read(&mut rest)?;
        let title = pack::read(&mut rest)?;
        let (parent, rest) = rest.split_first_chunk::<16>()?;
        let (turns, metadata) = rest.split_first_chunk::<8>()?;
        let parent = (SessionId(*parent), u64::from_le_bytes(*turns));
        let parent = (parent.0.0 != [0; 16]).then_some(parent);
        Some(About { owner, title, metadata: Bytes::copy_from_slice(metadata), parent })
    }

    pub(crate) fn close_model(self, id: SessionId, model: &str) -> Result<Vec<u8>, Trouble> {
        self.close(model.as_bytes().to_vec(), &place(b'm', id, &[]))
    }

    pub(crate) fn open_model(self, id: SessionId, bytes: &[u8]) -> Option<String> {
        String::from_utf8(self.open(bytes, &place(b'm', id, &[]))?).ok()
    }

    pub(crate) fn close_turn(
        self,
        id: SessionId,
        number: u64,
        at: i64,
        turn: &Turn,
    ) -> Result<Vec<u8>, Trouble> {
        self.close(turn.body.to_vec(), &turn_place(id, number, at, turn.state))
    }

    /// The turn, if everything about it is what was written.
    pub(crate) fn open_turn(
        self,
        id: SessionId,
        number: u64,
        at: i64,
        state: i64,
        bytes: &[u8],
    ) -> Option<Written> {
        let state = State::of(state)?;
        let body = Bytes::from(self.open(bytes, &turn_place(id, number, at, state))?);
        Some(Written { number, at, turn: Turn { state, body } })
    }

    pub(crate) fn close(self, mut plain: Vec<u8>, place: &[u8]) -> Result<Vec<u8>, Trouble> {
        if let Some(secret) = self.0 {
            let sealed = secret.seal(plain, place);
            return sealed.map_err(|_| Trouble("it cannot be sealed".into()));
        }
        let sum = checksum(&[place, &plain]);
        plain.extend_from_slice(&sum);
        Ok(plain)
    }

    pub(crate) fn open(self, bytes: &[u8], place: &[u8]) -> Option<Vec<u8>> {
        if let Some(secret) = self.0 {
            return secret.open(bytes, place).ok();
        }
        let (plain, sum) = bytes.split_last_chunk::<8>()?;
        (checksum(&[place, plain]) == *sum).then(|| plain.to_vec())
    }
}

/// Where bytes belong: elsewhere they cannot be opened.
fn place(what: u8, id: SessionId, more: &[u8]) -> Vec<u8> {
    let mut place = vec![what];
    place.extend_from_slice(&id.0);
    place.extend_from_slice(more);
    place
}

fn turn_place(id: SessionId, number: u64, at: i64, state: State) -> Vec<u8> {
    let mut more = [state.number(); 17];
    more[..8].copy_from_slice(&number.to_le_bytes());
    more[8..16].copy_from_slice(&at.to_le_bytes());
    place(b't', id, &more)
}
