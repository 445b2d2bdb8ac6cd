//! Base64, as providers read it.

/// The bytes of the first so many characters, or of all. Padding must be right, and nothing else may
/// stand there.
pub(crate) fn decode(data: &str, most: usize) -> Option<Vec<u8>> {
    let data = data.as_bytes();
    let data = if data.len() > most { &data[..most / 4 * 4] } else { data };
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
            // What is left over says nothing, and must say so.
            3 if three == 0 => bytes.extend([one, two]),
            2 if two == 0 && three == 0 => bytes.push(one),
            _ => return None,
        }
    }
    Some(bytes)
}

/// Whether it could be decoded, with its padding or without; in the other alphabet, too, if `either`.
pub(crate) fn is_valid(data: &str, either: bool) -> bool {
    let data = data.as_bytes();
    let padding = data.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    let digits = &data[..data.len() - padding];
    let left = digits.len() % 4;
    let padded = padding == 0 || (padding + left).is_multiple_of(4) && left != 0;
    let safe = either && digits.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let plain = |byte: u8| match byte {
        b'-' if safe => Some(62),
        b'_' if safe => Some(63),
        b'+' | b'/' if safe => None,
        byte => value(byte),
    };
    let last = digits.last().and_then(|byte| plain(*byte)).unwrap_or(0);
    let rest = match left {
        2 => last & 0x0f,
        3 => last & 0x03,
        _ => 0,
    };
    left != 1 && padded && rest == 0 && digits.iter().all(|byte| plain(*byte).is_some())
}

/// Base64 without white space, in the usual alphabet, with its padding.
pub(crate) fn tidy(data: &str) -> String {
    let mut tidy: String = data
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '=')
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            c => c,
        })
        .collect();
    while !tidy.len().is_multiple_of(4) {
        tidy.push('=');
    }
    tidy
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
