//! Streamed JSON arrays: elements compared with `serde_json`, with chunk boundaries at every byte.

mod framing;
mod rng;

use framing::{LIMIT, read_frames};
use interlingua_wire::frame::{Frame, FrameReader, FrameWriter, Framing};
use serde_json::value::RawValue;

const ARRAYS: &[&str] = &[
    "[]",
    " [ ] ",
    "[{}]",
    "[{\"a\":1},\n{\"b\":[2,{\"c\":\"]}\"}]}]",
    "[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hällo 🦀\"}]}}]}\n,\r\n{\"x\":\"\\\"\\\\\"}\n]\n",
    "[1,-2.5e3 ,true,null,\"a,]\\\"[\",[],[[1],2],{}]",
    "[\"\",\"\\\\\"]",
    "\r\n\t[\t0\r]\r\n",
    "[{\"a\":\"\\u005d\\\\\\\"}\"}]",
];

fn data(frames: &[Frame]) -> Vec<&str> {
    frames.iter().filter_map(|frame| frame.data.as_deref()).collect()
}

#[test]
fn elements_are_what_serde_json_finds() {
    for array in ARRAYS {
        let frames = framing::read_all(Framing::JsonArray, array.as_bytes());
        let expected: Vec<&RawValue> = serde_json::from_str(array).unwrap();
        let expected: Vec<&str> = expected.iter().map(|value| value.get()).collect();
        assert_eq!(data(&frames), expected, "{array:?}");
        assert!(frames.iter().all(|frame| frame.event.is_none()));
    }
}

#[test]
fn frames_do_not_depend_on_chunks_and_their_bytes_are_the_stream() {
    for array in ARRAYS {
        framing::assert_chunking_invariant(Framing::JsonArray, array.as_bytes());
    }
}

#[test]
fn an_object_that_stands_alone_is_one_frame() {
    let body = "\n{\n  \"error\": {\"code\": 400, \"message\": \"no [key]\"}\n}\n";
    let frames = framing::read_all(Framing::JsonArray, body.as_bytes());
    assert_eq!(data(&frames), [body.trim()]);
    framing::assert_chunking_invariant(Framing::JsonArray, body.as_bytes());
}

#[test]
fn an_element_is_returned_as_soon_as_it_ends() {
    let mut framer = FrameReader::new(Framing::JsonArray, LIMIT);
    framer.push(&bytes::Bytes::from_static(b"[{\"a\":1}"));
    assert_eq!(framer.next().unwrap().unwrap().data.as_deref(), Some("{\"a\":1}"));
}

#[test]
fn invalid_arrays_are_rejected_with_their_offset() {
    for (stream, frames, at) in [
        (&b""[..], 0, 0),
        (b"  ", 0, 2),
        (b"<html>", 0, 0),
        (b" data: x", 0, 1),
        (b"12", 0, 0),
        (b"[", 0, 1),
        (b"[{}", 1, 3),
        (b"[{},", 1, 4),
        (b"[{\"a\":", 0, 6),
        (b"[,{}]", 0, 1),
        (b"[{},,{}]", 1, 4),
        (b"[{},]", 1, 4),
        (b"[{} {}]", 1, 4),
        (b"[{}}", 1, 3),
        (b"[{}] x", 2, 5),
        (b"[][", 1, 2),
        (b"{} {}", 1, 3),
        (b"{}]", 1, 2),
        (b"[\"a\xff\"]", 0, 3),
        (b"[1,\"\xe6\xbc\"]", 1, 4),
    ] {
        let (found, error) = read_frames(Framing::JsonArray, [stream], LIMIT);
        let text = String::from_utf8_lossy(stream);
        assert_eq!((found.len(), error.unwrap().offset), (frames, at), "{text:?}");
        framing::assert_chunking_invariant(Framing::JsonArray, stream);
    }
}

#[test]
fn random_streams_are_arrays_when_serde_json_accepts_them() {
    const PIECES: &[&str] =
        &["{}", "[", "]", ",", "\"", "\\", "1", " ", "{\"a\":[", "]}", "null", "é"];
    let mut rng = rng::Rng::new(3);
    let mut arrays = 0;
    for _ in 0..10_000 {
        let pieces = rng.below(8);
        let contents: String = (0..pieces).map(|_| rng.choose(PIECES)).collect();
        let stream = format!("[{contents}]");
        framing::assert_chunking_invariant(Framing::JsonArray, stream.as_bytes());
        if let Ok(expected) = serde_json::from_str::<Vec<&RawValue>>(&stream) {
            let frames = framing::read_all(Framing::JsonArray, stream.as_bytes());
            let expected: Vec<&str> = expected.iter().map(|value| value.get()).collect();
            assert_eq!(data(&frames), expected, "{stream}");
            arrays += 1;
        }
    }
    assert!(arrays > 500, "{arrays}");
}

#[test]
fn size_and_depth_are_limited() {
    let array = b"[{\"a\":1},{\"a\":12345}]";
    for size in [1, 3, array.len()] {
        assert_eq!(read_frames(Framing::JsonArray, array.chunks(size), 12).1, None);
        let (frames, error) = read_frames(Framing::JsonArray, array.chunks(size), 11);
        assert_eq!((frames.len(), error.unwrap().offset), (1, 8 + 11));
    }
    let nested = |depth: usize| format!("[{}{}]", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(read_frames(Framing::JsonArray, [nested(512).as_bytes()], LIMIT).1, None);
    let (_, error) = read_frames(Framing::JsonArray, [nested(513).as_bytes()], LIMIT);
    assert_eq!(error.unwrap().offset, 513);
}

#[test]
fn written_elements_are_an_array() {
    for elements in [&[][..], &["{\"a\":1}"], &["{\"a\":1}", "{}", "[2]"]] {
        let mut out = Vec::new();
        let mut writer = FrameWriter::new(Framing::JsonArray);
        for element in elements {
            writer.write(None, element, &mut out);
        }
        writer.finish(&mut out);
        let frames = framing::read_all(Framing::JsonArray, &out);
        assert_eq!(data(&frames), elements);
        let values: Vec<serde_json::Value> = serde_json::from_slice(&out).unwrap();
        assert_eq!(values.len(), elements.len());
    }
}
