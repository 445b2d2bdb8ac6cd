//! Compressed request bodies.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use interlingua::find_dialect;

use crate::client::{CLIENTS, Client, HttpResponse, post};
use crate::harness::Harness;

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn zstd(data: &[u8]) -> Vec<u8> {
    zstd::encode_all(data, 3).unwrap()
}

fn request(client: &Client, prompt: &str) -> Vec<u8> {
    (client.first_request)(MODEL, false, prompt).to_string().into_bytes()
}

fn send(harness: &Harness, client: &Client, coding: &str, body: &[u8]) -> HttpResponse {
    let headers = format!("content-encoding: {coding}\r\n");
    post(harness.addr(), &(client.path)(MODEL, false), &headers, body)
}

#[test]
fn the_provider_gets_the_same_request() {
    let harness = Harness::new();
    for client in CLIENTS {
        let body = request(client, &"many words ".repeat(40_000));
        let sent = |coding: &str, body: &[u8]| {
            let response = send(&harness, client, coding, body);
            assert_eq!(response.status, 200, "{} {coding} {}", client.dialect, response.text());
            harness.provider_requests().last().unwrap()["request"].clone()
        };
        let plain = sent("identity", &body);
        assert_eq!(sent("gzip", &gzip(&body)), plain, "{}", client.dialect);
        assert_eq!(sent("zstd", &zstd(&body)), plain, "{}", client.dialect);
        assert_eq!(sent("gzip, zstd", &zstd(&gzip(&body))), plain, "{}", client.dialect);
    }
}

#[test]
fn a_body_that_cannot_be_decoded_is_an_error_of_the_dialect() {
    let harness = Harness::with_config(|config| config.limits.body = 1 << 20);
    for client in CLIENTS {
        let body = zstd(&request(client, &"many words ".repeat(1000)));
        let bomb = zstd(&vec![b' '; 10_000 * 1000]);
        assert!(bomb.len() < 1000 + 1000, "{} bytes", bomb.len());
        for (coding, body, status, expected) in [
            ("zstd", &body[..body.len() - 1], 400, "content coding"),
            ("gzip", &body[..], 400, "content coding"),
            ("zstd", &bomb[..], 413, "larger than the limit of 1048576 bytes"),
            ("compress", &body[..], 415, "gzip, deflate, br, zstd"),
        ] {
            let response = send(&harness, client, coding, body);
            let (name, text) = (client.dialect, response.text());
            let error = find_dialect(name).unwrap().decode_error(response.status, &response.body);
            assert!(error.original.is_some(), "not of {name}: {text}");
            assert_eq!((response.status, text.contains(expected)), (status, true), "{name} {text}");
            let tells_codings =
                response.headers.contains("accept-encoding: gzip, deflate, br, zstd");
            assert_eq!(tells_codings, status == 415, "{name}: {}", response.headers);
        }
    }
    assert!(harness.provider_requests().is_empty());
}

const MODEL: &str = "anthropic/claude-sonnet-4-5";
