//! Parses the W3C `traceparent` header.

use http::HeaderMap;

/// The client's trace and span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TraceParent {
    pub(super) trace_id: [u8; 16],
    pub(super) span_id: [u8; 8],
    pub(super) sampled: bool,
}

impl TraceParent {
    /// `None` if the header is missing or invalid: then a new trace starts.
    pub(super) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all("traceparent").iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        let mut parts = value.to_str().ok()?.trim().split('-');
        let [version] = parse_hex(parts.next()?)?;
        let (trace, span) = (parse_hex(parts.next()?)?, parse_hex(parts.next()?)?);
        let [flags] = parse_hex::<1>(parts.next()?)?;
        let is_known_version = version != 0xff && (version != 0 || parts.next().is_none());
        let has_ids = trace != [0; 16] && span != [0; 8];
        (is_known_version && has_ids).then_some(Self {
            trace_id: trace,
            span_id: span,
            sampled: flags & 1 == 1,
        })
    }
}

fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
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
