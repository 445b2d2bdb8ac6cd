//! A streamed JSON array: its elements against `serde_json`, cut everywhere.

mod cutting;
mod dice;

use cutting::{LIMIT, cut};
use interlingua_wire::frame::{Frame, FrameWriter, Framer, Framing};
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
        let frames = cutting::whole(Framing::JsonArray, array.as_bytes());
        let expected: Vec<&RawValue> = serde_json::from_str(array).unwrap();
        let expected: Vec<&str> = expected.iter().map(|value| value.get()).collect();
        assert_eq!(data(&frames), expected, "{array:?}");
        assert!(frames.iter().all(|frame| frame.event.is_none()));
    }
}

#[test]
fn frames_do_not_depend_on_the_cuts_and_raw_bytes_are_the_stream() {
    for array in ARRAYS {
        cutting::assert_lawful(Framing::JsonArray, array.as_bytes());
    }
}

#[test]
fn an_object_that_stands_alone_is_one_frame() {
    let body = "\n{\n  \"error\": {\"code\": 400, \"message\": \"no [key]\"}\n}\n";
    let frames = cutting::whole(Framing::JsonArray, body.as_bytes());
    assert_eq!(data(&frames), [body.trim()]);
    cutting::assert_lawful(Framing::JsonArray, body.as_bytes());
}

#[test]
fn an_element_comes_as_soon_as_it_ends() {
    let mut framer = Framer::new(Framing::JsonArray, LIMIT);
    framer.push(&bytes::Bytes::from_static(b"[{\"a\":1}"));
    assert_eq!(framer.next().unwrap().unwrap().data.as_deref(), Some("{\"a\":1}"));
}

#[test]
fn what_is_no_array_is_refused_at_its_place() {
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
        let (found, error) = cut(Framing::JsonArray, [stream], LIMIT);
        let text = String::from_utf8_lossy(stream);
        assert_eq!((found.len(), error.unwrap().at), (frames, at), "{text:?}");
        cutting::assert_lawful(Framing::JsonArray, stream);
    }
}

#[test]
fn random_streams_are_arrays_when_serde_json_says_so() {
    const PIECES: &[&str] =
        &["{}", "[", "]", ",", "\"", "\\", "1", " ", "{\"a\":[", "]}", "null", "é"];
    let mut dice = dice::Dice::new(3);
    let mut arrays = 0;
    for _ in 0..10_000 {
        let pieces = dice.below(8);
        let inside: String = (0..pieces).map(|_| dice.pick(PIECES)).collect();
        let stream = format!("[{inside}]");
        cutting::assert_lawful(Framing::JsonArray, stream.as_bytes());
        if let Ok(expected) = serde_json::from_str::<Vec<&RawValue>>(&stream) {
            let frames = cutting::whole(Framing::JsonArray, stream.as_bytes());
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
        assert_eq!(cut(Framing::JsonArray, array.chunks(size), 12).1, None);
        let (frames, error) = cut(Framing::JsonArray, array.chunks(size), 11);
        assert_eq!((frames.len(), error.unwrap().at), (1, 8 + 11));
    }
    let nested = |depth: usize| format!("[{}{}]", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(cut(Framing::JsonArray, [nested(512).as_bytes()], LIMIT).1, None);
    let (_, error) = cut(Framing::JsonArray, [nested(513).as_bytes()], LIMIT);
    assert_eq!(error.unwrap().at, 513);
}

#[test]
fn what_is_written_is_an_array() {
    for elements in [&[][..], &["{\"a\":1}"], &["{\"a\":1}", "{}", "[2]"]] {
        let mut out = Vec::new();
        let mut writer = FrameWriter::new(Framing::JsonArray);
        for element in elements {
            writer.write(None, element, &mut out);
        }
        writer.end(&mut out);
        let frames = cutting::whole(Framing::JsonArray, &out);
        assert_eq!(data(&frames), elements);
        let values: Vec<serde_json::Value> = serde_json::from_slice(&out).unwrap();
        assert_eq!(values.len(), elements.len());
    }
}
