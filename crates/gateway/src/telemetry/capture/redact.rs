//! Redacts secrets of known forms in captured bodies.

/// Prefixes of secrets, with the minimum number of characters that follow.
const SECRET_PREFIXES: &[(&[u8], usize)] = &[
    (b"sk-", 16),
    (b"gsk_", 20),
    (b"xai-", 20),
    (b"hf_", 20),
    (b"AIza", 30),
    (b"ya29.", 20),
    (b"AKIA", 16),
    (b"ASIA", 16),
    (b"ghp_", 20),
    (b"gho_", 20),
    (b"ghs_", 20),
    (b"github_pat_", 20),
    (b"glpat-", 16),
    (b"xoxb-", 16),
    (b"xoxp-", 16),
    // A JWT.
    (b"eyJ", 40),
];
const PEM_BEGIN: &[u8] = b"-----BEGIN ";
const PEM_END: &[u8] = b"-----END ";
const REDACTED: &[u8] = b"[blacked out]";

/// Replaces every secret of a known form; its prefix stays visible.
pub(super) fn redact_secrets(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let skipped =
            text[at..].iter().take_while(|byte| !FIRST_BYTES[usize::from(**byte)]).count();
        out.extend_from_slice(&text[at..at + skipped]);
        at += skipped;
        if at == text.len() {
            break;
        }
        let Some((visible, length)) = secret_at(text, at) else {
            out.push(text[at]);
            at += 1;
            continue;
        };
        out.extend_from_slice(&text[at..at + visible]);
        out.extend_from_slice(REDACTED);
        at += length;
    }
    out
}

/// The lengths of the visible prefix and of the whole secret that starts at `at`.
fn secret_at(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = &text[at..];
    if rest.starts_with(PEM_BEGIN) {
        let find = |text: &[u8], pattern: &[u8]| {
            text.windows(pattern.len()).position(|window| window == pattern)
        };
        find(&rest[..rest.len().min(MAX_PEM_HEADER_BYTES)], PRIVATE_KEY)?;
        return Some((PEM_BEGIN.len(), find(rest, PEM_END).unwrap_or(rest.len())));
    }
    let is_word_start = at.checked_sub(1).is_none_or(|before| {
        // In a JSON escape such as \n, the letter before the secret is not part of its word.
        !is_word_byte(text[before])
            || before.checked_sub(1).is_some_and(|escape| text[escape] == b'\\')
    });
    if !is_word_start {
        return None;
    }
    let (prefix, min_chars) =
        SECRET_PREFIXES.iter().find(|(prefix, _)| rest.starts_with(prefix))?;
    let length = rest.iter().take_while(|byte| is_word_byte(**byte) || **byte == b'.').count();
    (length >= prefix.len() + min_chars).then_some((prefix.len(), length))
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Lookup table of the bytes that can start a secret, so that most bytes are skipped with one load.
const FIRST_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    table[PEM_BEGIN[0] as usize] = true;
    let mut at = 0;
    while at < SECRET_PREFIXES.len() {
        table[SECRET_PREFIXES[at].0[0] as usize] = true;
        at += 1;
    }
    table
};
const PRIVATE_KEY: &[u8] = b"PRIVATE KEY";
const MAX_PEM_HEADER_BYTES: usize = 64;
