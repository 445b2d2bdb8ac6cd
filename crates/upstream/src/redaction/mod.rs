//! Overwrites a provider's own secrets in everything that the provider sends.
//!
//! A secret is overwritten by text of the same length, so that lengths in heads and frames stay
//! right. Every JSON escape of its characters is recognized, also in a JSON text inside a JSON
//! string. Bytes without a secret are neither changed nor copied.

mod body;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::HeaderValue;
use memchr::memchr2_iter;
use memchr::memmem::Finder;

pub(crate) use self::body::BodyRedactor;

/// Finds the secrets of one provider.
pub(crate) struct Redactor {
    /// The longest first: one may contain another.
    secrets: Vec<SecretPattern>,
    /// The most bytes that a secret can have with all of its characters escaped.
    max_bytes: usize,
}

/// A secret without its backslashes, which are skipped in the text, too.
struct SecretPattern {
    bytes: Vec<u8>,
    /// A part that no JSON encoder escapes, and where it begins in `bytes`.
    core: Finder<'static>,
    core_offset: usize,
}

/// The redactor of a provider, built when it is first needed.
#[derive(Default)]
pub(crate) struct CachedRedactor(OnceLock<Option<Arc<Redactor>>>);

/// How a text compares with a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SecretMatch {
    /// The secret has this many bytes here.
    Full(usize),
    /// The text ends within what may be the secret.
    Cut,
    None,
}

impl CachedRedactor {
    pub(crate) fn get_or_build(
        &self,
        build: impl FnOnce() -> Option<Redactor>,
    ) -> Option<Arc<Redactor>> {
        self.0.get_or_init(|| build().map(Arc::new)).clone()
    }
}

/// The clone of a provider may be changed, so it starts without a redactor.
impl Clone for CachedRedactor {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Redactor {
    /// `None` if there is no secret that is long enough.
    pub(crate) fn new<'s>(secrets: impl Iterator<Item = &'s [u8]>) -> Option<Self> {
        let long =
            secrets.map(<[u8]>::trim_ascii).filter(|secret| secret.len() >= MIN_SECRET_BYTES);
        let mut secrets: Vec<SecretPattern> = long.filter_map(SecretPattern::new).collect();
        secrets.sort_by(|one, other| {
            (other.bytes.len(), &other.bytes).cmp(&(one.bytes.len(), &one.bytes))
        });
        secrets.dedup_by(|one, other| one.bytes == other.bytes);
        let max_bytes = secrets.first()?.bytes.len() * MAX_ESCAPED_BYTES;
        Some(Self { secrets, max_bytes })
    }

    /// Overwrites the secrets in the text, which is copied only if there is one.
    pub(crate) fn redact(&self, text: Bytes) -> Bytes {
        if !self.contains_secret(&text) {
            return text;
        }
        let mut text = BytesMut::from(text);
        self.redact_in_place(&mut text);
        text.freeze()
    }

    pub(crate) fn contains_secret(&self, text: &[u8]) -> bool {
        self.secrets.iter().any(|secret| secret.find(text).is_some())
    }

    fn redact_in_place(&self, text: &mut [u8]) {
        for secret in &self.secrets {
            let mut at = 0;
            while let Some(found) = secret.find(&text[at..]) {
                overwrite(&mut text[at..][found.clone()]);
                at += found.end;
            }
        }
    }

    /// How many bytes at the end of the text may be the beginning of a secret.
    fn cut_secret_len(&self, text: &[u8]) -> usize {
        // No secret has a line break, so the end of an event is never held back.
        if text.ends_with(b"\n") {
            return 0;
        }
        let from = text.len().saturating_sub(self.max_bytes);
        let cut_len = |secret: &SecretPattern| {
            let mut starts = memchr2_iter(secret.bytes[0], b'\\', &text[from..]);
            let start = starts.find(|at| secret.match_at(text, from + at) == SecretMatch::Cut);
            start.map_or(0, |at| text.len() - from - at)
        };
        self.secrets.iter().map(cut_len).max().unwrap_or_default()
    }

    /// Overwrites the secrets in the values of the headers; `None` if there are none.
    pub(crate) fn redact_headers(&self, headers: &HeaderMap) -> Option<HeaderMap> {
        if !headers.values().any(|value| self.contains_secret(value.as_bytes())) {
            return None;
        }
        let mut redacted = headers.clone();
        for value in redacted.values_mut() {
            let text = self.redact(Bytes::copy_from_slice(value.as_bytes()));
            *value = HeaderValue::from_maybe_shared(text)
                .unwrap_or_else(|_| HeaderValue::from_static(REDACTED));
        }
        Some(redacted)
    }
}

