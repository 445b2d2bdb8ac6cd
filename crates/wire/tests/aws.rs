//! AWS event stream: a message that botocore reads, round trips, and damage at every byte.

mod framing;
mod rng;

use aws_smithy_eventstream::frame::{read_message_from, write_message_to};
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use bytes::Bytes;
use framing::{LIMIT, read_frames};
use interlingua_wire::frame::{self, FrameReader, FrameWriter, Framing};

const EVENT: &str = "contentBlockDelta";
const DATA: &str = "{\"contentBlockIndex\":0,\"delta\":{\"text\":\"Hi\"}}";
/// The same message as botocore reads it.
const MESSAGE: &str = "0000009400000057b4ab9aee0b3a6576656e742d74797065070011636f6e74656e74426c6f\
    636b44656c74610d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d65737361\
    67652d747970650700056576656e747b22636f6e74656e74426c6f636b496e646578223a302c2264656c7461223a7b\
    2274657874223a224869227d7d1f944657";

fn message() -> Vec<u8> {
    let digits: Vec<char> = MESSAGE.chars().collect();
    digits
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).ok())
        .collect()
}

fn reference_message(headers: &[(&'static str, &'static str)], payload: &'static [u8]) -> Vec<u8> {
    let mut message = Message::new(Bytes::from_static(payload));
    for (name, value) in headers {
        message = message.add_header(Header::new(*name, HeaderValue::String((*value).into())));
    }
    let mut out = Vec::new();
    assert!(write_message_to(&message, &mut out).is_ok());
    out
}

#[test]
fn the_botocore_message_is_read_and_written() {
    let frames = framing::read_all(Framing::AwsEventStream, &message());
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].event.as_deref(), Some(EVENT));
    assert_eq!(frames[0].data.as_deref(), Some(DATA));
    let mut out = Vec::new();
    frame::write(Framing::AwsEventStream, Some(EVENT), DATA, &mut out);
    assert_eq!(out, message());
}

#[test]
fn an_edited_message_has_a_right_checksum_unless_it_was_damaged() {
    let edit = |message: &mut [u8]| {
        frame::edit_aws_message(message, |text| {
            let at = text.windows(2).position(|two| two == b"Hi").unwrap_or_default();
            text[at..at + 2].copy_from_slice(b"Ho");
        });
    };
    let mut edited = message();
    assert_eq!(frame::aws_message_len(&edited), Some(edited.len()));
    assert_eq!(frame::aws_message_len(&edited[..3]), None);
    edit(&mut edited);
    let frames = framing::read_all(Framing::AwsEventStream, &edited);
    assert_eq!(frames[0].data.as_deref(), Some(&*DATA.replace("Hi", "Ho")));
    for at in 0..message().len() {
        let mut damaged = message();
        damaged[at] ^= 1;
        edit(&mut damaged);
        let mut frames = FrameReader::new(Framing::AwsEventStream, LIMIT);
        frames.push(&Bytes::from(damaged));
        assert!(!matches!(frames.next(), Ok(Some(_))), "{at}");
    }
    frame::edit_aws_message(&mut [0; 3], |text| text.fill(1));
}

#[test]
fn written_messages_are_read_back_in_any_chunks() {
    let events = [
        (None, "{}"),
        (Some("messageStart"), "{\"role\":\"assistant\"}"),
        (Some("exception:throttlingException"), "{\"message\":\"slow down\"}"),
        (Some("error:InternalError"), "{\"message\":\"grün 🦀\"}"),
        (Some("metadata"), "{\"p\":\"abcdefghijklmnopqrstuvwxyz\"}"),
    ];
    let mut stream = Vec::new();
    let mut writer = FrameWriter::new(Framing::AwsEventStream);
    for (event, data) in events {
        writer.write(event, data, &mut stream);
    }
    writer.finish(&mut stream);
    let frames = framing::read_all(Framing::AwsEventStream, &stream);
    let read: Vec<_> =
        frames.iter().map(|frame| (frame.event.as_deref(), frame.data.as_deref())).collect();
    assert_eq!(read, events.map(|(event, data)| (event, Some(data))));
    framing::assert_chunking_invariant(Framing::AwsEventStream, &stream);
}

