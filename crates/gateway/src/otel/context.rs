//! The trace that a client is in, as W3C Trace Context writes it.

use http::HeaderMap;

/// The span of the client that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
    /// Whether anybody records the trace.
    pub(super) sampled: bool,
}

impl Parent {
    /// What the headers say, if it is valid; anything else starts a trace of its own.
    pub(super) fn read(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all("traceparent").iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        let mut parts = value.to_str().ok()?.trim().split('-');
        let [version] = hex(parts.next()?)?;
        let (trace, span) = (hex(parts.next()?)?, hex(parts.next()?)?);
        let [flags] = hex::<1>(parts.next()?)?;
        let known = version != 0xff && (version != 0 || parts.next().is_none());
        let named = trace != [0; 16] && span != [0; 8];
        (known && named).then_some(Self { trace, span, sampled: flags & 1 == 1 })
    }
}

fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