impl SecretPattern {
    /// `None` for a text of backslashes.
    fn new(secret: &[u8]) -> Option<Self> {
        let bytes: Vec<u8> = secret.iter().copied().filter(|byte| *byte != b'\\').collect();
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        let runs = bytes.chunk_by(|byte, next| is_plain(byte) == is_plain(next));
        let (mut core, mut core_offset, mut offset) = (&bytes[..0], 0, 0);
        for run in runs {
            if run.len() > core.len() && run.first().is_some_and(is_plain) {
                (core, core_offset) = (run, offset);
            }
            offset += run.len();
        }
        // A secret of punctuation is only found as it is.
        let core = if core.is_empty() { &bytes[..] } else { core };
        // Its end: keys of one vendor begin alike, and short texts are found faster.
        let skipped = core.len().saturating_sub(MAX_CORE_BYTES);
        core_offset += skipped;
        let core = Finder::new(&core[skipped..]).into_owned();
        (!bytes.is_empty()).then_some(Self { bytes, core, core_offset })
    }

    /// Finds the first occurrence, with the escapes of its characters.
    fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        let mut searched = 0;
        loop {
            let core = searched + self.core.find(&text[searched..])?;
            let most_before = self.core_offset * MAX_ESCAPED_BYTES + MAX_BACKSLASHES;
            let first = core.saturating_sub(most_before);
            for start in first..=core.checked_sub(self.core_offset).unwrap_or(first) {
                if let SecretMatch::Full(length) = self.match_at(text, start) {
                    return Some(start..start + length);
                }
            }
            searched = core + 1;
        }
    }

    /// Compares the text from `start` on with the secret.
    fn match_at(&self, text: &[u8], start: usize) -> SecretMatch {
        let (before, text) = text.split_at(start);
        // A character whose backslash is left over would be another one.
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 1 {
            return SecretMatch::None;
        }
        let mut at = 0;
        for byte in &self.bytes {
            match match_char(&text[at..], *byte) {
                SecretMatch::Full(length) => at += length,
                other => return other,
            }
        }
        SecretMatch::Full(at)
    }
}

/// Compares the beginning of the text with one character: `/`, `\/`, `\u002f` or, in a JSON text
/// inside a JSON string, `\\/` and `\\u002F`.
fn match_char(text: &[u8], byte: u8) -> SecretMatch {
    let backslashes = text.iter().take_while(|byte| **byte == b'\\').count();
    if backslashes > MAX_BACKSLASHES {
        return SecretMatch::None;
    }
    match &text[backslashes..] {
        [] => SecretMatch::Cut,
        [first, ..] if *first == byte => SecretMatch::Full(backslashes + 1),
        [b't', ..] if backslashes > 0 && byte == b'\t' => SecretMatch::Full(backslashes + 1),
        [b'u', digits @ ..] if backslashes > 0 => {
            let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
            let expected = [b'0', b'0', digit(byte >> 4), digit(byte & 15)];
            let is_same = |(digit, expected): (&u8, &u8)| digit.eq_ignore_ascii_case(expected);
            if !digits.iter().zip(&expected).all(is_same) {
                SecretMatch::None
            } else if digits.len() < expected.len() {
                SecretMatch::Cut
            } else {
                SecretMatch::Full(backslashes + 1 + expected.len())
            }
        }
        _ => SecretMatch::None,
    }
}

/// Overwrites a secret with text that is valid inside a JSON string, too.
fn overwrite(secret: &mut [u8]) {
    secret.fill(b'*');
    let length = REDACTED.len().min(secret.len());
    secret[..length].copy_from_slice(&REDACTED.as_bytes()[..length]);
}

/// Shorter ones may be part of ordinary text, as the `ollama` that local servers take as a key.
const MIN_SECRET_BYTES: usize = 12;
/// What `memmem` compares without its two-way search.
const MAX_CORE_BYTES: usize = 16;
const REDACTED: &str = "[redacted]";
/// A character in a JSON text inside a JSON string: `\\\"`.
const MAX_BACKSLASHES: usize = 3;
/// Backslashes, `u` and four digits.
const MAX_ESCAPED_BYTES: usize = MAX_BACKSLASHES + 5;
