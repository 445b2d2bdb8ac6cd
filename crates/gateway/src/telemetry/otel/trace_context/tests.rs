//! Tests of valid and invalid `traceparent` headers.

use http::HeaderMap;

use super::TraceParent;

fn parse(values: &[&str]) -> Option<TraceParent> {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append("traceparent", value.parse().unwrap());
    }
    TraceParent::from_headers(&headers)
}

#[test]
fn a_valid_header_is_the_parent() {
    let parent = parse(&["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]).unwrap();
    assert_eq!(parent.trace_id[..3], [0x0a, 0xf7, 0x65]);
    assert_eq!(parent.span_id, [0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31]);
    assert!(parent.sampled);
    let unrecorded = parse(&["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"]).unwrap();
    assert!(!unrecorded.sampled);
    assert!(parse(&["cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"]).is_some());
}

#[test]
fn invalid_headers_are_ignored() {
    for value in [
        "",
        "00",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01",
    ] {
        assert_eq!(parse(&[value]), None, "{value}");
    }
    let twice = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    assert_eq!(parse(&[twice, twice]), None);
    assert_eq!(parse(&[]), None);
}
