//! Decodes, encodes and validates base64 as strictly as providers do.

/// Decodes at most the first `most` characters. Requires padding and the standard alphabet without
/// white space.
pub(crate) fn decode(data: &str, max_chars: usize) -> Option<Vec<u8>> {
    let data = data.as_bytes();
    let data = if data.len() > max_chars { &data[..max_chars / 4 * 4] } else { data };
    if !data.len().is_multiple_of(4) {
        return None;
    }
    let padding = data.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    let digits = &data[..data.len() - padding];
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 3);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for byte in group {
            bits = bits << 6 | u32::from(value(*byte)?);
        }
        let [_, one, two, three] = (bits << (6 * (4 - group.len()))).to_be_bytes();
        match group.len() {
            4 => bytes.extend([one, two, three]),
            // Unused bits must be zero.
            3 if three == 0 => bytes.extend([one, two]),
            2 if two == 0 && three == 0 => bytes.push(one),
            _ => return None,
        }
    }
    Some(bytes)
}

/// Whether the text is valid base64, with padding or without; with `either`, also in the URL-safe
/// alphabet.
pub(crate) fn is_valid(data: &str, any_alphabet: bool) -> bool {
    let data = data.as_bytes();
    let padding = data.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    let digits = &data[..data.len() - padding];
    let remainder = digits.len() % 4;
    let has_valid_padding =
        padding == 0 || (padding + remainder).is_multiple_of(4) && remainder != 0;
    let url_safe = any_alphabet && digits.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let digit_value = |byte: u8| match byte {
        b'-' if url_safe => Some(62),
        b'_' if url_safe => Some(63),
        b'+' | b'/' if url_safe => None,
        byte => value(byte),
    };
    let last = digits.last().and_then(|byte| digit_value(*byte)).unwrap_or(0);
    let unused_bits = match remainder {
        2 => last & 0x0f,
        3 => last & 0x03,
        _ => 0,
    };
    remainder != 1
        && has_valid_padding
        && unused_bits == 0
        && digits.iter().all(|byte| digit_value(*byte).is_some())
}

/// Converts base64 to the standard alphabet with padding, without white space.
pub(crate) fn normalize(data: &str) -> String {
    let mut normalized: String = data
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '=')
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            c => c,
        })
        .collect();
    while !normalized.len().is_multiple_of(4) {
        normalized.push('=');
    }
    normalized
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut bits = [0; 4];
        bits[1..=group.len()].copy_from_slice(group);
        let bits = u32::from_be_bytes(bits);
        for at in 0..4 {
            let digit = (bits >> (18 - 6 * at) & 0x3f) as usize;
            out.push(if at > group.len() { '=' } else { char::from(DIGITS[digit]) });
        }
    }
    out
}

fn value(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
