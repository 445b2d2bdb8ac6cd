//! Secrets of known forms, blacked out of what is kept for looking at.

/// How secrets begin, and how many characters follow at least.
const FORMS: &[(&[u8], usize)] = &[
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
    // A token of three parts, such as those of services and accounts.
    (b"eyJ", 40),
];
const KEY_BEGINS: &[u8] = b"-----BEGIN ";
const KEY_ENDS: &[u8] = b"-----END ";
const BLACK: &[u8] = b"[blacked out]";

/// The text with every secret of a known form after its first letters replaced.
pub(super) fn black_out(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        // Most bytes begin nothing.
        let plain = text[at..].iter().take_while(|byte| !BEGINS[usize::from(**byte)]).count();
        out.extend_from_slice(&text[at..at + plain]);
        at += plain;
        if at == text.len() {
            break;
        }
        let Some((shown, whole)) = secret(text, at) else {
            out.push(text[at]);
            at += 1;
            continue;
        };
        out.extend_from_slice(&text[at..at + shown]);
        out.extend_from_slice(BLACK);
        at += whole;
    }
    out
}

/// The secret that begins here: how much of it may be seen, and how long it is.
fn secret(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = &text[at..];
    if rest.starts_with(KEY_BEGINS) {
        let find = |text: &[u8], what: &[u8]| text.windows(what.len()).position(|one| one == what);
        find(&rest[..rest.len().min(LONGEST_HEAD)], PRIVATE)?;
        return Some((KEY_BEGINS.len(), find(rest, KEY_ENDS).unwrap_or(rest.len())));
    }
    let stands_alone = at.checked_sub(1).is_none_or(|before| {
        // Behind the backslash of an escape, its letter is no part of the word.
        !is_of_word(text[before]) || before.checked_sub(1).is_some_and(|slash| text[slash] == b'\\')
    });
    if !stands_alone {
        return None;
    }
    let (begin, least) = FORMS.iter().find(|(begin, _)| rest.starts_with(begin))?;
    let length = rest.iter().take_while(|byte| is_of_word(**byte) || **byte == b'.').count();
    (length >= begin.len() + least).then_some((begin.len(), length))
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// The bytes with which a secret may begin.
const BEGINS: [bool; 256] = {
    let mut begins = [false; 256];
    begins[KEY_BEGINS[0] as usize] = true;
    let mut at = 0;
    while at < FORMS.len() {
        begins[FORMS[at].0[0] as usize] = true;
        at += 1;
    }
    begins
};
const PRIVATE: &[u8] = b"PRIVATE KEY";
const LONGEST_HEAD: usize = 64;