#[test]
fn headers_give_the_frame_its_event_name() {
    for (headers, payload, event, data) in [
        (&[(":event-type", "ping")][..], &b""[..], Some("ping"), None),
        (
            &[(":message-type", "exception"), (":exception-type", "validationException")],
            b"{\"message\":\"no\"}",
            Some("exception:validationException"),
            Some("{\"message\":\"no\"}"),
        ),
        (
            &[
                (":message-type", "error"),
                (":error-code", "503"),
                (":error-message", "not \"now\""),
            ],
            b"",
            Some("error:503"),
            Some("{\"message\":\"not \\\"now\\\"\"}"),
        ),
        (&[(":message-type", "exception")], b"{}", Some("exception:"), Some("{}")),
        (&[], b"x", None, Some("x")),
    ] {
        let frames =
            framing::read_all(Framing::AwsEventStream, &reference_message(headers, payload));
        assert_eq!(frames.len(), 1);
        assert_eq!((frames[0].event.as_deref(), frames[0].data.as_deref()), (event, data));
    }
}

#[test]
fn damage_is_found_at_every_byte() {
    let sound = message();
    let mut stream = sound.clone();
    stream.extend_from_slice(&sound);
    for at in sound.len()..stream.len() {
        for bit in 0..8 {
            let mut damaged = stream.clone();
            damaged[at] ^= 1 << bit;
            let (frames, error) = read_frames(Framing::AwsEventStream, [&damaged[..]], LIMIT);
            assert_eq!(frames.len(), 1, "byte {at} bit {bit}");
            assert!(error.unwrap().offset >= sound.len() as u64);
        }
    }
}

#[test]
fn few_header_blocks_are_cached_and_all_messages_are_read() {
    let names: Vec<String> = (0..40).map(|n| format!("event{}", n % 20)).collect();
    let mut stream = Vec::new();
    for name in &names {
        frame::write(Framing::AwsEventStream, Some(name), &format!("\"{name}\""), &mut stream);
    }
    let frames = framing::read_all(Framing::AwsEventStream, &stream);
    let read: Vec<_> = frames.iter().filter_map(|frame| frame.event.as_deref()).collect();
    assert_eq!(read, names);
    assert!(
        frames
            .iter()
            .zip(&names)
            .all(|(frame, name)| { frame.data.as_deref() == Some(format!("\"{name}\"").as_str()) })
    );
}

#[test]
fn an_invalid_message_is_rejected_with_its_offset() {
    let twice = reference_message(&[(":event-type", "a"), (":event-type", "b")], b"{}");
    let mut many = Vec::new();
    for letter in 0..=u8::MAX {
        many.extend_from_slice(&[2, b'a' + letter / 16, b'a' + letter % 16, 0]);
    }
    many.extend_from_slice(&[1, b'z', 0]);
    let many = with_headers(&many);
    let not_text = reference_message(&[(":event-type", "a")], b"\xff");
    let cut_short = &message()[..100];
    for (stream, at) in [
        (&twice[..], 0),
        (&not_text, 0),
        (&many, 0),
        (cut_short, 100),
        (&[0, 0], 2),
        (&[0, 0, 0, 15, 0, 0, 0, 0], 3),
        (b"HTTP/1.1 500", 3),
    ] {
        let (frames, error) = read_frames(Framing::AwsEventStream, [stream], LIMIT);
        assert_eq!((frames.len(), error.unwrap().offset), (0, at));
        framing::assert_chunking_invariant(Framing::AwsEventStream, stream);
    }
}

/// With correct checksums, all headers are parsed, even random ones.
#[test]
fn random_messages_are_read_or_rejected() {
    let mut rng = rng::Rng::new(19);
    let mut read = 0;
    for _ in 0..50_000 {
        let mut bytes: Vec<u8> = (0..16 + rng.below(60)).map(|_| rng.below(256) as u8).collect();
        let length = bytes.len();
        bytes[..4].copy_from_slice(&u32::try_from(length).unwrap().to_be_bytes());
        bytes[4..8].copy_from_slice(&u32::try_from(rng.below(length)).unwrap().to_be_bytes());
        // A one-letter name and a known value type lead further into the headers.
        if length > 20 {
            bytes[12..15].copy_from_slice(&[1, b'a', rng.choose(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9])]);
        }
        let prelude = crc32(&bytes[..8]);
        bytes[8..12].copy_from_slice(&prelude.to_be_bytes());
        let checksum = crc32(&bytes[..length - 4]);
        bytes[length - 4..].copy_from_slice(&checksum.to_be_bytes());
        let (frames, error) = read_frames(Framing::AwsEventStream, [&bytes[..]], LIMIT);
        assert_eq!(frames.len() + usize::from(error.is_some()), 1);
        assert_eq!(frames.len(), usize::from(smithy_accepts(&bytes)), "{bytes:?}");
        read += frames.len();
    }
    assert!(read > 0);
}

/// What aws-smithy reads, if the payload is text and no header is duplicated.
fn smithy_accepts(bytes: &[u8]) -> bool {
    read_message_from(bytes).is_ok_and(|message| {
        let names: Vec<_> = message.headers().iter().map(Header::name).collect();
        let twice = (0..names.len()).any(|at| names[..at].contains(&names[at]));
        !twice && std::str::from_utf8(message.payload()).is_ok()
    })
}

#[test]
fn messages_are_written_as_by_aws_smithy() {
    for (event, headers) in [
        (None, [None, Some((":message-type", "event"))]),
        (Some("ping"), [Some((":event-type", "ping")), Some((":message-type", "event"))]),
        (
            Some("exception:throttlingException"),
            [
                Some((":exception-type", "throttlingException")),
                Some((":message-type", "exception")),
            ],
        ),
        (Some("error:503"), [Some((":error-code", "503")), Some((":message-type", "error"))]),
    ] {
        let [name, kind] = headers;
        let content = (":content-type", "application/json");
        let headers: Vec<_> = name.into_iter().chain([content]).chain(kind).collect();
        let mut out = b"before".to_vec();
        frame::write_json(Framing::AwsEventStream, event, &mut out, |data| data.str("grün 🦀"));
        assert_eq!(out[6..], reference_message(&headers, "\"grün 🦀\"".as_bytes()));
    }
}

fn with_headers(headers: &[u8]) -> Vec<u8> {
    let length = |bytes: usize| (bytes as u32).to_be_bytes();
    let mut out = [length(headers.len() + 16), length(headers.len())].concat();
    out.extend_from_slice(&crc32(&out).to_be_bytes());
    out.extend_from_slice(headers);
    out.extend_from_slice(&crc32(&out).to_be_bytes());
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    })
}

#[test]
fn a_message_above_the_limit_is_rejected_by_its_length_alone() {
    let sound = message();
    assert_eq!(read_frames(Framing::AwsEventStream, [&sound[..]], sound.len()).1, None);
    let mut framer = FrameReader::new(Framing::AwsEventStream, sound.len() - 1);
    framer.push(&Bytes::copy_from_slice(&sound[..3]));
    assert_eq!(framer.next(), Ok(None));
    framer.push(&Bytes::copy_from_slice(&sound[3..4]));
    assert_eq!(framer.next().unwrap_err().offset, 3);
}

#[test]
fn the_payload_shares_the_chunk() {
    let chunk = Bytes::from(message());
    let mut framer = FrameReader::new(Framing::AwsEventStream, LIMIT);
    framer.push(&chunk);
    let frame = framer.next().unwrap().unwrap();
    let memory = chunk.as_ptr_range();
    assert!(memory.contains(&frame.raw.as_ptr()) && memory.contains(&frame.data.unwrap().as_ptr()));
}
